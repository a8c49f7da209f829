#include "prism-test.h"
#include "session/prism-run-diff.h"
#include "session/prism-follow.h"
#include "session/prism-run-list.h"
#include "window-test.h"

/* What a changed value does while changes are followed, and what it does not. */
typedef struct
{
  PrismSession *session;
  PrismFollow *follow;
  guint n_pictures; /* that were shown where there had been one before */
} Fixture;

static PrismSnapshot *
get_held (PrismFollow *follow)
{
  PrismSnapshot *held;

  g_object_get (follow, "held", &held, NULL);
  prism_snapshot_unref (held);
  return held;
}

static char *
dup_text (Fixture *self)
{
  char *text;

  g_object_get (self->follow, "text", &text, NULL);
  return text;
}

/* data: "long" for a run that is still under way when the test is over. */
SET_UP
{
  g_autoptr (PrismConfig) config = widget_test_new_config ();

  config->backend = PRISM_BACKEND_CPU;
  if (g_strcmp0 (data, "long") == 0)
    {
      config->samples = 200;
      config->steps = config->start_steps = 5000;
      config->method = PRISM_METHOD_EPIE;
      config->passes = 1000;
    }
  self->session = widget_test_new_session (NULL);
  self->follow = prism_follow_new (self->session);
  prism_session_start (self->session, config);
  WAIT_FOR (self->session->snapshot != NULL);
}

TEAR_DOWN
{
  g_object_unref (self->follow);
  g_object_unref (self->session);
}

static void
wait_for_state (Fixture *self,
                PrismState state)
{
  WAIT_FOR (self->session->state == state);
}

static void
set (Fixture *self,
     const char *key,
     const char *text)
{
  prism_draft_set_parameter (self->session->draft, prism_config_get_param (key), text, NULL);
}

/* Longer than a change may wait. */
static void
let_settle (void)
{
  widget_test_let_pass (0.7);
}

static guint64
get_run (Fixture *self)
{
  return self->session->snapshot->run;
}

static const PrismConfig *
get_config (Fixture *self)
{
  return self->session->snapshot->config;
}

/* A run of the user's own, and then the switch. */
static void
run_and_follow (Fixture *self)
{
  prism_session_run (self->session);
  wait_for_state (self, PRISM_STATE_FINISHED);
  g_object_set (self->follow, "active", TRUE, NULL);
}

static void
wait_for_radius (Fixture *self,
                 double radius)
{
  WAIT_FOR (self->session->state == PRISM_STATE_FINISHED
            && get_config (self)->aperture_radius == radius);
}

TEST_FIXTURE (off, "/app/follow/off")
{
  prism_session_run (self->session);
  wait_for_state (self, PRISM_STATE_FINISHED);
  set (self, "aperture_radius", "8");
  let_settle ();
  g_assert_cmpint (self->session->state, ==, PRISM_STATE_FINISHED);
  g_assert_cmpuint (get_run (self), ==, 1);
}

/* The next run begins by itself, without a file, and tells what the change did. */
TEST_FIXTURE (change, "/app/follow/change")
{
  run_and_follow (self);
  let_settle ();
  g_assert_cmpuint (get_run (self), ==, 1);
  double before = self->session->snapshot->metrics.psnr;
  set (self, "aperture_radius", "8");
  wait_for_radius (self, 8);
  g_assert_cmpuint (get_run (self), ==, 2);
  g_assert_true (self->session->passing);
  g_assert_null (self->session->run_file);
  g_autofree char *effect
      = g_strdup_printf ("%.1f → %.1f dB", before, self->session->snapshot->metrics.psnr);
  g_autofree char *expected = g_strdup_printf ("Radius 10 → 8 px: %s", effect);
  SAYS (dup_text (self), expected);
}

/* Before anything has run the first change starts a run, and switching on does not. */
TEST_FIXTURE (first_change, "/app/follow/first-change")
{
  g_object_set (self->follow, "active", TRUE, NULL);
  let_settle ();
  g_assert_cmpint (self->session->state, ==, PRISM_STATE_IDLE);
  set (self, "aperture_radius", "8");
  wait_for_radius (self, 8);
}

/* Pictures of other values than those that are edited are followed up as soon as it is on. */
TEST_FIXTURE (catches_up, "/app/follow/catches-up")
{
  prism_session_run (self->session);
  wait_for_state (self, PRISM_STATE_FINISHED);
  set (self, "aperture_radius", "8");
  g_object_set (self->follow, "active", TRUE, NULL);
  wait_for_radius (self, 8);
}

/* Changes as a slider makes them that is pulled for a second. */
typedef struct
{
  Fixture *fixture;
  int n;
  guint n_rests; /* pauses in which a run may begin */
  gint64 last;   /* µs */
} Stream;

static gboolean
pull (gpointer data)
{
  Stream *stream = data;
  g_autofree char *text = g_strdup_printf ("%.2f", 5 + 0.05 * stream->n);
  gint64 now = g_get_monotonic_time ();

  stream->n_rests += now - stream->last >= 60 * 1000;
  stream->last = now;
  set (stream->fixture, "aperture_radius", text);
  return ++stream->n < 100 ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

/* Runs do not queue up, and the last values win. */
TEST_FIXTURE (stream, "/app/follow/stream")
{
  Stream stream = { self };

  run_and_follow (self);
  gint64 began = stream.last = g_get_monotonic_time ();
  g_timeout_add (10, pull, &stream);
  WAIT_FOR (stream.n >= 100);
  guint64 most = 3 + (stream.last - began) / (500 * 1000) + 2 * stream.n_rests;
  wait_for_radius (self, 9.95);
  let_settle ();
  g_assert_cmpfloat (get_config (self)->aperture_radius, ==, 9.95);
  g_test_message ("%" G_GUINT64_FORMAT " runs in %.2f s", get_run (self) - 1,
                  (stream.last - began) * 1e-6);
  /* The user's own, the first, the last, one every half second, and where the pull has rested. */
  g_assert_cmpuint (get_run (self), <=, most);
}

/* The picture that was there stays until a quarter of the positions has gone into the new one. */
static void
on_snapshot (Fixture *self)
{
  PrismSnapshot *snapshot = self->session->snapshot;
  PrismSnapshot *held = get_held (self->follow);
  gboolean under_way = snapshot->state == PRISM_STATE_RUNNING;
  gboolean trains = prism_config_trains (snapshot->config);
  gboolean first = trains ? 4 * snapshot->n_visited < snapshot->n_samples : snapshot->pass == 0;
  gboolean again = snapshot->training == PRISM_TRAINING_NEEDED;
  gboolean worth = snapshot->reconstruction != NULL && (again || !(under_way && first));

  g_assert_true (held != NULL || worth);
  g_assert_true (held == NULL || held->reconstruction != NULL);
  self->n_pictures += held != NULL;
}

static void
test_picture_stays (Fixture *self,
                    gconstpointer data)
{
  set (self, "method", data);
  prism_engine_set_interval (self->session->engine, 0);
  run_and_follow (self);
  g_signal_connect_swapped (self->session, "notify::snapshot", G_CALLBACK (on_snapshot), self);
  /* A busy machine may show nothing of the first quarter of a run so short. */
  for (int i = 0; i < 300 && (self->n_pictures == 0 || i % 3 > 0); i++)
    {
      g_autofree char *text = g_strdup_printf ("%d", 7 + i % 3);

      set (self, "aperture_radius", text);
      g_main_context_iteration (NULL, FALSE);
      if (i % 3 == 2)
        wait_for_radius (self, 9);
    }
  g_assert_cmpuint (self->n_pictures, >, 0);
  g_assert_null (get_held (self->follow));
  g_signal_handlers_disconnect_by_data (self->session, self);
}

static void
on_notice (PrismSession *session,
           const char *message)
{
  g_error ("%s", message);
}

/* Text on its way to a value starts nothing, takes nothing away, and its row alone says so. */
TEST_FIXTURE (invalid_in_between, "/app/follow/invalid-in-between")
{
  static const char *const typed[] = { "", "-", "1e9", "abc" };

  run_and_follow (self);
  g_signal_connect (self->session, "notice", G_CALLBACK (on_notice), NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (typed); i++)
    {
      set (self, "aperture_radius", typed[i]);
      g_assert_nonnull (self->session->draft->problem);
      let_settle ();
      g_assert_cmpint (self->session->state, ==, PRISM_STATE_FINISHED);
      g_assert_nonnull (self->session->snapshot->reconstruction);
      g_assert_cmpuint (get_run (self), ==, 1);
    }
  /* A value that does not fit the others is one that is allowed by itself. */
  set (self, "aperture_radius", "10");
  set (self, "object_size", "66");
  g_assert_nonnull (self->session->draft->problem);
  let_settle ();
  g_assert_cmpuint (get_run (self), ==, 1);
  set (self, "object_size", "32");
  set (self, "aperture_radius", "8");
  wait_for_radius (self, 8);
  g_assert_cmpuint (get_run (self), ==, 2);
}

/* What is under way goes on as a run of the user's own. */
TEST_WITH (switched_off, "/app/follow/switched-off", "long")
{
  g_object_set (self->follow, "active", TRUE, NULL);
  set (self, "aperture_radius", "8");
  wait_for_state (self, PRISM_STATE_RUNNING);
  g_assert_true (self->session->passing);
  g_object_set (self->follow, "active", FALSE, NULL);
  g_assert_false (self->session->passing);
  g_assert_nonnull (self->session->run_file);
  set (self, "aperture_radius", "7");
  let_settle ();
  g_assert_cmpuint (get_run (self), ==, 1);
  g_assert_cmpfloat (get_config (self)->aperture_radius, ==, 8);
  g_assert_true (prism_session_get_active (self->session));
}

/* A run that was started by hand has a file, and is not thrown away for a value. */
TEST_WITH (own_run_stays, "/app/follow/own-run-stays", "long")
{
  prism_session_run (self->session);
  wait_for_state (self, PRISM_STATE_RUNNING);
  g_object_set (self->follow, "active", TRUE, NULL);
  set (self, "aperture_radius", "8");
  let_settle ();
  g_assert_true (prism_session_get_active (self->session));
  g_assert_cmpuint (get_run (self), ==, 1);
  SAYS (dup_text (self), "Radius 10 → 8 px: waits until the run under way is over");
  prism_session_stop (self->session);
  WAIT_FOR (get_run (self) != 1);
  g_assert_cmpfloat (get_config (self)->aperture_radius, ==, 8);
  g_assert_true (self->session->passing);
}

/* What the run under way has taken up is not followed after it; what it has not, is. */
TEST_WITH (live_values, "/app/follow/live-values", "long")
{
  prism_session_run (self->session);
  wait_for_state (self, PRISM_STATE_RUNNING);
  g_object_set (self->follow, "active", TRUE, NULL);
  set (self, "snr", "30");
  WAIT_FOR (get_config (self)->snr == 30);
  g_autofree char *text = dup_text (self);
  g_assert_null (text);
  prism_session_stop (self->session);
  wait_for_state (self, PRISM_STATE_STOPPED);
  let_settle ();
  g_assert_cmpuint (get_run (self), ==, 1);
  set (self, "snr", "20");
  WAIT_FOR (get_run (self) != 1);
  g_assert_cmpfloat (get_config (self)->snr, ==, 20);
}

/* One that comes too late for it is followed. */
TEST_WITH (late_live_value, "/app/follow/late-live-value", "long")
{
  prism_session_run (self->session);
  wait_for_state (self, PRISM_STATE_RUNNING);
  g_object_set (self->follow, "active", TRUE, NULL);
  prism_session_stop (self->session);
  set (self, "snr", "30");
  wait_for_state (self, PRISM_STATE_STOPPED);
  WAIT_FOR (get_run (self) != 1);
  g_assert_cmpfloat (get_config (self)->snr, ==, 30);
}

/* Somebody who pauses wants to look at it. */
TEST_WITH (paused_run_stays, "/app/follow/paused-run-stays", "long")
{
  g_object_set (self->follow, "active", TRUE, NULL);
  set (self, "aperture_radius", "8");
  wait_for_state (self, PRISM_STATE_RUNNING);
  prism_session_pause (self->session);
  wait_for_state (self, PRISM_STATE_PAUSED);
  g_assert_false (self->session->passing);
  g_assert_nonnull (self->session->run_file);
  set (self, "aperture_radius", "7");
  let_settle ();
  g_assert_cmpuint (get_run (self), ==, 1);
}

/* Undo and presets are changes like others; what changes no picture is none. */
TEST_FIXTURE (kinds_of_change, "/app/follow/kinds-of-change")
{
  static const char *const unfollowed[][2] = {
    { "wavelength", "500" },
    { "threads", "1" },
    { "history_size", "16" },
    { "point_count", "3" },
    { "vanes", "2" },
    { "autosave_seconds", "5" },
    { "amp", "on" },
  };

  run_and_follow (self);
  for (gsize i = 0; i < G_N_ELEMENTS (unfollowed); i++)
    set (self, unfollowed[i][0], unfollowed[i][1]);
  let_settle ();
  g_assert_cmpuint (get_run (self), ==, 1);
  set (self, "aperture_radius", "8");
  wait_for_radius (self, 8);
  prism_draft_undo (self->session->draft);
  wait_for_radius (self, 10);
  prism_draft_redo (self->session->draft);
  wait_for_radius (self, 8);
  g_assert_cmpuint (get_run (self), ==, 4);
}

/* A run file is shown as it is, and followed from there. */
TEST_FIXTURE (opened_run, "/app/follow/opened-run")
{
  prism_session_run (self->session);
  wait_for_state (self, PRISM_STATE_FINISHED);
  g_autofree char *path = g_strdup (self->session->run_file);
  g_object_set (self->follow, "active", TRUE, NULL);
  set (self, "aperture_radius", "8");
  wait_for_radius (self, 8);
  PrismRun *run = MUST (prism_run_file_load (path, &error));
  g_assert_true (prism_session_open_run (self->session, run, path, FALSE));
  wait_for_radius (self, 10);
  g_assert_null (get_held (self->follow));
  g_assert_false (self->session->passing);
  let_settle ();
  g_assert_cmpstr (self->session->run_file, ==, path);
  set (self, "aperture_radius", "7");
  wait_for_radius (self, 7);
  g_assert_true (g_file_test (path, G_FILE_TEST_EXISTS));
}

/* Where something else needs the engine, changes wait for it. */
TEST_FIXTURE (blocked, "/app/follow/blocked")
{
  run_and_follow (self);
  prism_follow_set_blocked (self->follow, TRUE);
  set (self, "aperture_radius", "8");
  let_settle ();
  g_assert_cmpuint (get_run (self), ==, 1);
  prism_follow_set_blocked (self->follow, FALSE);
  wait_for_radius (self, 8);
}

/* A class that watches a slider does not drive the runs out that were to be compared. */
TEST_FIXTURE (comparison, "/app/follow/comparison")
{
  g_autoptr (PrismRunList) runs = prism_run_list_new (self->session);
  GListModel *model = G_LIST_MODEL (runs->store);

  run_and_follow (self);
  for (int radius = 9; radius > 6; radius--)
    {
      g_autofree char *text = g_strdup_printf ("%d", radius);

      set (self, "aperture_radius", text);
      wait_for_radius (self, radius);
    }
  g_assert_cmpuint (g_list_model_get_n_items (model), ==, 2);
  g_object_set (self->follow, "active", FALSE, NULL);
  prism_session_restart (self->session);
  wait_for_state (self, PRISM_STATE_FINISHED);
  g_assert_cmpuint (g_list_model_get_n_items (model), ==, 3);
}

/* A run that cannot be begun leaves the picture, and is not begun again and again. */
TEST_FIXTURE (failure, "/app/follow/failure")
{
  run_and_follow (self);
  set (self, "object", "/nowhere/none.png");
  WAIT_FOR (self->session->state == PRISM_STATE_FAILED);
  guint64 run = get_run (self);
  g_assert_nonnull (get_held (self->follow));
  let_settle ();
  g_assert_cmpuint (get_run (self), ==, run);
  g_assert_nonnull (get_held (self->follow));
  set (self, "object", "points");
  WAIT_FOR (self->session->state == PRISM_STATE_FINISHED);
  g_assert_null (get_held (self->follow));
}

TEST_FIXTURE (words, "/app/follow/words")
{
  g_autoptr (PrismConfig) before = prism_config_new ();
  g_autoptr (PrismConfig) after = prism_config_new ();

  g_assert_null (prism_run_diff_dup_text (self->session, before, after));
  g_assert_false (prism_run_diff_is_any (self->session, before, after));
  after->wavelength = 500;
  g_assert_false (prism_run_diff_is_any (self->session, before, after));
  after->pattern = PRISM_PATTERN_RASTER;
  SAYS (prism_run_diff_dup_text (self->session, before, after),
        "Pattern Fermat spiral → Square raster");
  after->aperture_radius = 14.5;
  after->samples = 60;
  after->snr = 20;
  SAYS (prism_run_diff_dup_text (self->session, before, after),
        "Radius 20 → 14.5 px, Pattern Fermat spiral → Square raster and 2 more");
}

/* Also what is not followed, and seeds; not where it is computed. */
TEST_FIXTURE (words_of_all, "/app/follow/words-of-all")
{
  g_autoptr (PrismConfig) before = prism_config_new ();
  g_autoptr (PrismConfig) after = prism_config_new ();

  after->threads = 1;
  g_autofree char *nothing = prism_run_diff_dup_text (self->session, before, after);
  g_assert_null (nothing);
  after->tile = 64;
  after->seed = 7;
  SAYS (prism_run_diff_dup_text (self->session, before, after), "Tile 0 → 64 px, Seed 0 → 7");
}

TEST (effect, "/app/follow/effect")
{
  g_autoptr (PrismSnapshot) before = prism_snapshot_new ();
  g_autoptr (PrismSnapshot) after = prism_snapshot_new ();

  g_assert_null (prism_run_diff_dup_effect (before, after));
  before->misfit = 0.012;
  after->misfit = 0.2;
  SAYS (prism_run_diff_dup_effect (before, after), "misfit 0.0120 → 0.2000");
  before->coverage = after->coverage = 1;
  before->verdict.kind = PRISM_VERDICT_EXPLAINED;
  after->verdict.kind = PRISM_VERDICT_UNEXPLAINED;
  SAYS (prism_run_diff_dup_effect (before, after),
        "misfit 0.0120 → 0.2000, ✓ fits the measurements → ✗ does not fit the measurements");
  before->metrics.psnr = 44.8;
  after->metrics.psnr = 47.11;
  SAYS (prism_run_diff_dup_effect (before, after), "44.8 → 47.1 dB");
  SAYS (prism_run_diff_dup_effect (before, NULL), "44.8 dB → …");
}

/* The line and the switch in the window, which closes without a question. */
TEST (window, "/app/follow/window")
{
  g_autoptr (PrismConfig) config = widget_test_new_config ();
  g_autoptr (GVariant) state = NULL;
  WindowTest test;

  config->method = PRISM_METHOD_EPIE;
  config->passes = 1000;
  config->samples = 200;
  window_test_open (&test, config);
  GtkWidget *control = FIND (test.window, GTK_IS_SWITCH (it)
                                              && g_strcmp0 (gtk_actionable_get_action_name (
                                                                GTK_ACTIONABLE (it)),
                                                            "win.follow")
                                                     == 0);
  g_assert_false (gtk_switch_get_active (GTK_SWITCH (control)));
  window_test_activate (&test, "follow");
  state = g_action_group_get_action_state (G_ACTION_GROUP (test.window), "follow");
  g_assert_true (g_variant_get_boolean (state));
  g_assert_true (gtk_switch_get_active (GTK_SWITCH (control)));
  prism_draft_set_parameter (test.session->draft,
                             prism_config_get_param ("aperture_radius"), "8", NULL);
  WAIT_FOR (window_test_is_active (test.session));
  g_assert_true (test.session->passing);
  g_object_add_weak_pointer (G_OBJECT (test.window), (gpointer *) &test.window);
  gtk_window_close (GTK_WINDOW (test.window));
  WAIT_FOR (test.window == NULL);
  g_object_unref (test.session);
}

static void
add_picture_stays (const char *method)
{
  g_autofree char *path = g_strdup_printf ("/app/follow/picture-stays/%s", method);

  g_test_add (path, Fixture, method, set_up, test_picture_stays, tear_down);
}

/* Positions are placed while nothing runs; what has become of them is followed afterwards. */
TEST (placing_positions, "/app/follow/placing-positions")
{
  g_autoptr (GVariant) state = NULL;
  const char *const values[] = { "pattern", "hand", "pattern_points", "0, 0; 8, 0; 0, 8", NULL };

  g_auto (WindowTest) test = window_test_new (NULL);
  window_test_activate (&test, "follow");
  g_action_group_change_action_state (G_ACTION_GROUP (test.window), "edit-pattern",
                                      g_variant_new_boolean (TRUE));
  g_assert_true (prism_draft_set_several (test.session->draft, values, "Placed", NULL, NULL));
  let_settle ();
  state = g_action_group_get_action_state (G_ACTION_GROUP (test.window), "edit-pattern");
  g_assert_true (g_variant_get_boolean (state));
  g_assert_cmpuint (test.session->snapshot->run, ==, 0);
  g_action_group_change_action_state (G_ACTION_GROUP (test.window), "edit-pattern",
                                      g_variant_new_boolean (FALSE));
  WAIT_FOR (test.session->snapshot->run > 0);
}

TESTS
{
  add_picture_stays ("auto");
  add_picture_stays ("epie");
}
