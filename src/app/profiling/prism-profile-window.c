#include "config.h"

#include "profiling/prism-profile-window.h"

#include "base/prism-each.h"
#include "charts/prism-chart-plot.h"
#include "charts/prism-chart.h"
#include "prism-scale.h"
#include "support/prism-file-dialog.h"
#include "support/prism-job.h"
#include "support/prism-notice.h"
#include "support/prism-table.h"
#include "support/prism-widget.h"

#include <inttypes.h>

/* Beside what a reading has: how another profile compares. */
enum
{
  COLUMN_BEFORE = PRISM_N_STAGE_COLUMNS,
  COLUMN_CHANGE,
  N_COLUMNS,
};

struct _PrismProfileWindow
{
  AdwWindow parent_instance;

  AdwToastOverlay *toast_overlay;
  AdwWindowTitle *window_title;
  GtkStack *stack;
  GtkLabel *sentences;
  AdwBin *table;
  PrismChartPlot *timeline;
  AdwBin *memory; /* below it */
  GtkFlowBox *charts;

  GListStore *rows; /* of the table: GObjects with a stage and its values */
  GtkColumnViewColumn *columns[N_COLUMNS];
  PrismTraceReading *reading; /* (nullable) until one is opened */
};

/* A file that is read. */
typedef struct
{
  char *path;
  gboolean compare;
} Request;

G_DEFINE_FINAL_TYPE (PrismProfileWindow, prism_profile_window, ADW_TYPE_WINDOW)

/* Of lanes, in lines of text. */
#define LANE_TITLE 1.4
#define LANE_ROW 1.3
#define LANE_GAP 0.5
#define MOST_DEPTH 6 /* what is further inside is not drawn */

/* What the program calls its threads in profiles. */
G_GNUC_UNUSED static const char *const names[] = {
  NC_ ("thread", "engine"),
  NC_ ("thread", "main"),
  NC_ ("thread", "window"),
  NC_ ("thread", "saver"),
  NC_ ("thread", "worker"),
  NC_ ("thread", "thread"),
};

/* What prism-cli profile has a row for. */
static char *
dup_lane_text (const PrismTraceThread *thread)
{
  g_autofree char *name
      = thread->worker > 0
            ? g_strdup_printf (_ ("worker %u"), thread->worker)
            : g_strdup (g_dpgettext2 (GETTEXT_PACKAGE, "thread", thread->name));
  PrismTraceSummary summary;

  prism_trace_summary_init_thread (&summary, thread);
  return g_strdup_printf (_ ("%s: busy %.2f s, waits %.2f s, covered %.0f %%"), name, summary.busy,
                          summary.stages[PRISM_STAGE_WAIT].self,
                          100 * prism_trace_get_coverage (thread));
}

/* What a stage is, when, how long. */
static char *
dup_tip (gconstpointer subject)
{
  const PrismSpan *span = subject;
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, _ ("%s: %.3f ms, from %.4f s"), prism_stage_get_label (span->kind),
                          1e-6 * (span->end - span->begin), 1e-9 * span->begin);
  if (span->count > 1)
    g_string_append_printf (text, _ (", %" PRIu64 " at once"), span->count);
  return g_string_free (text, FALSE);
}

/* The stages of a thread below those around them; returns how many rows they take. Spans are
 * sorted, outer ones first. */
static guint
add_spans (PrismChartData *chart,
           const PrismTraceThread *thread,
           double top)
{
  gint64 ends[MOST_DEPTH];
  guint n_open = 0, n_rows = 0;

  PRISM_FOR_EACH (const PrismSpan, span, thread->spans)
    {
      PrismChartItem *item;

      while (n_open > 0 && ends[n_open - 1] <= span->begin)
        n_open--;
      if (n_open == MOST_DEPTH)
        continue;
      item = prism_chart_data_add_item (chart, NULL, NULL);
      item->x[0] = 1e-9 * span->begin;
      item->x[1] = 1e-9 * span->end;
      item->y[0] = top + LANE_ROW * n_open;
      item->y[1] = item->y[0] + LANE_ROW;
      item->value = span->kind;
      item->text = prism_stage_get_label (span->kind);
      item->subject = span;
      ends[n_open++] = span->end;
      n_rows = MAX (n_rows, n_open);
    }
  return n_rows;
}

/**
 * prism_profile_chart_new:
 * @reading: a profile, which lives longer
 *
 * Returns: (transfer full): a lane for each thread, in which stages stand below those around them
 */
PrismChartData *
prism_profile_chart_new (PrismTraceReading *reading)
{
  const PrismTrace *trace = reading->trace;
  PrismChartData *chart = prism_chart_data_new_titled ("", _ ("Time / s"));
  double top = 0.0;

  chart->shape = PRISM_CHART_LANES;
  chart->continuous = TRUE;
  chart->dup_tip = dup_tip;
  chart->first = 0.0;
  chart->last = MAX (trace->seconds, 1e-6);
  chart->description = g_strdup_printf (_ ("Stages of %u threads over %.2f s"), trace->threads->len,
                                        trace->seconds);
  for (guint i = 0; i < trace->threads->len; i++)
    {
      g_autofree char *text = dup_lane_text (trace->threads->pdata[i]);

      prism_chart_data_add_mark (chart->names[1], top, text);
      top += LANE_TITLE;
      top += LANE_ROW * add_spans (chart, trace->threads->pdata[i], top) + LANE_GAP;
    }
  prism_chart_data_set_axis (chart, PRISM_CHART_LEFT, NULL, FALSE, 0, top);
  return chart;
}

#define WIDTH 300
#define HEIGHT 220

static const struct
{
  const char *title;
  const char *axis;
  double factor;
} gauges[PRISM_N_COUNTERS] = {
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

static GtkWidget *
create_chart (PrismProfileWindow *self,
              PrismCounter counter,
              const PrismTraceCounter *found)
{
  const PrismTrace *trace = self->reading->trace;
  const gboolean is_memory = counter == PRISM_COUNTER_HOST_MEMORY
                             || counter == PRISM_COUNTER_DEVICE_MEMORY
                             || counter == PRISM_COUNTER_ARRAYS;
  const char *name = _ (gauges[counter].title);
  g_autofree char *title
      = is_memory ? prism_ticks_take_minus (g_strdup_printf (
            _ ("%s, %+.2f MiB/s"), name, found->slope * gauges[counter].factor))
                  : g_strdup (name);
  g_autoptr (PrismChartData) data = prism_chart_data_new_titled (title, _ ("Time / s"));
  PrismChartSeries *series
      = prism_chart_data_add_series (data, name, PRISM_CHART_LEFT);
  GtkWidget *chart;

  data->continuous = TRUE;
  data->first = 0.0;
  data->last = MAX (trace->seconds, 1e-6);
  prism_chart_data_set_axis (data, PRISM_CHART_LEFT, _ (gauges[counter].axis), FALSE, NAN, NAN);
  PRISM_FOR_EACH (const PrismSpan, sample, trace->samples)
    {
      if (sample->kind == PRISM_N_STAGES + counter)
        prism_chart_series_append (series, 1e-9 * sample->begin,
                                   sample->value * gauges[counter].factor);
    }
  chart = prism_chart_new_for (data);
  prism_chart_plot_set_timeline (PRISM_CHART (chart)->plot, self->timeline->timeline);
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

/* The counters of the profile in place of those that are shown, over the same time; one moment is
 * no chart, and neither is what stayed 0. Without any it says so. */
static void
fill_charts (PrismProfileWindow *self)
{
  GtkWidget *child;

  adw_bin_set_child (self->memory, NULL);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->charts))) != NULL)
    gtk_flow_box_remove (self->charts, child);
  for (gsize i = 0; i < G_N_ELEMENTS (order); i++)
    {
      PrismTraceCounter found;

      prism_trace_counter_init (&found, self->reading->trace, order[i]);
      if (found.n_samples < 2 || found.most <= 0.0)
        continue;
      append (self->charts, create_chart (self, order[i], &found));
      if (order[i] == PRISM_COUNTER_HOST_MEMORY)
        adw_bin_set_child (self->memory, create_chart (self, order[i], &found));
    }
  if (gtk_widget_get_first_child (GTK_WIDGET (self->charts)) == NULL)
    append (self->charts, gtk_label_new (_ ("This profile has no counters over time.")));
}

typedef struct
{
  PrismStage stage;
  double values[N_COLUMNS];
} Row;

static const struct
{
  const char *title;
  const char *format;
  double factor;
} columns[N_COLUMNS] = {
  [PRISM_STAGE_COLUMN_PART] = { N_ ("Part of the work"), "%.1f %%", 1e2 },
  [PRISM_STAGE_COLUMN_CALLS] = { N_ ("Calls"), "%.0f", 1.0 },
  [PRISM_STAGE_COLUMN_TOTAL] = { N_ ("Total / s"), "%.4f", 1.0 },
  [PRISM_STAGE_COLUMN_SELF] = { N_ ("Own / s"), "%.4f", 1.0 },
  [PRISM_STAGE_COLUMN_MEDIAN] = { N_ ("Median / ms"), "%.4f", 1e3 },
  [PRISM_STAGE_COLUMN_P99] = { N_ ("99 % / ms"), "%.4f", 1e3 },
  [PRISM_STAGE_COLUMN_BANDWIDTH] = { N_ ("GB/s"), "%.2f", 1e-9 },
  [PRISM_STAGE_COLUMN_BANDWIDTH_PART] = { N_ ("of the machine’s GB/s"), "%.0f %%", 1e2 },
  [PRISM_STAGE_COLUMN_RATE] = { N_ ("GFLOP/s"), "%.2f", 1e-9 },
  [PRISM_STAGE_COLUMN_RATE_PART] = { N_ ("of the machine’s GFLOP/s"), "%.0f %%", 1e2 },
  [PRISM_STAGE_COLUMN_ARRAYS_MOST] = { N_ ("Arrays, most / MiB"), "%.1f", 1.0 / 1048576.0 },
  [PRISM_STAGE_COLUMN_ARRAYS_FIRST] = { N_ ("at the start / MiB"), "%.1f", 1.0 / 1048576.0 },
  [PRISM_STAGE_COLUMN_ARRAYS_LAST] = { N_ ("at the end / MiB"), "%.1f", 1.0 / 1048576.0 },
  [PRISM_STAGE_COLUMN_DEVICE_MOST] = { N_ ("Device, most / MiB"), "%.1f", 1.0 / 1048576.0 },
  [PRISM_STAGE_COLUMN_DEVICE_FIRST] = { N_ ("at the start / MiB"), "%.1f", 1.0 / 1048576.0 },
  [PRISM_STAGE_COLUMN_DEVICE_LAST] = { N_ ("at the end / MiB"), "%.1f", 1.0 / 1048576.0 },
  [COLUMN_BEFORE] = { N_ ("Before / s"), "%.4f", 1.0 },
  [COLUMN_CHANGE] = { N_ ("Change / s"), "%+.4f", 1.0 },
};

static const Row *
get_row (gpointer item)
{
  return g_object_get_data (G_OBJECT (item), "prism-row");
}

static char *
dup_name (gpointer item,
          gpointer data)
{
  return g_strdup (prism_stage_get_label (get_row (item)->stage));
}

static char *
dup_value (gpointer item,
           gpointer data)
{
  const guint column = GPOINTER_TO_UINT (data);
  const double value = get_row (item)->values[column];

  return isnan (value) ? g_strdup ("–")
                       : g_strdup_printf (columns[column].format, value * columns[column].factor);
}

/* What is not known comes first of what grows. */
static double
get_value (gpointer item,
           gpointer data)
{
  const double value = get_row (item)->values[GPOINTER_TO_UINT (data)];

  return isnan (value) ? -INFINITY : value;
}

static void
make_table (PrismProfileWindow *self)
{
  GtkColumnView *view;

  self->rows = g_list_store_new (G_TYPE_OBJECT);
  view = prism_table_new (self->table, self->rows, _ ("Stages of the profile"));
  prism_table_append (view, _ ("Stage"), &(PrismTableColumn) { dup_name });
  for (guint i = 0; i < N_COLUMNS; i++)
    self->columns[i]
        = prism_table_append (view, _ (columns[i].title),
                              &(PrismTableColumn) { dup_value, get_value,
                                                    .data = GUINT_TO_POINTER (i), .right = TRUE,
                                                    .bar = i == PRISM_STAGE_COLUMN_PART });
  gtk_column_view_sort_by_column (view, self->columns[PRISM_STAGE_COLUMN_SELF],
                                  GTK_SORT_DESCENDING);
}

static GObject *
new_item (const PrismTraceReading *reading,
          const PrismTraceReading *compared,
          PrismStage stage)
{
  GObject *item = g_object_new (G_TYPE_OBJECT, NULL);
  Row *row;
  double before = NAN;

  row = PRISM_NEW (Row, stage);
  for (guint i = 0; i < PRISM_N_STAGE_COLUMNS; i++)
    row->values[i] = prism_trace_summary_get_value (&reading->summary, stage, i);
  if (compared != NULL)
    before = prism_trace_summary_get_value (&compared->summary, stage, PRISM_STAGE_COLUMN_SELF);
  row->values[COLUMN_BEFORE] = before;
  row->values[COLUMN_CHANGE] = row->values[PRISM_STAGE_COLUMN_SELF] - before;
  g_object_set_data_full (item, "prism-row", row, g_free);
  return item;
}

/* The stages that occur in either. */
static void
fill_table (PrismProfileWindow *self,
            const PrismTraceReading *before)
{
  const PrismTraceReading *reading = self->reading;
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func (g_object_unref);

  for (int stage = 0; stage < PRISM_N_STAGES; stage++)
    if (reading->summary.stages[stage].n_calls > 0
        || (before != NULL && before->summary.stages[stage].n_calls > 0))
      g_ptr_array_add (items, new_item (reading, before, stage));
  /* One by one, the view would stay at the first of them, wherever that comes to stand. */
  g_list_store_splice (self->rows, 0, g_list_model_get_n_items (G_LIST_MODEL (self->rows)),
                       items->pdata, items->len);
  gtk_column_view_column_set_visible (self->columns[COLUMN_BEFORE], before != NULL);
  gtk_column_view_column_set_visible (self->columns[COLUMN_CHANGE], before != NULL);
}

static void
update (PrismProfileWindow *self,
        PrismTraceReading *before)
{
  g_autoptr (PrismChartData) lanes = NULL;
  g_autofree char *change = NULL;
  g_autofree char *text = NULL;

  prism_widget_enable (self, "profile.save", self->reading != NULL, "profile.compare",
                       self->reading != NULL, NULL);
  gtk_widget_set_visible (GTK_WIDGET (self->stack), self->reading != NULL);
  if (self->reading == NULL)
    return;
  if (before != NULL)
    change = prism_trace_reading_dup_change (before, self->reading);
  text = change == NULL ? g_strdup (self->reading->text)
                        : g_strjoin ("\n", change, self->reading->text, NULL);
  gtk_label_set_label (self->sentences, text);
  fill_table (self, before);
  lanes = prism_profile_chart_new (self->reading);
  prism_chart_plot_set_data (self->timeline, lanes);
  prism_timeline_reset (self->timeline->timeline);
  fill_charts (self);
}

PRISM_FREE (Request, request_free, g_free, path)

/* Other thread. */
static gpointer
read_file (const Request *request,
           GError **error)
{
  PrismTrace *trace = prism_trace_load (request->path, error);

  return trace != NULL ? prism_trace_reading_new (trace) : NULL;
}

static void
take_reading (PrismProfileWindow *self,
              const Request *request,
              gpointer result,
              const GError *error)
{
  g_autoptr (PrismTraceReading) reading = result;
  g_autofree char *name = g_filename_display_basename (request->path);
  g_autofree char *subtitle = NULL;

  if (error != NULL)
    {
      prism_toaster_tell (self->toast_overlay, error->message);
      return;
    }
  if (!request->compare)
    g_clear_pointer (&self->reading, prism_trace_reading_unref);
  if (self->reading == NULL)
    self->reading = prism_trace_reading_ref (reading);
  subtitle = request->compare ? g_strdup_printf (_ ("Compared with %s"), name)
                              : g_steal_pointer (&name);
  adw_window_title_set_subtitle (self->window_title, subtitle);
  update (self, request->compare ? reading : NULL);
}

/**
 * prism_profile_window_open:
 * @self: a window
 * @path: a profile
 * @compare: whether it is held against the one that is shown, rather than shown in its place
 *
 * Reads a profile on another thread.
 */
void
prism_profile_window_open (PrismProfileWindow *self,
                           const char *path,
                           gboolean compare)
{
  static const PrismJob job = { "profile", read_file, take_reading, request_free,
                                prism_trace_reading_unref };

  prism_job_start (&job, self, PRISM_NEW (Request, g_strdup (path), compare), NULL);
}

/* Other thread. */
static gboolean
write_trace (const PrismTraceReading *reading,
             const char *path,
             GError **error)
{
  return prism_trace_save (reading->trace, path, error);
}

static void
save (PrismProfileWindow *self,
      const char *path)
{
  if (self->reading != NULL)
    prism_file_saver_save (write_trace, prism_trace_reading_ref (self->reading),
                           prism_trace_reading_unref, path, prism_toaster_tell_saved,
                           self->toast_overlay);
}

static void
prism_profile_window_class_init (PrismProfileWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  PRISM_DISPOSE (klass, PrismProfileWindow, g_object_unref, rows);
  PRISM_DISPOSE (klass, PrismProfileWindow, prism_trace_reading_unref, reading);
  g_type_ensure (PRISM_TYPE_CHART_PLOT);
  PRISM_TEMPLATE (klass, PrismProfileWindow, "prism-profile-window.ui", toast_overlay,
                  window_title, stack, sentences, table, timeline, memory, charts);
  PRISM_ASK (klass,
             { "profile.open",
               { PRISM_FILE_DIALOG_OPEN, N_ ("Open a profile"), N_ ("Profiles"), "*.prismprof" },
               prism_profile_window_open },
             { "profile.compare",
               { PRISM_FILE_DIALOG_OPEN, N_ ("Compare with a profile"), N_ ("Profiles"),
                 "*.prismprof", .accept = N_ ("_Compare") },
               prism_profile_window_open,
               GINT_TO_POINTER (TRUE) },
             { "profile.save",
               { PRISM_FILE_DIALOG_SAVE,
                 N_ ("Save the profile (.prismprof; .json for Perfetto; .syscap for Sysprof)"),
                 N_ ("Profiles"), "*.prismprof *.json *.syscap", "run.prismprof" },
               save });
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_o, GDK_CONTROL_MASK, "profile.open",
                                       NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_s, GDK_CONTROL_MASK, "profile.save",
                                       NULL);
}

static void
prism_profile_window_init (PrismProfileWindow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  make_table (self);
}

/**
 * prism_profile_window_new:
 * @reading: (nullable): a profile, NULL for one that is opened
 *
 * Makes a window that shows it.
 *
 * Returns: (transfer none): the window
 */
GtkWidget *
prism_profile_window_new (PrismTraceReading *reading)
{
  PrismProfileWindow *self = g_object_new (PRISM_TYPE_PROFILE_WINDOW, NULL);

  if (reading != NULL)
    self->reading = prism_trace_reading_ref (reading);
  update (self, NULL);
  return GTK_WIDGET (self);
}
