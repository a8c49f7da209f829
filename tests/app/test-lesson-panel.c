#include "config.h"

#include "base/prism-file.h"
#include "canvas/prism-canvas.h"
#include "lessons/prism-lesson-page.h"
#include "lessons/prism-lesson-panel.h"
#include "prism-test.h"
#include "window-test.h"

/* Beside a lesson Run is for its step, whatever was edited before or meanwhile. */

static const char lesson[] = "[lesson]\n"
                             "title=A lesson\n"
                             "summary=Two steps\n"
                             "[settings]\n"
                             "extends=quick-look\n"
                             "image_size=64\n"
                             "object_size=16\n"
                             "aperture_radius=8\n"
                             "[step]\n"
                             "title=One\n"
                             "text=A text that takes some room.\n"
                             "question=Which?\n"
                             "choice=one\n"
                             "choice=two\n"
                             "right=1\n"
                             "picture=measurement\n"
                             "why=Because of one\n"
                             "[settings]\n"
                             "samples=4\n"
                             "[step]\n"
                             "title=Two, with a title that is too long for one line\n"
                             "text=Text\n"
                             "question=Which?\n"
                             "choice=three\n"
                             "choice=four\n"
                             "right=1\n"
                             "why=Because of two\n"
                             "[settings]\n"
                             "samples=5\n";

/* A step about frames of an instrument, one of whose lights is dark. */
static const char recorded[] = "[lesson]\ntitle=Frames\nsummary=One step\nframes=usaf-rings.npz\n"
                               "[settings]\npasses=1\npupil=flat\nmore_passes=0\n"
                               "[step]\ntitle=One\ntext=Text\nquestion=Which?\nchoice=one\n"
                               "choice=two\nright=1\npicture=lights\ndark=4\n"
                               "why=Because of one\n";

typedef WindowTest Fixture;

static void
open_lesson (WindowTest *self)
{
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), "a.prismlesson", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);

  prism_window_open_file (self->window, file);
}

/* data: "recorded" for that one */
static void
set_up (WindowTest *self,
        gconstpointer data)
{
  const char *text = g_strcmp0 (data, "recorded") == 0 ? recorded : lesson;
  g_autoptr (PrismConfig) config = widget_test_new_config ();
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), "a.prismlesson", NULL);

  window_test_open (self, config);
  g_mkdir_with_parents (g_get_user_data_dir (), 0700);
  MUST (prism_file_save (path, text, strlen (text), &error));
  open_lesson (self);
}

static void
tear_down (WindowTest *self,
           gconstpointer data)
{
  window_test_close (self);
  window_test_forget_runs ();
}

/* The button or label with this text; NULL for none that is seen. */
static GtkWidget *
find_text (gpointer widget,
           const char *text)
{
  return FIND (widget, GTK_IS_LABEL (it) && gtk_widget_get_mapped (it)
                           && g_str_equal (gtk_label_get_text (GTK_LABEL (it)), text));
}

static void
press (WindowTest *self,
       const char *text)
{
  GtkWidget *label = find_text (self->window, text);

  g_assert_nonnull (label);
  g_signal_emit_by_name (gtk_widget_get_ancestor (label, GTK_TYPE_BUTTON), "clicked");
}

static gboolean
has_question (gpointer data)
{
  return find_text (data, "Which?") != NULL;
}

static gboolean
has_reason (gpointer data)
{
  return find_text (data, "Because of one") != NULL || find_text (data, "Because of two") != NULL;
}

static void
edit (WindowTest *self,
      const char *samples)
{
  MUST (prism_draft_set_parameter (self->session->draft,
                                   prism_config_get_param ("samples"), samples, &error));
}

static void
check_samples (WindowTest *self,
               int n_samples)
{
  WAIT_FOR (window_test_has_finished (self->session));
  g_assert_cmpint (self->session->snapshot->config->samples, ==, n_samples);
}

static void
answer (WindowTest *self)
{
  WAIT_FOR (has_question (self->window));
  press (self, "one");
}

/* Each way to run: none begins one before there is an answer, but points to the first choice; all
 * begin the step. */
static void
test_run (WindowTest *self,
          gconstpointer data)
{
  const char *action = data;

  WAIT_FOR (has_question (self->window));
  g_assert_nonnull (FIND (self->window, g_strcmp0 (gtk_widget_get_tooltip_text (it),
                                                   "Run this step of the lesson (F5)")
                                            == 0));
  edit (self, "7");
  gtk_window_set_focus_visible (GTK_WINDOW (self->window), FALSE);
  window_test_activate (self, action);
  g_assert_false (prism_session_get_active (self->session));
  g_assert_true (gtk_window_get_focus_visible (GTK_WINDOW (self->window)));
  answer (self);
  window_test_activate (self, action);
  WAIT_FOR (window_test_is_active (self->session));
  if (strstr (action, "step") != NULL)
    {
      WAIT_FOR (window_test_has_paused (self->session));
      window_test_activate (self, "run");
    }
  check_samples (self, 4);
  WAIT_FOR (has_reason (self->window));

  /* Once more, with what the step says and not with what is edited. */
  window_test_activate (self, "restart");
  check_samples (self, 4);
  edit (self, "6");
}

static void
let_pass (double seconds)
{
  gint64 end = g_get_monotonic_time () + (gint64) (seconds * G_TIME_SPAN_SECOND);

  while (g_get_monotonic_time () < end)
    g_main_context_iteration (NULL, FALSE);
}

/* An exposure is shown on the object's scale: the middle of its frame, as large as the object. */
TEST_FIXTURE (exposure, "/app/lesson-panel/exposure")
{
  const PrismLessonStep step = { .picture = PRISM_LESSON_MEASUREMENT };

  answer (self);
  window_test_activate (self, "run");
  WAIT_FOR (has_reason (self->window));
  const PrismSnapshot *snapshot = self->session->snapshot;
  g_autoptr (PrismImage) picture = prism_lesson_page_dup_picture (&step, snapshot);
  g_assert_cmpint (picture->width, ==, 16);
  g_assert_cmpint (picture->height, ==, 16);
  g_assert_cmpfloat (picture->pixels[0], ==, snapshot->measurement->pixels[24 * 64 + 24]);
  g_assert_cmpfloat (picture->pixels[16 * 16 - 1], ==,
                     snapshot->measurement->pixels[39 * 64 + 39]);
}

/* With one exposure chosen before, the picture that is asked for is hidden until the run. */
TEST_FIXTURE (exposure_is_no_answer, "/app/lesson-panel/exposure-is-no-answer")
{
  PrismDashboard *dashboard = widget_test_find (self->window, PRISM_TYPE_DASHBOARD);
  PrismPanel *panel = prism_dashboard_get_panel (dashboard, "measurement");
  PrismView *view = PRISM_VIEW (panel->child);

  window_test_activate (self, "show-exposure");
  WAIT_FOR (has_question (self->window));
  g_assert_null (view->image);
  answer (self);
  window_test_activate (self, "run");
  WAIT_FOR (has_reason (self->window));
  g_assert_true (view->image
                 == self->session->snapshot->exposure);
}

static void
check_focus (WindowTest *self,
             const char *text)
{
  GtkWindow *window = GTK_WINDOW (self->window);

  g_assert_true (gtk_window_get_focus_visible (window));
  g_assert_true (gtk_window_get_focus (window)
                 == gtk_widget_get_ancestor (find_text (window, text),
                                             GTK_TYPE_BUTTON));
}

/* Who has no pointer answers at once, goes on when the run is over, and answers again; F6 leads
 * to the pictures, and around to the answers. */
TEST_FIXTURE (keys, "/app/lesson-panel/keys")
{
  WAIT_FOR (has_question (self->window));
  check_focus (self, "one");
  answer (self);
  press (self, "Run this step");
  WAIT_FOR (has_reason (self->window));
  check_focus (self, "Go on");
  /* There is more below than a low window has room for. */
  gtk_window_set_default_size (GTK_WINDOW (self->window), 720, 480);
  WAIT_FOR (widget_test_press (widget_test_get_part (self->window, "lesson_panel"),
                               GDK_KEY_Page_Down, 0));
  gtk_window_set_focus_visible (GTK_WINDOW (self->window), FALSE);
  press (self, "Go on");
  check_focus (self, "three");
  window_test_activate (self, "focus-other");
  g_assert_true (PRISM_IS_CANVAS (gtk_window_get_focus (GTK_WINDOW (self->window))));
  for (int i = 0; i < 3; i++)
    window_test_activate (self, "focus-other");
  check_focus (self, "three");
}

/* Followed changes, and values that the run could not have, wait until the lesson is left. */
TEST_FIXTURE (edited, "/app/lesson-panel/edited")
{
  answer (self);
  g_action_group_change_action_state (G_ACTION_GROUP (self->window), "follow",
                                      g_variant_new_boolean (TRUE));
  edit (self, "7");
  let_pass (0.5);
  g_assert_false (prism_session_get_active (self->session));
  g_assert_true (self->session->borrowed);
  window_test_activate (self, "run");
  g_assert_false (window_test_is_enabled (self, "restart"));
  g_assert_false (window_test_is_enabled (self, "run-to-convergence"));
  check_samples (self, 4);
  g_assert_false (window_test_is_enabled (self, "discard-result"));
  WAIT_FOR (has_reason (self->window));
  press (self, "Go on");
  WAIT_FOR (has_question (self->window));
  press (self, "three");
  window_test_activate (self, "run");
  check_samples (self, 5);
}

static gboolean
has_largest (gpointer panel)
{
  GtkWidget *grid = gtk_widget_get_parent (panel);
  const int width = gtk_widget_get_width (panel);

  for (GtkWidget *other = gtk_widget_get_first_child (grid); other != NULL;
       other = gtk_widget_get_next_sibling (other))
    if (other != panel && gtk_widget_get_child_visible (other) && PRISM_IS_PANEL (other)
        && gtk_widget_get_height (other) * gtk_widget_get_width (other)
               >= width * gtk_widget_get_height (panel))
      return FALSE;
  return width > 0;
}

/* The panel that the question is about is the largest, until another one is asked. What is computed
 * from an exposure is another answer, which comes when it is asked for. */
TEST_FIXTURE (asked_panel_is_largest, "/app/lesson-panel/asked-panel-is-largest")
{
  PrismDashboard *dashboard = widget_test_get_part (self->window, "dashboard");
  PrismPanel *measurement = prism_dashboard_get_panel (dashboard, "measurement");
  PrismPanel *reconstruction = prism_dashboard_get_panel (dashboard, "reconstruction");

  answer (self);
  WAIT_FOR (has_largest (measurement));
  window_test_activate (self, "run");
  WAIT_FOR (has_reason (self->window));
  g_assert_true (has_largest (measurement));
  g_assert_false (gtk_widget_get_visible (GTK_WIDGET (reconstruction)));
  press (self, "Show what is computed from it");
  WAIT_FOR (has_largest (reconstruction));
  press (self, "Go on");
  WAIT_FOR (has_largest (reconstruction));
}

/* Who goes on while a step runs once more sees the scene of the next one, and not what came out. */
TEST_FIXTURE (go_on_early, "/app/lesson-panel/go-on-early")
{
  answer (self);
  window_test_activate (self, "run");
  WAIT_FOR (has_reason (self->window));
  window_test_activate (self, "restart");
  WAIT_FOR (window_test_is_active (self->session));
  press (self, "Go on");
  WAIT_FOR (window_test_is_idle (self->session));
  g_assert_cmpint (prism_session_get_planned (self->session)->samples, ==, 5);
  g_assert_null (find_text (self->window, "The run was stopped before it could answer:"
                                          " run this step again."));
}

static int
get_wish (WindowTest *self)
{
  GtkWidget *panel = widget_test_get_part (self->window, "lesson_panel");
  GtkWidget *sidebar = gtk_widget_get_parent (panel);
  int width;

  gtk_widget_measure (sidebar, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &width, NULL, NULL);
  return width;
}

/* No step moves the panels beside it: what it says is wrapped. */
TEST_FIXTURE (width, "/app/lesson-panel/width")
{
  WAIT_FOR (has_question (self->window));
  int first = get_wish (self);
  answer (self);
  window_test_activate (self, "run");
  WAIT_FOR (has_reason (self->window));
  g_assert_cmpint (get_wish (self), ==, first);
  press (self, "Go on");
  g_assert_cmpint (get_wish (self), ==, first);
}

/* At the end it is said that it is one, and the button that went on leads to the next lesson. */
TEST_FIXTURE (the_end, "/app/lesson-panel/the-end")
{
  GtkWidget *window = GTK_WIDGET (self->window);
  const char *over
      = "The lesson is over. Begin another one, or leave it to run your own settings.";

  for (int i = 0; i < 2; i++)
    {
      g_assert_null (find_text (window, over));
      WAIT_FOR (has_question (self->window));
      press (self, i == 0 ? "one" : "three");
      window_test_activate (self, "run");
      WAIT_FOR (has_reason (self->window));
      press (self, "Go on");
    }
  WAIT_FOR (find_text (self->window, "Next lesson") != NULL);
  g_assert_nonnull (find_text (window, over));
  press (self, "Next lesson");
  g_assert_null (find_text (window, "A lesson"));
  g_assert_null (find_text (window, over));
}

static gboolean
is_back (gpointer data)
{
  const PrismSession *session = data;

  return session->resting && session->snapshot->state == PRISM_STATE_FINISHED
         && session->draft->config->samples == 7;
}

/* Who leaves a lesson is back at the run that was shown before, with the settings as edited. */
TEST_FIXTURE (back_at_the_run, "/app/lesson-panel/back-at-the-run")
{
  WAIT_FOR (has_question (self->window));
  g_signal_emit_by_name (widget_test_get_part (self->window, "lesson_panel"), "closed");
  window_test_activate (self, "run");
  WAIT_FOR (window_test_has_finished (self->session));
  edit (self, "7");
  open_lesson (self);
  WAIT_FOR (has_question (self->window));
  WAIT_FOR (window_test_is_idle (self->session));
  g_signal_emit_by_name (widget_test_get_part (self->window, "lesson_panel"), "closed");
  WAIT_FOR (is_back (self->session));
}

/* Who began it with nothing on the screen is back at the ways in, also after its runs. */
TEST_FIXTURE (back_at_the_start, "/app/lesson-panel/back-at-the-start")
{
  GtkWidget *dashboard = widget_test_get_part (self->window, "dashboard");

  answer (self);
  window_test_activate (self, "run");
  WAIT_FOR (has_reason (self->window));
  g_assert_cmpint (self->session->state, ==, PRISM_STATE_FINISHED);
  g_signal_emit_by_name (widget_test_get_part (self->window, "lesson_panel"), "closed");
  WAIT_FOR (window_test_is_idle (self->session));
  WAIT_FOR (gtk_widget_get_mapped (widget_test_get_part (dashboard, "ways")));
}

/* The queue waits until the lesson is left. */
TEST_FIXTURE (queue, "/app/lesson-panel/queue")
{
  GtkWidget *panel = widget_test_find (self->window, PRISM_TYPE_LESSON_PANEL);

  WAIT_FOR (has_question (self->window));
  edit (self, "7");
  window_test_activate (self, "queue-add");
  window_test_activate (self, "queue-run");
  let_pass (0.3);
  g_assert_false (prism_session_get_active (self->session));
  answer (self);
  window_test_activate (self, "run");
  check_samples (self, 4);
  let_pass (0.3);
  check_samples (self, 4);
  g_signal_emit_by_name (panel, "closed");
  WAIT_FOR (window_test_is_active (self->session));
  check_samples (self, 7);
}

/* The step explains its own frames with its own fault; what was edited is there afterwards. */
TEST_WITH (recorded, "/app/lesson-panel/recorded", "recorded")
{
  GtkWidget *panel = widget_test_find (self->window, PRISM_TYPE_LESSON_PANEL);

  answer (self);
  window_test_activate (self, "run");
  WAIT_FOR (has_reason (self->window));
  const PrismSnapshot *snapshot = self->session->snapshot;
  g_assert_true (prism_snapshot_is_recorded (snapshot));
  g_assert_cmpuint (snapshot->finding->n_frames, ==, 37);
  g_assert_true (snapshot->finding->frames[4].left_out);
  g_assert_cmpint (self->session->draft->config->kind, ==, PRISM_FRAMES_OF_TELESCOPE);
  window_test_activate (self, "restart");
  WAIT_FOR (window_test_has_finished (self->session));
  g_signal_emit_by_name (panel, "closed");
  edit (self, "7");
  window_test_activate (self, "run");
  check_samples (self, 7);
  g_assert_false (prism_snapshot_is_recorded (self->session->snapshot));
}

/* In a low window what came out is below what is asked: it is scrolled to. */
TEST_FIXTURE (reveal_is_seen, "/app/lesson-panel/reveal-is-seen")
{
  GtkWidget *panel = widget_test_find (self->window, PRISM_TYPE_LESSON_PANEL);
  GtkScrolledWindow *scroller = widget_test_find (panel, GTK_TYPE_SCROLLED_WINDOW);
  GtkAdjustment *adjustment = gtk_scrolled_window_get_vadjustment (scroller);
  graphene_rect_t place;

  gtk_window_set_default_size (GTK_WINDOW (self->window), 900, 600);
  answer (self);
  g_assert_cmpfloat (gtk_adjustment_get_value (adjustment), ==, 0);
  window_test_activate (self, "run");
  WAIT_FOR (has_reason (self->window));
  WAIT_FOR (gtk_adjustment_get_value (adjustment) > 0);
  g_assert_true (gtk_widget_compute_bounds (find_text (panel, "Came out"), GTK_WIDGET (scroller),
                                            &place));
  g_assert_cmpfloat (place.origin.y, >=, 0);
  g_assert_cmpfloat (place.origin.y + place.size.height, <=,
                     gtk_widget_get_height (GTK_WIDGET (scroller)));
}

TESTS
{
#define ADD(name, data, func) \
  g_test_add ("/app/lesson-panel/" name, WindowTest, data, set_up, func, tear_down)
  ADD ("run", "run", test_run);
  ADD ("toggle-run", "toggle-run", test_run);
  ADD ("step", "step", test_run);
  ADD ("step-several", "step-several", test_run);
}
