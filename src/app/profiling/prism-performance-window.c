#include "config.h"

#include "profiling/prism-performance-window.h"

#include "benchmark/prism-performance-text.h"
#include "charts/prism-chart.h"
#include "device/prism-tune.h"
#include "prism-benchmark-chart.h"
#include "support/prism-job.h"

#define CHART_WIDTH 320
#define CHART_HEIGHT 200
#define INTERVAL 250 /* ms between two looks at the clock */

/* What is being tuned. */
typedef struct
{
  PrismConfig *config;
  char *program;
} Tuning;

G_DEFINE_FINAL_TYPE (PrismPerformanceWindow, prism_performance_window, PRISM_TYPE_JOB_WINDOW)

static void
update_actions (PrismPerformanceWindow *self)
{
  const gboolean running = self->runner != NULL, busy = running || self->tuning;

  prism_widget_enable (self, "performance.search", !busy, "performance.tune", !busy,
                       "performance.apply", !busy, NULL);
  prism_job_window_set_busy (self, busy, running);
}

/* What is best is in the button's own words: it is what pressing it will set. */
static GtkWidget *
make_button (const PrismSeries *series, guint index)
{
  const PrismSeriesPoint *best = prism_series_get_best (series);
  g_autofree char *name = prism_series_dup_name (series->kind, best->value);
  g_autofree char *label = g_strdup_printf (_ ("Apply %s"), name);
  GtkWidget *button = gtk_button_new_with_label (label);

  gtk_widget_set_halign (button, GTK_ALIGN_START);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), "performance.apply");
  gtk_actionable_set_action_target (GTK_ACTIONABLE (button), "u", index);
  return button;
}

static GtkWidget *
make_card (PrismPerformanceWindow *self, guint index)
{
  const PrismSeries *series = prism_performance_get_series (self->shown, index);
  g_autofree char *verdict = prism_series_dup_verdict (series);
  GtkWidget *card = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);

  if (series->points->len > 0)
    {
      g_autoptr (PrismChartData) data = prism_series_chart_new (series);
      GtkWidget *chart;

      data->description = g_strdup (verdict);
      chart = prism_chart_new_for (data);
      gtk_widget_set_size_request (chart, CHART_WIDTH, CHART_HEIGHT);
      gtk_box_append (GTK_BOX (card), chart);
    }
  else
    gtk_box_append (GTK_BOX (card),
                    prism_label_new (_ (prism_series_infos[series->kind].label), "heading",
                                     40));
  gtk_box_append (GTK_BOX (card), prism_label_new (verdict, NULL, 40));
  if (prism_series_has_choice (series))
    gtk_box_append (GTK_BOX (card), make_button (series, index));
  return card;
}

static void
update_results (PrismPerformanceWindow *self)
{
  g_autofree char *made = prism_machine_wording_dup_time (self->shown->made);
  g_autofree char *device = prism_machine_wording_dup_device (self->shown->device);
  g_autofree char *title = prism_performance_dup_title (self->shown, made, device);
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->cards))) != NULL)
    gtk_flow_box_remove (self->cards, child);
  for (guint i = 0; i < self->shown->series->len; i++)
    {
      gtk_flow_box_append (self->cards, make_card (self, i));
      child = gtk_widget_get_last_child (GTK_WIDGET (self->cards));
      gtk_widget_set_focusable (child, FALSE);
    }
  gtk_label_set_text (self->title_label, title);
  gtk_stack_set_visible_child_name (self->stack, "results");
}

static void
update_progress (PrismPerformanceWindow *self)
{
  g_autofree char *text = prism_bench_runner_dup_progress (self->runner);
  const guint n_done = self->runner->n_done;
  const guint n_left = prism_performance_count_left (self->shown);

  gtk_progress_bar_set_fraction (self->job.progress_bar,
                                 n_done / (double) MAX (n_done + n_left, 1));
  gtk_progress_bar_set_text (self->job.progress_bar, text);
}

static gboolean
on_clock (gpointer data)
{
  update_progress (data);
  return G_SOURCE_CONTINUE;
}

static void
finish (PrismPerformanceWindow *self)
{
  if (self->runner == NULL || !self->runner->over)
    return;
  g_clear_handle_id (&self->clock, g_source_remove);
  g_clear_pointer (&self->runner, prism_bench_runner_free);
  update_actions (self);
}

static void
on_point (PrismBenchRunner *runner, gpointer data)
{
  PrismPerformanceWindow *self = data;

  update_results (self);
  if (runner->over)
    prism_job_window_finish_soon (self);
  else
    update_progress (self);
}

static char *
find_program (PrismPerformanceWindow *self)
{
  return prism_job_window_find_program (
      self, _ ("prism-cli, which measures, is not installed beside this program:"
               " install it, or put it on PATH."));
}

static void
begin (PrismPerformanceWindow *self, gboolean searches)
{
  g_autofree char *program = find_program (self);

  if (program == NULL)
    return;
  g_clear_pointer (&self->shown, prism_performance_unref);
  self->shown = prism_performance_new (self->config, searches);
  self->runner = prism_bench_runner_new (
      NULL, self->shown, program, searches ? 0.0 : PRISM_PERFORMANCE_SECONDS, on_point, self);
  self->clock = g_timeout_add (INTERVAL, on_clock, self);
  update_actions (self);
  update_results (self);
  prism_bench_runner_start (self->runner);
}

static void
measure (PrismPerformanceWindow *self)
{
  begin (self, FALSE);
}

static void
search (PrismPerformanceWindow *self)
{
  begin (self, TRUE);
}

static void
stop (PrismPerformanceWindow *self)
{
  prism_bench_runner_stop (self->runner);
}

PRISM_FREE (Tuning, tuning_free, prism_config_free, config, g_free, program)

/* Other thread. */
static gpointer
find_tuned (const Tuning *tuning,
            GError **error)
{
  return prism_tune_find (tuning->config, tuning->program, TRUE, error);
}

static void
on_tuned (PrismPerformanceWindow *self,
          gpointer data,
          char *result,
          const GError *error)
{
  g_autofree char *text = result;

  self->tuning = FALSE;
  g_clear_handle_id (&self->clock, g_source_remove);
  if (self->job.toast_overlay == NULL)
    return;
  if (text != NULL)
    gtk_label_set_text (self->tuned_label, g_strchomp (text));
  gtk_widget_set_visible (GTK_WIDGET (self->tuned_label), text != NULL);
  prism_job_window_show_problem (self, error != NULL ? error->message : NULL);
  update_actions (self);
}

static gboolean
on_pulse (gpointer data)
{
  gtk_progress_bar_pulse (PRISM_JOB_WINDOW (data)->progress_bar);
  return G_SOURCE_CONTINUE;
}

/* What is known of such runs is forgotten, and found out at once. */
static void
tune (PrismPerformanceWindow *self)
{
  static const PrismJob job = { "tuning", find_tuned, on_tuned, tuning_free, g_free };
  g_autofree char *program = find_program (self);
  g_autoptr (GError) error = NULL;

  if (program == NULL)
    return;
  gtk_widget_set_visible (GTK_WIDGET (self->tuned_label), FALSE);
  if (!prism_tune_check (self->config, &error))
    {
      prism_job_window_show_problem (self, error->message);
      return;
    }
  self->tuning = TRUE;
  self->clock = g_timeout_add (INTERVAL, on_pulse, self);
  gtk_progress_bar_set_fraction (self->job.progress_bar, 0.0);
  gtk_progress_bar_set_text (self->job.progress_bar, _ ("Tuning"));
  update_actions (self);
  prism_job_start (
      &job, self,
      PRISM_NEW (Tuning, prism_config_dup (self->config), g_steal_pointer (&program)), NULL);
}

static void
apply (GtkWidget *widget, const char *action, GVariant *parameter)
{
  PrismPerformanceWindow *self = PRISM_PERFORMANCE_WINDOW (widget);
  const guint index = g_variant_get_uint32 (parameter);
  const PrismSeries *series;
  const PrismSeriesPoint *best;

  if (self->shown == NULL || index >= self->shown->series->len)
    return;
  series = prism_performance_get_series (self->shown, index);
  best = prism_series_get_best (series);
  if (best != NULL)
    g_signal_emit_by_name (self, "apply", (int) series->kind, best->value);
}

static void
prism_performance_window_class_init (PrismPerformanceWindowClass *klass)
{
  PRISM_DISPOSE (klass, PrismPerformanceWindow, g_source_remove, clock);
  PRISM_DISPOSE (klass, PrismPerformanceWindow, prism_bench_runner_free, runner);
  PRISM_FINALIZE (klass, PrismPerformanceWindow, prism_performance_unref, shown);
  PRISM_FINALIZE (klass, PrismPerformanceWindow, prism_config_free, config);
  ((PrismJobWindowClass *) klass)->kind
      = (PrismJobKind) { "performance", measure, stop, finish };
  PRISM_JOB_TEMPLATE (klass, PrismPerformanceWindow, "prism-performance-window.ui", tuned_label,
                      stack, title_label, cards);
  PRISM_ACTION (klass, "performance.search", search);
  PRISM_ACTION (klass, "performance.tune", tune);
  gtk_widget_class_install_action (GTK_WIDGET_CLASS (klass), "performance.apply", "u", apply);

  /**
   * PrismPerformanceWindow::apply:
   * @self: a window
   * @kind: PrismSeriesKind
   * @value: of it
   *
   * The user wants this value.
   */
  prism_signal_new (klass, "apply", 2, G_TYPE_INT, G_TYPE_INT);
}

static void
prism_performance_window_init (PrismPerformanceWindow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  update_actions (self);
}

/**
 * prism_performance_window_new:
 * @config: of the run whose sizes are measured
 *
 * Returns: (transfer none): the window, which owns itself
 */
GtkWidget *
prism_performance_window_new (const PrismConfig *config)
{
  PrismPerformanceWindow *self = g_object_new (PRISM_TYPE_PERFORMANCE_WINDOW, NULL);

  self->config = prism_config_dup (config);
  return GTK_WIDGET (self);
}
