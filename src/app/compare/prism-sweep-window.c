#include "config.h"

#include "compare/prism-sweep-window.h"

#include "base/prism-clock.h"
#include "compare/prism-sweep-point.h"
#include "compare/prism-sweep-reading.h"
#include "compare/prism-sweep-time.h"
#include "results/prism-sweep-forecast.h"
#include "results/prism-sweep-runner.h"
#include "support/prism-file-dialog.h"
#include "support/prism-list-search.h"
#include "support/prism-program.h"
#include "support/prism-settings.h"
#include "support/prism-toaster.h"
#include "support/prism-wording.h"
#include "support/prism-worker.h"

#include <glib/gi18n.h>
#include <string.h>

#define N_ENSEMBLE 8
#define RESULTS_INTERVAL 500 /* ms between two readings of what is new */
#define MAX_TOLD 400         /* points of a plan that is looked at while it is written */

typedef struct
{
  GtkDropDown *list;
  GtkEntry *entry;
} Axis;

struct _PrismSweepWindow
{
  AdwWindow parent_instance;

  AdwToastOverlay *toast_overlay;
  AdwWindowTitle *window_title;
  GtkWidget *plan;
  GtkDropDown *first_list;
  GtkEntry *first_entry;
  GtkDropDown *second_list;
  GtkEntry *second_entry;
  GtkLabel *told_label;
  GtkLabel *problem_label;
  GtkStack *images_stack;
  GtkDrawingArea *sheet_area;
  GtkColumnView *table_view;
  GtkProgressBar *progress_bar;
  GtkWidget *run_button;
  GtkWidget *stop_button;

  Axis axes[PRISM_SWEEP_MAX_AXES];
  PrismConfig *base;
  GPtrArray *params;        /* of const PrismParam: what can be gone over */
  char *directory;          /* (nullable): of the sweep, made when it first runs */
  PrismSweep *sweep;        /* (nullable): the one that is shown */
  PrismSweepRunner *runner; /* (nullable): while it runs */
  PrismWorker *worker;      /* makes a PrismSweepReading */
  gboolean ending;          /* the runs are over, and what they left is being written together */
  GListStore *points;       /* of PrismSweepPoint */
};

G_DEFINE_FINAL_TYPE (PrismSweepWindow, prism_sweep_window, ADW_TYPE_WINDOW)

static void
show_problem (PrismSweepWindow *self,
              const char *sentence)
{
  gtk_label_set_text (self->problem_label, sentence != NULL ? sentence : "");
  gtk_widget_set_visible (GTK_WIDGET (self->problem_label), sentence != NULL);
}

/* The keyboard leaves what is about to be closed to it, for the button that goes on from there. */
static void
move_keyboard (PrismSweepWindow *self,
               gboolean running)
{
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (self));
  GtkWidget *next = running ? self->stop_button : self->run_button;
  gboolean leaves = focus == NULL || focus == self->run_button || focus == self->stop_button
                    || (running && gtk_widget_is_ancestor (focus, self->plan));

  if (leaves && gtk_widget_get_mapped (GTK_WIDGET (self)) && gtk_widget_is_sensitive (next))
    gtk_widget_grab_focus (next);
}

static void
update_actions (PrismSweepWindow *self)
{
  gboolean running = self->runner != NULL || self->ending;

  gtk_widget_action_set_enabled (GTK_WIDGET (self), running ? "sweep.stop" : "sweep.run",
                                 !running || self->runner != NULL);
  move_keyboard (self, running);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "sweep.run", !running);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "sweep.stop", self->runner != NULL);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "sweep.open", !running);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "sweep.ensemble", !running);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "sweep.show-folder", self->sweep != NULL);
  gtk_widget_set_sensitive (self->plan, !running);
  gtk_widget_set_visible (GTK_WIDGET (self->progress_bar), running);
}

static void
update_title (PrismSweepWindow *self,
              guint n_finished)
{
  g_autofree char *count = NULL;
  g_autofree char *name = NULL;
  g_autofree char *subtitle = NULL;

  if (self->sweep == NULL)
    return;
  name = g_path_get_basename (self->directory);
  count = g_strdup_printf (ngettext ("%u of %u point", "%u of %u points", self->sweep->n_points),
                           n_finished, self->sweep->n_points);
  subtitle = g_strdup_printf ("%s – %s", name, count);
  adw_window_title_set_subtitle (self->window_title, subtitle);
}

/* Rows that say what there is already stay: they may be selected, or looked at. */
static void
fill_table (PrismSweepWindow *self,
            const PrismSweepReading *reading)
{
  const PrismSweepTable *table = reading->table;
  GListModel *model = G_LIST_MODEL (self->points);

  if (g_list_model_get_n_items (model) != table->n_rows)
    g_list_store_remove_all (self->points);
  for (guint i = 0; i < table->n_rows; i++)
    {
      g_autoptr (PrismSweepPoint) before = g_list_model_get_item (model, i);
      g_autoptr (PrismSweepPoint) point = NULL;

      if (before != NULL && prism_sweep_point_is_of (before, &table->rows[i]))
        continue;
      point = prism_sweep_point_new (reading->sweep, i, &table->rows[i]);
      g_list_store_splice (self->points, i, before != NULL ? 1 : 0, (gpointer *) &point, 1);
    }
}

static void
show_reading (PrismSweepWindow *self,
              const PrismSweepReading *reading)
{
  double width, height;

  prism_multiples_get_size (reading->sheet->n_items, reading->sheet->n_columns, &width, &height);
  gtk_drawing_area_set_content_width (self->sheet_area, (int) width);
  gtk_drawing_area_set_content_height (self->sheet_area, (int) height);
  gtk_stack_set_visible_child_name (self->images_stack,
                                    reading->table->n_finished > 0 ? "images" : "empty");
  fill_table (self, reading);
  update_title (self, reading->table->n_finished);
  if (reading->problem != NULL)
    show_problem (self, reading->problem);
}

static void
on_read (PrismSweepWindow *self)
{
  const PrismSweepReading *reading = prism_worker_get_result (self->worker);

  gtk_widget_queue_draw (GTK_WIDGET (self->sheet_area));
  if (reading != NULL)
    show_reading (self, reading);
  if (!self->ending || prism_worker_is_busy (self->worker))
    return;
  self->ending = FALSE;
  update_actions (self);
  prism_toaster_add (self->toast_overlay, adw_toast_new (_ ("The sweep has ended")));
}

/* Reads what is new by now, on the worker's thread. */
static void
update_results (PrismSweepWindow *self,
                gboolean save)
{
  prism_worker_submit (self->worker,
                       prism_sweep_reading_new_input (
                           self->directory, prism_worker_get_result (self->worker), save));
  if (save)
    prism_worker_hurry (self->worker);
}

/* Of another sweep, or of one whose points are computed anew. */
static void
read_anew (PrismSweepWindow *self)
{
  g_list_store_remove_all (self->points);
  prism_worker_submit (self->worker, NULL);
  update_results (self, FALSE);
}

static gboolean
finish_running (gpointer data)
{
  g_autoptr (PrismSweepWindow) self = data;

  if (self->runner == NULL || !prism_sweep_runner_is_over (self->runner))
    return G_SOURCE_REMOVE;
  g_clear_pointer (&self->runner, prism_sweep_runner_free);
  self->ending = TRUE;
  update_results (self, TRUE);
  update_actions (self);
  return G_SOURCE_REMOVE;
}

static void
on_point (PrismSweepRunner *runner,
          guint point,
          const char *message,
          gpointer data)
{
  PrismSweepWindow *self = data;
  guint n_over = prism_sweep_runner_get_n_over (runner);

  gtk_progress_bar_set_fraction (self->progress_bar, (double) n_over / self->sweep->n_points);
  if (message != NULL)
    {
      g_autofree char *title = prism_sweep_dup_label (self->sweep, point);
      g_autofree char *sentence = g_strdup_printf ("%s: %s", title, message);

      show_problem (self, sentence);
    }
  update_results (self, FALSE);
  /* The runner must not be freed in its own callback. */
  g_idle_add (finish_running, g_object_ref (self));
}

static char *
dup_new_directory (void)
{
  g_autofree char *name = prism_clock_dup_local ("sweep-%Y-%m-%d-%H%M%S");

  return g_build_filename (g_get_user_data_dir (), "prism-studio", "sweeps", name, NULL);
}

static const PrismParam *
get_param (PrismSweepWindow *self,
           guint axis)
{
  guint selected = gtk_drop_down_get_selected (self->axes[axis].list);

  if (selected == GTK_INVALID_LIST_POSITION || (axis > 0 && selected == 0))
    return NULL;
  return g_ptr_array_index (self->params, axis > 0 ? selected - 1 : selected);
}

static PrismSweep *
make_sweep (PrismSweepWindow *self,
            GError **error)
{
  g_autoptr (PrismSweep) sweep = prism_sweep_new (self->base);

  for (guint i = 0; i < PRISM_SWEEP_MAX_AXES; i++)
    {
      const PrismParam *param = get_param (self, i);
      g_autofree char *axis = NULL;

      if (param == NULL)
        continue;
      axis = g_strdup_printf ("%s=%s", param->key,
                              gtk_editable_get_text (GTK_EDITABLE (self->axes[i].entry)));
      if (!prism_sweep_add_axis (sweep, axis, error))
        return NULL;
    }
  return prism_sweep_check (sweep, error) ? g_steal_pointer (&sweep) : NULL;
}

/* How many runs the plan is and, where such runs have been timed here, how long they take. */
static void
show_plan (PrismSweepWindow *self)
{
  g_autoptr (PrismSweep) sweep = self->base != NULL ? make_sweep (self, NULL) : NULL;
  g_autoptr (PrismSweepRunner) runner = NULL;
  g_autofree char *time = NULL;
  g_autofree char *text = NULL;
  PrismSweepTerms terms = { 0 };
  PrismForecast forecast;

  if (sweep != NULL && sweep->n_points <= MAX_TOLD)
    runner = prism_sweep_runner_new (sweep, "", "", 0, NULL, NULL, NULL);
  if (runner != NULL)
    {
      terms.n_jobs = prism_sweep_runner_get_n_jobs (runner);
      terms.n_threads = prism_sweep_runner_get_n_threads (runner);
      if (prism_sweep_forecast_init (&forecast, sweep, NULL, &terms) && forecast.most > 0.0)
        time = prism_forecast_dup_text (&forecast);
      text = g_strdup_printf (ngettext ("%u run, %u at a time", "%u runs, %u at a time",
                                        sweep->n_points),
                              sweep->n_points, terms.n_jobs);
    }
  gtk_label_set_text (self->told_label, text != NULL ? text : "");
  if (time != NULL)
    {
      g_autofree char *both = g_strdup_printf ("%s, %s", text, time);
      gtk_label_set_text (self->told_label, both);
    }
}

/* A plan that has been changed gets a folder of its own; the same one goes on where it was. */
static gboolean
take_sweep (PrismSweepWindow *self,
            PrismSweep *sweep,
            GError **error)
{
  if (self->directory == NULL || !prism_sweep_save (sweep, self->directory, NULL))
    {
      g_autofree char *directory = dup_new_directory ();

      if (!prism_sweep_save (sweep, directory, error))
        return FALSE;
      prism_sweep_window_set_folder (self, directory);
    }
  g_clear_pointer (&self->sweep, prism_sweep_free);
  self->sweep = sweep;
  return TRUE;
}

static void
run (GtkWidget *widget,
     const char *action,
     GVariant *parameter)
{
  PrismSweepWindow *self = PRISM_SWEEP_WINDOW (widget);
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismSweep) sweep = make_sweep (self, &error);
  g_autofree char *program = prism_program_dup_cli ();
  int n_jobs;

  show_problem (self, NULL);
  if (program == NULL)
    {
      show_problem (self, _ ("prism-cli, which computes the points, is not installed beside this"
                             " program: install it, or put it on PATH."));
      return;
    }
  if (sweep == NULL || !take_sweep (self, sweep, &error))
    {
      show_problem (self, error->message);
      return;
    }
  g_steal_pointer (&sweep);
  g_object_get (prism_settings_get_default (), "sweep-jobs", &n_jobs, NULL);
  self->runner = prism_sweep_runner_new (self->sweep, self->directory, program, (guint) n_jobs,
                                         on_point, self, &error);
  if (self->runner == NULL)
    {
      show_problem (self, error->message);
      return;
    }
  gtk_progress_bar_set_fraction (self->progress_bar, 0);
  prism_sweep_time_show (self->progress_bar, self->runner, self->sweep->n_points, self->directory);
  read_anew (self);
  update_actions (self);
  prism_sweep_runner_start (self->runner);
}

static void
stop (GtkWidget *widget,
      const char *action,
      GVariant *parameter)
{
  PrismSweepWindow *self = PRISM_SWEEP_WINDOW (widget);

  if (self->runner == NULL)
    return;
  prism_sweep_runner_stop (self->runner);
  g_idle_add (finish_running, g_object_ref (self));
}

static void
set_ensemble (GtkWidget *widget,
              const char *action,
              GVariant *parameter)
{
  PrismSweepWindow *self = PRISM_SWEEP_WINDOW (widget);
  g_autofree char *values = g_strdup_printf ("0:%d:%d", N_ENSEMBLE - 1, N_ENSEMBLE);

  prism_sweep_window_set_plan (self, 0, PRISM_SWEEP_ENSEMBLE_KEY, values);
  prism_sweep_window_set_plan (self, 1, NULL, "");
}

static void
show_folder (GtkWidget *widget,
             const char *action,
             GVariant *parameter)
{
  PrismSweepWindow *self = PRISM_SWEEP_WINDOW (widget);
  g_autoptr (GFile) folder = g_file_new_for_path (self->directory);
  g_autofree char *uri = g_file_get_uri (folder);
  g_autoptr (GError) error = NULL;

  if (!g_app_info_launch_default_for_uri (uri, NULL, &error))
    show_problem (self, error->message);
}

static void
on_folder (const char *path,
           gpointer data)
{
  PrismSweepWindow *self = data;
  g_autoptr (GError) error = NULL;

  /* A run may have been started meanwhile. */
  if (self->runner != NULL || self->ending)
    return;
  if (!prism_sweep_window_open (self, path, &error))
    show_problem (self, error->message);
}

static void
ask_for_folder (GtkWidget *widget,
                const char *action,
                GVariant *parameter)
{
  const PrismFileDialog dialog = {
    .mode = PRISM_FILE_DIALOG_FOLDER,
    .title = _ ("Open a sweep"),
    .accept = _ ("_Open"),
  };

  prism_file_dialog_show (&dialog, GTK_WINDOW (widget), on_folder, g_object_ref (widget),
                          g_object_unref);
}

static void
draw_sheet (GtkDrawingArea *area,
            cairo_t *cr,
            int width,
            int height,
            gpointer data)
{
  PrismSweepWindow *self = data;
  const PrismSweepReading *reading = prism_worker_get_result (self->worker);
  PrismPaint paint;

  if (reading == NULL)
    return;
  prism_paint_init_figure (&paint, cr,
                           adw_style_manager_get_dark (adw_style_manager_get_default ()));
  prism_multiples_draw (&paint, reading->sheet->items, reading->sheet->n_items,
                        reading->sheet->n_columns);
  prism_paint_finish (&paint);
}

/* What suggests itself: all choices, or half, once and twice the present value. */
static char *
dup_suggestion (PrismSweepWindow *self,
                const PrismParam *param)
{
  double value = prism_config_get_number (self->base, param);
  g_autoptr (GString) text = g_string_new (NULL);

  if (strcmp (param->key, PRISM_SWEEP_ENSEMBLE_KEY) == 0)
    return g_strdup_printf ("0:%d:%d", N_ENSEMBLE - 1, N_ENSEMBLE);
  if (param->type == PRISM_PARAM_SWITCH)
    return g_strdup ("off, on");
  if (param->type == PRISM_PARAM_CHOICE)
    {
      for (const PrismChoice *choice = param->choices; choice->name != NULL; choice++)
        g_string_append_printf (text, "%s%s", text->len > 0 ? ", " : "", choice->name);
      return g_string_free (g_steal_pointer (&text), FALSE);
    }
  for (double factor = 0.5; factor <= 2.0; factor *= 2.0)
    {
      double x = CLAMP (value * factor, param->minimum, param->maximum);
      char number[G_ASCII_DTOSTR_BUF_SIZE];

      if (param->type == PRISM_PARAM_INTEGER)
        x = (double) (gint64) x;
      g_ascii_formatd (number, sizeof number, "%.6g", x);
      g_string_append_printf (text, "%s%s", text->len > 0 ? ", " : "", number);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
on_param (PrismSweepWindow *self,
          GParamSpec *pspec,
          GtkDropDown *list)
{
  guint axis = list == self->second_list ? 1 : 0;
  const PrismParam *param = get_param (self, axis);
  g_autofree char *text = param != NULL ? dup_suggestion (self, param) : g_strdup ("");

  gtk_editable_set_text (GTK_EDITABLE (self->axes[axis].entry), text);
  gtk_widget_set_sensitive (GTK_WIDGET (self->axes[axis].entry), param != NULL);
}

static void
setup_cell (GtkSignalListItemFactory *factory,
            GtkListItem *item,
            gpointer data)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), GPOINTER_TO_INT (data) > PRISM_SWEEP_COLUMN_VERDICT);
  /* “not …” would be no verdict. */
  if (GPOINTER_TO_INT (data) != PRISM_SWEEP_COLUMN_VERDICT)
    gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class (label, "numeric");
  gtk_list_item_set_child (item, label);
}

static void
bind_cell (GtkSignalListItemFactory *factory,
           GtkListItem *item,
           gpointer data)
{
  GtkWidget *label = gtk_list_item_get_child (item);
  PrismSweepPoint *point = gtk_list_item_get_item (item);
  g_autofree char *text = prism_sweep_point_dup_text (point, GPOINTER_TO_INT (data));
  g_autofree char *tooltip = prism_sweep_point_dup_tooltip (point, GPOINTER_TO_INT (data));

  gtk_label_set_text (GTK_LABEL (label), text);
  gtk_widget_set_tooltip_text (label, tooltip);
}

static int
compare_points (gconstpointer a,
                gconstpointer b,
                gpointer data)
{
  return prism_sweep_point_compare ((PrismSweepPoint *) a, (PrismSweepPoint *) b,
                                    GPOINTER_TO_INT (data));
}

static void
add_columns (PrismSweepWindow *self)
{
  GtkSortListModel *sorted;

  for (int i = 0; i < PRISM_SWEEP_N_COLUMNS; i++)
    {
      GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
      g_autofree char *label = prism_sweep_column_dup_label (i);
      GtkColumnViewColumn *column;
      g_autoptr (GtkSorter) sorter
          = GTK_SORTER (gtk_custom_sorter_new (compare_points, GINT_TO_POINTER (i), NULL));

      g_signal_connect (factory, "setup", G_CALLBACK (setup_cell), GINT_TO_POINTER (i));
      g_signal_connect (factory, "bind", G_CALLBACK (bind_cell), GINT_TO_POINTER (i));
      column = gtk_column_view_column_new (label, factory);
      gtk_column_view_column_set_sorter (column, sorter);
      gtk_column_view_column_set_resizable (column, TRUE);
      gtk_column_view_column_set_expand (column, i <= PRISM_SWEEP_COLUMN_STATE);
      gtk_column_view_append_column (self->table_view, column);
      g_object_unref (column);
    }
  sorted = gtk_sort_list_model_new (g_object_ref (G_LIST_MODEL (self->points)),
                                    g_object_ref (gtk_column_view_get_sorter (self->table_view)));
  gtk_column_view_set_model (self->table_view,
                             GTK_SELECTION_MODEL (gtk_no_selection_new (G_LIST_MODEL (sorted))));
}

static void
fill_lists (PrismSweepWindow *self)
{
  gsize n_params;
  const PrismParam *params = prism_config_get_params (&n_params);
  GtkStringList *first = gtk_string_list_new (NULL);
  GtkStringList *second = gtk_string_list_new (NULL);
  GtkExpression *expression
      = gtk_property_expression_new (GTK_TYPE_STRING_OBJECT, NULL, "string");

  gtk_string_list_append (second, _ ("None"));
  for (gsize i = 0; i < n_params; i++)
    {
      if (params[i].type == PRISM_PARAM_TEXT)
        continue;
      g_ptr_array_add (self->params, (gpointer) &params[i]);
      gtk_string_list_append (first, gettext (params[i].label));
      gtk_string_list_append (second, gettext (params[i].label));
    }
  gtk_drop_down_set_expression (self->first_list, expression);
  gtk_drop_down_set_expression (self->second_list, expression);
  gtk_drop_down_set_model (self->first_list, G_LIST_MODEL (first));
  gtk_drop_down_set_model (self->second_list, G_LIST_MODEL (second));
  prism_list_search_enable (self->first_list);
  prism_list_search_enable (self->second_list);
  gtk_expression_unref (expression);
  g_object_unref (first);
  g_object_unref (second);
}

static void
prism_sweep_window_dispose (GObject *object)
{
  PrismSweepWindow *self = PRISM_SWEEP_WINDOW (object);

  g_clear_pointer (&self->runner, prism_sweep_runner_free);
  g_clear_object (&self->worker);
  g_clear_object (&self->points);
  G_OBJECT_CLASS (prism_sweep_window_parent_class)->dispose (object);
}

static void
prism_sweep_window_finalize (GObject *object)
{
  PrismSweepWindow *self = PRISM_SWEEP_WINDOW (object);

  g_clear_pointer (&self->sweep, prism_sweep_free);
  prism_config_free (self->base);
  g_ptr_array_unref (self->params);
  g_free (self->directory);
  G_OBJECT_CLASS (prism_sweep_window_parent_class)->finalize (object);
}

static void
bind_template (GtkWidgetClass *klass)
{
  gtk_widget_class_set_template_from_resource (klass, PRISM_RESOURCE ("prism-sweep-window.ui"));
  gtk_widget_class_bind_template_child (klass, PrismSweepWindow, toast_overlay);
  gtk_widget_class_bind_template_child (klass, PrismSweepWindow, window_title);
  gtk_widget_class_bind_template_child (klass, PrismSweepWindow, plan);
  gtk_widget_class_bind_template_child (klass, PrismSweepWindow, first_list);
  gtk_widget_class_bind_template_child (klass, PrismSweepWindow, first_entry);
  gtk_widget_class_bind_template_child (klass, PrismSweepWindow, second_list);
  gtk_widget_class_bind_template_child (klass, PrismSweepWindow, second_entry);
  gtk_widget_class_bind_template_child (klass, PrismSweepWindow, told_label);
  gtk_widget_class_bind_template_child (klass, PrismSweepWindow, problem_label);
  gtk_widget_class_bind_template_child (klass, PrismSweepWindow, sheet_area);
  gtk_widget_class_bind_template_child (klass, PrismSweepWindow, images_stack);
  gtk_widget_class_bind_template_child (klass, PrismSweepWindow, table_view);
  gtk_widget_class_bind_template_child (klass, PrismSweepWindow, progress_bar);
  gtk_widget_class_bind_template_child (klass, PrismSweepWindow, run_button);
  gtk_widget_class_bind_template_child (klass, PrismSweepWindow, stop_button);
}

static void
prism_sweep_window_class_init (PrismSweepWindowClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = prism_sweep_window_dispose;
  object_class->finalize = prism_sweep_window_finalize;
  bind_template (widget_class);
  gtk_widget_class_install_action (widget_class, "sweep.run", NULL, run);
  gtk_widget_class_install_action (widget_class, "sweep.stop", NULL, stop);
  gtk_widget_class_install_action (widget_class, "sweep.ensemble", NULL, set_ensemble);
  gtk_widget_class_install_action (widget_class, "sweep.show-folder", NULL, show_folder);
  gtk_widget_class_install_action (widget_class, "sweep.open", NULL, ask_for_folder);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_F5, 0, "sweep.run", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_period, GDK_CONTROL_MASK, "sweep.stop",
                                       NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_w, GDK_CONTROL_MASK, "window.close",
                                       NULL);
}

static void
prism_sweep_window_init (PrismSweepWindow *self)
{
  self->params = g_ptr_array_new ();
  self->points = g_list_store_new (PRISM_TYPE_SWEEP_POINT);
  self->worker = prism_worker_new (prism_sweep_reading_new, prism_sweep_reading_free_input,
                                   prism_sweep_reading_free, RESULTS_INTERVAL);
  g_signal_connect_object (self->worker, "changed", G_CALLBACK (on_read), self, G_CONNECT_SWAPPED);
  gtk_widget_init_template (GTK_WIDGET (self));
  self->axes[0] = (Axis) { self->first_list, self->first_entry };
  self->axes[1] = (Axis) { self->second_list, self->second_entry };
  fill_lists (self);
  add_columns (self);
  gtk_drawing_area_set_draw_func (self->sheet_area, draw_sheet, self, NULL);
  for (guint i = 0; i < PRISM_SWEEP_MAX_AXES; i++)
    {
      g_signal_connect_object (self->axes[i].list, "notify::selected", G_CALLBACK (on_param), self,
                               G_CONNECT_SWAPPED);
      g_signal_connect_object (self->axes[i].entry, "changed", G_CALLBACK (show_plan), self,
                               G_CONNECT_SWAPPED);
    }
  g_signal_connect_object (adw_style_manager_get_default (), "notify::dark",
                           G_CALLBACK (gtk_widget_queue_draw), self->sheet_area,
                           G_CONNECT_SWAPPED);
  update_actions (self);
}

/**
 * prism_sweep_window_new:
 * @base: what all points have in common
 *
 * Returns: (transfer none): the window, which owns itself
 */
GtkWidget *
prism_sweep_window_new (const PrismConfig *base)
{
  PrismSweepWindow *self = g_object_new (PRISM_TYPE_SWEEP_WINDOW, NULL);

  self->base = prism_config_dup (base);
  prism_sweep_window_set_plan (self, 0, "snr", "10, 20, 40");
  prism_sweep_window_set_plan (self, 1, NULL, "");
  return GTK_WIDGET (self);
}

/**
 * prism_sweep_window_set_plan:
 * @self: a window
 * @axis: 0 or 1
 * @key: (nullable): of the parameter to go over; NULL for none, on axis 1
 * @values: a list or range of values
 *
 * Sets what an axis goes over.
 */
void
prism_sweep_window_set_plan (PrismSweepWindow *self,
                             guint axis,
                             const char *key,
                             const char *values)
{
  guint position = 0;

  for (guint i = 0; key != NULL && i < self->params->len; i++)
    if (strcmp (((const PrismParam *) g_ptr_array_index (self->params, i))->key, key) == 0)
      position = axis > 0 ? i + 1 : i;
  gtk_drop_down_set_selected (self->axes[axis].list, position);
  on_param (self, NULL, self->axes[axis].list);
  gtk_editable_set_text (GTK_EDITABLE (self->axes[axis].entry), values);
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
  g_free (self->directory);
  self->directory = g_strdup (directory);
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
  show_problem (self, NULL);
  g_clear_pointer (&self->sweep, prism_sweep_free);
  self->sweep = sweep;
  prism_config_free (self->base);
  self->base = prism_config_dup (sweep->base);
  prism_sweep_window_set_folder (self, directory);
  for (guint i = 0; i < PRISM_SWEEP_MAX_AXES; i++)
    {
      g_autofree char *values
          = i < sweep->n_axes ? g_strjoinv (", ", sweep->axes[i].values) : g_strdup ("");

      prism_sweep_window_set_plan (self, i, i < sweep->n_axes ? sweep->axes[i].param->key : NULL,
                                   values);
    }
  read_anew (self);
  update_actions (self);
  return TRUE;
}
