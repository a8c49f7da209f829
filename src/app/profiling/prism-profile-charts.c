#include "config.h"

#include "profiling/prism-profile-charts.h"

#include "charts/prism-chart.h"
#include "profile/prism-trace.h"

#include <glib/gi18n.h>
#include <math.h>

#define WIDTH 300
#define HEIGHT 220

static const struct
{
  const char *title;
  const char *axis;
  double factor;
} shown[PRISM_N_COUNTERS] = {
  [PRISM_COUNTER_HOST_MEMORY]
  = { N_ ("Memory of the program"), N_ ("Memory / MiB"), 1.0 / 1048576.0 },
  [PRISM_COUNTER_DEVICE_MEMORY]
  = { N_ ("Memory of the device"), N_ ("Memory / MiB"), 1.0 / 1048576.0 },
  [PRISM_COUNTER_ARRAYS] = { N_ ("Memory of arrays"), N_ ("Memory / MiB"), 1.0 / 1048576.0 },
  [PRISM_COUNTER_STEP_RATE] = { N_ ("Steps"), N_ ("Steps / s⁻¹"), 1.0 },
  [PRISM_COUNTER_CACHE_HITS] = { N_ ("Cache hits"), N_ ("Hits"), 1.0 },
  [PRISM_COUNTER_QUEUE] = { N_ ("Commands that wait"), N_ ("Commands"), 1.0 },
};

static const PrismCounter order[] = {
  PRISM_COUNTER_HOST_MEMORY,
  PRISM_COUNTER_ARRAYS,
  PRISM_COUNTER_DEVICE_MEMORY,
  PRISM_COUNTER_STEP_RATE,
  PRISM_COUNTER_CACHE_HITS,
  PRISM_COUNTER_QUEUE,
};

static char *
dup_title (PrismCounter counter,
           const PrismTraceCounter *found)
{
  if (counter != PRISM_COUNTER_HOST_MEMORY && counter != PRISM_COUNTER_DEVICE_MEMORY
      && counter != PRISM_COUNTER_ARRAYS)
    return g_strdup (_ (shown[counter].title));
  return g_strdup_printf (_ ("%s, %+.2f MiB/s"), _ (shown[counter].title),
                          found->slope * shown[counter].factor);
}

static GtkWidget *
create_chart (PrismCounter counter,
              const PrismTrace *trace,
              const PrismTraceCounter *found)
{
  g_autofree char *title = dup_title (counter, found);
  GtkWidget *chart = prism_chart_new (title);
  PrismChartData *data = prism_chart_get_data (PRISM_CHART (chart));
  guint series;

  g_free (data->x_title);
  data->x_title = g_strdup (_ ("Time / s"));
  data->continuous = TRUE;
  prism_chart_set_axis (PRISM_CHART (chart), PRISM_CHART_LEFT, _ (shown[counter].axis), FALSE, NAN,
                        NAN);
  series = prism_chart_add_series (PRISM_CHART (chart), _ (shown[counter].title),
                                   PRISM_CHART_LEFT);
  for (guint i = 0; i < trace->samples->len; i++)
    {
      const PrismSpan *sample = &g_array_index (trace->samples, PrismSpan, i);

      if (sample->kind == PRISM_N_STAGES + counter)
        prism_chart_append (PRISM_CHART (chart), series, 1e-9 * sample->begin,
                            sample->value * shown[counter].factor);
    }
  gtk_widget_set_size_request (chart, WIDTH, HEIGHT);
  return chart;
}

static void
append (GtkFlowBox *box,
        GtkWidget *widget)
{
  gtk_flow_box_append (box, widget);
  gtk_widget_set_focusable (gtk_widget_get_last_child (GTK_WIDGET (box)), FALSE);
}

/**
 * prism_profile_charts_fill:
 * @box: what holds the charts
 * @trace: a profile
 *
 * Shows the counters of a profile in place of those that are shown; one moment is no chart, and
 * neither is what stayed 0. Without any it says so.
 */
void
prism_profile_charts_fill (GtkFlowBox *box,
                           const PrismTrace *trace)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (box))) != NULL)
    gtk_flow_box_remove (box, child);
  for (gsize i = 0; i < G_N_ELEMENTS (order); i++)
    {
      PrismTraceCounter found;

      prism_trace_counter_init (&found, trace, order[i]);
      if (found.n_samples < 2 || found.most <= 0.0)
        continue;
      append (box, create_chart (order[i], trace, &found));
    }
  if (gtk_widget_get_first_child (GTK_WIDGET (box)) == NULL)
    append (box, gtk_label_new (_ ("This profile has no counters over time.")));
}
