#include "config.h"

#include "window/prism-window.h"

#include "charts/prism-chart-plot.h"
#include "compare/prism-compare-images.h"
#include "compare/prism-compare-window.h"
#include "prism-report-curves.h"
#include "prism-report.h"
#include "recorded-scene.h"
#include "results/prism-approach.h"
#include "session/prism-run-list.h"
#include "support/prism-notice.h"
#include "support/prism-wording.h"
#include "widget-test.h"
#include "window/prism-status-bar.h"

#include <string.h>

/* The window on frames that were recorded and whose object nobody knows: what needs the object says
 * so, and shows no number, no empty box and no other object. */

#define NO_TARGET "No target"

typedef struct
{
  PrismSession *session;
  PrismWindow *window;
} Fixture;

static gboolean
is_mapped (gpointer data)
{
  return gtk_widget_get_mapped (data);
}

static gboolean
has_finished (gpointer data)
{
  return prism_session_get_state (data) == PRISM_STATE_FINISHED;
}

static gboolean
is_idle (gpointer data)
{
  return prism_session_get_snapshot (data) != NULL
         && prism_session_get_state (data) == PRISM_STATE_IDLE;
}

/* data: (nullable): the object is known. */
static void
set_up (Fixture *fixture,
        gconstpointer data)
{
  g_autoptr (PrismConfig) config = recorded_scene_new_config ();
  g_autoptr (PrismScene) scene = recorded_scene_new (config, data != NULL);
  g_autoptr (GError) error = NULL;

  fixture->session = prism_session_new (&error);
  g_assert_no_error (error);
  fixture->window = prism_window_new (NULL, fixture->session);
  prism_session_start_recorded (fixture->session, config, scene);
  gtk_window_present (GTK_WINDOW (fixture->window));
  widget_test_wait (is_mapped, fixture->window);
  widget_test_wait (is_idle, fixture->session);
}

static void
tear_down (Fixture *fixture,
           gconstpointer data)
{
  gtk_window_destroy (GTK_WINDOW (fixture->window));
  g_object_unref (fixture->session);
}

static void
run (Fixture *fixture)
{
  prism_session_run (fixture->session);
  widget_test_wait (has_finished, fixture->session);
}

static GtkWidget *
find_child (GtkWidget *widget,
            GType type)
{
  GtkWidget *found = G_TYPE_CHECK_INSTANCE_TYPE (widget, type) ? widget : NULL;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_child (child, type);
  return found;
}

/* A label that is to be seen. */
static GtkWidget *
find_label (GtkWidget *widget,
            const char *part)
{
  GtkWidget *found = NULL;

  if (!gtk_widget_get_visible (widget))
    return NULL;
  if (GTK_IS_LABEL (widget) && strstr (gtk_label_get_text (GTK_LABEL (widget)), part) != NULL)
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_label (child, part);
  return found;
}

static GtkWidget *
get_panel (Fixture *fixture,
           const char *id)
{
  return prism_panel_get_child (
      prism_dashboard_get_panel (widget_test_get_part (fixture->window, "dashboard"), id));
}

/* Before and after a run. Without an object, the picture is no error. */
static void
check_panels (Fixture *fixture)
{
  g_assert_nonnull (find_label (get_panel (fixture, "target"), NO_TARGET));
  g_assert_nonnull (find_label (get_panel (fixture, "error"), NO_TARGET));
  g_assert_null (prism_view_get_image (PRISM_VIEW (get_panel (fixture, "error"))));
}

static void
test_panels (Fixture *fixture,
             gconstpointer data)
{
  PrismView *kspace = PRISM_VIEW (get_panel (fixture, "kspace"));
  gboolean has_bar;

  check_panels (fixture);
  run (fixture);
  check_panels (fixture);
  /* Coverage and path have a ground to stand on. */
  g_assert_nonnull (prism_view_get_image (kspace));
  g_assert_cmpint (prism_view_get_image (kspace)->width, ==, 64);
  g_object_get (kspace, "show-color-bar", &has_bar, NULL);
  g_assert_false (has_bar);
  g_assert_null (find_label (GTK_WIDGET (kspace), "Plan"));
  g_assert_nonnull (prism_view_get_image (PRISM_VIEW (get_panel (fixture, "reconstruction"))));
}

/* What compares with the object says why it is empty; losses are known. */
static void
test_charts (Fixture *fixture,
             gconstpointer data)
{
  run (fixture);
  for (guint i = 2; i <= 3; i++)
    {
      g_autofree char *id = g_strdup_printf ("chart-%u", i);
      GtkWidget *plot = find_child (get_panel (fixture, id), PRISM_TYPE_CHART_PLOT);
      g_autofree char *label
          = g_strdup_printf ("%s, chart, No target: unknown", i == 2 ? "Quality" : "FRC");

      gtk_test_accessible_assert_property (plot, GTK_ACCESSIBLE_PROPERTY_LABEL, label);
    }
  g_assert_null (prism_chart_get_data (PRISM_CHART (get_panel (fixture, "chart-1")))->empty_text);
}

static void
test_status (Fixture *fixture,
             gconstpointer data)
{
  GtkWidget *bar = find_child (GTK_WIDGET (fixture->window), PRISM_TYPE_STATUS_BAR);
  GtkWidget *label;

  run (fixture);
  label = find_label (bar, NO_TARGET);
  g_assert_nonnull (label);
  g_assert_nonnull (strstr (gtk_widget_get_tooltip_text (label), "PSNR"));
  g_assert_null (find_label (bar, "nan"));
}

/* A run whose object is known has no number before its first picture, and does not say that none
 * will come. */
static void
test_before_the_first_picture (Fixture *fixture,
                               gconstpointer data)
{
  GtkWidget *bar = find_child (GTK_WIDGET (fixture->window), PRISM_TYPE_STATUS_BAR);

  g_assert_null (find_label (bar, NO_TARGET));
  g_assert_null (find_label (bar, "PSNR"));
  g_assert_null (find_label (get_panel (fixture, "target"), NO_TARGET));
  run (fixture);
  g_assert_nonnull (find_label (bar, "PSNR"));
  g_assert_null (find_label (bar, NO_TARGET));
  g_assert_nonnull (prism_view_get_image (PRISM_VIEW (get_panel (fixture, "error"))));
}

/* The object of the settings is not what is looked at. */
static void
test_names (Fixture *fixture,
            gconstpointer data)
{
  GtkWidget *title = find_child (GTK_WIDGET (fixture->window), ADW_TYPE_WINDOW_TITLE);
  g_autofree char *origin = NULL;

  run (fixture);
  g_assert_true (g_str_has_prefix (adw_window_title_get_subtitle (ADW_WINDOW_TITLE (title)),
                                   "Recorded frames"));
  origin = prism_wording_dup_origin (prism_session_get_snapshot (fixture->session));
  g_assert_nonnull (strstr (origin, "no target"));
}

/* The same frames again, whatever is asked for but another object. */
static void
test_scene_stays (Fixture *fixture,
                  gconstpointer data)
{
  PrismDraft *draft = prism_session_get_draft (fixture->session);

  run (fixture);
  prism_session_restart (fixture->session);
  widget_test_wait (has_finished, fixture->session);
  g_assert_true (prism_session_get_snapshot (fixture->session)->has_no_target);
  prism_draft_set_parameter (draft, prism_config_get_param ("object"), "usaf1951", NULL);
  g_assert_false (prism_session_get_recorded (fixture->session));
  prism_session_restart (fixture->session);
  widget_test_wait (has_finished, fixture->session);
  g_assert_false (prism_session_get_snapshot (fixture->session)->recorded);
  g_assert_nonnull (prism_session_get_snapshot (fixture->session)->target);
}

/* What has no effect on frames that are there says so. */
static void
test_idle_parameters (Fixture *fixture,
                      gconstpointer data)
{
  g_assert_nonnull (prism_session_get_idle_reason (fixture->session,
                                                   prism_config_get_param ("pattern")));
  g_assert_nonnull (prism_session_get_idle_reason (fixture->session,
                                                   prism_config_get_param ("object_invert")));
  g_assert_null (prism_session_get_idle_reason (fixture->session,
                                                prism_config_get_param ("object")));
  g_assert_null (prism_session_get_idle_reason (fixture->session,
                                                prism_config_get_param ("steps")));
}

/* Each says in a sentence why not, and opens nothing. */
static void
test_refused (Fixture *fixture,
              gconstpointer data)
{
  static const char *const actions[] = { "save-run", "sweep", "patterns" };
  GtkWidget *notice = find_child (GTK_WIDGET (fixture->window), PRISM_TYPE_NOTICE);
  guint n_windows;

  run (fixture);
  n_windows = g_list_model_get_n_items (gtk_window_get_toplevels ());
  for (gsize i = 0; i < G_N_ELEMENTS (actions); i++)
    {
      prism_notice_hide (PRISM_NOTICE (notice));
      g_assert_true (g_action_group_get_action_enabled (G_ACTION_GROUP (fixture->window),
                                                        actions[i]));
      g_action_group_activate_action (G_ACTION_GROUP (fixture->window), actions[i], NULL);
      g_assert_nonnull (find_label (notice, "ecorded frames"));
    }
  prism_notice_hide (PRISM_NOTICE (notice));
  g_action_group_activate_action (G_ACTION_GROUP (fixture->window), "export-correlation", NULL);
  g_assert_nonnull (find_label (notice, NO_TARGET));
  g_assert_cmpuint (g_list_model_get_n_items (gtk_window_get_toplevels ()), ==, n_windows);
}

static void
check_report (PrismSnapshot *snapshot)
{
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "recorded.html", NULL);
  g_autofree char *name = prism_approach_dup_run_name (snapshot->config, snapshot->recorded);
  g_autoptr (PrismComparison) comparison = prism_comparison_new ();
  g_autoptr (PrismResult) result = prism_result_new (name, snapshot);
  g_autoptr (GError) error = NULL;
  g_autofree char *html = NULL;

  g_assert_cmpstr (name, ==, "Recorded frames, PRISM");
  prism_comparison_add (comparison, result);
  g_assert_true (prism_report_save (comparison, path, &error));
  g_assert_no_error (error);
  g_assert_true (g_file_get_contents (path, &html, NULL, NULL));
  g_assert_nonnull (strstr (html, "<tr><th>PSNR in dB</th><td>No target</td>"));
  g_assert_nonnull (strstr (html, "No target: nobody knows"));
  g_assert_nonnull (strstr (html, "Recorded frames, 32 px in a field of 64 px"));
  g_assert_null (strstr (html, ">nan"));
  g_assert_null (strstr (html, "Moon"));
  g_assert_null (strstr (html, "prism-cli run"));
}

static void
test_report (Fixture *fixture,
             gconstpointer data)
{
  run (fixture);
  check_report (prism_session_get_snapshot (fixture->session));
}

static gboolean
has_result (gpointer data)
{
  g_autoptr (PrismRunItem) item = g_list_model_get_item (data, 0);

  return item != NULL && prism_run_item_get_result (item) != NULL;
}

static void
test_list_of_runs (Fixture *fixture,
                   gconstpointer data)
{
  g_autoptr (PrismRunList) runs = prism_run_list_new (fixture->session);
  GListModel *model = prism_run_list_get_model (runs);
  g_autoptr (PrismRunItem) item = NULL;
  g_autofree char *status = NULL;

  run (fixture);
  widget_test_wait (has_result, model);
  item = g_list_model_get_item (model, 0);
  g_object_get (item, "status", &status, NULL);
  g_assert_cmpstr (status, ==, "Finished, no target");
  g_assert_nonnull (strstr (prism_run_item_get_name (item), "Recorded frames"));
}

/* Pictures, curves and table of the window that compares. */
static void
test_compare_window (Fixture *fixture,
                     gconstpointer data)
{
  g_autoptr (PrismRunList) runs = prism_run_list_new (fixture->session);
  GtkWidget *window = prism_compare_window_new (runs);
  GtkWidget *images;

  run (fixture);
  widget_test_wait (has_result, prism_run_list_get_model (runs));
  gtk_window_present (GTK_WINDOW (window));
  widget_test_wait (is_mapped, window);
  images = find_child (window, PRISM_TYPE_COMPARE_IMAGES);
  gtk_drop_down_set_selected (GTK_DROP_DOWN (find_child (images, GTK_TYPE_DROP_DOWN)), 1);
  g_assert_nonnull (find_label (images, NO_TARGET));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* In the legend, too: a curve that is not there has a reason. */
static void
test_curves (Fixture *fixture,
             gconstpointer data)
{
  g_autoptr (PrismComparison) comparison = prism_comparison_new ();
  g_autoptr (PrismResult) result = NULL;
  g_autoptr (PrismChartData) curves = NULL;
  g_autoptr (PrismChartData) losses = NULL;

  run (fixture);
  result = prism_result_new ("a", prism_session_get_snapshot (fixture->session));
  prism_comparison_add (comparison, result);
  curves = prism_report_curves_new (PRISM_REPORT_CURVES_METRICS, comparison, TRUE);
  losses = prism_report_curves_new (PRISM_REPORT_CURVES_LOSS, comparison, TRUE);
  g_assert_cmpstr (curves->empty_text, ==, "No target: unknown");
  g_assert_cmpstr (prism_chart_series_get_label (prism_chart_data_get_series (curves, 0)), ==,
                   "a (no target)");
  g_assert_null (losses->empty_text);
}

#define ADD(name, data, func) \
  g_test_add ("/app/recorded/" name, Fixture, data, set_up, func, tear_down)

static gboolean
has_run_frames (gpointer data)
{
  return has_finished (data) && prism_session_get_snapshot (data)->recorded;
}

static gboolean
has_run_lesson (gpointer data)
{
  PrismSnapshot *snapshot = prism_session_get_snapshot (data);

  return has_finished (data) && snapshot->config->samples == 5;
}

/* A lesson is about its own object, even where that has the name of the recorded one; afterwards
 * the frames are there again. */
static void
test_lesson (Fixture *fixture,
             gconstpointer data)
{
  g_autoptr (PrismConfig) step = recorded_scene_new_config ();
  g_autoptr (PrismConfig) other = recorded_scene_new_config ();

  step->samples = 5;
  g_free (other->object);
  other->object = g_strdup ("siemens");
  g_assert_true (prism_session_get_recorded (fixture->session));
  prism_session_show_lesson (fixture->session, other);
  prism_session_run_lesson (fixture->session, step);
  widget_test_wait (has_run_lesson, fixture->session);
  g_assert_false (prism_session_get_snapshot (fixture->session)->recorded);
  g_assert_nonnull (prism_session_get_snapshot (fixture->session)->target);
  prism_session_show_edited (fixture->session);
  g_assert_true (prism_session_get_recorded (fixture->session));
  prism_session_run (fixture->session);
  widget_test_wait (has_run_frames, fixture->session);
  g_assert_null (prism_session_get_snapshot (fixture->session)->target);
}

int
main (int argc,
      char **argv)
{
  widget_test_init (&argc, &argv);
  ADD ("panels", NULL, test_panels);
  ADD ("charts", NULL, test_charts);
  ADD ("status", NULL, test_status);
  ADD ("before-the-first-picture", "known", test_before_the_first_picture);
  ADD ("names", NULL, test_names);
  ADD ("scene-stays", NULL, test_scene_stays);
  ADD ("idle-parameters", NULL, test_idle_parameters);
  ADD ("refused", NULL, test_refused);
  ADD ("report", NULL, test_report);
  ADD ("compare-window", NULL, test_compare_window);
  ADD ("curves", NULL, test_curves);
  ADD ("list-of-runs", NULL, test_list_of_runs);
  ADD ("lesson", NULL, test_lesson);
  return g_test_run ();
}
