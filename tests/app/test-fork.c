#include "prism-test.h"
#include "support/prism-ui-text.h"
#include "window-test.h"

/* A run that is forked in the window: where it begins, what it keeps, and the way back. */
typedef struct
{
  WindowTest test;
  char *path; /* of the run that is forked */
} Fixture;

static AdwMessageDialog *
find_question (void)
{
  g_autoptr (GList) windows = gtk_window_list_toplevels ();

  for (GList *link = windows; link != NULL; link = link->next)
    if (ADW_IS_MESSAGE_DIALOG (link->data))
      return link->data;
  return NULL;
}

static gboolean
is_elsewhere (Fixture *self)
{
  const char *path = self->test.session->run_file;

  return path != NULL && strcmp (path, self->path) != 0
         && window_test_has_paused (self->test.session) && self->test.session->resting;
}

typedef struct
{
  PrismSession *session;
  guint n_visited;
} Goal;

static void
step (Fixture *self,
      guint n_samples,
      guint n_visited)
{
  Goal goal = { self->test.session, n_visited };

  prism_session_step (self->test.session, n_samples);
  WAIT_FOR (window_test_has_paused (goal.session)
            && goal.session->snapshot->n_visited == goal.n_visited);
}

/* Two pauses, each with a state in the file: at samples 2 and 4. */
SET_UP
{
  g_autoptr (PrismConfig) config = widget_test_new_config ();

  config->method = PRISM_METHOD_DECODER;
  config->start_target = PRISM_START_MEASUREMENT;
  config->steps = 20;
  config->backend = PRISM_BACKEND_CPU;
  window_test_open (&self->test, config);
  step (self, 2, 2);
  step (self, 2, 4);
  self->path = g_strdup (self->test.session->run_file);
}

TEAR_DOWN
{
  window_test_close (&self->test);
  g_free (self->path);
}

/* All that the fork has is what the run had up to there. */
static void
check_past (PrismSnapshot *fork,
            PrismSnapshot *run)
{
  guint n = 0;

  g_assert_cmpuint (fork->n_rows, >, 0);
  for (guint64 i = 0; i < fork->n_rows; i++)
    {
      PrismHistoryRow a = prism_history_get_row (fork->history, i);
      PrismHistoryRow b = prism_history_get_row (run->history, i);

      g_assert_cmpuint (a.step, ==, b.step);
      g_assert_cmpfloat_with_epsilon (a.loss_new, b.loss_new, 1e-8); /* as text has it */
    }
  while (n < run->frames->n_moments && run->frames->moments[n]->step <= fork->step)
    n++;
  g_assert_cmpuint (n, >, 2);
  g_assert_cmpuint (fork->frames->n_moments, ==, n);
}

static void
answer (const char *response)
{
  AdwMessageDialog *question = find_question ();

  adw_message_dialog_response (question, response);
  gtk_window_destroy (GTK_WINDOW (question));
}

/* Within sample 4 there is a picture but no state: slider and question name sample 3, whose state
 * is kept though nobody paused there. */
TEST_FIXTURE (earlier, "/app/fork/earlier")
{
  PrismPlayback *playback = self->test.session->playback;

  g_autoptr (PrismSnapshot) run = prism_snapshot_ref (self->test.session->snapshot);
  g_assert_false (window_test_is_enabled (&self->test, "fork-back"));
  g_assert_true (prism_playback_go_to_sample (playback, 2));
  prism_playback_jump (playback, PRISM_JUMP_NEXT);
  SAYS (prism_ui_text_dup_fork (run, playback->shown), "Fork from position 3, 1 moment earlier");
  window_test_activate (&self->test, "fork");
  WAIT_FOR (find_question () != NULL);
  g_assert_cmpstr (adw_message_dialog_get_heading (find_question ()), ==,
                   "Fork from position 3, 1 moment earlier");
  answer ("dismiss");
  g_assert_cmpstr (self->test.session->run_file, ==, self->path);

  window_test_activate (&self->test, "fork");
  WAIT_FOR (find_question () != NULL);
  answer ("confirm");
  WAIT_FOR (is_elsewhere (self));
  PrismSnapshot *fork = self->test.session->snapshot;
  g_assert_cmpuint (fork->n_visited, ==, 3);
  check_past (fork, run);
}

/* The present has a state: nothing to ask. The way back leads to the run as it was, also from a
 * fork that has gone on, and is forgotten where it leads nowhere. */
TEST_FIXTURE (there_and_back, "/app/fork/there-and-back")
{
  g_autoptr (PrismSnapshot) run = prism_snapshot_ref (self->test.session->snapshot);
  window_test_activate (&self->test, "fork");
  WAIT_FOR (is_elsewhere (self));
  g_assert_null (find_question ());
  check_past (self->test.session->snapshot, run);
  g_assert_true (window_test_is_enabled (&self->test, "fork-back"));
  /* No setting has changed: an undo that is offered would do nothing. */
  g_assert_false (window_test_is_enabled (&self->test, "undo"));
  window_test_activate (&self->test, "run");
  WAIT_FOR (window_test_has_finished (self->test.session));
  g_autofree char *fork_file = g_strdup (self->test.session->run_file);
  g_assert_true (window_test_is_enabled (&self->test, "fork-back"));
  window_test_activate (&self->test, "fork-back");
  WAIT_FOR (g_strcmp0 (self->test.session->run_file, self->path) == 0
            && window_test_has_paused (self->test.session));
  g_assert_cmpuint (self->test.session->snapshot->n_rows, ==, run->n_rows);
  g_assert_false (window_test_is_enabled (&self->test, "fork-back"));
  g_assert_true (g_file_test (fork_file, G_FILE_TEST_EXISTS));
}
