#include "config.h"

#include "base/prism-directory.h"
#include "charts/prism-chart-plot.h"
#include "compare/prism-sweep-parts.h"
#include "compare/prism-sweep-window.h"
#include "prism-test.h"
#include "recorded-scene.h"
#include "support/prism-table.h"
#include "widget-test.h"

#include <locale.h>

static PrismConfig *
make_config (void)
{
  PrismConfig *config = prism_config_new ();

  config->image_size = 64;
  config->object_size = 16;
  config->aperture_radius = 8;
  config->samples = 6;
  config->steps = 3;
  config->start_steps = 4;
  config->polish = 0;
  return config;
}

static GListModel *
get_points (GtkWidget *window)
{
  return G_LIST_MODEL (gtk_column_view_get_model (
      GTK_COLUMN_VIEW (widget_test_find (window, GTK_TYPE_COLUMN_VIEW))));
}

static char *
dup_cell (GtkWidget *window,
          guint row,
          PrismSweepColumn column)
{
  g_autoptr (PrismSweepPoint) point = g_list_model_get_item (get_points (window), row);

  return prism_sweep_point_dup_text (point, column);
}

/* "empty", "busy" or "images". */
static const char *
get_images_page (GtkWidget *window)
{
  return gtk_stack_get_visible_child_name (
      GTK_STACK (widget_test_get_part (window, "images_stack")));
}

/* The label in red; NULL while it is hidden. */
static const char *
get_problem (GtkWidget *widget)
{
  GtkWidget *label
      = FIND (widget, GTK_IS_LABEL (it) && gtk_widget_has_css_class (it, "error")
                          && gtk_widget_get_ancestor (it, GTK_TYPE_COLUMN_VIEW) == NULL
                          && gtk_widget_get_visible (it));

  return label != NULL ? gtk_label_get_text (GTK_LABEL (label)) : NULL;
}

static gboolean
is_running (GtkWidget *window)
{
  return gtk_widget_get_visible (widget_test_find (window, GTK_TYPE_PROGRESS_BAR));
}

static gboolean
has_ended (gpointer window)
{
  return !is_running (window);
}

/* What an axis of the plan goes over. */
static void
set_axis (GtkWidget *window,
          guint axis,
          const char *key,
          const char *values)
{
  prism_sweep_editor_set_axis (widget_test_get_part (window, "editor"), axis, key, values);
}

static GtkWidget *
open_window (const char *directory)
{
  g_autoptr (PrismConfig) config = make_config ();
  g_autoptr (PrismSweep) base = prism_sweep_new (config);
  GtkWidget *window = prism_sweep_window_new (base);

  prism_sweep_window_set_folder (PRISM_SWEEP_WINDOW (window), directory);
  gtk_window_present (GTK_WINDOW (window));
  return window;
}

static gboolean
has_time_left (gpointer window)
{
  const char *told = gtk_label_get_text (widget_test_get_part (window, "told_label"));

  g_assert_true (is_running (window));
  HAS (told, " of 4 runs after ");
  return g_str_has_suffix (told, " left");
}

TEST (grid, "/app/sweep-window/grid")
{
  g_autofree char *folder = g_dir_make_tmp ("prism-XXXXXX", NULL);
  g_autofree char *directory = g_build_filename (folder, "sweep", NULL);
  static const char *const verdicts[] = { "✓ fits the measurements",
                                          "✗ does not fit the measurements", NULL };
  g_autoptr (PrismConfig) config = make_config ();
  g_autoptr (PrismSweep) base = prism_sweep_new (config);
  GtkWidget *window = open_window (directory), *again;
  g_autoptr (GError) error = NULL;

  set_axis (window, 0, "snr", "10, 20");
  set_axis (window, 1, "aperture_radius", "6:9:2");
  g_assert_nonnull (widget_test_find_start (window, "4 runs, "));
  g_assert_true (gtk_widget_activate_action (window, "sweep.run", NULL));
  g_assert_null (get_problem (window));
  g_assert_true (is_running (window));
  g_assert_cmpstr (get_images_page (window), ==, "busy");
  WAIT_FOR (has_time_left (window));
  g_assert_cmpfloat (gtk_progress_bar_get_fraction (widget_test_get_part (window, "progress_bar")),
                     >, 0);
  WAIT_FOR (has_ended (window));
  g_assert_cmpstr (get_images_page (window), ==, "images");
  g_assert_nonnull (widget_test_find_start (window, "The sweep has ended"));
  g_assert_nonnull (widget_test_find_start (window, "4 of 4 runs after "));
  g_assert_nonnull (widget_test_find_start (window, "Show folder"));
  g_assert_nonnull (widget_test_find_start (window, "Keep runs in the folder"));
  g_assert_cmpuint (g_list_model_get_n_items (get_points (window)), ==, 4);
  SAYS (dup_cell (window, 3, PRISM_SWEEP_COLUMN_POINT), "Noise (SNR) 20 dB, Radius 9 px");
  SAYS (dup_cell (window, 3, PRISM_SWEEP_COLUMN_STATE), "Finished");
  g_autofree char *verdict = dup_cell (window, 3, PRISM_SWEEP_COLUMN_VERDICT);
  g_assert_true (g_strv_contains (verdicts, verdict));
  g_autofree char *csv = g_build_filename (directory, "sweep.csv", NULL);
  g_assert_true (g_file_test (csv, G_FILE_TEST_EXISTS));
  gtk_window_destroy (GTK_WINDOW (window));

  again = open_window (NULL);
  g_assert_true (prism_sweep_window_open (PRISM_SWEEP_WINDOW (again), directory, &error));
  WAIT_FOR (g_list_model_get_n_items (get_points (again)) == 4);
  g_assert_false (prism_sweep_window_open (PRISM_SWEEP_WINDOW (again), folder, &error));
  HAS (error->message, "has no sweep");
  gtk_window_destroy (GTK_WINDOW (again));

  again = prism_sweep_window_new (base);
  prism_sweep_window_show_last (PRISM_SWEEP_WINDOW (again));
  WAIT_FOR (g_list_model_get_n_items (get_points (again)) == 4);
  g_assert_nonnull (widget_test_find_start (again, "4 runs, "));
  gtk_window_destroy (GTK_WINDOW (again));
}

/* Columns that have no room are reached by keys. */
TEST (columns_by_keys, "/app/sweep-window/columns-by-keys")
{
  g_autoptr (ShownWindow) window = open_window (NULL);
  GtkWidget *table = widget_test_get_part (window, "table_view");
  GtkAdjustment *place = gtk_scrollable_get_hadjustment (GTK_SCROLLABLE (table));

  g_assert_true (
      gtk_test_accessible_has_property (GTK_ACCESSIBLE (table), GTK_ACCESSIBLE_PROPERTY_LABEL));
  gtk_window_set_default_size (GTK_WINDOW (window), 400, 600);
  gtk_widget_set_size_request (table, 2000, -1);
  gtk_stack_set_visible_child_name (
      GTK_STACK (gtk_widget_get_ancestor (table, GTK_TYPE_STACK)), "table");
  WAIT_FOR (gtk_adjustment_get_upper (place) > gtk_adjustment_get_page_size (place));
  g_assert_true (widget_test_press (table, GDK_KEY_Right, 0));
  WAIT_FOR (gtk_adjustment_get_value (place) > 0);
  g_assert_true (widget_test_press (table, GDK_KEY_Left, 0));
  WAIT_FOR (gtk_adjustment_get_value (place) == 0);
}

typedef struct
{
  char *path;
  PrismConfig *config;
} Chosen;

static void
on_open_file (GtkWidget *window,
              const char *path,
              Chosen *chosen)
{
  g_free (chosen->path);
  chosen->path = g_strdup (path);
}

static void
on_use_settings (GtkWidget *window,
                 const PrismConfig *config,
                 Chosen *chosen)
{
  prism_config_free (chosen->config);
  chosen->config = prism_config_dup (config);
}

static void
choose (GtkWidget *window,
        const char *page,
        guint item)
{
  g_signal_emit_by_name (
      gtk_widget_get_template_child (window, PRISM_TYPE_SWEEP_WINDOW, page), "item-chosen", item);
}

/* A click on a picture chooses its run; that is opened from its file, and its settings are handed
 * over. */
TEST (choice, "/app/sweep-window/choice")
{
  g_autofree char *folder = g_dir_make_tmp ("prism-XXXXXX", NULL);
  g_autofree char *directory = g_build_filename (folder, "sweep", NULL);
  g_autoptr (ShownWindow) window = open_window (directory);
  Chosen chosen = { 0 };

  g_signal_connect (window, "open-file", G_CALLBACK (on_open_file), &chosen);
  g_signal_connect (window, "use-settings", G_CALLBACK (on_use_settings), &chosen);
  set_axis (window, 0, "snr", "10, 20");
  set_axis (window, 2, "seed", "3, 4");
  g_assert_nonnull (widget_test_find_start (window, "4 runs, "));
  g_assert_true (gtk_widget_activate_action (window, "sweep.run", NULL));
  WAIT_FOR (has_ended (window));
  g_assert_null (get_problem (window));
  g_assert_nonnull (widget_test_find_start (window, "Click a picture"));
  gtk_widget_activate_action (window, "sweep.open-run", NULL);
  g_assert_null (chosen.path);

  choose (window, "sheet", 3);
  g_assert_nonnull (widget_test_find_start (window, "Noise (SNR) 20 dB: "));
  g_assert_true (gtk_widget_activate_action (window, "sweep.open-run", NULL));
  g_assert_true (g_str_has_suffix (chosen.path, "point-0003.prismrun"));
  g_assert_true (g_file_test (chosen.path, G_FILE_TEST_EXISTS));
  g_assert_true (gtk_widget_activate_action (window, "sweep.use-settings", NULL));
  g_assert_cmpfloat (chosen.config->snr, ==, 20.0);
  g_assert_cmpint (chosen.config->seed, ==, 4);

  /* Without the file its settings are opened. */
  g_assert_cmpint (g_unlink (chosen.path), ==, 0);
  g_assert_true (gtk_widget_activate_action (window, "sweep.open-run", NULL));
  g_assert_true (g_str_has_suffix (chosen.path, "point-0003.prism"));
  prism_config_free (chosen.config);
  g_free (chosen.path);
}

/* Two windows, or a window and the command line, do not compute in one folder at a time. */
TEST (folder_is_taken, "/app/sweep-window/folder-is-taken")
{
  g_autofree char *folder = g_dir_make_tmp ("prism-XXXXXX", NULL);
  g_autofree char *directory = g_build_filename (folder, "sweep", NULL);
  g_autoptr (ShownWindow) window = open_window (directory);
  int lock;

  g_assert_cmpint (g_mkdir (directory, 0700), ==, 0);
  g_assert_true (prism_directory_lock (directory, &lock, NULL));
  g_assert_true (gtk_widget_activate_action (window, "sweep.run", NULL));
  HAS (get_problem (window), "Another program computes in");
  g_assert_false (is_running (window));
  prism_directory_unlock (lock);
  g_assert_true (gtk_widget_activate_action (window, "sweep.run", NULL));
  g_assert_true (is_running (window));
}

TEST (bad_values, "/app/sweep-window/bad-values")
{
  g_autoptr (ShownWindow) window = open_window (NULL);

  set_axis (window, 0, "snr", "10, 200");
  g_assert_false (gtk_widget_is_sensitive (widget_test_get_part (window, "run_button")));
  gtk_widget_activate_action (window, "sweep.run", NULL);
  g_assert_false (is_running (window));
  HAS (get_problem (window), "0 to 100 dB");
  set_axis (window, 1, "snr", "10, 20");
  set_axis (window, 0, "snr", "10, 20");
  HAS (get_problem (window), "twice");
}

/* What is typed where the decimal mark is a comma, and what it comes to. */
TEST (comma_locale, "/app/sweep-window/comma-locale")
{
  static const char *const plans[][2] = {
    { "12,5", "1 run, " },
    { "10,5; 20,5", "2 runs, " },
    { "10, 12,5 20", "3 runs, " },
    { "12,5:20,5:3", "3 runs, " },
    { "10,20,40", "" },
    { "10,5;", "" },
  };
  g_autofree char *before = g_strdup (setlocale (LC_NUMERIC, NULL));
  GtkEditable *entry;

  if (setlocale (LC_NUMERIC, "de_DE.UTF-8") == NULL)
    {
      g_test_skip ("the locale de_DE.UTF-8 could not be built");
      return;
    }
  GtkWidget *window = open_window (NULL);
  entry = widget_test_get_part (widget_test_get_part (window, "editor"), "first_entry");
  g_assert_cmpstr (gtk_editable_get_text (entry), ==, "10; 20; 40");
  set_axis (window, 0, "snr", "12.5:20.5:3");
  g_assert_cmpstr (gtk_editable_get_text (entry), ==, "12,5:20,5:3");
  for (gsize i = 0; i < G_N_ELEMENTS (plans); i++)
    {
      gtk_editable_set_text (entry, plans[i][0]);
      g_assert_cmpint (get_problem (window) != NULL, ==, *plans[i][1] == '\0');
      g_assert_true (gtk_widget_is_sensitive (widget_test_get_part (window, "run_button"))
                     == (*plans[i][1] != '\0'));
      g_assert_true (get_problem (window) != NULL
                     || widget_test_find_start (window, plans[i][1]) != NULL);
    }
  gtk_window_destroy (GTK_WINDOW (window));
  setlocale (LC_NUMERIC, before);
}

/* What is under way ends with the window, and Stop leaves what can go on. */
TEST (stop_and_close, "/app/sweep-window/stop-and-close")
{
  g_autofree char *folder = g_dir_make_tmp ("prism-XXXXXX", NULL);
  g_autofree char *directory = g_build_filename (folder, "sweep", NULL);
  g_autoptr (ShownWindow) window = open_window (directory);
  GtkWidget *scrolled = gtk_widget_get_ancestor (widget_test_get_part (window, "editor"),
                                                 GTK_TYPE_SCROLLED_WINDOW);
  GtkAdjustment *place = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (scrolled));

  gtk_window_set_default_size (GTK_WINDOW (window), 860, 500);
  WAIT_FOR (gtk_adjustment_get_upper (place) > gtk_adjustment_get_page_size (place));
  g_assert_true (gtk_widget_activate_action (window, "sweep.ensemble", NULL));
  g_assert_true (gtk_widget_activate_action (window, "sweep.run", NULL));
  /* Results are in sight, in a low window. */
  g_assert_cmpfloat (gtk_adjustment_get_value (place), >, 0);
  g_assert_true (gtk_widget_activate_action (window, "sweep.stop", NULL));
  WAIT_FOR (has_ended (window));
  g_assert_cmpuint (g_list_model_get_n_items (get_points (window)), ==, 8);
  g_assert_nonnull (widget_test_find_start (window, "The sweep was stopped"));
  g_assert_nonnull (widget_test_find_start (window, "Stopped after "));
  g_assert_null (get_problem (window));
  g_assert_true (gtk_widget_activate_action (window, "sweep.run", NULL));
  g_assert_true (is_running (window));
}

/* What is finished when it is stopped is shown, and counted alike by all who count. */
TEST (stop_in_the_middle, "/app/sweep-window/stop-in-the-middle")
{
  g_autofree char *folder = g_dir_make_tmp ("prism-XXXXXX", NULL);
  g_autofree char *directory = g_build_filename (folder, "sweep", NULL);
  g_autoptr (ShownWindow) window = open_window (directory);
  const PrismChartPlot *sheet = widget_test_get_part (window, "sheet");

  set_axis (window, 0, "samples", "6, 6000, 6001");
  g_assert_true (gtk_widget_activate_action (window, "sweep.run", NULL));
  WAIT_FOR (strcmp (get_images_page (window), "images") == 0);
  g_assert_true (gtk_widget_activate_action (window, "sweep.stop", NULL));
  WAIT_FOR (has_ended (window));
  SAYS (dup_cell (window, 0, PRISM_SWEEP_COLUMN_STATE), "Finished");
  /* One that was under way may have what it had by then. */
  g_autoptr (PrismSweepPoint) point = g_list_model_get_item (get_points (window), 2);
  point->row.stopped = FALSE;
  SAYS (prism_sweep_point_dup_text (point, PRISM_SWEEP_COLUMN_STATE), "No result yet");
  point->row.stopped = TRUE;
  SAYS (prism_sweep_point_dup_text (point, PRISM_SWEEP_COLUMN_STATE), "Stopped");
  /* Below an empty frame stands its value alone. */
  g_assert_cmpstr (prism_chart_data_get_item (sheet->data, 2)->text, ==, "6001");
  g_assert_cmpstr (get_images_page (window), ==, "images");
  HAS (gtk_label_get_text (widget_test_get_part (window, "told_label")),
       ": 1 of 3 runs are finished. Run goes on");
  g_assert_true (g_str_has_suffix (
      adw_window_title_get_subtitle (widget_test_get_part (window, "window_title")),
      "1 of 3 points"));
}

/* A window that is closed while its sweep runs is hidden and goes on; Escape leaves it. One that is
 * idle is gone. */
TEST (close_while_running, "/app/sweep-window/close-while-running")
{
  g_autofree char *folder = g_dir_make_tmp ("prism-XXXXXX", NULL);
  g_autofree char *directory = g_build_filename (folder, "sweep", NULL);

  prism_window_keys_init ();
  GtkWidget *window = open_window (directory);
  set_axis (window, 0, "snr", "10, 20");
  g_assert_true (gtk_widget_activate_action (window, "sweep.run", NULL));
  g_assert_false (widget_test_press (window, GDK_KEY_Escape, 0));
  g_assert_true (gtk_widget_get_visible (window));
  g_assert_true (widget_test_press (window, GDK_KEY_w, GDK_CONTROL_MASK));
  g_assert_false (gtk_widget_get_visible (window));
  g_assert_true (is_running (window));
  WAIT_FOR (has_ended (window));
  g_assert_true ((gpointer) prism_job_window_find (NULL, PRISM_TYPE_SWEEP_WINDOW) == window);
  gtk_window_present (GTK_WINDOW (window));
  g_assert_cmpuint (g_list_model_get_n_items (get_points (window)), ==, 2);
  g_assert_cmpstr (get_images_page (window), ==, "images");
  g_assert_true (widget_test_press (window, GDK_KEY_Escape, 0));
  g_assert_null (prism_job_window_find (NULL, PRISM_TYPE_SWEEP_WINDOW));
}

static gboolean
has_keyboard (GtkWidget *window)
{
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (window));

  return focus != NULL && gtk_widget_is_sensitive (focus);
}

/* A field that is left because the plan is fixed keeps no keyboard; Return in it runs the plan. */
TEST (keys_in_a_field, "/app/sweep-window/keys-in-a-field")
{
  g_autofree char *folder = g_dir_make_tmp ("prism-XXXXXX", NULL);
  g_autofree char *directory = g_build_filename (folder, "sweep", NULL);
  g_autoptr (ShownWindow) window = open_window (directory);
  GtkWidget *field = widget_test_find (window, GTK_TYPE_ENTRY);

  WAIT_FOR (gtk_widget_get_mapped (field));
  g_assert_true (gtk_widget_grab_focus (field));
  g_assert_true (widget_test_press (window, GDK_KEY_F5, 0));
  g_assert_true (is_running (window));
  g_assert_true (has_keyboard (window));
  gtk_widget_activate_action (window, "sweep.stop", NULL);
  WAIT_FOR (has_ended (window));
  g_assert_true (has_keyboard (window));

  g_assert_true (gtk_widget_grab_focus (field));
  g_signal_emit_by_name (gtk_editable_get_delegate (GTK_EDITABLE (field)), "activate");
  WAIT_FOR (is_running (window));
}

/* Whether the table has a column of the title. */
static gboolean
has_column (GtkWidget *window,
            const char *title)
{
  GListModel *columns = gtk_column_view_get_columns (
      GTK_COLUMN_VIEW (widget_test_find (window, GTK_TYPE_COLUMN_VIEW)));

  for (guint i = 0; i < g_list_model_get_n_items (columns); i++)
    {
      g_autoptr (GtkColumnViewColumn) column = g_list_model_get_item (columns, i);

      if (strcmp (gtk_column_view_column_get_title (column), title) == 0)
        return gtk_column_view_column_get_visible (column);
    }
  return FALSE;
}

/* Runs explain the frames that the main window has, and the table has what there is of them. A
 * window without these frames shows the sweep, and says what it takes to use it. */
TEST (recorded, "/app/sweep-window/recorded")
{
  g_autofree char *folder = g_dir_make_tmp ("prism-XXXXXX", NULL);
  g_autofree char *directory = g_build_filename (folder, "sweep", NULL);
  g_autoptr (PrismProblem) problem = recorded_scene_new (folder);
  Chosen chosen = { 0 };

  g_autoptr (PrismSweep) base = prism_sweep_new_recorded (problem->settings, problem);
  GtkWidget *window = prism_sweep_window_new (base);
  prism_sweep_window_set_folder (PRISM_SWEEP_WINDOW (window), directory);
  gtk_window_present (GTK_WINDOW (window));
  set_axis (window, 0, "snr", "10");
  g_assert_null (widget_test_find_start (window, "Noise (SNR)"));
  set_axis (window, 0, "passes", "2, 4");
  g_assert_nonnull (widget_test_find_start (window, "2 runs, "));
  g_assert_true (gtk_widget_activate_action (window, "sweep.run", NULL));
  g_assert_null (get_problem (window));
  WAIT_FOR (has_ended (window));
  g_assert_null (get_problem (window));
  SAYS (dup_cell (window, 1, PRISM_SWEEP_COLUMN_POINT), "Passes 4");
  SAYS (dup_cell (window, 1, PRISM_SWEEP_COLUMN_STATE), "Finished");
  g_autofree char *misfit = dup_cell (window, 1, PRISM_SWEEP_COLUMN_MISFIT);
  g_assert_cmpfloat (g_ascii_strtod (misfit, NULL), >, 0.0);
  g_autofree char *correlation = dup_cell (window, 1, PRISM_SWEEP_COLUMN_CORRELATION);
  g_assert_cmpfloat (g_ascii_strtod (correlation, NULL), >, 0.5);
  g_assert_true (has_column (window, "Held-out correlation"));
  g_assert_false (has_column (window, "PSNR in dB"));
  gtk_window_destroy (GTK_WINDOW (window));

  g_autoptr (PrismSweep) loaded = prism_sweep_load (directory, NULL);
  g_assert_cmpuint (prism_sweep_get_required_bytes (loaded), ==,
                    prism_sweep_get_required_bytes (base));
  GtkWidget *again = prism_sweep_window_new (base);
  g_signal_connect (again, "use-settings", G_CALLBACK (on_use_settings), &chosen);
  g_assert_true (prism_sweep_window_open (PRISM_SWEEP_WINDOW (again), directory, NULL));
  WAIT_FOR (g_list_model_get_n_items (get_points (again)) == 2);
  choose (again, "chart", 1);
  g_assert_true (gtk_widget_activate_action (again, "sweep.use-settings", NULL));
  g_assert_cmpint (chosen.config->passes, ==, 4);
  gtk_window_destroy (GTK_WINDOW (again));

  GtkWidget *other = open_window (NULL);
  g_signal_connect (other, "use-settings", G_CALLBACK (on_use_settings), &chosen);
  g_assert_true (prism_sweep_window_open (PRISM_SWEEP_WINDOW (other), directory, NULL));
  WAIT_FOR (g_list_model_get_n_items (get_points (other)) == 2);
  choose (other, "chart", 0);
  g_assert_true (gtk_widget_activate_action (other, "sweep.use-settings", NULL));
  g_assert_cmpint (chosen.config->passes, ==, 4);
  HAS (get_problem (other), "open these measurements in the main window");
  gtk_window_destroy (GTK_WINDOW (other));
  prism_config_free (chosen.config);
}

static int
compare (PrismSweepPoint *a,
         PrismSweepPoint *b,
         PrismSweepColumn column)
{
  return prism_table_compare (prism_sweep_point_get_number (a, column),
                              prism_sweep_point_get_number (b, column));
}

TEST (columns_sort, "/app/sweep-window/columns")
{
  g_autoptr (PrismConfig) config = make_config ();
  g_autoptr (PrismSweep) sweep = prism_sweep_new (config);
  const PrismSweepRow good = { .finished = TRUE, .metrics = { { .psnr = 30, .ssim = 0.5 } } };
  const PrismSweepRow poor = { .finished = TRUE, .metrics = { { .psnr = 20, .ssim = NAN } } };

  g_assert_true (prism_sweep_add_axis (sweep, "snr=10,20", NULL));
  g_autoptr (PrismSweepPoint) a = prism_sweep_point_new (sweep, 0, &good);
  g_autoptr (PrismSweepPoint) b = prism_sweep_point_new (sweep, 1, &poor);
  g_assert_cmpint (compare (a, b, PRISM_SWEEP_COLUMN_POINT), <, 0);
  g_assert_cmpint (compare (a, b, PRISM_SWEEP_COLUMN_OF (psnr)), >, 0);
  g_assert_cmpint (compare (a, b, PRISM_SWEEP_COLUMN_OF (ssim)), <, 0);
  g_assert_cmpint (compare (a, b, PRISM_SWEEP_COLUMN_STATE), ==, 0);
  SAYS (prism_sweep_point_dup_text (b, PRISM_SWEEP_COLUMN_OF (ssim)), "–");
}

/* Return in the search of a list takes the first hit. */
TEST (search_return, "/app/sweep-window/search-return")
{
  GtkWidget *window = open_window (NULL), *editor = widget_test_get_part (window, "editor");
  GtkWidget *list = widget_test_get_part (editor, "second_list");
  GtkWidget *entry = widget_test_find (list, GTK_TYPE_SEARCH_ENTRY);

  g_assert_true (gtk_widget_activate (list));
  WAIT_FOR (gtk_widget_get_mapped (entry));
  gtk_editable_set_text (GTK_EDITABLE (entry), "adius");
  g_signal_emit_by_name (entry, "activate");
  g_assert_cmpstr (gtk_editable_get_text (widget_test_get_part (editor, "second_entry")), ==,
                   "4, 8, 16");
  gtk_window_destroy (GTK_WINDOW (window));
}

/* It fits a screen of 600 px with the frame of the window, the bar of a sweep that runs and longer
 * words than the English ones. */
TEST (low_screen, "/app/sweep-window/low-screen")
{
  g_autoptr (ShownWindow) window = open_window (NULL);
  GtkWidget *text = widget_test_find_part (window, "The image of a point appears");
  GtkWidget *stack = gtk_widget_get_ancestor (text, GTK_TYPE_STACK);
  graphene_rect_t bounds;
  int height;

  /* What to do first is read below the fields. */
  WAIT_FOR (gtk_widget_get_height (stack) > 0);
  g_assert_true (gtk_widget_compute_bounds (text, stack, &bounds));
  g_assert_cmpfloat (bounds.origin.y + bounds.size.height, <, 160);
  gtk_widget_measure (window, GTK_ORIENTATION_VERTICAL, -1, &height, NULL, NULL, NULL);
  g_test_message ("%d px", height);
  g_assert_cmpint (height, <=, 540);
}
