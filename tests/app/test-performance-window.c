#include "base/prism-pool.h"
#include "prism-test.h"
#include "profiling/prism-performance-window.h"
#include "widget-test.h"

/* config: (nullable): other than those of tests */
static GtkWidget *
open_window (const PrismConfig *config)
{
  g_autoptr (PrismConfig) own = widget_test_new_config ();

  own->backend = PRISM_BACKEND_CPU;
  GtkWidget *window = prism_performance_window_new (config != NULL ? config : own);
  gtk_window_present (GTK_WINDOW (window));
  return window;
}

static gboolean
is_running (gpointer window)
{
  return gtk_widget_get_visible (widget_test_get_part (window, "progress_bar"));
}

static gboolean
has_points (gpointer window)
{
  const PrismPerformance *shown = PRISM_PERFORMANCE_WINDOW (window)->shown;

  return shown != NULL && prism_performance_get_series (shown, 0)->points->len > 0;
}

/* One processor has no choice of threads, but every run has one of frames. */
static gboolean
has_choice (gpointer window)
{
  const PrismPerformance *shown = PRISM_PERFORMANCE_WINDOW (window)->shown;

  for (guint i = 0; shown != NULL && i < shown->series->len; i++)
    if (prism_performance_get_series (shown, i)->points->len > 1)
      return TRUE;
  return FALSE;
}

/* The nth button "Apply …" of what is shown; NULL where there are fewer. */
static GtkWidget *
find_apply (GtkWidget *widget, guint *n)
{
  return FIND (widget, GTK_IS_BUTTON (it)
                           && g_strcmp0 (gtk_actionable_get_action_name (GTK_ACTIONABLE (it)),
                                         "performance.apply")
                                  == 0
                           && (*n)-- == 0);
}

typedef struct
{
  int kind, value;
} Applied;

static void
on_apply (PrismPerformanceWindow *window, int kind, int value, gpointer data)
{
  *(Applied *) data = (Applied) { kind, value };
}

/* What is best can be applied, and is what the button says. */
TEST (measure_and_apply, "/app/performance-window/measure")
{
  GtkWidget *window = open_window (NULL), *button;
  Applied applied = { -1, -1 };
  guint first = 0;
  const PrismSeries *series = NULL;

  g_signal_connect (window, "apply", G_CALLBACK (on_apply), &applied);
  g_assert_true (gtk_widget_activate_action (window, "performance.run", NULL));
  g_assert_true (is_running (window));
  WAIT_FOR (has_choice (window));
  g_assert_true (gtk_widget_activate_action (window, "performance.stop", NULL));
  WAIT_FOR (!is_running (window));
  const PrismPerformance *shown = PRISM_PERFORMANCE_WINDOW (window)->shown;
  g_assert_cmpuint (shown->series->len, ==, PRISM_N_SERIES - 1);
  g_assert_nonnull (widget_test_find_part (window, "PRISM Studio " PRISM_VERSION ", "));
  g_assert_null (widget_test_find_part (window, shown->made));
  button = find_apply (window, &first);
  g_assert_nonnull (button);
  g_signal_emit_by_name (button, "clicked");
  g_assert_cmpint (applied.kind, >=, 0);
  for (guint i = 0; i < shown->series->len; i++)
    if ((int) prism_performance_get_series (shown, i)->kind == applied.kind)
      series = prism_performance_get_series (shown, i);
  g_assert_nonnull (series);
  g_assert_cmpint (prism_series_get_best (series)->value, ==, applied.value);
  g_autofree char *name = prism_series_dup_name (series->kind, applied.value);
  g_autofree char *label = g_strdup_printf ("Apply %s", name);
  g_assert_cmpstr (gtk_button_get_label (GTK_BUTTON (button)), ==, label);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Cancel keeps what was measured; a window that is closed ends its processes. */
TEST (cancel_and_close, "/app/performance-window/cancel")
{
  g_autoptr (ShownWindow) window = open_window (NULL);

  g_assert_true (gtk_widget_activate_action (window, "performance.search", NULL));
  WAIT_FOR (has_points (window));
  g_assert_true (gtk_widget_activate_action (window, "performance.stop", NULL));
  WAIT_FOR (!is_running (window));
  const PrismPerformance *shown = PRISM_PERFORMANCE_WINDOW (window)->shown;
  g_assert_cmpuint (prism_performance_get_series (shown, 0)->points->len, >, 0);
  g_assert_cmpint (prism_performance_get_series (shown, shown->series->len - 1)->end, ==,
                   PRISM_SERIES_STOPPED);
  g_assert_true (gtk_widget_activate_action (window, "performance.search", NULL));
}

TEST (program_that_fails, "/app/performance-window/program-that-fails")
{
  g_autofree char *program = g_strdup (g_getenv ("PRISM_CLI"));
  g_autoptr (ShownWindow) window = open_window (NULL);
  guint first = 0;

  g_setenv ("PRISM_CLI", "/bin/true", TRUE);
  g_assert_true (gtk_widget_activate_action (window, "performance.run", NULL));
  WAIT_FOR (!is_running (window));
  const PrismPerformance *shown = PRISM_PERFORMANCE_WINDOW (window)->shown;
  g_assert_cmpint (prism_performance_get_series (shown, 0)->end, ==, PRISM_SERIES_FAILED);
  g_assert_null (find_apply (window, &first));
  g_setenv ("PRISM_CLI", program, TRUE);
}

/* What is known is forgotten and found out again, as long as it takes; what cannot be tuned says
 * why. */
TEST (tune_again, "/app/performance-window/tune-again")
{
  g_autoptr (PrismConfig) config = widget_test_new_config ();
  PrismUserCacheUse use;

  prism_user_cache_look (PRISM_USER_CACHE_TUNING, TRUE, &use);
  config->backend = PRISM_BACKEND_CPU;
  config->tuning = TRUE;
  GtkWidget *window = open_window (config);
  g_assert_true (gtk_widget_activate_action (window, "performance.tune", NULL));
  if (prism_pool_count_threads (0) > 1)
    {
      g_assert_true (is_running (window));
      WAIT_FOR (!is_running (window));
      HAS (gtk_label_get_text (widget_test_get_part (window, "tuned_label")), " threads");
      prism_user_cache_look (PRISM_USER_CACHE_TUNING, FALSE, &use);
      g_assert_cmpuint (use.n_files, ==, 1);
    }
  /* One that is closed while it waits. */
  gtk_widget_activate_action (window, "performance.tune", NULL);
  gtk_window_destroy (GTK_WINDOW (window));

  config->threads = 1;
  g_autoptr (ShownWindow) fixed = open_window (config);
  g_assert_true (gtk_widget_activate_action (fixed, "performance.tune", NULL));
  g_assert_false (is_running (fixed));
  g_assert_cmpstr (gtk_label_get_text (widget_test_get_part (fixed, "tuned_label")), ==, "");
}
