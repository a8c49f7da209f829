#include "config.h"

#include "compare/prism-benchmark-window.h"

#include "base/prism-each.h"
#include "benchmark/prism-benchmark-file.h"
#include "benchmark/prism-benchmark-text.h"
#include "prism-benchmark-chart.h"
#include "prism-benchmark-report.h"
#include "prism-mark-draw.h"
#include "support/prism-file-dialog.h"
#include "support/prism-notice.h"

/* The scenes of the list. */
enum
{
  SCENE_SHORT,
  SCENE_EDITED,
};

G_DEFINE_FINAL_TYPE (PrismBenchmarkWindow, prism_benchmark_window, PRISM_TYPE_JOB_WINDOW)

static void
update_actions (PrismBenchmarkWindow *self)
{
  const gboolean running = self->runner != NULL;
  const gboolean some = self->shown != NULL && prism_benchmark_count_done (self->shown) > 0;

  gtk_widget_action_set_enabled (GTK_WIDGET (self), "benchmark.save", !running && some);
  prism_job_window_set_busy (self, running, running);
}

static void
add_cell (PrismBenchmarkWindow *self,
          const char *text,
          int column,
          int row)
{
  const char *style = row == 0 ? "caption-heading" : column == 0 ? "dim-label"
                                                                 : "numeric";
  GtkWidget *label = prism_label_new (text, style, 0);

  if (row > 0 && column > 0)
    gtk_widget_set_tooltip_text (label, prism_error_of_get_text (PRISM_ERROR_OF_ROUNDS));
  gtk_grid_attach (self->grid, label, column, row, 1, 1);
}

/* A column for each kind of run: there are fewer of them than figures. */
static void
fill_grid (PrismBenchmarkWindow *self)
{
  GtkWidget *child;
  int row = 2;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->grid))) != NULL)
    gtk_grid_remove (self->grid, child);
  add_cell (self, _ ("Verdict"), 0, 1);
  for (guint i = 0; i < self->shown->variants->len; i++)
    {
      const PrismBenchmarkVariant *variant = prism_benchmark_get_variant (self->shown, i);
      g_autofree char *verdict = prism_benchmark_dup_verdict (self->shown, i);

      add_cell (self, prism_benchmark_variant_get_label (variant), (int) i + 1, 0);
      add_cell (self, verdict, (int) i + 1, 1);
    }
  for (int figure = 0; figure < PRISM_N_FIGURES; figure++)
    {
      if (!prism_benchmark_has_figure (self->shown, figure))
        continue;
      add_cell (self, _ (prism_figures[figure].label), 0, row);
      for (guint i = 0; i < self->shown->variants->len; i++)
        {
          g_autofree char *text = prism_benchmark_dup_figure (self->shown, i, figure);

          add_cell (self, text, (int) i + 1, row);
        }
      row++;
    }
}

static void
update_results (PrismBenchmarkWindow *self)
{
  g_autoptr (PrismChartData) bars = NULL;
  g_autofree char *title = NULL, *machine = NULL, *remarks = NULL, *made = NULL, *device = NULL;

  if (self->shown == NULL)
    return;
  title = prism_benchmark_dup_title (self->shown);
  made = prism_machine_wording_dup_time (self->shown->made);
  device = prism_machine_wording_dup_device (self->shown->device);
  machine = prism_benchmark_dup_machine (self->shown, made, device);
  remarks = g_strchomp (prism_benchmark_dup_remarks (self->shown));
  gtk_label_set_text (self->title_label, title);
  gtk_label_set_text (self->machine_label, machine);
  gtk_label_set_text (self->left_out_label, remarks);
  gtk_widget_set_visible (GTK_WIDGET (self->left_out_label), remarks[0] != '\0');
  fill_grid (self);
  bars = prism_benchmark_chart_new (self->shown);
  prism_chart_plot_set_data (self->bars, bars);
  gtk_stack_set_visible_child_name (self->stack, "results");
}

static void
show_benchmark (PrismBenchmarkWindow *self,
                PrismBenchmark *benchmark)
{
  prism_keep (&self->shown, benchmark, prism_benchmark_ref, prism_benchmark_unref);
  update_results (self);
  update_actions (self);
}

/* What came first is the list's own word for none. */
static void
on_history_selected (PrismBenchmarkWindow *self)
{
  guint selected = adw_combo_row_get_selected (self->history_row);

  if (self->history != NULL && selected != GTK_INVALID_LIST_POSITION && selected > 0
      && selected <= self->history->len && self->runner == NULL)
    show_benchmark (self, self->history->pdata[selected - 1]);
}

static void
take_history (PrismBenchmarkWindow *self,
              GPtrArray *history)
{
  g_autoptr (GtkStringList) names = gtk_string_list_new (NULL);

  g_clear_pointer (&self->history, g_ptr_array_unref);
  self->history = history;
  gtk_string_list_append (names, history->len > 0 ? _ ("Choose one") : _ ("None yet"));
  PRISM_FOR_EACH_POINTER (const PrismBenchmark, benchmark, history)
    {
      g_autofree char *name = prism_machine_wording_dup_time (benchmark->made);

      gtk_string_list_append (names, name);
    }
  adw_combo_row_set_model (self->history_row, G_LIST_MODEL (names));
}

/* Other thread. added: (nullable): what is new */
static gpointer
read_history (const PrismBenchmark *added,
              GError **error)
{
  if (added != NULL && !prism_benchmark_history_add (added, error))
    return NULL;
  return prism_benchmark_history_load (NULL);
}

static void
on_history_read (PrismBenchmarkWindow *self,
                 gpointer added,
                 gpointer result,
                 const GError *error)
{
  g_autoptr (GPtrArray) history = result;

  if (self->job.toast_overlay == NULL)
    return;
  if (error != NULL)
    prism_job_window_show_problem (self, error->message);
  else
    take_history (self, g_steal_pointer (&history));
}

static void
update_history (PrismBenchmarkWindow *self,
                PrismBenchmark *added)
{
  static const PrismJob job = { "benchmark-history", read_history, on_history_read,
                                prism_benchmark_unref, g_ptr_array_unref };

  prism_job_start (&job, self, prism_benchmark_ref (added), NULL);
}

static void
update_progress (PrismBenchmarkWindow *self)
{
  g_autofree char *text = prism_bench_runner_dup_progress (self->runner);

  gtk_progress_bar_set_fraction (self->job.progress_bar,
                                 (double) prism_benchmark_count_done (self->shown)
                                     / prism_benchmark_count_runs (self->shown));
  gtk_progress_bar_set_text (self->job.progress_bar, text);
}

static void
finish (PrismBenchmarkWindow *self)
{
  const char *problem;

  if (self->runner == NULL || !self->runner->over)
    return;
  problem = self->runner->problem;
  if (problem != NULL)
    prism_job_window_show_problem (self, problem);
  if (prism_benchmark_count_done (self->shown) == prism_benchmark_count_runs (self->shown))
    {
      update_history (self, self->shown);
      prism_toaster_tell (self->job.toast_overlay, _ ("The benchmark has ended"));
    }
  g_clear_pointer (&self->runner, prism_bench_runner_free);
  update_actions (self);
}

static void
on_run_over (PrismBenchRunner *runner,
             gpointer data)
{
  PrismBenchmarkWindow *self = data;

  /* Before the runner is known here, it could not begin. */
  if (self->runner != NULL)
    update_progress (self);
  update_results (self);
  if (runner->over)
    prism_job_window_finish_soon (self);
}

static void
run (PrismBenchmarkWindow *self)
{
  g_autofree char *program = prism_job_window_find_program (
      self, _ ("prism-cli, which runs the benchmark, is not installed beside this program:"
               " install it, or put it on PATH."));
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismConfig) config = adw_combo_row_get_selected (self->scene_row) == SCENE_EDITED
                                       ? prism_config_dup (self->config)
                                       : prism_benchmark_new_scene ();
  g_autoptr (PrismBenchmark) benchmark = prism_benchmark_new (
      config, NULL, (guint) gtk_spin_button_get_value_as_int (self->rounds_spin), &error);

  if (benchmark == NULL)
    prism_job_window_show_problem (self, error->message);
  if (benchmark == NULL || program == NULL)
    return;
  adw_combo_row_set_selected (self->history_row, 0);
  self->runner = prism_bench_runner_new (benchmark, NULL, program, 0, on_run_over, self);
  show_benchmark (self, benchmark);
  prism_bench_runner_start (self->runner);
  update_progress (self);
}

static void
stop (PrismBenchmarkWindow *self)
{
  prism_bench_runner_stop (self->runner);
}

/* Nothing where another has been begun meanwhile. */
static void
save (PrismBenchmarkWindow *self,
      const char *path)
{
  if (self->shown != NULL && self->runner == NULL)
    prism_file_saver_save (prism_benchmark_report_save, prism_benchmark_ref (self->shown),
                           prism_benchmark_unref, path, prism_toaster_tell_saved,
                           self->job.toast_overlay);
}

static void
prism_benchmark_window_class_init (PrismBenchmarkWindowClass *klass)
{
  PRISM_DISPOSE (klass, PrismBenchmarkWindow, prism_bench_runner_free, runner);
  PRISM_FINALIZE (klass, PrismBenchmarkWindow, prism_benchmark_unref, shown);
  PRISM_FINALIZE (klass, PrismBenchmarkWindow, g_ptr_array_unref, history);
  PRISM_FINALIZE (klass, PrismBenchmarkWindow, prism_config_free, config);
  g_type_ensure (PRISM_TYPE_CHART_PLOT);
  ((PrismJobWindowClass *) klass)->kind
      = (PrismJobKind) { "benchmark", run, stop, finish };
  PRISM_JOB_TEMPLATE (klass, PrismBenchmarkWindow, "prism-benchmark-window.ui", plan, scene_row,
                      rounds_spin, history_row, stack, bars, grid, title_label, machine_label,
                      left_out_label);
  PRISM_TEMPLATE_CALLBACKS (klass, on_history_selected);
  PRISM_ASK (klass,
             { "benchmark.save",
               { PRISM_FILE_DIALOG_SAVE, N_ ("Save the benchmark"), N_ ("HTML, PDF, text or JSON"),
                 "*.html *.pdf *.txt *.json", "benchmark.html" },
               save });
  gtk_widget_class_add_binding_action (GTK_WIDGET_CLASS (klass), GDK_KEY_s, GDK_CONTROL_MASK,
                                       "benchmark.save", NULL);
}

static void
prism_benchmark_window_init (PrismBenchmarkWindow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->job.plan = self->plan;
  gtk_spin_button_set_range (self->rounds_spin, PRISM_BENCHMARK_LEAST_ROUNDS,
                             PRISM_BENCHMARK_MOST_ROUNDS);
  gtk_spin_button_set_value (self->rounds_spin, PRISM_BENCHMARK_ROUNDS);
  update_history (self, NULL);
  update_actions (self);
}

/**
 * prism_benchmark_window_new:
 * @config: (nullable): the run that is being edited; without one there is a short run alone
 *
 * Returns: (transfer none): the window, which owns itself
 */
GtkWidget *
prism_benchmark_window_new (const PrismConfig *config)
{
  PrismBenchmarkWindow *self = g_object_new (PRISM_TYPE_BENCHMARK_WINDOW, NULL);
  const char *const scenes[]
      = { _ ("Short run"), config != NULL ? _ ("Edited parameters") : NULL, NULL };
  g_autoptr (GtkStringList) list = gtk_string_list_new (scenes);

  self->config = config != NULL ? prism_config_dup (config) : NULL;
  adw_combo_row_set_model (self->scene_row, G_LIST_MODEL (list));
  return GTK_WIDGET (self);
}
