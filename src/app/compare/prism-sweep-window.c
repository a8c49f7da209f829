#include "config.h"

#include "compare/prism-sweep-window.h"

#include "base/prism-clock.h"
#include "charts/prism-chart-plot.h"
#include "compare/prism-sweep-parts.h"
#include "prism-sweep-plot.h"
#include "support/prism-file-dialog.h"
#include "support/prism-job.h"
#include "support/prism-notice.h"
#include "support/prism-settings.h"

#define RESULTS_INTERVAL 500 /* ms between two readings of what is new */

struct _PrismSweepWindow
{
  PrismJobWindow job;

  AdwWindowTitle *window_title;
  PrismSweepEditor *editor;
  GtkLabel *told_label;
  GtkStack *images_stack;
  PrismChartPlot *sheet;
  GtkDropDown *measure_list;
  PrismChartPlot *chart;
  GtkColumnView *table_view;
  GtkSingleSelection *selection; /* of the table */
  GtkCheckButton *keep_check;
  GtkLabel *choice_label;

  PrismSweep *base;    /* what the main window has, without an axis */
  PrismSweep *sweep;   /* (nullable): the one that is shown */
  PrismBatch *runner;  /* (nullable): while it runs */
  gint64 begin;        /* of its runs, µs */
  guint timer;         /* while it runs */
  PrismWorker *worker; /* makes a Reading */
  gboolean refused;    /* what is planned cannot run */
  gboolean ending;     /* the runs are over, and what they left is being written together */
  GListStore *points;  /* of PrismSweepPoint */
  guint chosen;        /* point; G_MAXUINT for none */

  guint measures[PRISM_SWEEP_N_MEASURES]; /* of the list */
  gboolean recorded;                      /* they are those of recorded frames */
  PrismSweepPlot *plot;                   /* (nullable): a number of all runs, in the chart */
};

/* (nullable): Folder of the sweep that was begun or opened last in any window. */
static char *last;

G_DEFINE_FINAL_TYPE (PrismSweepWindow, prism_sweep_window, PRISM_TYPE_JOB_WINDOW)

/* What a sweep has come to is read and drawn by a worker. */
typedef struct
{
  char *directory;         /* of the sweep */
  PrismSweepTable *before; /* (nullable): what need not be read again */
  gboolean save;           /* write it together */
} Wanted;

typedef struct
{
  PrismSweep *sweep;
  PrismSweepTable *table;
  PrismSweepSheet *sheet;
  char *problem; /* (nullable): why it was not written */
} Reading;

PRISM_FREE (Wanted, wanted_free, g_free, directory, prism_sweep_table_free, before)

PRISM_FREE (Reading,
            reading_free,
            prism_sweep_sheet_free,
            sheet,
            prism_sweep_table_free,
            table,
            prism_sweep_free,
            sweep,
            g_free,
            problem)

/* Other thread. NULL where there is no plan any more. */
static gpointer
read_all (const Wanted *wanted)
{
  g_autoptr (GError) error = NULL;
  PrismSweep *sweep = prism_sweep_load (wanted->directory, NULL);
  Reading *self;

  if (sweep == NULL)
    return NULL;
  self = g_new0 (Reading, 1);
  self->sweep = sweep;
  self->table = prism_sweep_table_load (sweep, wanted->directory, wanted->before);
  self->sheet = prism_sweep_sheet_new (sweep, self->table);
  if (wanted->save
      && !prism_sweep_sheet_save_all (self->sheet, sweep, self->table, wanted->directory, &error))
    self->problem = g_strdup (error->message);
  return self;
}

/* What the page of the images says before there is one. */
static void
show_images (PrismSweepWindow *self)
{
  const Reading *reading = self->worker->result;

  gtk_stack_set_visible_child_name (self->images_stack,
                                    reading != NULL && reading->table->n_finished > 0 ? "images"
                                    : self->runner != NULL                            ? "busy"
                                                                                      : "empty");
}

static void
update_actions (PrismSweepWindow *self)
{
  const gboolean running = self->runner != NULL || self->ending;

  gtk_widget_action_set_enabled (GTK_WIDGET (self), "sweep.show-folder", self->sweep != NULL);
  prism_job_window_set_busy (self, running, self->runner != NULL);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "sweep.run", !running && !self->refused);
  show_images (self);
}

/* The row of the table that has the point; it may be sorted by anything. */
static void
select_row (PrismSweepWindow *self)
{
  GListModel *model = G_LIST_MODEL (self->selection);

  for (guint i = 0; i < g_list_model_get_n_items (model); i++)
    {
      g_autoptr (PrismSweepPoint) point = g_list_model_get_item (model, i);

      if (point->point != self->chosen)
        continue;
      gtk_single_selection_set_selected (self->selection, i);
      return;
    }
  gtk_single_selection_set_selected (self->selection, GTK_INVALID_LIST_POSITION);
}

static char *
dup_choice (PrismSweepWindow *self)
{
  const PrismSweepPlot *plot = self->plot;
  g_autofree char *cell = NULL, *point = NULL;

  if (self->sweep == NULL || plot == NULL || self->chosen >= plot->n_points)
    return g_strdup (_ ("Click a picture, a place of the chart or a row to choose a run."));
  cell = prism_chart_data_dup_tip (plot->chart, plot->cells[self->chosen]);
  point = prism_sweep_dup_label (self->sweep, self->chosen);
  /* Where a cell is several runs, the one that would be opened is named. */
  return g_str_has_prefix (cell, point) ? g_steal_pointer (&cell)
                                        : g_strdup_printf ("%s. %s", cell, point);
}

/* Marks the chosen point on all pages and says what it has come to. */
static void
show_choice (PrismSweepWindow *self)
{
  gboolean some = self->sweep != NULL && self->chosen < self->sweep->n_points;
  const Reading *reading = self->worker->result;
  g_autofree char *text = dup_choice (self);

  gtk_label_set_text (self->choice_label, text);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->choice_label), text);
  prism_widget_enable (self, "sweep.open-run", some, "sweep.use-settings", some, NULL);
  prism_chart_plot_set_chosen (self->sheet, some && reading != NULL
                                                ? reading->sheet->first + self->chosen
                                                : PRISM_CHART_NO_ITEM);
  prism_chart_plot_set_chosen (self->chart,
                               self->plot != NULL && self->chosen < self->plot->n_points
                                   ? self->plot->cells[self->chosen]
                                   : PRISM_CHART_NO_ITEM);
  select_row (self);
}

/* A number of all runs as a curve or a map, to choose runs from. */
static void
make_plot (PrismSweepWindow *self)
{
  const Reading *reading = self->worker->result;
  guint selected = gtk_drop_down_get_selected (self->measure_list);

  g_clear_pointer (&self->plot, prism_sweep_plot_free);
  if (reading != NULL && selected < PRISM_SWEEP_N_MEASURES)
    self->plot = prism_sweep_plot_new (reading->sweep, reading->table, self->measures[selected]);
  prism_chart_plot_set_data (self->chart, self->plot != NULL ? self->plot->chart : NULL);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "sweep.save-chart", self->plot != NULL);
  show_choice (self);
}

/* The first of them is the one that runs are told apart by. */
static void
fill_measures (PrismSweepWindow *self,
               gboolean recorded)
{
  g_autoptr (GtkStringList) titles = gtk_string_list_new (NULL);
  guint n = 0;

  self->recorded = recorded;
  for (guint i = 0; i < PRISM_SWEEP_N_MEASURES; i++)
    if (prism_sweep_measure_is_of (i, recorded))
      {
        g_autofree char *title = prism_metric_dup_title (prism_sweep_measure_get_info (i));

        self->measures[n++] = i;
        gtk_string_list_append (titles, title);
      }
  gtk_drop_down_set_model (self->measure_list, G_LIST_MODEL (titles));
}

static void
choose (PrismSweepWindow *self,
        guint point)
{
  if (point == self->chosen)
    return;
  self->chosen = point;
  show_choice (self);
}

static void
on_row (PrismSweepWindow *self)
{
  PrismSweepPoint *point = gtk_single_selection_get_selected_item (self->selection);

  if (point != NULL)
    choose (self, point->point);
}

/* Rows that say what there is already stay: they may be selected, or looked at. */
static void
fill_table (PrismSweepWindow *self,
            const Reading *reading)
{
  const PrismSweepTable *table = reading->table;
  GListModel *model = G_LIST_MODEL (self->points);

  if (g_list_model_get_n_items (model) != table->n_rows)
    g_list_store_remove_all (self->points);
  for (guint i = 0; i < table->n_rows; i++)
    {
      g_autoptr (PrismSweepPoint) before = g_list_model_get_item (model, i);
      g_autoptr (PrismSweepPoint) point = NULL;

      if (before != NULL && before->row.finished == table->rows[i].finished
          && before->row.stopped == table->rows[i].stopped
          && g_strcmp0 (before->row.failure, table->rows[i].failure) == 0)
        continue;
      point = prism_sweep_point_new (reading->sweep, i, &table->rows[i]);
      g_list_store_splice (self->points, i, before != NULL ? 1 : 0, (gpointer *) &point, 1);
    }
}

static void
show_reading (PrismSweepWindow *self,
              const Reading *reading)
{
  const guint n = reading->table->n_rows;
  g_autofree char *name = g_path_get_basename (self->job.directory);
  g_autofree char *count = NULL, *subtitle = NULL;

  prism_chart_plot_set_data (self->sheet, reading->sheet->chart);
  gtk_widget_set_size_request (GTK_WIDGET (self->sheet), (int) reading->sheet->width,
                               (int) reading->sheet->height);
  show_images (self);
  prism_sweep_list_show (self->table_view, reading->sweep->frames != NULL);
  fill_table (self, reading);
  if ((reading->sweep->frames != NULL) != self->recorded)
    fill_measures (self, reading->sweep->frames != NULL);
  make_plot (self);
  count = g_strdup_printf (ngettext ("%u of %u point", "%u of %u points", n),
                           reading->table->n_finished, n);
  subtitle = g_strdup_printf ("%s – %s", name, count);
  adw_window_title_set_subtitle (self->window_title, subtitle);
  if (reading->problem != NULL)
    prism_job_window_show_problem (self, reading->problem);
}

static void
on_read (PrismSweepWindow *self)
{
  const Reading *reading = self->worker->result;
  AdwToast *toast;

  if (reading != NULL)
    show_reading (self, reading);
  if (!self->ending || prism_worker_is_busy (self->worker))
    return;
  self->ending = FALSE;
  update_actions (self);
  toast = adw_toast_new (self->job.stopping ? _ ("The sweep was stopped")
                                            : _ ("The sweep has ended"));
  adw_toast_set_button_label (toast, _ ("_Show folder"));
  adw_toast_set_action_name (toast, "sweep.show-folder");
  prism_toaster_add (self->job.toast_overlay, toast);
}

/* Reads what is new by now, on the worker's thread. */
static void
update_results (PrismSweepWindow *self,
                gboolean save)
{
  const Reading *before = self->worker->result;

  prism_worker_submit (self->worker, PRISM_NEW (Wanted, g_strdup (self->job.directory),
                                                before != NULL
                                                    ? prism_sweep_table_dup (before->table)
                                                    : NULL,
                                                save));
  if (save)
    prism_worker_hurry (self->worker);
}

/* Of another sweep, or of one whose points are computed anew. */
static void
read_anew (PrismSweepWindow *self)
{
  g_list_store_remove_all (self->points);
  self->chosen = G_MAXUINT;
  prism_worker_submit (self->worker, NULL);
  make_plot (self);
  update_results (self, FALSE);
}

/* As it would run. */
static PrismSweep *
dup_plan (PrismSweepWindow *self,
          GError **error)
{
  PrismSweep *sweep = prism_sweep_editor_dup_sweep (self->editor, error);

  if (sweep != NULL)
    sweep->keeps_runs = gtk_check_button_get_active (self->keep_check);
  return sweep;
}

static void
tell_plan (PrismSweepWindow *self)
{
  g_autoptr (GError) error = NULL;
  PrismSweep *plan = self->runner == NULL ? dup_plan (self, &error) : NULL;

  if (self->runner != NULL)
    return;
  prism_sweep_time_tell (self->told_label, plan);
  self->refused = plan == NULL;
  gtk_widget_remove_css_class (GTK_WIDGET (self->told_label), "error");
  if (self->refused)
    {
      gtk_label_set_text (self->told_label, error->message);
      gtk_widget_add_css_class (GTK_WIDGET (self->told_label), "error");
    }
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "sweep.run",
                                 !self->refused && !self->job.busy);
}

/* Every second, and when a run is over. */
static gboolean
tell_left (gpointer data)
{
  PrismSweepWindow *self = data;
  const guint n = self->sweep->n_points, n_over = self->runner->n_over;
  const double seconds = (double) (g_get_monotonic_time () - self->begin) / G_TIME_SPAN_SECOND;
  const double *costs = prism_sweep_time_get (self->told_label);
  const double rest = prism_batch_get_left (self->runner, costs);
  g_autofree char *spent = prism_clock_dup_duration (seconds);
  g_autofree char *left = prism_clock_dup_duration (rest), *text = NULL;

  if (self->job.stopping)
    text = g_strdup_printf (_ ("Stopped after %s: %u of %u runs are finished. Run goes on with "
                               "those that are missing."),
                            spent, n_over, n);
  else if (rest > 0.0)
    text = g_strdup_printf (_ ("%u of %u runs after %s, ≈ %s left"), n_over, n, spent, left);
  else
    text = g_strdup_printf (_ ("%u of %u runs after %s"), n_over, n, spent);
  /* A run may be long: that it goes on is seen. */
  if (rest > 0.0)
    gtk_progress_bar_set_fraction (self->job.progress_bar, seconds / (seconds + rest));
  else if (n_over > 0)
    gtk_progress_bar_set_fraction (self->job.progress_bar, (double) n_over / n);
  else
    gtk_progress_bar_pulse (self->job.progress_bar);
  prism_question_forget (GTK_WIDGET (self->told_label));
  gtk_label_set_text (self->told_label, text);
  return G_SOURCE_CONTINUE;
}

static void
finish (PrismSweepWindow *self)
{
  if (self->runner == NULL || !prism_batch_is_over (self->runner))
    return;
  /* What it took stays there until another plan is told. */
  tell_left (self);
  g_clear_pointer (&self->runner, prism_batch_free);
  g_clear_handle_id (&self->timer, g_source_remove);
  self->ending = TRUE;
  update_results (self, TRUE);
  update_actions (self);
}

static void
on_point (PrismBatch *runner,
          guint point,
          const char *message,
          gpointer data)
{
  PrismSweepWindow *self = data;

  if (point == G_MAXUINT)
    {
      if (message != NULL)
        prism_job_window_show_problem (self, message);
      return;
    }
  tell_left (self);
  /* That it was stopped is no news to who stopped it. */
  if (message != NULL && !self->job.stopping)
    {
      g_autofree char *title = prism_sweep_dup_label (self->sweep, point);
      g_autofree char *sentence = g_strdup_printf ("%s: %s", title, message);

      prism_job_window_show_problem (self, sentence);
    }
  update_results (self, FALSE);
  prism_job_window_finish_soon (self);
}

static void
show_plan (PrismSweepWindow *self)
{
  prism_job_window_show_problem (self, NULL);
  tell_plan (self);
}

/* A plan that has been changed gets a folder of its own; the same one goes on where it was. */
static gboolean
take_sweep (PrismSweepWindow *self,
            PrismSweep *sweep,
            GError **error)
{
  if (self->job.directory == NULL || !prism_sweep_save (sweep, self->job.directory, NULL))
    {
      g_autofree char *directory = prism_folder_dup_new ("sweeps", "sweep-%Y-%m-%d-%H%M%S");

      if (!prism_sweep_save (sweep, directory, error))
        return FALSE;
      prism_sweep_window_set_folder (self, directory);
    }
  g_clear_pointer (&self->sweep, prism_sweep_free);
  self->sweep = sweep;
  return TRUE;
}

/* In a low window the plan, which is fixed now, makes room for what it comes to. */
static void
scroll_to_results (PrismSweepWindow *self)
{
  GtkWidget *scrolled
      = gtk_widget_get_ancestor (GTK_WIDGET (self->editor), GTK_TYPE_SCROLLED_WINDOW);
  GtkAdjustment *place = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (scrolled));

  gtk_adjustment_set_value (place, gtk_adjustment_get_upper (place));
}

static void
run (PrismSweepWindow *self)
{
  g_autofree char *program = prism_job_window_find_program (
      self, _ ("prism-cli, which computes the points, is not installed beside this"
               " program: install it, or put it on PATH."));
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismSweep) sweep = dup_plan (self, &error);
  int n_jobs;

  if (program == NULL)
    return;
  if (sweep == NULL || !take_sweep (self, sweep, &error))
    {
      prism_job_window_show_problem (self, error->message);
      return;
    }
  g_steal_pointer (&sweep);
  g_object_get (prism_settings_get_default (), "sweep-jobs", &n_jobs, NULL);
  self->runner = prism_sweep_batch_new (self->sweep, self->job.directory, program, (guint) n_jobs,
                                        on_point, self, &error);
  if (self->runner == NULL)
    {
      prism_job_window_show_problem (self, error->message);
      return;
    }
  self->begin = g_get_monotonic_time ();
  read_anew (self);
  update_actions (self);
  scroll_to_results (self);
  if (prism_batch_start (self->runner, &error))
    {
      self->timer = g_timeout_add_seconds (1, tell_left, self);
      tell_left (self);
      return;
    }
  g_clear_pointer (&self->runner, prism_batch_free);
  prism_job_window_show_problem (self, error->message);
  update_actions (self);
}

static void
stop (PrismSweepWindow *self)
{
  prism_batch_stop (self->runner);
}

static void
set_ensemble (PrismSweepWindow *self)
{
  prism_sweep_editor_set_ensemble (self->editor);
}

static void
on_opened (GtkWidget *widget)
{
  gtk_widget_activate_action (widget, "sweep.open-run", NULL);
}

static void
on_sheet_chosen (PrismSweepWindow *self,
                 guint item)
{
  const Reading *reading = self->worker->result;

  if (reading != NULL && item >= reading->sheet->first)
    choose (self, item - reading->sheet->first);
}

static void
on_cell_chosen (PrismSweepWindow *self,
                guint cell)
{
  choose (self, self->plot->field->cells[cell].point);
}

static void
on_chart_path (PrismSweepWindow *self,
               const char *path)
{
  g_autoptr (GError) error = NULL;

  if (self->plot != NULL && !prism_sweep_plot_save (self->plot, path, &error))
    prism_job_window_show_problem (self, error->message);
}

static void
save_chart (PrismSweepWindow *self)
{
  g_autofree char *name
      = g_strdup_printf ("sweep-%s.png",
                         prism_sweep_measure_get_info (self->plot->field->measure)->key);
  const PrismFileDialog dialog = { PRISM_FILE_DIALOG_SAVE, _ ("Save the curve or map"),
                                   _ ("PNG, SVG, PDF, CSV"), "*.png *.svg *.pdf *.csv", name };

  prism_file_dialog_ask (&dialog, self, on_chart_path, NULL, NULL);
}

/* Settings of recorded frames are of no use to a window that has not got these. */
static gboolean
check_frames (PrismSweepWindow *self)
{
  g_autofree char *shown = NULL;
  g_autofree char *sentence = NULL;

  if (self->sweep->frames == NULL || self->sweep->problem != NULL)
    return TRUE;
  shown = g_filename_display_name (self->sweep->base->object);
  sentence = g_strdup_printf (_ ("These runs are of “%s”: open these measurements in the main "
                                 "window first."),
                              shown);
  prism_job_window_show_problem (self, sentence);
  return FALSE;
}

/* The run as it was kept, or else what it takes to run it again. */
static void
open_run (PrismSweepWindow *self)
{
  g_autofree char *run = prism_sweep_dup_path (self->job.directory, self->chosen, ".prismrun");
  g_autofree char *config = prism_sweep_dup_path (self->job.directory, self->chosen, ".prism");
  const gboolean kept = g_file_test (run, G_FILE_TEST_EXISTS);

  if (kept || check_frames (self))
    g_signal_emit_by_name (self, "open-file", kept ? run : config);
}

static void
use_settings (PrismSweepWindow *self)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismConfig) config = prism_sweep_dup_config (self->sweep, self->chosen, &error);

  if (config == NULL)
    prism_job_window_show_problem (self, error->message);
  else if (check_frames (self))
    g_signal_emit_by_name (self, "use-settings", config);
}

static void
prism_sweep_window_class_init (PrismSweepWindowClass *klass)
{
  PRISM_DISPOSE (klass, PrismSweepWindow, g_source_remove, timer);
  PRISM_DISPOSE (klass, PrismSweepWindow, prism_batch_free, runner);
  PRISM_DISPOSE (klass, PrismSweepWindow, g_object_unref, worker, points);
  PRISM_FINALIZE (klass, PrismSweepWindow, prism_sweep_plot_free, plot);
  PRISM_FINALIZE (klass, PrismSweepWindow, prism_sweep_free, sweep, base);
  g_type_ensure (PRISM_TYPE_SWEEP_EDITOR);
  g_type_ensure (PRISM_TYPE_CHART_PLOT);
  prism_signal_new (klass, "open-file", 1, G_TYPE_STRING);
  prism_signal_new (klass, "use-settings", 1, G_TYPE_POINTER);
  ((PrismJobWindowClass *) klass)->kind
      = (PrismJobKind) { "sweep", run, stop, finish, prism_sweep_window_open, N_ ("Open a sweep") };
  PRISM_JOB_TEMPLATE (klass, PrismSweepWindow, "prism-sweep-window.ui", window_title, editor,
                      told_label, sheet, images_stack, measure_list, chart, table_view, keep_check,
                      choice_label);
  PRISM_TEMPLATE_CALLBACKS (klass, on_opened, on_cell_chosen, on_sheet_chosen, show_plan,
                            tell_plan);
  PRISM_ACTION (klass, "sweep.ensemble", set_ensemble);
  PRISM_ACTION (klass, "sweep.open-run", open_run);
  PRISM_ACTION (klass, "sweep.save-chart", save_chart);
  PRISM_ACTION (klass, "sweep.use-settings", use_settings);
}

static void
prism_sweep_window_init (PrismSweepWindow *self)
{
  self->chosen = G_MAXUINT;
  self->points = g_list_store_new (PRISM_TYPE_SWEEP_POINT);
  self->worker = prism_worker_new (read_all, wanted_free, reading_free, RESULTS_INTERVAL);
  PRISM_CONNECT (self->worker, "changed", on_read, self);
  gtk_widget_init_template (GTK_WIDGET (self));
  self->job.plan = GTK_WIDGET (self->editor);
  self->selection = prism_sweep_list_set_up (self->table_view, self->points);
  PRISM_CONNECT (self->selection, "notify::selected-item", on_row, self);
  fill_measures (self, FALSE);
  PRISM_CONNECT (self->measure_list, "notify::selected", make_plot, self);
  update_actions (self);
  make_plot (self);
}

/**
 * prism_sweep_window_new:
 * @base: what all points have in common, without an axis
 *
 * Returns: (transfer none): the window, which owns itself
 */
GtkWidget *
prism_sweep_window_new (PrismSweep *base)
{
  PrismSweepWindow *self = g_object_new (PRISM_TYPE_SWEEP_WINDOW, NULL);
  const gboolean recorded = base->frames != NULL;

  self->base = prism_sweep_new_like (base);
  prism_sweep_editor_set_base (self->editor, base);
  prism_sweep_editor_set_axis (self->editor, 0, recorded ? "passes" : "snr",
                               recorded ? "4, 8, 16" : "10, 20, 40");
  prism_sweep_editor_set_axis (self->editor, 1, NULL, "");
  prism_sweep_editor_set_axis (self->editor, 2, NULL, "");
  return GTK_WIDGET (self);
}

/**
 * prism_sweep_window_set_folder:
 * @self: a window
 * @directory: where the next sweep is written; otherwise a new folder of the user's data
 */
void
prism_sweep_window_set_folder (PrismSweepWindow *self,
                               const char *directory)
{
  g_free (self->job.directory);
  self->job.directory = g_strdup (directory);
  g_free (last);
  last = g_strdup (directory);
}

/* The main window has read them already. */
static gboolean
has_frames_of (const PrismSweep *sweep,
               const PrismSweep *base)
{
  return sweep->frames != NULL && base->frames != NULL
         && g_strv_equal ((const char *const *) sweep->frames, (const char *const *) base->frames);
}

/**
 * prism_sweep_window_open:
 * @self: a window in which nothing runs
 * @directory: of a sweep
 * @error: return location
 *
 * Shows a sweep that was made before; Run makes up for what it has not.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT, PRISM_ERROR_CONFIG.
 *
 * Returns: whether it is shown
 */
gboolean
prism_sweep_window_open (PrismSweepWindow *self,
                         const char *directory,
                         GError **error)
{
  PrismSweep *sweep = prism_sweep_load (directory, error);

  if (sweep == NULL)
    return FALSE;
  if (has_frames_of (sweep, self->base))
    sweep->problem = prism_problem_ref (self->base->problem);
  prism_job_window_show_problem (self, NULL);
  g_clear_pointer (&self->sweep, prism_sweep_free);
  self->sweep = sweep;
  prism_sweep_window_set_folder (self, directory);
  prism_sweep_editor_show_sweep (self->editor, sweep);
  read_anew (self);
  update_actions (self);
  return TRUE;
}

/**
 * prism_sweep_window_show_last:
 * @self: a new window
 *
 * Shows what the last sweep has come to, if it is of the frames of this window. Run goes on with it
 * where its plan is still what is edited, and begins another one where not.
 */
void
prism_sweep_window_show_last (PrismSweepWindow *self)
{
  g_autoptr (PrismSweep) sweep = last != NULL ? prism_sweep_load (last, NULL) : NULL;
  g_autofree char *directory = g_strdup (last);

  if (sweep == NULL
      || !(has_frames_of (sweep, self->base) || sweep->frames == self->base->frames)
      || !prism_sweep_window_open (self, directory, NULL))
    return;
  prism_sweep_editor_set_base (self->editor, self->base);
  tell_plan (self);
}
