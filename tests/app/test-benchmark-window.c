#include "../engine/support/test-remove-tree.h"
#include "compare/prism-benchmark-window.h"
#include "file-answer.h"
#include "prism-test.h"
#include "widget-test.h"

/* The nth list of the plan: what is run, and earlier benchmarks. */
static AdwComboRow *
find_list (GtkWidget *window,
           gboolean last)
{
  GtkWidget *first = widget_test_find (window, ADW_TYPE_COMBO_ROW);
  GtkWidget *found = first;

  for (GtkWidget *row = first; row != NULL && last; row = gtk_widget_get_next_sibling (row))
    if (ADW_IS_COMBO_ROW (row))
      found = row;
  return ADW_COMBO_ROW (found);
}

static gboolean
is_running (GtkWidget *window)
{
  return gtk_widget_get_visible (widget_test_find (window, GTK_TYPE_PROGRESS_BAR));
}

static guint
count_done (GtkWidget *window)
{
  const PrismBenchmark *shown = PRISM_BENCHMARK_WINDOW (window)->shown;

  return shown != NULL ? prism_benchmark_count_done (shown) : 0;
}

static gboolean
has_history (gpointer window)
{
  GListModel *names = adw_combo_row_get_model (find_list (window, TRUE));

  return names != NULL && g_list_model_get_n_items (names) == 2;
}

static GtkWidget *
open_window (void)
{
  g_autoptr (PrismConfig) config = widget_test_new_config ();

  config->method = PRISM_METHOD_DECODER;
  config->backend = PRISM_BACKEND_CPU;
  GtkWidget *window = prism_benchmark_window_new (config);
  adw_combo_row_set_selected (find_list (window, FALSE), 1);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (widget_test_find (window, GTK_TYPE_SPIN_BUTTON)), 2);
  gtk_window_present (GTK_WINDOW (window));
  return window;
}

static const char *
get_cell (GtkWidget *window,
          int column,
          int row)
{
  GtkGrid *grid = GTK_GRID (widget_test_find (window, GTK_TYPE_GRID));

  return gtk_label_get_text (GTK_LABEL (gtk_grid_get_child_at (grid, column, row)));
}

/* What is shown, by the ending. */
static void
check_report (GtkWidget *window,
              const char *name,
              const char *begin)
{
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), name, NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);

  g_assert_true (gtk_widget_activate_action (window, "benchmark.save", NULL));
  g_assert_true (file_answer_is_wanted ());
  file_answer_give (file);
  WAIT_FOR (g_file_test (path, G_FILE_TEST_EXISTS));
  g_autofree char *contents = file_text (path);
  g_assert_true (g_str_has_prefix (contents, begin));
}

/* Runs to the end, is shown, and is in the history of the next window. */
TEST (run_and_history, "/app/benchmark-window/run")
{
  GtkWidget *window = open_window ();

  g_assert_true (gtk_widget_activate_action (window, "benchmark.run", NULL));
  g_assert_true (is_running (window));
  WAIT_FOR (!is_running (window));
  const PrismBenchmark *shown = PRISM_BENCHMARK_WINDOW (window)->shown;
  g_assert_cmpuint (prism_benchmark_count_done (shown), ==, prism_benchmark_count_runs (shown));
  g_assert_cmpint (shown->config->image_size, ==, 64);
  g_assert_cmpstr (get_cell (window, 1, 0), ==, "Plain");
  g_assert_cmpstr (get_cell (window, 0, 1), ==, "Verdict");
  g_assert_cmpstr (get_cell (window, 2, 1), !=, "no verdict yet");
  WAIT_FOR (has_history (window));
  gtk_window_destroy (GTK_WINDOW (window));

  g_autoptr (ShownWindow) again = open_window ();
  WAIT_FOR (has_history (again));
  g_assert_cmpuint (count_done (again), ==, 0);
  adw_combo_row_set_selected (find_list (again, TRUE), 1);
  g_assert_cmpuint (count_done (again), >, 0);
  g_assert_cmpstr (get_cell (again, 2, 0), ==, "Everything on");
  check_report (again, "report.html", "<!DOCTYPE html>");
  check_report (again, "report.pdf", "%PDF-");
  check_report (again, "report.txt", "“Moon”");
}

/* What is under way ends with Cancel, and with the window. */
TEST (cancel_and_close, "/app/benchmark-window/cancel")
{
  g_autoptr (ShownWindow) window = open_window ();

  g_assert_true (gtk_widget_activate_action (window, "benchmark.run", NULL));
  g_assert_true (gtk_widget_activate_action (window, "benchmark.stop", NULL));
  WAIT_FOR (!is_running (window));
  const PrismBenchmark *shown = PRISM_BENCHMARK_WINDOW (window)->shown;
  g_assert_cmpuint (prism_benchmark_count_done (shown), <, prism_benchmark_count_runs (shown));
  g_assert_true (gtk_widget_activate_action (window, "benchmark.run", NULL));
  g_assert_true (is_running (window));
}

/* A program that is not there, or tells nothing, is a sentence. */
TEST (program_that_fails, "/app/benchmark-window/program-that-fails")
{
  g_autofree char *program = g_strdup (g_getenv ("PRISM_CLI"));
  g_autoptr (ShownWindow) window = open_window ();

  for (int i = 0; i < 2; i++)
    {
      g_setenv ("PRISM_CLI", i == 0 ? "/nonexistent" : "/bin/true", TRUE);
      g_assert_true (gtk_widget_activate_action (window, "benchmark.run", NULL));
      WAIT_FOR (!is_running (window));
      g_assert_cmpuint (count_done (window), ==, 0);
    }
  g_setenv ("PRISM_CLI", program, TRUE);
}

int
main (int argc,
      char *argv[])
{
  g_autofree char *data = g_dir_make_tmp ("prism-XXXXXX", NULL);

  g_setenv ("XDG_DATA_HOME", data, TRUE);
  widget_test_init (&argc, &argv);
  adw_init ();
  int result = prism_test_run ();
  test_remove_tree (data);
  return result;
}
