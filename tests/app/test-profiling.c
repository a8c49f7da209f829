#include "prism-test.h"
#include "profiling/prism-profile-window.h"
#include "support/prism-widget.h"
#include "window-test.h"
#include "../engine/support/test-remove-tree.h"

/* A profile in which passes take most of the time. */
static PrismTrace *
make_trace (gint64 measure)
{
  PrismTrace *trace = prism_trace_new ();
  PrismTraceThread *engine = prism_trace_add_thread (trace, "engine");
  const PrismSpan spans[] = {
    { .begin = 0, .end = measure, .count = 1, .bytes = 4000000, .kind = PRISM_STAGE_MEASURE },
    { .begin = 500000000, .end = 800000000, .count = 20, .kind = PRISM_STAGE_PASS },
    { .begin = 10, .end = 10, .value = 1048576.0, .kind = PRISM_N_STAGES + PRISM_COUNTER_QUEUE },
  };

  trace->seconds = 1.0;
  trace->roof = (PrismRoof) { { 1e9, 1e9, 1e9, 1e9, 1e9 }, 2e9 };
  for (gsize i = 0; i < G_N_ELEMENTS (spans); i++)
    prism_trace_add_span (trace, engine, &spans[i]);
  return trace;
}

static GtkColumnView *
get_table (GtkWidget *window)
{
  return widget_test_find (widget_test_get_part (window, "table"), GTK_TYPE_COLUMN_VIEW);
}

static GListModel *
get_rows (GtkWidget *window)
{
  return G_LIST_MODEL (gtk_column_view_get_model (get_table (window)));
}

static guint n_references; /* of a window that reads nothing */

static guint
count_visible (GtkWidget *window)
{
  GListModel *columns = gtk_column_view_get_columns (get_table (window));
  guint n = 0;

  for (guint i = 0; i < g_list_model_get_n_items (columns); i++)
    {
      g_autoptr (GtkColumnViewColumn) column = g_list_model_get_item (columns, i);

      n += gtk_column_view_column_get_visible (column);
    }
  return n;
}

TEST (compare, "/app/profiling/compare")
{
  g_autoptr (TestFolder) directory = test_folder_new ();
  g_autofree char *path = g_build_filename (directory, "before.prismprof", NULL);
  g_autoptr (PrismTrace) before = make_trace (100000000);
  g_autoptr (PrismTraceReading) reading = prism_trace_reading_new (make_trace (200000000));
  GtkWidget *window = prism_profile_window_new (reading);
  guint n_columns = count_visible (window);

  g_object_ref (window);
  n_references = G_OBJECT (window)->ref_count;
  MUST (prism_trace_save (before, path, &error));
  g_assert_cmpuint (g_list_model_get_n_items (get_rows (window)), ==, 2);
  g_assert_true (g_str_has_prefix (gtk_label_get_label (widget_test_get_part (window, "sentences")),
                                   "“passes” takes 60 % of the work, 1 call of"));
  prism_profile_window_open (PRISM_PROFILE_WINDOW (window), path, TRUE);
  WAIT_FOR (G_OBJECT (window)->ref_count == n_references);
  g_assert_true (g_str_has_prefix (gtk_label_get_label (widget_test_get_part (window, "sentences")),
                                   "What became slower most is “measurement”, by 0.1000 s.\n"));
  g_assert_cmpuint (count_visible (window), ==, n_columns + 2);
  g_unlink (path);
  prism_profile_window_open (PRISM_PROFILE_WINDOW (window), path, FALSE);
  WAIT_FOR (G_OBJECT (window)->ref_count == n_references);
  g_assert_cmpuint (g_list_model_get_n_items (get_rows (window)), ==, 2);
  gtk_window_destroy (GTK_WINDOW (window));
  g_object_unref (window);
}

/* What was read for a window that is closed goes with it, and so does what could not be read. */
TEST (closed_while_reading, "/app/profiling/closed-while-reading")
{
  g_autoptr (TestFolder) directory = test_folder_new ();
  g_autofree char *path = g_build_filename (directory, "late.prismprof", NULL);
  g_autoptr (PrismTrace) trace = make_trace (100000000);

  MUST (prism_trace_save (trace, path, &error));
  for (int i = 0; i < 3; i++)
    {
      GtkWidget *window = prism_profile_window_new (NULL);
      gpointer alive = window;

      g_object_add_weak_pointer (G_OBJECT (window), &alive);
      gtk_window_present (GTK_WINDOW (window));
      prism_profile_window_open (PRISM_PROFILE_WINDOW (window), path, i == 1);
      g_assert_true (i == 2 ? widget_test_press (window, GDK_KEY_Escape, 0)
                            : widget_test_press (window, GDK_KEY_w, GDK_CONTROL_MASK));
      if (i == 1)
        g_unlink (path);
      WAIT_FOR (alive == NULL);
    }
}

/* What lies in the middle of a stretch of time and of a line of text of an area of 1000 by 5.5
 * lines, or else nothing. */
static const PrismSpan *
find_stage (PrismChartData *chart,
            double from,
            double to,
            double time,
            double line)
{
  const double lines = chart->axes[PRISM_CHART_LEFT].maximum;
  const PrismChartLayout layout = {
    .width = 1000,
    .height = 10 * lines,
    .first = from,
    .last = to,
    .bend = to,
    .bend_width = 1000,
    .scales = { { .down = TRUE, .high = lines } },
  };
  guint item = prism_chart_items_find (chart, &layout, 1000 * (time - from) / (to - from),
                                       10 * line);

  return item != PRISM_CHART_NO_ITEM ? prism_chart_data_get_item (chart, item)->subject : NULL;
}

/* Beside a small window others begin small, too. */
TEST (no_larger_than_parent, "/app/profiling/no-larger-than-parent")
{
  g_autoptr (ShownWindow) parent = gtk_window_new ();
  g_autoptr (ShownWindow) window = prism_profile_window_new (NULL);
  int width, height;

  gtk_window_set_default_size (GTK_WINDOW (parent), 420, 300);
  gtk_window_present (GTK_WINDOW (parent));
  WAIT_FOR (gtk_widget_get_width (parent) > 0);
  gtk_window_set_transient_for (GTK_WINDOW (window), GTK_WINDOW (parent));
  gtk_window_get_default_size (GTK_WINDOW (window), &width, &height);
  g_assert_cmpint (width, <=, gtk_widget_get_width (parent));
  g_assert_cmpint (height, <=, gtk_widget_get_height (parent));
}

/* What stands where: the outer stage above, the inner one below it, nothing beside them. */
TEST (lanes, "/app/profiling/lanes")
{
  PrismTrace *trace = prism_trace_new ();
  PrismTraceThread *engine = prism_trace_add_thread (trace, "engine");
  const PrismSpan spans[] = {
    { .begin = 0, .end = 500000000, .count = 1, .kind = PRISM_STAGE_TRAIN },
    { .begin = 100000000, .end = 200000000, .count = 3, .kind = PRISM_STAGE_FORWARD },
    { .begin = 800000000, .end = 900000000, .count = 1, .kind = PRISM_STAGE_PASS },
  };

  trace->seconds = 1.0;
  for (gsize i = 0; i < G_N_ELEMENTS (spans); i++)
    prism_trace_add_span (trace, engine, &spans[i]);
  g_autoptr (PrismTraceReading) reading = prism_trace_reading_new (trace);
  g_autoptr (PrismChartData) chart = prism_profile_chart_new (reading);
  g_assert_cmpfloat (prism_chart_layout_get_height (chart, 10), >, 50);
  g_assert_cmpuint (find_stage (chart, 0, 1, 0.15, 2.0)->kind, ==, PRISM_STAGE_TRAIN);
  g_assert_cmpuint (find_stage (chart, 0, 1, 0.15, 3.3)->kind, ==, PRISM_STAGE_FORWARD);
  SAYS (prism_chart_data_dup_tip (chart, 1), "forward: 100.000 ms, from 0.1000 s, 3 at once");
  g_assert_null (find_stage (chart, 0, 1, 0.3, 3.3));
  g_assert_null (find_stage (chart, 0, 1, 0.6, 2.0));
  g_assert_null (find_stage (chart, 0, 1, 0.15, 0.5));
  g_assert_cmpuint (find_stage (chart, 0.8, 0.9, 0.86, 2.0)->kind, ==, PRISM_STAGE_PASS);
}

/* What takes longest is seen first, wherever it stands among the stages. */
TEST (first_row_is_seen, "/app/profiling/first-row")
{
  PrismTrace *trace = prism_trace_new ();
  PrismTraceThread *engine = prism_trace_add_thread (trace, "engine");

  trace->seconds = 1.0;
  for (int i = 0; i < PRISM_N_STAGES; i++)
    {
      const gint64 begin = i * i * 1000000, end = (i + 1) * (i + 1) * 1000000;
      const PrismSpan span = { .begin = begin, .end = end, .count = 1, .kind = i };

      prism_trace_add_span (trace, engine, &span);
    }
  g_autoptr (PrismTraceReading) reading = prism_trace_reading_new (trace);
  g_autoptr (ShownWindow) window = prism_profile_window_new (reading);
  gtk_window_set_default_size (GTK_WINDOW (window), 900, 500);
  gtk_window_present (GTK_WINDOW (window));
  GtkAdjustment *adjustment = gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (get_table (window)));
  WAIT_FOR (gtk_adjustment_get_page_size (adjustment) > 0.0
            && gtk_adjustment_get_upper (adjustment) > gtk_adjustment_get_page_size (adjustment));
  g_assert_cmpfloat (gtk_adjustment_get_value (adjustment), ==, 0.0);
}

/* Zooming stays within the profile, the keys go from stage to stage, and the counters show the
 * same time. */
TEST (timeline, "/app/profiling/timeline")
{
  g_autoptr (PrismTraceReading) reading = prism_trace_reading_new (make_trace (200000000));
  g_autoptr (ShownWindow) window = prism_profile_window_new (reading);
  g_autoptr (GtkWidget) plot = g_object_ref (widget_test_get_part (window, "timeline"));
  PrismTimeline *timeline = PRISM_CHART_PLOT (plot)->timeline;

  gtk_widget_unparent (plot);
  widget_test_show (plot, 600, 200);
  cairo_surface_destroy (widget_test_render (plot));
  g_assert_true (isnan (timeline->first));
  prism_timeline_set_cursor (timeline, 0.25);
  g_assert_true (widget_test_press (plot, GDK_KEY_plus, 0));
  g_assert_cmpfloat_with_epsilon (timeline->first, 0.25 - 0.25 / 1.5, 1e-9);
  g_assert_cmpfloat_with_epsilon (timeline->last, timeline->first + 1 / 1.5, 1e-9);
  for (int i = 0; i < 60; i++)
    {
      cairo_surface_destroy (widget_test_render (plot));
      widget_test_press (plot, GDK_KEY_plus, 0);
    }
  g_assert_cmpfloat (timeline->last - timeline->first, >, 0.0);
  g_assert_cmpfloat (timeline->last - timeline->first, <, 1e-4);
  widget_test_press (plot, GDK_KEY_0, 0);
  g_assert_true (isnan (timeline->first));
  cairo_surface_destroy (widget_test_render (plot));
  g_assert_true (widget_test_press (plot, GDK_KEY_Right, 0));
  g_assert_cmpuint (PRISM_CHART_PLOT (plot)->chosen, ==, 0);
  g_assert_true (g_str_has_prefix (PRISM_CHART_PLOT (plot)->hover_text, "measurement: 200.000 ms"));
  g_assert_true (widget_test_press (plot, GDK_KEY_Right, 0));
  g_assert_cmpuint (PRISM_CHART_PLOT (plot)->chosen, ==, 1);
  /* What it shows belongs to the profile. */
  gtk_window_destroy (GTK_WINDOW (gtk_widget_get_root (plot)));
}

static GtkWidget *
find_profile_window (void)
{
  return widget_test_find_window (PRISM_TYPE_PROFILE_WINDOW);
}

/* The action is a switch for the next run; the page comes when it has ended. */
TEST (this_run, "/app/profiling/this-run")
{
  g_auto (WindowTest) test = window_test_new (NULL);

  window_test_activate (&test, "profile");
  g_assert_null (find_profile_window ());
  window_test_activate (&test, "run");
  WAIT_FOR (window_test_has_finished (test.session));
  WAIT_FOR (find_profile_window () != NULL);
  GtkWidget *window = find_profile_window ();
  HAS (gtk_label_get_label (widget_test_get_part (window, "sentences")), "The program had ",
       "the profile itself took ");
  g_assert_cmpuint (g_list_model_get_n_items (get_rows (window)), >, 8);
  g_assert_true (window_test_is_enabled (&test, "profile"));
  gtk_window_destroy (GTK_WINDOW (window));
}

static guint
count_rows (GtkWidget *window)
{
  GListModel *rows = window != NULL ? get_rows (window) : NULL;

  return rows != NULL ? g_list_model_get_n_items (rows) : 0;
}

/* A profile is opened like everything else; what it lacks is said where it would be. */
TEST (open_as_file, "/app/profiling/open-as-file")
{
  g_autoptr (TestFolder) directory = test_folder_new ();
  g_autofree char *path = g_build_filename (directory, "saved.prismprof", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (PrismTrace) trace = make_trace (100000000);
  const PrismSpan still = { .kind = PRISM_N_STAGES + PRISM_COUNTER_STEP_RATE };

  /* Two moments of a counter that stays 0 are as little a chart as the one of the other. */
  prism_trace_add_span (trace, trace->threads->pdata[0], &still);
  prism_trace_add_span (trace, trace->threads->pdata[0], &still);
  MUST (prism_trace_save (trace, path, &error));
  g_auto (WindowTest) test = window_test_new (NULL);
  prism_window_open_file (test.window, file);
  WAIT_FOR (count_rows (find_profile_window ()) == 2);
  g_assert_nonnull (
      widget_test_find_text (find_profile_window (), "This profile has no counters over time."));
  gtk_window_destroy (GTK_WINDOW (find_profile_window ()));
}

TESTS
{
  prism_window_keys_init ();
}
