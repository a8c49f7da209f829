#include "prism-test.h"
#include "window-test.h"
#include "session/prism-last-run.h"

static PrismChart *
find_chart (WindowTest *test)
{
  PrismDashboard *dashboard = widget_test_get_part (test->window, "dashboard");

  return widget_test_find (GTK_WIDGET (prism_dashboard_get_panel (dashboard, "chart-2")),
                           PRISM_TYPE_CHART);
}

static guint64
count_ghosts (WindowTest *test)
{
  PrismChartData *data = find_chart (test)->data;

  return data->ghosts->len > 0
             ? prism_chart_series_get_n_points (prism_chart_data_get_ghost (data, 0))
             : 0;
}

static PrismImage *
get_subtracted (WindowTest *test)
{
  PrismDashboard *dashboard = widget_test_get_part (test->window, "dashboard");
  GtkWidget *panel = GTK_WIDGET (prism_dashboard_get_panel (dashboard, "error"));

  return prism_view_get_reference (widget_test_find (panel, PRISM_TYPE_VIEW));
}

static void
run (WindowTest *test)
{
  window_test_activate (test, "run");
  WAIT_FOR (window_test_has_finished (test->session));
}

/* Curves of the run before stand behind these, and its picture takes the target's place. */
TEST (shown, "/app/last-run/shown")
{
  g_autofree char *text = NULL;

  g_auto (WindowTest) test = window_test_new (NULL);
  g_autoptr (PrismLastRun) previous = prism_last_run_new (test.session);
  g_assert_false (window_test_is_enabled (&test, "compare-last"));
  run (&test);
  g_assert_false (window_test_is_enabled (&test, "compare-last"));
  guint64 n_rows = test.session->snapshot->n_rows;
  g_assert_false (window_test_is_enabled (&test, "compare-last-two"));
  prism_draft_set_parameter (test.session->draft,
                             prism_config_get_param ("aperture_radius"), "5", NULL);
  run (&test);
  g_assert_true (window_test_is_enabled (&test, "compare-last-two"));
  g_assert_cmpuint (count_ghosts (&test), ==, 0);
  PrismPanel *large = prism_dashboard_get_panel (widget_test_get_part (test.window, "dashboard"),
                                                 "reconstruction");
  g_object_set (large, "maximized", TRUE, NULL);
  window_test_activate (&test, "compare-last");
  g_assert_false (large->maximized);
  /* Long curves are read a piece at a time. */
  WAIT_FOR (count_ghosts (&test) == test.session->previous->n_rows);
  g_assert_cmpuint (count_ghosts (&test), ==, n_rows);
  g_assert_true (get_subtracted (&test) == test.session->previous->reconstruction);
  g_object_get (previous, "text", &text, NULL);
  HAS (text, "→ 5", " dB, ");
  window_test_activate (&test, "compare-last");
  g_assert_cmpuint (count_ghosts (&test), ==, 0);
  /* Of another object there is nothing to subtract. */
  window_test_activate (&test, "compare-last");
  prism_draft_set_parameter (test.session->draft, prism_config_get_param ("object"), "text", NULL);
  run (&test);
  g_assert_cmpuint (count_ghosts (&test), ==, 0);
  g_assert_false (window_test_is_enabled (&test, "compare-last"));
  g_assert_true (get_subtracted (&test) == test.session->snapshot->target);
}

/* Where a result has gone and no run has taken its place there is nothing to compare. */
TEST (nothing_on_the_screen, "/app/last-run/nothing-on-the-screen")
{
  g_auto (WindowTest) test = window_test_new (NULL);

  run (&test);
  prism_session_discard_result (test.session);
  WAIT_FOR (test.session->state == PRISM_STATE_IDLE);
  g_assert_nonnull (test.session->previous);
  g_assert_false (window_test_is_enabled (&test, "compare-last"));
  g_assert_false (window_test_is_enabled (&test, "compare-last-two"));
  window_test_activate (&test, "run");
  g_assert_true (window_test_is_enabled (&test, "compare-last"));
  WAIT_FOR (window_test_has_finished (test.session));
}
