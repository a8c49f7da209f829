#include "config.h"

#include "prism-test.h"
#include "window/prism-window-private.h"

#include "../engine/support/test-remove-tree.h"
#include "compare/prism-compare-images.h"
#include "compare/prism-compare-window.h"
#include "compare/prism-sweep-window.h"
#include "prism-finding-draw.h"
#include "prism-finding-report.h"
#include "prism-report-figure.h"
#include "output/prism-exporter.h"
#include "output/prism-figure-dialog.h"
#include "output/prism-figure.h"
#include "reconstruction/prism-finding-view.h"
#include "charts/prism-chart-plot.h"
#include "charts/prism-chart.h"
#include "measurements/prism-import-window.h"
#include "recorded-scene.h"
#include "session/prism-run-list.h"
#include "support/prism-notice.h"
#include "support/prism-ui-text.h"
#include "tools/prism-levels-editor.h"
#include "widget-test.h"
#include "window/prism-status-bar.h"

/* The window on frames of a microscope, whose object nobody knows: object, pupil and lights are
 * found, and what needs the object says so. */

#define NO_TARGET "No target"

typedef struct
{
  char *folder;
  PrismProblem *problem;
  PrismSession *session;
  PrismWindow *window;
} Fixture;

static gboolean
has_finished (gpointer data)
{
  return PRISM_SESSION (data)->state == PRISM_STATE_FINISHED;
}

SET_UP
{
  g_autoptr (PrismConfig) config = prism_config_new ();

  config->image_size = 64;
  config->object_size = 16;
  config->aperture_radius = 8;
  config->samples = 5;
  self->folder = g_dir_make_tmp ("prism-recorded-XXXXXX", NULL);
  self->problem = recorded_scene_new (self->folder);
  self->session = MUST (prism_session_new (&error));
  self->window = prism_window_new (NULL, self->session);
  prism_session_start (self->session, config);
  gtk_window_present (GTK_WINDOW (self->window));
  WAIT_FOR (gtk_widget_get_mapped (GTK_WIDGET (self->window)));
}

TEAR_DOWN
{
  gtk_window_destroy (GTK_WINDOW (self->window));
  g_object_unref (self->session);
  prism_problem_unref (self->problem);
  test_remove_tree (self->folder);
  g_free (self->folder);
}

static void
run (Fixture *fixture)
{
  prism_session_start_problem (fixture->session, fixture->problem);
  WAIT_FOR (has_finished (fixture->session));
}

static GtkWidget *
get_panel (Fixture *fixture,
           const char *id)
{
  PrismDashboard *dashboard = widget_test_get_part (fixture->window, "dashboard");

  return prism_dashboard_get_panel (dashboard, id)->child;
}

static gboolean
has_picture (gpointer view)
{
  return PRISM_VIEW (view)->image != NULL;
}

static const PrismFinding *
get_finding (Fixture *fixture)
{
  return fixture->session->playback->shown->finding;
}

/* Panels are those of a microscope while its frames are looked at, and of a telescope again, when
 * those of the microscope have no picture that a profile could read. What
 * compares patterns goes: these frames have none. */
TEST_FIXTURE (panels, "/app/recorded/panels")
{
  static const char *const of_microscope[] = { "phase", "pupil", "lights", "prediction" };
  static const char *const of_telescope[] = { "target", "error" };
  PrismDraft *draft = self->session->draft;
  GtkWidget *panel = gtk_widget_get_ancestor (get_panel (self, "reconstruction"), PRISM_TYPE_PANEL);
  GtkWidget *levels = widget_test_find (panel, PRISM_TYPE_LEVELS_EDITOR);

  for (guint k = 0; k < 3; k++)
    {
      g_autofree char *arrangement = NULL;

      if (k == 1)
        {
          const guint n = g_list_model_get_n_items (gtk_window_get_toplevels ());

          gtk_widget_activate_action (GTK_WIDGET (self->window), "win.patterns", NULL);
          g_assert_cmpuint (g_list_model_get_n_items (gtk_window_get_toplevels ()), ==, n + 1);
          run (self);
          g_assert_cmpuint (g_list_model_get_n_items (gtk_window_get_toplevels ()), ==, n);
        }
      if (k == 2)
        {
          prism_draft_undo (draft);
          prism_session_restart (self->session);
          WAIT_FOR (has_finished (self->session));
        }
      g_object_get (PRISM_DASHBOARD (widget_test_get_part (self->window, "dashboard"))->grid,
                    "arrangement", &arrangement, NULL);
      g_assert_cmpstr (arrangement, ==, k == 1 ? "microscope" : "explore");
      for (gsize i = 0; i < G_N_ELEMENTS (of_microscope); i++)
        g_assert_cmpint (gtk_widget_is_visible (get_panel (self, of_microscope[i])), ==, k == 1);
      for (gsize i = 0; i < G_N_ELEMENTS (of_telescope); i++)
        g_assert_cmpint (gtk_widget_is_visible (get_panel (self, of_telescope[i])), ==, k != 1);
      WAIT_FOR ((FIND (levels, GTK_IS_CHECK_BUTTON (it) && gtk_widget_get_visible (it)) != NULL)
                == (k != 1));
      if (k == 2)
        for (gsize i = 0; i < G_N_ELEMENTS (of_microscope); i++)
          g_assert_false (PRISM_IS_VIEW (get_panel (self, of_microscope[i]))
                          && has_picture (get_panel (self, of_microscope[i])));
      if (k != 1)
        continue;
      WAIT_FOR (has_picture (get_panel (self, "phase")));
      WAIT_FOR (has_picture (get_panel (self, "pupil")));
      g_assert_nonnull (PRISM_VIEW (get_panel (self, "reconstruction"))->image);
      g_assert_nonnull (PRISM_VIEW (get_panel (self, "kspace"))->image);
      g_assert_cmpfloat (PRISM_VIEW (get_panel (self, "reconstruction"))->metres,
                         ==, get_finding (self)->pixel_size);
      g_assert_nonnull (widget_test_find_part (get_panel (self, "pupil"), "In waves"));
      GtkWidget *chart = FIND (self->window, PRISM_IS_CHART (it)
                                                 && g_str_equal (PRISM_CHART (it)->data->title,
                                                                 "Held-out frames"));
      g_autofree char *tip = prism_chart_cursor_dup_text (PRISM_CHART (chart)->data, 2);
      HAS (tip, "Pass 2: ");
    }
}

/* The brightness of hues begins at 0; a spectrum has no scale. */
static gboolean
shows_picture (gpointer view)
{
  PrismImage *image = PRISM_VIEW (view)->image;
  PrismLevels levels;
  float black;
  int picture;

  g_object_get (view, "picture", &picture, "levels", &levels, "black", &black, NULL);
  return image != NULL && image->width == GPOINTER_TO_INT (g_object_get_data (view, "width"))
         && (picture != PRISM_FINDING_COMPLEX || (levels == PRISM_LEVELS_MANUAL && black == 0))
         && (PRISM_VIEW (view)->metres > 0) == (picture != PRISM_FINDING_SPECTRUM);
}

/* All pictures of the object can be had. */
TEST_FIXTURE (pictures, "/app/recorded/pictures")
{
  PrismFindingView *view = PRISM_FINDING_VIEW (get_panel (self, "phase"));

  run (self);
  g_object_set_data (G_OBJECT (view), "width",
                     GINT_TO_POINTER (get_finding (self)->object_width));
  for (guint i = 0; i <= PRISM_FINDING_SPECTRUM; i++)
    {
      g_object_set (view, "picture", (int) i, NULL);
      WAIT_FOR (shows_picture (view));
    }
}

static void
count (guint *n)
{
  ++*n;
}

/* The title is a menu, which marks the picture that was chosen in it. */
TEST_FIXTURE (chosen, "/app/recorded/chosen")
{
  guint n = 0;
  GtkWidget *view = get_panel (self, "phase");
  GtkLabel *label = PRISM_VIEW (view)->title_label;
  GtkWidget *title = gtk_widget_get_ancestor (GTK_WIDGET (label), GTK_TYPE_MENU_BUTTON);
  g_autofree char *target = NULL;

  /* Other tests have chosen one, which is remembered. */
  g_object_set (view, "picture", PRISM_FINDING_FLAT, NULL);
  g_assert_cmpstr (gtk_label_get_label (label), ==, "Phase without ramp");
  GMenuModel *menu = gtk_menu_button_get_menu_model (GTK_MENU_BUTTON (title));
  g_assert_true (
      g_menu_model_get_item_attribute (menu, PRISM_FINDING_DARK, "label", "s", &target));
  g_assert_cmpstr (target, ==, "Dark field");
  g_signal_connect_swapped (view, "notify::picture", G_CALLBACK (count), &n);
  gtk_widget_activate_action (view, "panel.picture", "i", PRISM_FINDING_DARK);
  g_assert_cmpuint (n, ==, 1);
  g_assert_cmpstr (gtk_label_get_label (label), ==, target);
}

static gboolean
looks_at_24 (gpointer data)
{
  const PrismSnapshot *snapshot = PRISM_SESSION (data)->snapshot;

  return snapshot->finding != NULL && snapshot->finding->looked == 24;
}

/* A light that is chosen shows its frame beside the prediction; arrows go to its neighbours. */
TEST_FIXTURE (lights, "/app/recorded/lights")
{
  GtkWidget *map = widget_test_find (get_panel (self, "lights"), PRISM_TYPE_CHART_PLOT);
  PrismView *recorded = PRISM_VIEW (get_panel (self, "measurement"));
  PrismView *predicted = PRISM_VIEW (get_panel (self, "prediction"));
  PrismMapping a, b;
  PrismChartPlot *plot = PRISM_CHART_PLOT (map);
  PrismLightPanel *panel = PRISM_LIGHT_PANEL (get_panel (self, "lights"));

  run (self);
  prism_chart_plot_choose (plot, 24);
  WAIT_FOR (looks_at_24 (self->session));
  PrismFinding *finding = self->session->playback->shown->finding;
  g_assert_cmpint (recorded->image->width, ==, 64);
  g_assert_cmpint (predicted->image->width, ==, 64);
  g_assert_cmpstr (prism_view_get_title (recorded), ==, "Frame 24");
  prism_view_get_mapping (recorded, &a);
  prism_view_get_mapping (predicted, &b);
  g_assert_cmpfloat (a.white, ==, b.white);
  g_assert_nonnull (widget_test_find_part (get_panel (self, "lights"), "Frame 24: misfit"));
  /* Warnings stay while a light is looked at. */
  g_ptr_array_add (finding->doubts, g_strdup ("Light is uneven; background=auto finds it."));
  prism_light_panel_set_finding (panel, NULL, FALSE, NULL);
  prism_light_panel_set_finding (panel, finding, FALSE, NULL);
  prism_chart_plot_choose (plot, 24);
  g_assert_nonnull (widget_test_find_part (get_panel (self, "lights"), "Frame 24: misfit"));
  g_assert_nonnull (widget_test_find_part (get_panel (self, "lights"), "⚠ 1"));
  HAS (gtk_widget_get_tooltip_text (widget_test_find (panel, GTK_TYPE_MENU_BUTTON)),
       "“Background: Automatic” finds it.");
  WAIT_FOR (gtk_widget_get_width (map) >= 50);
  g_assert_true (widget_test_press (map, GDK_KEY_Right, 0));
  g_assert_cmpuint (plot->chosen, !=, 24);
  g_assert_true (widget_test_press (map, GDK_KEY_Left, 0));
  g_assert_cmpuint (plot->chosen, ==, 24);
}

static void
check_same (const PrismFinding *a,
            const PrismFinding *b)
{
  const gsize n_object = 2 * sizeof (float) * b->object_height * b->object_width;
  const gsize n_pupil = 2 * sizeof (float) * b->side * b->side;

  g_assert_cmpuint (a->pass, ==, b->pass);
  g_assert_cmpuint (a->looked, ==, b->looked);
  g_assert_cmpint (a->reduction, ==, b->reduction);
  g_assert_cmpfloat (a->pixel_size, ==, b->pixel_size);
  g_assert_cmpfloat (a->na, ==, b->na);
  g_assert_cmpmem (a->waves, sizeof a->waves, b->waves, sizeof b->waves);
  g_assert_cmpmem (a->object, n_object, b->object, n_object);
  g_assert_cmpmem (a->pupil, n_pupil, b->pupil, n_pupil);
  g_assert_cmpuint (a->n_frames, ==, b->n_frames);
  for (guint i = 0; i < a->n_frames; i++)
    {
      g_assert_cmpint (a->frames[i].held, ==, b->frames[i].held);
      g_assert_cmpfloat (a->frames[i].misfit, ==, b->frames[i].misfit);
      g_assert_cmpfloat (a->frames[i].found[1], ==, b->frames[i].found[1]);
    }
}

/* Every pass can be seen again, with its pupil and its lights, also of a run that is read from its
 * file. */
TEST_FIXTURE (past, "/app/recorded/past")
{
  PrismView *predicted = PRISM_VIEW (get_panel (self, "prediction"));
  PrismPlayback *playback = self->session->playback;
  PrismView *recorded = PRISM_VIEW (get_panel (self, "measurement"));
  PrismChartPlot *plot
      = PRISM_CHART_PLOT (widget_test_find (get_panel (self, "lights"), PRISM_TYPE_CHART_PLOT));

  run (self);
  const PrismFinding *last = get_finding (self);
  g_assert_cmpuint (last->pass, ==, 6);
  prism_playback_jump (playback, PRISM_JUMP_FIRST);
  g_autoptr (PrismFinding) first = prism_finding_ref (self->session->playback->shown->finding);
  g_assert_cmpuint (first->pass, ==, 1);
  g_assert_cmpuint (first->n_frames, ==, RECORDED_SCENE_FRAMES);
  g_assert_cmpfloat (get_finding (self)->held_out.misfit, >, last->held_out.misfit);
  /* The frame that is chosen stays; of it nothing was predicted then. */
  prism_chart_plot_choose (plot, 24);
  g_assert_cmpstr (prism_view_get_title (recorded), ==, "Frame 24");
  g_assert_nonnull (recorded->image);
  g_assert_null (predicted->image);
  prism_playback_jump (playback, PRISM_JUMP_LIVE);
  WAIT_FOR (looks_at_24 (self->session));

  g_autofree char *path = g_strdup (self->session->run_file);
  g_assert_true (prism_session_open_run (
      self->session, MUST (prism_run_file_load (path, &error)), path, FALSE));
  WAIT_FOR (has_finished (self->session));
  prism_playback_jump (playback, PRISM_JUMP_FIRST);
  check_same (get_finding (self), first);
  g_assert_cmpfloat (PRISM_VIEW (get_panel (self, "reconstruction"))->metres, ==,
                     first->pixel_size);
  prism_chart_plot_choose (plot, first->looked);
  g_assert_cmpint (predicted->image->width, ==, 64);
}

/* A figure has the panels that the window has, with what they show. */
TEST_FIXTURE (figure, "/app/recorded/figure")
{
  static const char *const titles[]
      = { "Reconstruction", "Dark field", "Pupil phase", "LED map", "Frame 0", "Prediction",
          "K-space", "Held-out frames" };
  GListModel *windows = gtk_window_get_toplevels ();
  const guint n = g_list_model_get_n_items (windows);
  g_autoptr (GPtrArray) panels = g_ptr_array_new ();
  g_autoptr (GtkWidget) dialog = NULL;

  g_object_set (get_panel (self, "phase"), "picture", PRISM_FINDING_DARK, NULL);
  run (self);
  WAIT_FOR (has_picture (get_panel (self, "phase")));
  WAIT_FOR (has_picture (get_panel (self, "pupil")));
  gtk_widget_activate_action (GTK_WIDGET (self->window), "win.figure", "s", "phase");
  g_assert_cmpuint (g_list_model_get_n_items (windows), ==, n + 1);
  for (guint i = 0; i < n + 1; i++)
    {
      g_autoptr (GtkWidget) window = g_list_model_get_item (windows, i);

      if (PRISM_IS_FIGURE_DIALOG (window))
        g_set_object (&dialog, window);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (titles); i++)
    g_assert_nonnull (widget_test_find_part (dialog, titles[i]));
  g_assert_null (widget_test_find_part (dialog, "Target"));
  gtk_window_destroy (GTK_WINDOW (dialog));
  g_ptr_array_add (panels, get_panel (self, "phase"));
  g_ptr_array_add (panels, get_panel (self, "pupil"));
  g_ptr_array_add (panels, widget_test_find (get_panel (self, "lights"), PRISM_TYPE_CHART_PLOT));
  g_autoptr (GBytes) png = MUST (
      prism_figure_render_sheet (&(const PrismFigureSheet) { panels, 2 }, NULL, &error));
}

/* The folder is that of the command line. */
TEST_FIXTURE (folder, "/app/recorded/folder")
{
  g_autofree char *folder = g_build_filename (self->folder, "out", NULL);

  run (self);
  prism_engine_export (self->session->engine, folder, FALSE);
  WAIT_FOR (self->session->snapshot->exported != NULL);
  g_autoptr (PrismFinding) finding = MUST (prism_finding_load (folder, &error));
  g_assert_cmpfloat_with_epsilon (finding->held_out.misfit,
                                  get_finding (self)->held_out.misfit, 1e-6);
  g_autofree char *made = MUST (
      prism_exporter_make_folder (self->session->snapshot->config, self->folder, &error));
  LACKS (made, "radius");
}

/* A run that comes from its file is looked at as it was, and what runs next are its frames, also
 * where that is asked for while the file is still being read. */
TEST_FIXTURE (file, "/app/recorded/file")
{
  g_autoptr (PrismConfig) other = prism_config_new ();
  g_autoptr (GError) error = NULL;
  PrismSession *session = prism_session_new (&error);

  run (self);
  double misfit = self->session->snapshot->misfit;
  g_autofree char *path = g_strdup (self->session->run_file);
  HAS (path, "smear-");
  PrismRun *loaded = MUST (prism_run_file_load (path, &error));
  g_signal_connect (session, "pending", G_CALLBACK (prism_session_collect), NULL);
  prism_session_start (session, other);
  g_assert_true (prism_session_open_run (session, loaded, path, FALSE));
  prism_session_restart (session);
  g_assert_cmpstr (session->run_file, !=, path);
  WAIT_FOR (has_finished (session));
  g_assert_cmpfloat (session->snapshot->misfit, ==, misfit);
  loaded = MUST (prism_run_file_load (path, &error));
  g_assert_true (prism_session_open_run (session, loaded, path, FALSE));
  WAIT_FOR (has_finished (session));
  g_assert_cmpfloat (session->snapshot->misfit, ==, misfit);
  g_assert_cmpuint (session->snapshot->finding->n_frames, ==,
                    RECORDED_SCENE_FRAMES);
  prism_session_restart (session);
  WAIT_FOR (has_finished (session));
  g_assert_true (prism_snapshot_is_recorded (session->snapshot));
  g_assert_cmpfloat (session->snapshot->misfit, ==, misfit);
  prism_session_end (session);
  g_object_unref (session);
}

static void
count_failures (guint *n_failures,
                const char *message,
                gboolean failed)
{
  *n_failures += failed;
}

/* A run that is stopped on its way out of its file has not failed; Run reads its frames. What is
 * written first holds the engine until it has been stopped. */
TEST_FIXTURE (stop_opening, "/app/recorded/stop-opening")
{
  PrismSession *session = self->session;
  g_autofree char *path = NULL, *folder = g_build_filename (self->folder, "out", NULL);
  guint n_failures = 0;

  run (self);
  double misfit = session->snapshot->misfit;
  path = g_strdup (session->run_file);
  prism_draft_set_parameter (session->draft, prism_config_get_param ("object"), "moon", NULL);
  for (guint i = 0; i < 8; i++)
    prism_engine_export (session->engine, folder, FALSE);
  prism_session_discard_result (session);
  g_signal_connect_swapped (session, "notice", G_CALLBACK (count_failures), &n_failures);
  g_assert_true (prism_session_open_run (session, MUST (prism_run_file_load (path, &error)), path,
                                         TRUE));
  g_assert_true (g_str_has_prefix (session->scene, "smear"));
  prism_session_stop (session);
  WAIT_FOR (session->state == PRISM_STATE_STOPPED);
  g_assert_null (session->run_file);
  g_assert_null (session->draft->frames);
  prism_session_run (session);
  WAIT_FOR (has_finished (session));
  g_assert_cmpfloat (session->snapshot->misfit, ==, misfit);
  g_assert_cmpstr (session->run_file, !=, path);
  g_assert_cmpuint (n_failures, ==, 0);
  g_signal_handlers_disconnect_by_data (session, &n_failures);
}

TEST_FIXTURE (status, "/app/recorded/status")
{
  GtkWidget *bar = widget_test_find (self->window, PRISM_TYPE_STATUS_BAR);

  run (self);
  GtkWidget *label = widget_test_find_part (bar, NO_TARGET);
  g_assert_nonnull (label);
  HAS (gtk_widget_get_tooltip_text (label), "PSNR");
  g_assert_null (widget_test_find_part (bar, "nan"));
}

/* What is looked at has the name of its file. */
TEST_FIXTURE (names, "/app/recorded/names")
{
  GtkWidget *title = widget_test_find (self->window, ADW_TYPE_WINDOW_TITLE);

  run (self);
  g_assert_true (g_str_has_prefix (adw_window_title_get_subtitle (ADW_WINDOW_TITLE (title)),
                                   "smear.hdf5"));
  g_autofree char *origin = prism_ui_text_dup_origin (self->session->snapshot);
  HAS (origin, "no target");
}

/* The same frames again, whatever is asked for but another object. */
TEST_FIXTURE (scene_stays, "/app/recorded/scene-stays")
{
  PrismDraft *draft = self->session->draft;

  run (self);
  prism_session_restart (self->session);
  WAIT_FOR (has_finished (self->session));
  g_assert_true (self->session->snapshot->has_no_target);
  prism_draft_reset_parameter (draft, prism_config_get_param ("object"));
  g_assert_cmpint (self->session->draft->config->kind, ==, PRISM_FRAMES_OF_TELESCOPE);
  g_assert_true (prism_config_equal (draft->config,
                                     draft->first));
  prism_draft_undo (draft);
  g_assert_cmpint (self->session->draft->config->kind, ==, PRISM_FRAMES_RECORDED);
  prism_draft_set_parameter (draft, prism_config_get_param ("object"), "usaf1951", NULL);
  g_assert_cmpint (self->session->draft->config->kind, ==, PRISM_FRAMES_OF_TELESCOPE);
  g_assert_null (draft->problem);
  g_assert_cmpint (draft->config->method, ==, PRISM_METHOD_AUTO);
  g_assert_cmpint (draft->config->image_size, ==, 64);
  g_assert_cmpint (draft->config->samples, ==, 5);
  prism_draft_set_parameter (draft, prism_config_get_param ("method"), "epie", NULL);
  prism_session_restart (self->session);
  WAIT_FOR (has_finished (self->session));
  g_assert_false (prism_snapshot_is_recorded (self->session->snapshot));
  g_assert_nonnull (self->session->snapshot->target);
}

static void
check_runs (Fixture *fixture,
            PrismFramesKind kind,
            const char *object)
{
  const PrismSession *session = fixture->session;

  g_assert_null (session->draft->problem);
  g_assert_cmpint (session->draft->config->kind, ==, kind);
  prism_session_restart (fixture->session);
  WAIT_FOR (has_finished (fixture->session));
  g_assert_cmpint (session->snapshot->config->kind, ==, kind);
  g_assert_cmpstr (session->snapshot->config->object, ==, object);
}

/* Frames travel with what is edited: wherever an undo or a redo ends, it runs. Of three recordings
 * the first is not held any more: it is read again. */
TEST_FIXTURE (other_frames, "/app/recorded/other-frames")
{
  PrismDraft *draft = self->session->draft;
  PrismProblem *others[2];
  const char *objects[4] = { draft->first->object, self->problem->recording->path };

  run (self);
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    {
      g_autofree char *folder = g_strdup_printf ("%s/other-%u", self->folder, i);

      g_assert_cmpint (g_mkdir (folder, 0700), ==, 0);
      others[i] = recorded_scene_new (folder);
      objects[2 + i] = others[i]->recording->path;
    }
  prism_session_start_problem (self->session, others[0]);
  prism_draft_undo (draft);
  check_runs (self, PRISM_FRAMES_RECORDED, objects[1]);
  prism_draft_undo (draft);
  check_runs (self, PRISM_FRAMES_OF_TELESCOPE, objects[0]);
  g_assert_cmpint (draft->config->method, ==, PRISM_METHOD_AUTO);
  prism_draft_redo (draft);
  prism_draft_redo (draft);
  check_runs (self, PRISM_FRAMES_RECORDED, objects[2]);
  prism_session_start_problem (self->session, others[1]);
  prism_draft_undo (draft);
  check_runs (self, PRISM_FRAMES_RECORDED, objects[2]);
  prism_draft_undo (draft);
  g_assert_null (draft->frames);
  g_action_group_activate_action (G_ACTION_GROUP (self->window), "sweep", NULL);
  g_assert_nonnull (widget_test_find_part (widget_test_find (self->window, PRISM_TYPE_NOTICE),
                                           "press Run, then sweep"));
  check_runs (self, PRISM_FRAMES_RECORDED, objects[1]);
  g_assert_nonnull (draft->frames);
  prism_draft_undo (draft);
  check_runs (self, PRISM_FRAMES_OF_TELESCOPE, objects[0]);
  for (guint i = 0; i < 3; i++)
    prism_draft_redo (draft);
  check_runs (self, PRISM_FRAMES_RECORDED, objects[3]);
  prism_draft_undo (draft);
  check_runs (self, PRISM_FRAMES_RECORDED, objects[2]);
  prism_draft_set_parameter (draft, prism_config_get_param ("object"), objects[0], NULL);
  check_runs (self, PRISM_FRAMES_OF_TELESCOPE, objects[0]);
  g_assert_cmpint (draft->config->method, ==, PRISM_METHOD_AUTO);
  /* A path that names frames at hand looks at them. */
  prism_draft_set_parameter (draft, prism_config_get_param ("object"), objects[2], NULL);
  check_runs (self, PRISM_FRAMES_RECORDED, objects[2]);
  for (guint i = 0; i < 4; i++)
    prism_draft_undo (draft);
  check_runs (self, PRISM_FRAMES_OF_TELESCOPE, objects[0]);
  g_assert_cmpuint (draft->past->len, ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    prism_problem_unref (others[i]);
}

static double
step_snr (PrismSession *session)
{
  const guint sample = session->snapshot->sample;

  WAIT_FOR (session->apply_id == 0);
  prism_session_step (session, 1);
  WAIT_FOR (session->state == PRISM_STATE_PAUSED && session->snapshot->sample > sample);
  return session->snapshot->config->snr;
}

/* What is edited of other frames, or of another object, leaves the run under way as it is. */
TEST_FIXTURE (other_run, "/app/recorded/other-run")
{
  PrismDraft *draft = self->session->draft;
  const PrismParam *snr = prism_config_get_param ("snr");

  prism_draft_set_several (draft, (const char *const[]) { "snr", "20", "samples", "500", NULL }, "",
                           NULL, NULL);
  run (self);
  prism_draft_undo (draft);
  prism_session_step (self->session, 1);
  WAIT_FOR (self->session->state == PRISM_STATE_PAUSED);
  prism_draft_redo (draft);
  g_assert_cmpfloat (draft->config->snr, ==, 0.0);
  g_assert_cmpfloat (step_snr (self->session), ==, 20.0);
  prism_draft_undo (draft);
  prism_draft_set_several (draft, (const char *const[]) { "object", "usaf1951", "snr", "30", NULL },
                           "", NULL, NULL);
  g_assert_true (prism_session_get_deferred (self->session, snr));
  g_assert_cmpfloat (step_snr (self->session), ==, 20.0);
  prism_draft_set_parameter (draft, prism_config_get_param ("object"), draft->first->object, NULL);
  g_assert_false (prism_session_get_deferred (self->session, snr));
  g_assert_cmpfloat (step_snr (self->session), ==, 30.0);
  g_autofree char *stopped
      = g_strdup_printf ("Run %u was stopped: open it in the library", self->session->number);
  g_action_group_activate_action (G_ACTION_GROUP (self->window), "open-measurements", NULL);
  g_autoptr (GList) windows = gtk_window_list_toplevels ();
  for (GList *one = windows; one != NULL; one = one->next)
    if (PRISM_IS_IMPORT_WINDOW (one->data))
      g_signal_emit_by_name (one->data, "reconstruct", self->problem);
  WAIT_FOR (widget_test_find_start (GTK_WIDGET (self->window), stopped) != NULL);
  WAIT_FOR (has_finished (self->session));
}

static gboolean
has_no_picture (PrismSession *session)
{
  return session->playback->shown->finding == NULL;
}

/* A file that takes long to write, as a report of a large field. */
static gboolean
write_slowly (gpointer may_end, const char *path, GError **error)
{
  while (!g_atomic_int_get ((int *) may_end))
    g_thread_yield ();
  return TRUE;
}

static void
keep (gpointer may_end)
{
}

TEST_FIXTURE (saving, "/app/recorded/saving")
{
  GtkWidget *const window = GTK_WIDGET (self->window);
  int may_end = FALSE;

  prism_window_save (self->window, write_slowly, &may_end, keep, "/nowhere/field.html");
  WAIT_FOR (widget_test_find_part (window, "Saving “field.html”…") != NULL);
  g_atomic_int_set (&may_end, TRUE);
  WAIT_FOR (widget_test_find_part (window, "Saved “field.html”") != NULL);
  WAIT_FOR (widget_test_find_part (window, "Saving “field.html”…") == NULL);
  /* What is written at once says no more than that. */
  prism_window_save (self->window, write_slowly, &may_end, keep, "/nowhere/small.html");
  WAIT_FOR (widget_test_find_part (window, "Saved “small.html”") != NULL);
  g_assert_null (widget_test_find_part (window, "Saving “small.html”…"));
}

/* What is of the middle tile of a field says so, before there is a picture, too, and nothing of a
 * field that is one. */
TEST_FIXTURE (middle_tile, "/app/recorded/middle-tile")
{
  static const char *const titles[] = { "Pupil phase, middle tile", "Middle tile: ",
                                        "Prediction, middle tile", "Frame 0, middle tile" };
  GtkWidget *const window = GTK_WIDGET (self->window);
  PrismDraft *draft = self->session->draft;
  PrismChartPlot *map;

  run (self);
  g_assert_null (widget_test_find_part (window, "iddle tile"));
  prism_draft_set_parameter (draft, prism_config_get_param ("tile"), "48", NULL);
  prism_draft_set_parameter (draft, prism_config_get_param ("history_size"), "1", NULL);
  prism_draft_set_parameter (draft, prism_config_get_param ("passes"), "2", NULL);
  prism_session_restart (self->session);
  WAIT_FOR (prism_session_get_active (self->session) && has_no_picture (self->session));
  WAIT_FOR (widget_test_find_part (window, "Frame 0, middle tile") != NULL);
  g_assert_true (has_no_picture (self->session));
  WAIT_FOR (has_finished (self->session));
  PRISM_FOR_EACH_OF (title, titles)
    g_assert_nonnull (widget_test_find_part (window, *title));
  /* The first moment is of one tile, and of it there is nothing but the picture here. */
  prism_playback_jump (self->session->playback, PRISM_JUMP_FIRST);
  WAIT_FOR (widget_test_find_part (window, "Tile 1 of ") != NULL);
  PRISM_FOR_EACH_OF (title, titles)
    g_assert_nonnull (widget_test_find_part (window, *title));
  g_assert_true (has_no_picture (self->session));
  map = PRISM_CHART_PLOT (widget_test_find (get_panel (self, "lights"), PRISM_TYPE_CHART_PLOT));
  g_assert_true (g_str_has_prefix (map->data->empty_text, "Not kept of this moment: “Kept"));
  g_assert_null (widget_test_find_part (window, "history_size"));
}

/* A row of recorded frames is for the next run, which looks at the same frames with it. */
TEST_FIXTURE (settings, "/app/recorded/settings")
{
  PrismDraft *draft = self->session->draft;

  run (self);
  g_assert_cmpuint (self->session->snapshot->n_rows, ==, 6);
  g_assert_cmpint (draft->config->passes, ==, 6);
  prism_draft_set_parameter (draft, prism_config_get_param ("hold_out"), "5", NULL);
  prism_draft_set_parameter (draft, prism_config_get_param ("passes"), "4", NULL);
  g_assert_true (prism_session_get_deferred (self->session,
                                             prism_config_get_param ("hold_out")));
  g_assert_false (prism_session_get_deferred (self->session,
                                              prism_config_get_param ("method")));
  prism_session_restart (self->session);
  WAIT_FOR (has_finished (self->session));
  g_assert_cmpuint (self->session->snapshot->n_rows, ==, 4);
  g_assert_cmpint (self->session->snapshot->finding->settings->hold_out, ==,
                   5);
  prism_draft_set_parameter (draft, prism_config_get_param ("method"), "epie", NULL);
  HAS (draft->problem, "“epie”");
}

/* What has no effect on frames that are there says so, and so does what the telescope has not. */
TEST_FIXTURE (idle_parameters, "/app/recorded/idle-parameters")
{
  g_assert_nonnull (prism_session_get_idle_reason (self->session,
                                                   prism_config_get_param ("hold_out")));
  g_assert_null (prism_session_get_idle_reason (self->session,
                                                prism_config_get_param ("pattern")));
  run (self);
  g_assert_null (prism_session_get_idle_reason (self->session,
                                                prism_config_get_param ("hold_out")));
  g_assert_null (prism_session_get_idle_reason (self->session,
                                                prism_config_get_param ("passes")));
  g_assert_nonnull (prism_session_get_idle_reason (self->session,
                                                   prism_config_get_param ("learning_rate")));
  g_assert_nonnull (prism_session_get_idle_reason (self->session,
                                                   prism_config_get_param ("pattern")));
  g_assert_nonnull (prism_session_get_idle_reason (self->session,
                                                   prism_config_get_param ("object_invert")));
  g_assert_null (prism_session_get_idle_reason (self->session,
                                                prism_config_get_param ("object")));
}

/* Each says in a sentence why not, and opens nothing. */
TEST_FIXTURE (refused, "/app/recorded/refused")
{
  GtkWidget *notice = widget_test_find (self->window, PRISM_TYPE_NOTICE);

  run (self);
  guint n_windows = g_list_model_get_n_items (gtk_window_get_toplevels ());
  g_assert_true (g_action_group_get_action_enabled (G_ACTION_GROUP (self->window), "patterns"));
  g_action_group_activate_action (G_ACTION_GROUP (self->window), "patterns", NULL);
  g_assert_nonnull (widget_test_find_part (notice, "ecorded frames"));
  prism_notice_hide (PRISM_NOTICE (notice));
  g_action_group_activate_action (G_ACTION_GROUP (self->window), "performance", NULL);
  g_assert_nonnull (widget_test_find_part (notice, "“Performance” times"));
  g_action_group_activate_action (G_ACTION_GROUP (self->window), "export-correlation", NULL);
  g_assert_nonnull (widget_test_find_part (notice, NO_TARGET));
  g_assert_cmpuint (g_list_model_get_n_items (gtk_window_get_toplevels ()), ==, n_windows);
}

/* What the program's presets say of a telescope's frames changes nothing of these. */
TEST_FIXTURE (preset, "/app/recorded/preset")
{
  PrismDraft *draft = self->session->draft;

  run (self);
  g_autoptr (PrismConfig) before = prism_config_dup (draft->config);
  g_action_group_activate_action (G_ACTION_GROUP (self->window), "preset",
                                  g_variant_new_string ("epie"));
  const PrismConfig *after = draft->config;
  g_assert_cmpint (draft->config->kind, ==, PRISM_FRAMES_RECORDED);
  g_assert_cmpfloat (after->snr, ==, 40.0);
  g_assert_cmpint (after->passes, ==, before->passes);
  g_assert_cmpint (after->method, ==, before->method);
  g_assert_cmpint (after->border, ==, before->border);
}

/* A sweep is one of the frames that the window has. */
TEST_FIXTURE (sweep, "/app/recorded/sweep")
{
  GListModel *windows = gtk_window_get_toplevels ();
  g_autoptr (GtkWindow) sweep = NULL;

  run (self);
  g_action_group_activate_action (G_ACTION_GROUP (self->window), "sweep", NULL);
  sweep = g_list_model_get_item (windows, g_list_model_get_n_items (windows) - 1);
  g_assert_true (PRISM_IS_SWEEP_WINDOW (sweep));
  g_assert_nonnull (widget_test_find_part (sweep, "3 runs, "));
  g_assert_null (widget_test_find_part (sweep, "Repeat with"));
  gtk_window_destroy (sweep);
}

/* One page that has what is found. */
TEST_FIXTURE (report, "/app/recorded/report")
{
  g_autofree char *path = g_build_filename (self->folder, "report.html", NULL);

  run (self);
  self->session->playback->shown->finding->taken_back_after = 3;
  g_assert_true (MUST (prism_finding_report_save (get_finding (self), path, &error)));
  g_autofree char *page = file_text (path);
  HAS (page, "<td>49 of 64 × 64 px</td>", "were taken back after pass 3;", "</html>");
}

static gboolean
says_error (gpointer view)
{
  GtkWidget *numbers = widget_test_find_part (view, " nm, dry mass ");

  return numbers != NULL
         && g_strcmp0 (gtk_widget_get_tooltip_text (numbers),
                       "± from two halves of the frames: one standard error")
                == 0;
}

/* What a mark measures on the result has ±, in the row of the mark, as a table and in the report;
 * not of a moment of the past, nor where it lies beside the object. */
TEST_FIXTURE (marks, "/app/recorded/marks")
{
  PrismPlayback *playback = self->session->playback;
  PrismDashboard *dashboard = widget_test_get_part (self->window, "dashboard");
  PrismDraft *draft = self->session->draft;
  GtkWidget *view = get_panel (self, "phase");
  g_autofree char *path = g_build_filename (self->folder, "report.html", NULL);
  g_autoptr (PrismFinding) read = NULL;

  run (self);
  g_object_set (prism_dashboard_get_panel (dashboard, "phase"), "maximized", TRUE, NULL);
  prism_draft_set_display (draft, "marks", "ellipse 40 40 80 70; ruler 4 4 900 4", NULL);
  WAIT_FOR (says_error (view));
  g_autofree char *table = prism_picture_set_dup_csv (dashboard->pictures, "phase");
  g_assert_true (g_regex_match_simple ("\\n1,ellipse.*,-?[\\d.]+,[\\d.]+,,,,,,\\n", table, 0, 0));
  read = prism_finding_new_read (self->session->playback->shown->finding,
                                 prism_playback_get_readings (playback), "For the paper");
  g_assert_true (MUST (prism_finding_report_save (read, path, &error)));
  g_autofree char *page = file_text (path);
  HAS (page, "dry mass", "cannot be measured", "<h1>For the paper</h1>");
  LACKS (page, " px = ");
  prism_playback_jump (playback, PRISM_JUMP_FIRST);
  WAIT_FOR (!says_error (view));
  prism_playback_jump (playback, PRISM_JUMP_LIVE);
  WAIT_FOR (says_error (view));
  prism_draft_set_display (draft, "marks", "ruler 4 4 90 4", NULL);
  WAIT_FOR (!says_error (view));
}

static gboolean
has_result (gpointer data)
{
  g_autoptr (PrismRunItem) item = g_list_model_get_item (data, 0);

  return item != NULL && item->result != NULL;
}

TEST_FIXTURE (list_of_runs, "/app/recorded/list-of-runs")
{
  g_autoptr (PrismRunList) runs = prism_run_list_new (self->session);
  GListModel *model = G_LIST_MODEL (runs->store);
  g_autofree char *status = NULL;

  run (self);
  WAIT_FOR (has_result (model));
  g_autoptr (PrismRunItem) item = g_list_model_get_item (model, 0);
  g_object_get (item, "status", &status, NULL);
  HAS (status, "Misfit 0.");
  HAS (item->name, "smear.hdf5");
}

/* The finest period is found once the run is over, without a mark, and the same in the status bar,
 * the table and the report. */
TEST_FIXTURE (finest, "/app/recorded/finest")
{
  const PrismComparisonColumn *column = NULL;
  g_autofree char *path = g_build_filename (self->folder, "report.html", NULL);
  g_autofree char *said = NULL, *page = NULL, *fact = NULL, *cell = NULL;
  g_autoptr (PrismComparison) comparison = prism_comparison_new ();

  run (self);
  WAIT_FOR (prism_finding_get_finest (self->session->snapshot->finding) != NULL);
  PrismFinding *finding = self->session->snapshot->finding;
  said = prism_finding_text_dup_finest (prism_finding_get_finest (finding), 0, FALSE);
  fact = g_strdup_printf ("Finest period %s", said);
  WAIT_FOR (widget_test_find_part (GTK_WIDGET (self->window), fact) != NULL);
  g_assert_true (MUST (prism_finding_report_save (finding, path, &error)));
  page = file_text (path);
  HAS (page, "<th>Finest period</th>", said);
  g_autoptr (PrismResult) result = prism_result_new ("a", self->session->snapshot);
  prism_comparison_add (comparison, result);
  for (guint i = 0; i < comparison->columns->len; i++)
    if (strcmp (prism_comparison_get_column (comparison, i)->id, "finest_period_nm") == 0)
      column = prism_comparison_get_column (comparison, i);
  cell = prism_comparison_dup_shown_text (column, result);
  HAS (cell, " ± ");
  /* Another frame is looked at: the same result. */
  prism_engine_look_at (self->session->engine, 7);
  WAIT_FOR (self->session->snapshot->finding != finding);
  g_assert_nonnull (prism_finding_get_finest (self->session->snapshot->finding));
  g_assert_nonnull (widget_test_find_part (GTK_WIDGET (self->window), fact));
}

/* Pictures, curves and table of the window that compares. */
TEST_FIXTURE (compare_window, "/app/recorded/compare-window")
{
  g_autoptr (PrismRunList) runs = prism_run_list_new (self->session);
  GtkWidget *window = prism_compare_window_new (runs);

  run (self);
  WAIT_FOR (has_result (G_LIST_MODEL (runs->store)));
  gtk_window_present (GTK_WINDOW (window));
  WAIT_FOR (gtk_widget_get_mapped (window));
  GtkWidget *images = widget_test_find (window, PRISM_TYPE_COMPARE_IMAGES);
  gtk_drop_down_set_selected (GTK_DROP_DOWN (widget_test_find (images, GTK_TYPE_DROP_DOWN)), 1);
  g_assert_nonnull (widget_test_find_part (images, NO_TARGET));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* In the legend, too: a curve that is not there has a reason. */
TEST_FIXTURE (curves, "/app/recorded/curves")
{
  g_autoptr (PrismComparison) comparison = prism_comparison_new ();
  g_autoptr (PrismChartData) curves = NULL;
  g_autoptr (PrismChartData) losses = NULL;

  run (self);
  g_autoptr (PrismResult) result = prism_result_new ("a", self->session->snapshot);
  prism_comparison_add (comparison, result);
  curves = prism_report_curves_new (PRISM_REPORT_CURVES_METRICS, comparison, TRUE);
  losses = prism_report_curves_new (PRISM_REPORT_CURVES_LOSS, comparison, TRUE);
  g_assert_cmpstr (curves->empty_text, ==, "No target: unknown");
  g_assert_cmpstr (prism_chart_data_get_series (curves, 0)->label, ==,
                   "a (no target)");
  g_assert_null (losses->empty_text);
}

/* A lesson is about its own object; afterwards the frames are there again. */
TEST_FIXTURE (lesson, "/app/recorded/lesson")
{
  g_autoptr (PrismConfig) step = prism_config_new ();

  step->samples = 5;
  step->image_size = 64;
  step->object_size = 16;
  step->aperture_radius = 8;
  run (self);
  g_assert_cmpint (self->session->draft->config->kind, ==, PRISM_FRAMES_RECORDED);
  prism_session_show_lesson (self->session, step);
  prism_session_run_config (self->session, step, TRUE);
  WAIT_FOR (has_finished (self->session) && self->session->snapshot->config->samples == 5);
  g_assert_false (prism_snapshot_is_recorded (self->session->snapshot));
  g_assert_nonnull (self->session->snapshot->target);
  prism_session_show_edited (self->session);
  g_assert_cmpint (self->session->draft->config->kind, ==, PRISM_FRAMES_RECORDED);
  prism_session_run (self->session);
  WAIT_FOR (has_finished (self->session) && prism_snapshot_is_recorded (self->session->snapshot));
  g_assert_null (self->session->snapshot->target);
}

/* Frames that are gone, and a file that is none, are a sentence; what was there stays. */
TEST_FIXTURE (gone, "/app/recorded/gone")
{
  g_autofree char *frames = g_build_filename (self->folder, "smear.hdf5", NULL);

  run (self);
  g_autofree char *path = g_strdup (self->session->run_file);
  g_assert_cmpint (g_unlink (frames), ==, 0);
  PrismRun *loaded = MUST (prism_run_file_load (path, &error));
  prism_session_open_run (self->session, loaded, path, FALSE);
  WAIT_FOR (self->session->state == PRISM_STATE_FAILED);
  HAS (self->session->snapshot->message, "cannot be read again");
}
