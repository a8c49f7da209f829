#include "prism-test.h"
#include "window/prism-time-bar.h"
#include "window-test.h"

#define N_MOMENTS 10

static PrismFrames *
make_frames (guint n)
{
  g_autoptr (PrismConfig) config = prism_config_new ();
  g_autoptr (PrismMomentSettings) settings = prism_moment_settings_new (config, 0);
  g_autoptr (PrismImage) image = prism_image_new (16, 16, NULL);
  g_autoptr (GPtrArray) moments
      = g_ptr_array_new_with_free_func ((GDestroyNotify) prism_moment_unref);

  for (guint i = 0; i < n; i++)
    {
      PrismMoment *moment = prism_moment_new (image, settings);

      moment->step = 10 * (i + 1);
      moment->n_rows = moment->step;
      moment->n_visited = i / 2;
      moment->metrics.psnr = i == 3 ? 30.0 : 20.0;
      g_ptr_array_add (moments, moment);
    }
  return prism_frames_new ((PrismMoment *const *) moments->pdata, n);
}

/* A loss that falls, but for a jump at step 42 and at step 77. */
static PrismHistory *
make_history (guint n)
{
  PrismHistory *history = prism_history_new ();

  for (guint i = 1; i <= n; i++)
    {
      PrismHistoryRow row = { .step = i, .sample_step = i, .loss_new = 1.0 / i };

      if (i == 42 || i == 77)
        row.loss_new *= 4;
      prism_history_append (history, &row);
    }
  return history;
}

/* A run at step 10 n + 5. */
static PrismSnapshot *
make_snapshot (guint n,
               guint64 run)
{
  PrismSnapshot *snapshot = prism_snapshot_new ();

  snapshot->config = prism_config_new ();
  snapshot->run = run;
  snapshot->state = PRISM_STATE_RUNNING;
  snapshot->phase = PRISM_PHASE_SAMPLES;
  snapshot->step = 10 * n + 5;
  snapshot->n_steps = 200;
  snapshot->n_samples = 40;
  snapshot->frames = make_frames (n);
  snapshot->history = make_history ((guint) snapshot->step);
  snapshot->n_rows = snapshot->step;
  return snapshot;
}

static PrismPlayback *
make_playback (guint n)
{
  PrismPlayback *playback = g_object_new (PRISM_TYPE_PLAYBACK, NULL);
  g_autoptr (PrismSnapshot) snapshot = make_snapshot (n, 1);

  prism_playback_set_snapshot (playback, snapshot);
  return playback;
}

static void
go_on (PrismPlayback *playback,
       guint n,
       guint64 run)
{
  g_autoptr (PrismSnapshot) snapshot = make_snapshot (n, run);

  prism_playback_set_snapshot (playback, snapshot);
}

static guint64
get_step (PrismPlayback *playback)
{
  return playback->shown->step;
}

static gboolean
is_live (PrismPlayback *playback)
{
  gboolean live;

  g_object_get (playback, "live", &live, NULL);
  return live;
}

static void
check_jump (PrismPlayback *playback,
            PrismJump jump,
            guint64 step)
{
  prism_playback_jump (playback, jump);
  g_assert_cmpuint (get_step (playback), ==, step);
}

static void
check_step (PrismPlayback *playback,
            double wanted,
            guint64 step)
{
  prism_playback_go_to_step (playback, wanted);
  g_assert_cmpuint (get_step (playback), ==, step);
}

/* Of the four samples visited by moment 8 the second failed; nothing is said of later ones. */
TEST (marks_of_the_past, "/app/playback/marks-of-the-past")
{
  g_autoptr (PrismPlayback) playback = g_object_new (PRISM_TYPE_PLAYBACK, NULL);
  g_autoptr (PrismSnapshot) live = make_snapshot (N_MOMENTS, 1);

  live->sample_states = g_new0 (guint8, live->n_samples);
  live->sample_states[1] = PRISM_SAMPLE_FAILED;
  live->sample_states[2] = PRISM_SAMPLE_RESCUED;
  live->sample_states[4] = PRISM_SAMPLE_FAILED;
  prism_playback_set_snapshot (playback, live);
  prism_playback_go_to_step (playback, 90);
  PrismSnapshot *shown = playback->shown;
  g_assert_cmpuint (shown->n_visited, ==, 4);
  g_assert_cmpint (shown->sample_states[1], ==, PRISM_SAMPLE_FAILED);
  g_assert_cmpint (shown->sample_states[2], ==, PRISM_SAMPLE_RESCUED);
  g_assert_cmpint (shown->sample_states[4], ==, PRISM_SAMPLE_PENDING);
  g_assert_cmpuint (shown->n_failed, ==, 1);
  g_assert_cmpuint (shown->n_rescued, ==, 1);
}

TEST (jumps, "/app/playback/jumps")
{
  g_autoptr (PrismPlayback) playback = make_playback (N_MOMENTS);

  g_assert_true (is_live (playback));
  g_assert_cmpuint (get_step (playback), ==, 105);
  g_assert_false (prism_playback_can_jump (playback, PRISM_JUMP_NEXT));
  g_assert_false (prism_playback_can_jump (playback, PRISM_JUMP_LIVE));

  check_jump (playback, PRISM_JUMP_PREVIOUS, 100);
  g_assert_false (is_live (playback));
  check_jump (playback, PRISM_JUMP_PREVIOUS, 90);
  check_jump (playback, PRISM_JUMP_NEXT, 100);
  check_jump (playback, PRISM_JUMP_NEXT, 100);
  check_jump (playback, PRISM_JUMP_FIRST, 10);
  g_assert_false (prism_playback_can_jump (playback, PRISM_JUMP_PREVIOUS));
  check_jump (playback, PRISM_JUMP_BEST, 40);
  check_jump (playback, PRISM_JUMP_NEXT_SPIKE, 80);
  g_assert_false (prism_playback_can_jump (playback, PRISM_JUMP_NEXT_SPIKE));
  check_jump (playback, PRISM_JUMP_PREVIOUS_SPIKE, 40);
  g_assert_true (prism_playback_go_to_sample (playback, 2));
  g_assert_cmpuint (get_step (playback), ==, 70);
  g_assert_false (prism_playback_go_to_sample (playback, 30));
  g_assert_cmpuint (get_step (playback), ==, 70);
  prism_playback_jump (playback, PRISM_JUMP_LIVE);
  g_assert_true (is_live (playback));
  g_assert_cmpuint (get_step (playback), ==, 105);
}

TEST (steps, "/app/playback/steps")
{
  g_autoptr (PrismPlayback) playback = make_playback (N_MOMENTS);

  check_step (playback, 43, 40);
  check_step (playback, -100, 10);
  check_step (playback, 103, 100);
  g_assert_false (is_live (playback));
  prism_playback_go_to_step (playback, 150);
  g_assert_true (is_live (playback));
}

/* Who looks at the past is left there. */
TEST (run_goes_on, "/app/playback/run-goes-on")
{
  g_autoptr (PrismPlayback) playback = make_playback (N_MOMENTS);

  prism_playback_go_to_step (playback, 50);
  PrismMoment *moment = playback->moment;
  go_on (playback, N_MOMENTS + 5, 1);
  g_assert_false (is_live (playback));
  g_assert_true (playback->moment == moment);
  g_assert_cmpuint (get_step (playback), ==, 50);
  g_assert_cmpuint (playback->snapshot->step, ==, 155);

  /* Thinned away meanwhile: still there, and its neighbours are found. */
  go_on (playback, 3, 1);
  g_assert_cmpuint (get_step (playback), ==, 50);
  check_jump (playback, PRISM_JUMP_PREVIOUS, 30);

  go_on (playback, 2, 2);
  g_assert_true (is_live (playback));
  g_assert_cmpuint (get_step (playback), ==, 25);
}

/* The end of a run that is over is its present: leaving it leads nowhere. */
TEST (run_is_over, "/app/playback/run-is-over")
{
  static const PrismState over[]
      = { PRISM_STATE_FINISHED, PRISM_STATE_STOPPED, PRISM_STATE_FAILED };

  for (gsize i = 0; i < G_N_ELEMENTS (over); i++)
    {
      g_autoptr (PrismPlayback) playback = g_object_new (PRISM_TYPE_PLAYBACK, NULL);
      g_autoptr (PrismSnapshot) end = make_snapshot (N_MOMENTS, 1);

      end->state = over[i];
      end->step = 10 * N_MOMENTS;
      prism_playback_set_snapshot (playback, end);
      g_object_set (playback, "live", FALSE, NULL);
      g_assert_true (is_live (playback));
      prism_playback_go_to_step (playback, 50);
      g_assert_false (is_live (playback));
      g_object_set (playback, "live", TRUE, NULL);
      g_assert_true (is_live (playback));
    }
}

/* Its last moment is that end, however one comes there; it is a past where the run goes on. */
TEST (end_is_no_past, "/app/playback/end-is-no-past")
{
  static const PrismJump jumps[] = { PRISM_JUMP_NEXT, PRISM_JUMP_BEST };
  g_autoptr (PrismPlayback) playback = g_object_new (PRISM_TYPE_PLAYBACK, NULL);
  g_autoptr (PrismSnapshot) running = make_snapshot (N_MOMENTS, 1);
  g_autoptr (PrismSnapshot) end = make_snapshot (N_MOMENTS, 1);

  running->step = end->step = 10 * N_MOMENTS;
  running->frames->best = end->frames->best = N_MOMENTS - 1;
  end->state = PRISM_STATE_FINISHED;
  prism_playback_set_snapshot (playback, running);
  prism_playback_jump (playback, PRISM_JUMP_BEST);
  g_assert_false (is_live (playback));
  prism_playback_set_snapshot (playback, end);
  g_assert_true (is_live (playback));
  g_assert_false (prism_playback_can_jump (playback, PRISM_JUMP_BEST));

  for (gsize i = 0; i < G_N_ELEMENTS (jumps); i++)
    {
      check_jump (playback, PRISM_JUMP_PREVIOUS, 10 * (N_MOMENTS - 1));
      g_assert_false (is_live (playback));
      g_assert_true (prism_playback_can_jump (playback, jumps[i]));
      check_jump (playback, jumps[i], 10 * N_MOMENTS);
      g_assert_true (is_live (playback));
    }
}

TEST (nothing_kept, "/app/playback/nothing-kept")
{
  g_autoptr (PrismPlayback) playback = make_playback (0);

  for (int jump = PRISM_JUMP_FIRST; jump <= PRISM_JUMP_NEXT_SPIKE; jump++)
    g_assert_false (prism_playback_can_jump (playback, jump));
  prism_playback_go_to_step (playback, 3);
  g_object_set (playback, "live", FALSE, "playing", TRUE, NULL);
  g_assert_true (is_live (playback));
}

static gboolean
has_stopped (gpointer data)
{
  gboolean playing;

  g_object_get (data, "playing", &playing, NULL);
  return !playing;
}

static void
count_change (PrismPlayback *playback,
              GParamSpec *pspec,
              guint *n)
{
  (*n)++;
}

/* Positions take as long as passes do, where those are more. */
TEST (play_positions, "/app/playback/play-positions")
{
  g_autoptr (PrismPlayback) playback = g_object_new (PRISM_TYPE_PLAYBACK, NULL);
  g_autoptr (PrismSnapshot) snapshot = make_snapshot (N_MOMENTS + 1, 1);
  guint n = 0;

  /* The third moment is the end of the only position. */
  snapshot->n_samples = 1;
  snapshot->step = 10 * (N_MOMENTS + 1);
  snapshot->state = PRISM_STATE_FINISHED;
  prism_playback_set_snapshot (playback, snapshot);
  g_signal_connect (playback, "notify::shown", G_CALLBACK (count_change), &n);
  g_object_set (playback, "rate", 60, "playing", TRUE, NULL);
  WAIT_FOR (playback->n_held == 3);
  g_assert_cmpuint (get_step (playback), ==, 10);
  WAIT_FOR (get_step (playback) >= 30);
  WAIT_FOR (playback->n_held > 0 || has_stopped (playback));
  g_assert_true (has_stopped (playback));
  g_assert_cmpuint (n, ==, N_MOMENTS + 1);
}

TEST (play, "/app/playback/play")
{
  g_autoptr (PrismPlayback) playback = make_playback (N_MOMENTS);
  guint n = 0;

  g_signal_connect (playback, "notify::shown", G_CALLBACK (count_change), &n);
  g_object_set (playback, "rate", 60, "playing", TRUE, NULL);
  g_assert_cmpuint (get_step (playback), ==, 10);
  WAIT_FOR (has_stopped (playback));
  g_assert_cmpuint (get_step (playback), ==, 100);
  g_assert_cmpuint (n, ==, N_MOMENTS);
}

/* The slider keeps its length, whatever the place beside it is called. */
TEST (time_bar_keeps_its_slider, "/app/playback/time-bar-keeps-its-slider")
{
  static const char *const places[]
      = { "", "Pass 1", "Position 111 of 1111", "Pass 88 of at most 888" };
  g_autoptr (GtkWidget) bar = g_object_ref_sink (g_object_new (PRISM_TYPE_TIME_BAR, NULL));
  GtkLabel *label = widget_test_get_part (bar, "label");
  int first, natural;

  gtk_widget_measure (bar, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &first, NULL, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (places); i++)
    {
      gtk_label_set_label (label, places[i]);
      gtk_widget_measure (bar, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &natural, NULL, NULL);
      g_assert_cmpint (natural, ==, first);
    }
}

static void
on_named (GSimpleAction *action,
          GVariant *line,
          char **named)
{
  g_free (*named);
  *named = g_variant_dup_string (line, NULL);
}

/* Waits until two frames have been painted. */
static void
paint (GtkWidget *bar)
{
  GdkFrameClock *clock = gtk_widget_get_frame_clock (bar);
  const gint64 frame = gdk_frame_clock_get_frame_counter (clock);

  gdk_frame_clock_begin_updating (clock);
  WAIT_FOR (gdk_frame_clock_get_frame_counter (clock) > frame + 2);
  gdk_frame_clock_end_updating (clock);
}

static void
give_name (GtkWidget *bar,
           const char *name)
{
  GtkWidget *entry = widget_test_get_part (bar, "name_entry");

  gtk_editable_set_text (GTK_EDITABLE (entry), name);
  g_signal_emit_by_name (entry, "activate");
}

/* A name is that of what was seen when it was asked for, of moments that are kept: not of the next
 * one, which has been shown since. */
TEST (name_of_what_was_seen, "/app/playback/name-of-what-was-seen")
{
  g_autoptr (PrismPlayback) playback = make_playback (N_MOMENTS);
  GtkWidget *bar = g_object_new (PRISM_TYPE_TIME_BAR, NULL);
  g_autoptr (GSimpleActionGroup) actions = g_simple_action_group_new ();
  g_autoptr (GSimpleAction) action = g_simple_action_new ("time-name", G_VARIANT_TYPE_STRING);
  g_autofree char *named = NULL;

  prism_time_bar_set_playback (PRISM_TIME_BAR (bar), playback);
  g_autoptr (ShownWindow) window = widget_test_show (bar, 700, 60);
  g_signal_connect (action, "activate", G_CALLBACK (on_named), &named);
  g_action_map_add_action (G_ACTION_MAP (actions), G_ACTION (action));
  gtk_widget_insert_action_group (window, "win", G_ACTION_GROUP (actions));
  paint (bar);
  /* The run is at step 105, and goes on. */
  prism_time_bar_ask (PRISM_TIME_BAR (bar), TRUE);
  go_on (playback, N_MOMENTS + 5, 1);
  give_name (bar, "now");
  g_assert_cmpstr (named, ==, "100 now");

  prism_playback_go_to_step (playback, 60);
  paint (bar);
  g_object_set (playback, "playing", TRUE, NULL);
  check_jump (playback, PRISM_JUMP_NEXT, 70);
  prism_time_bar_ask (PRISM_TIME_BAR (bar), TRUE);
  g_assert_cmpuint (get_step (playback), ==, 60);
  give_name (bar, "then");
  g_assert_cmpstr (named, ==, "60 then");
}

static void
press (GtkRange *scale,
       guint key)
{
  g_assert_true (widget_test_press (GTK_WIDGET (scale), key, 0));
}

static void
slide (GtkRange *scale,
       double value)
{
  gboolean handled = FALSE;

  g_signal_emit_by_name (scale, "change-value", GTK_SCROLL_JUMP, value, &handled);
  g_assert_true (handled);
}

/* Of the time bar: its knob stays while the run goes on, keys and values move the moment. */
TEST (time_bar, "/app/playback/time-bar")
{
  g_autoptr (PrismPlayback) playback = make_playback (N_MOMENTS);
  GtkWidget *bar = g_object_new (PRISM_TYPE_TIME_BAR, NULL);
  GtkRange *scale = widget_test_get_part (bar, "scale");

  prism_time_bar_set_playback (PRISM_TIME_BAR (bar), playback);
  g_autoptr (ShownWindow) window = widget_test_show (bar, 700, 60);
  g_assert_cmpfloat (gtk_range_get_value (scale), ==, 105);
  g_assert_cmpfloat (gtk_range_get_fill_level (scale), ==, 105);
  g_assert_cmpfloat (gtk_adjustment_get_upper (gtk_range_get_adjustment (scale)), ==, 200);
  g_assert_false (gtk_widget_has_css_class (bar, "past"));

  slide (scale, 65.5);
  g_assert_cmpuint (get_step (playback), ==, 70);
  slide (scale, 62.0);
  g_assert_cmpuint (get_step (playback), ==, 60);
  g_assert_cmpfloat (gtk_range_get_value (scale), ==, 60);
  g_assert_true (gtk_widget_has_css_class (bar, "past"));
  go_on (playback, N_MOMENTS + 5, 1);
  g_assert_cmpfloat (gtk_range_get_value (scale), ==, 60);
  g_assert_cmpfloat (gtk_range_get_fill_level (scale), ==, 155);

  gtk_widget_grab_focus (GTK_WIDGET (scale));
  press (scale, GDK_KEY_Right);
  g_assert_cmpuint (get_step (playback), ==, 70);
  press (scale, GDK_KEY_Left);
  g_assert_cmpuint (get_step (playback), ==, 60);
  press (scale, GDK_KEY_Home);
  g_assert_cmpuint (get_step (playback), ==, 10);
  press (scale, GDK_KEY_End);
  g_assert_true (is_live (playback));
  g_object_set (playback, "playing", TRUE, NULL);
  g_assert_false (has_stopped (playback));
  prism_time_bar_ask (PRISM_TIME_BAR (bar), TRUE);
  g_assert_true (has_stopped (playback));
}

/* Few positions before many passes have half of the slider, also while they go on. */
TEST (time_bar_of_passes, "/app/playback/time-bar-of-passes")
{
  g_autoptr (PrismPlayback) playback = g_object_new (PRISM_TYPE_PLAYBACK, NULL);
  g_autoptr (PrismSnapshot) before = make_snapshot (2, 1), after = make_snapshot (N_MOMENTS, 1);
  g_autoptr (GtkWidget) bar = g_object_ref_sink (g_object_new (PRISM_TYPE_TIME_BAR, NULL));
  GtkRange *scale = widget_test_get_part (bar, "scale");

  /* Of two positions one takes 20 steps. */
  before->n_samples = after->n_samples = 2;
  before->n_steps = 4000;
  before->step = 20;
  before->n_visited = 1;
  prism_playback_set_snapshot (playback, before);
  prism_time_bar_set_playback (PRISM_TIME_BAR (bar), playback);
  g_assert_cmpfloat (gtk_range_get_value (scale), ==, 1000);

  /* The fifth moment has both. */
  after->step = 4000;
  after->state = PRISM_STATE_FINISHED;
  prism_playback_set_snapshot (playback, after);
  g_assert_cmpfloat (gtk_range_get_value (scale), ==, 4000);
  slide (scale, 1200.0);
  g_assert_cmpuint (get_step (playback), ==, 30);
  g_assert_cmpfloat_with_epsilon (gtk_range_get_value (scale), 1200, 1e-9);
  slide (scale, 3000.0);
  g_assert_cmpuint (get_step (playback), ==, 100);
}

static PrismCheckpoints *
make_states (const guint64 *steps,
             guint n)
{
  g_autoptr (GPtrArray) states
      = g_ptr_array_new_with_free_func ((GDestroyNotify) prism_kept_state_unref);

  for (guint i = 0; i < n; i++)
    g_ptr_array_add (states, prism_kept_state_new (prism_bundle_new (), steps[i], i));
  return prism_checkpoints_new ((PrismKeptState *const *) states->pdata, n);
}

/* Where the marks of a slider are, one behind the other. */
static GArray *
get_marks (GtkWidget *bar)
{
  GtkWidget *scale = widget_test_get_part (bar, "scale");
  GArray *places = g_array_new (FALSE, FALSE, sizeof (float));

  paint (bar);
  for (GtkWidget *it = scale; it != NULL; it = widget_test_next (scale, it))
    if (g_str_equal (gtk_widget_get_css_name (it), "mark"))
      {
        graphene_rect_t bounds;

        g_assert_true (gtk_widget_compute_bounds (it, scale, &bounds));
        g_array_append_val (places, bounds.origin.x);
      }
  return places;
}

/* Marks stay at their steps when the slider gets another length: of a run that ends early. They
 * are then where those of a bar are that never had another one. */
TEST (marks_stay_at_their_steps, "/app/playback/marks-stay-at-their-steps")
{
  static const guint64 steps[] = { 20, 60, 100 };
  g_autoptr (PrismPlayback) playback = g_object_new (PRISM_TYPE_PLAYBACK, NULL);
  g_autoptr (PrismPlayback) other = g_object_new (PRISM_TYPE_PLAYBACK, NULL);
  g_autoptr (PrismSnapshot) running = make_snapshot (N_MOMENTS, 1);
  g_autoptr (PrismSnapshot) finished = make_snapshot (N_MOMENTS, 1);
  GtkWidget *bar = g_object_new (PRISM_TYPE_TIME_BAR, NULL);
  GtkWidget *fresh = g_object_new (PRISM_TYPE_TIME_BAR, NULL);

  running->states = make_states (steps, G_N_ELEMENTS (steps));
  finished->states = prism_checkpoints_ref (running->states);
  finished->state = PRISM_STATE_FINISHED;
  prism_playback_set_snapshot (playback, running);
  prism_playback_set_snapshot (other, finished);
  prism_time_bar_set_playback (PRISM_TIME_BAR (bar), playback);
  prism_time_bar_set_playback (PRISM_TIME_BAR (fresh), other);
  g_autoptr (ShownWindow) window = widget_test_show (bar, 700, 60);
  g_autoptr (ShownWindow) other_window = widget_test_show (fresh, 700, 60);
  g_autoptr (GArray) early = get_marks (bar);
  prism_playback_set_snapshot (playback, finished);
  g_autoptr (GArray) late = get_marks (bar);
  g_autoptr (GArray) right = get_marks (fresh);
  g_assert_cmpuint (late->len, ==, G_N_ELEMENTS (steps));
  g_assert_cmpuint (right->len, ==, G_N_ELEMENTS (steps));
  for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
    {
      const float x = g_array_index (late, float, i), wanted = g_array_index (right, float, i);

      g_test_message ("step %d: %.1f, right %.1f", (int) steps[i], x, wanted);
      g_assert_cmpfloat (x, >, g_array_index (early, float, i) + 5);
      g_assert_cmpfloat_with_epsilon (x, wanted, 2);
    }
}

/* Between the panels of a small window there is room to walk through the past, too. */
TEST (narrow_past, "/app/playback/narrow-past")
{
  GtkWidget *bar = g_object_new (PRISM_TYPE_TIME_BAR, NULL);
  g_autoptr (PrismPlayback) playback = make_playback (5);
  GtkWidget *scale = widget_test_get_part (bar, "scale");

  prism_time_bar_set_playback (PRISM_TIME_BAR (bar), playback);
  prism_playback_jump (playback, PRISM_JUMP_FIRST);
  g_assert_false (is_live (playback));
  g_autoptr (ShownWindow) window = widget_test_show (bar, 520, 40);
  g_assert_cmpint (gtk_widget_get_width (bar), <, 560);
  g_assert_cmpint (gtk_widget_get_width (scale), >, 80);
}

static void
activate (PrismWindow *window,
          const char *name)
{
  g_action_group_activate_action (G_ACTION_GROUP (window), name, NULL);
}

static gboolean
has_named (PrismSession *session)
{
  return session->snapshot->display != NULL;
}

/* Presses the last pixel of a name above the slider. */
static void
press_name (GtkWidget *scale)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (scale);
  GtkWidget *label = widget_test_find (scale, GTK_TYPE_LABEL);
  graphene_rect_t place;

  WAIT_FOR (gtk_widget_get_mapped (label));
  g_assert_true (gtk_widget_compute_bounds (label, scale, &place));
  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GObject) controller = g_list_model_get_item (controllers, i);

      if (GTK_IS_GESTURE_CLICK (controller)
          && gtk_event_controller_get_propagation_phase (GTK_EVENT_CONTROLLER (controller))
                 == GTK_PHASE_CAPTURE)
        g_signal_emit_by_name (controller, "pressed", 1, place.origin.x + place.size.width - 1.0,
                               place.origin.y + 1.0);
    }
}

/* The whole window: a run, back to its best moment, a pick in a chart, and the present again. */
TEST (window, "/app/playback/window")
{
  g_autoptr (PrismConfig) config = widget_test_new_config ();
  g_autoptr (PrismSession) session = prism_session_new (NULL);
  PrismWindow *window = prism_window_new (NULL, session);
  PrismDashboard *dashboard = widget_test_get_part (window, "dashboard");
  PrismTimeline *timeline = dashboard->timeline;
  PrismPlayback *playback = session->playback;
  GtkWidget *bar = widget_test_get_part (window, "time_bar");
  GtkEditable *name_entry = widget_test_get_part (bar, "name_entry");
  GMenuModel *moments = widget_test_get_part (bar, "moments_section");

  config->steps = 20;
  config->polish = 0;
  config->method = PRISM_METHOD_DECODER;
  prism_session_start (session, config);
  gtk_window_present (GTK_WINDOW (window));
  WAIT_FOR (gtk_widget_get_mapped (GTK_WIDGET (window)));
  g_assert_false (g_action_group_get_action_enabled (G_ACTION_GROUP (window), "time-first"));
  activate (window, "run");
  WAIT_FOR (session->state == PRISM_STATE_FINISHED);

  PrismView *view = PRISM_VIEW (prism_dashboard_get_panel (dashboard, "reconstruction")->child);
  g_assert_true (g_action_group_get_action_enabled (G_ACTION_GROUP (window), "time-first"));
  activate (window, "time-first");
  PrismSnapshot *shown = session->playback->shown;
  g_assert_cmpuint (shown->step, ==, 1);
  g_assert_true (view->image == shown->reconstruction);
  g_assert_cmpfloat (timeline->moment, ==, 1);

  prism_timeline_pick_moment (timeline, 61);
  shown = session->playback->shown;
  g_assert_cmpuint (shown->step, ==, 60);
  g_assert_true (view->image == shown->reconstruction);
  PrismSnapshot *newest = session->snapshot;
  g_assert_true (view->image != newest->reconstruction);
  activate (window, "time-last");
  g_assert_true (view->image == newest->reconstruction);
  g_assert_true (isnan (timeline->moment));
  g_assert_true (is_live (playback));

  /* A moment gets a name from its key, which leads back, can be undone, and is of this run. */
  prism_timeline_pick_moment (timeline, 61);
  activate (window, "time-ask-name");
  give_name (bar, "A < _B_");
  prism_playback_jump (playback, PRISM_JUMP_LIVE);
  WAIT_FOR (has_named (session));
  g_assert_cmpstr (session->snapshot->display, ==, "[display]\nmoments=60 A < _B_\n");
  g_assert_cmpint (g_menu_model_get_n_items (moments), ==, 1);
  g_action_group_activate_action (G_ACTION_GROUP (window), "time-step", g_variant_new_int32 (60));
  g_assert_cmpuint (session->playback->shown->step, ==, 60);
  activate (window, "time-first");
  press_name (widget_test_get_part (bar, "scale"));
  g_assert_cmpuint (session->playback->shown->step, ==, 60);
  activate (window, "time-ask-name");
  g_assert_cmpstr (gtk_editable_get_text (name_entry), ==, "A < _B_");
  gtk_menu_button_popdown (widget_test_get_part (bar, "name_button"));
  activate (window, "undo");
  WAIT_FOR (!has_named (session));
  g_assert_cmpint (g_menu_model_get_n_items (moments), ==, 0);
  activate (window, "redo");
  WAIT_FOR (has_named (session));
  activate (window, "restart");
  g_assert_null (session->draft->display);
  WAIT_FOR (!has_named (session));
  WAIT_FOR (session->state == PRISM_STATE_FINISHED);
  gtk_window_destroy (GTK_WINDOW (window));
}
