#include "config.h"

#include "compare/prism-compare-curves.h"

#include "charts/prism-chart.h"
#include "prism-report-figure.h"
#include "support/prism-wording.h"

#include <glib/gi18n.h>
#include <math.h>

struct _PrismCompareCurves
{
  GtkWidget parent_instance;

  GtkWidget *content;
  GtkDropDown *quantity;
  GtkDropDown *axis;
  GtkBox *place;

  PrismComparison *comparison; /* (nullable) */
};

G_DEFINE_FINAL_TYPE (PrismCompareCurves, prism_compare_curves, GTK_TYPE_WIDGET)

static void
copy_series (GtkWidget *chart,
             PrismChartSeries *series)
{
  guint index = prism_chart_add_series (PRISM_CHART (chart), prism_chart_series_get_label (series),
                                        prism_chart_series_get_side (series));
  PrismChartSeries *copy
      = prism_chart_data_get_series (prism_chart_get_data (PRISM_CHART (chart)), index);

  /* Metrics are computed every few steps only. */
  prism_chart_set_joined (PRISM_CHART (chart), index, TRUE);
  for (guint64 i = 0; i < prism_chart_series_get_n_points (series); i++)
    {
      double x = prism_chart_series_get_x (series, i);
      double y = prism_chart_series_get_y (series, i, FALSE);

      if (isnan (y))
        prism_chart_series_interrupt (copy, x);
      else
        prism_chart_append (PRISM_CHART (chart), index, x, y);
    }
}

static GtkWidget *
create_chart (PrismChartData *data)
{
  const PrismChartAxis *axis = &data->axes[PRISM_CHART_LEFT];
  GtkWidget *chart = prism_chart_new (data->title);
  PrismChartData *shown = prism_chart_get_data (PRISM_CHART (chart));

  g_free (shown->x_title);
  shown->x_title = g_strdup (data->x_title);
  shown->continuous = data->continuous;
  prism_chart_set_axis (PRISM_CHART (chart), PRISM_CHART_LEFT, axis->title, axis->logarithmic,
                        axis->minimum, axis->maximum);
  for (guint i = 0; i < data->series->len; i++)
    copy_series (chart, prism_chart_data_get_series (data, i));
  gtk_widget_set_vexpand (chart, TRUE);
  return chart;
}

static void
update (PrismCompareCurves *self)
{
  PrismReportCurves curves = gtk_drop_down_get_selected (self->quantity);
  gboolean over_time = gtk_drop_down_get_selected (self->axis) == 1;
  GtkWidget *old = gtk_widget_get_first_child (GTK_WIDGET (self->place));
  g_autoptr (PrismChartData) data = NULL;

  if (self->comparison == NULL || curves >= PRISM_REPORT_N_CURVES)
    return;
  gtk_widget_set_sensitive (GTK_WIDGET (self->axis), curves != PRISM_REPORT_CURVES_CORRELATION);
  data = prism_report_curves_new (curves, self->comparison, over_time);
  if (old != NULL)
    gtk_box_remove (self->place, old);
  gtk_box_append (self->place, create_chart (data));
}

static void
prism_compare_curves_dispose (GObject *object)
{
  PrismCompareCurves *self = PRISM_COMPARE_CURVES (object);

  g_clear_pointer (&self->content, gtk_widget_unparent);
  g_clear_pointer (&self->comparison, prism_comparison_free);
  G_OBJECT_CLASS (prism_compare_curves_parent_class)->dispose (object);
}

static void
prism_compare_curves_class_init (PrismCompareCurvesClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = prism_compare_curves_dispose;
  gtk_widget_class_set_template_from_resource (widget_class,
                                               PRISM_RESOURCE ("prism-compare-curves.ui"));
  gtk_widget_class_bind_template_child (widget_class, PrismCompareCurves, content);
  gtk_widget_class_bind_template_child (widget_class, PrismCompareCurves, quantity);
  gtk_widget_class_bind_template_child (widget_class, PrismCompareCurves, axis);
  gtk_widget_class_bind_template_child (widget_class, PrismCompareCurves, place);
  gtk_widget_class_bind_template_callback (widget_class, update);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
}

static void
prism_compare_curves_init (PrismCompareCurves *self)
{
  g_autoptr (GtkStringList) names = gtk_string_list_new (NULL);

  gtk_widget_init_template (GTK_WIDGET (self));
  for (int curves = 0; curves < PRISM_REPORT_N_CURVES; curves++)
    gtk_string_list_append (names, prism_report_curves_get_title (curves));
  gtk_drop_down_set_model (self->quantity, G_LIST_MODEL (names));
  gtk_drop_down_set_selected (self->quantity, PRISM_REPORT_CURVES_METRICS);
}

/**
 * prism_compare_curves_set_comparison:
 * @self: a page
 * @comparison: the runs
 *
 * Shows a curve of each of these runs.
 */
void
prism_compare_curves_set_comparison (PrismCompareCurves *self,
                                     const PrismComparison *comparison)
{
  g_clear_pointer (&self->comparison, prism_comparison_free);
  self->comparison = prism_comparison_dup (comparison);
  update (self);
}
