#include "config.h"

#include "window/prism-window-private.h"

#include "history/prism-frames.h"
#include "prism-scale.h"
#include "support/prism-job.h"
#include "support/prism-message.h"
#include "support/prism-wording.h"

#include <glib/gi18n.h>

/* Another run whose past is that of the first. It begins with one of the states that the file has,
 * which may be earlier than the moment that is shown: the user is then asked. */
typedef struct
{
  PrismWindow *window;
  char *path;
  PrismSnapshot *shown;
  gboolean paused; /* for the fork alone */
  PrismRun *run;   /* (nullable): where it begins, while the question is asked */
} Fork;

static void
fork_free (gpointer data)
{
  Fork *fork = data;

  g_object_unref (fork->window);
  g_free (fork->path);
  prism_snapshot_unref (fork->shown);
  prism_run_free (fork->run);
  g_free (fork);
}

static Fork *
fork_new (PrismWindow *window,
          const char *path,
          PrismSnapshot *shown,
          gboolean paused)
{
  Fork *fork = g_new0 (Fork, 1);

  fork->window = g_object_ref (window);
  fork->path = g_strdup (path);
  fork->shown = prism_snapshot_ref (shown);
  fork->paused = paused;
  return fork;
}

/* Another thread. */
static gpointer
read_state (gpointer data,
            GError **error)
{
  Fork *fork = data;

  return prism_run_file_load_until (fork->path, fork->shown->step, error);
}

static void
enable_actions (PrismWindow *self)
{
  gboolean any = prism_session_get_run_file (self->session) != NULL;

  prism_window_set_enabled (self, "fork", any);
  prism_window_set_enabled (self, "fork-back", self->forked_from != NULL);
}

static void
begin (Fork *fork)
{
  PrismWindow *self = fork->window;
  g_autofree char *from = g_strdup (fork->path);

  prism_window_hide_problem (self);
  if (!prism_session_fork_run (self->session, g_steal_pointer (&fork->run), fork->path))
    return;
  g_free (self->forked_from);
  self->forked_from = g_steal_pointer (&from);
  g_free (self->fork_file);
  self->fork_file = g_strdup (prism_session_get_run_file (self->session));
  enable_actions (self);
  prism_window_update_runs (self);
  prism_window_show_toast (self, _ ("A new run begins here: change its settings, then resume"));
}

/* How many moments the user gives up. */
static guint
count_moments (const Fork *fork)
{
  const PrismFrames *frames = fork->shown->frames;
  guint n = 0;

  for (guint i = 0; frames != NULL && i < frames->n_moments; i++)
    n += frames->moments[i]->step > fork->run->snapshot->step
         && frames->moments[i]->step <= fork->shown->step;
  return n;
}

static char *
dup_heading (const Fork *fork)
{
  const PrismSnapshot *first = fork->run->snapshot;
  guint n = count_moments (fork);

  if (first->step == 0)
    return g_strdup (_ ("Fork from the beginning?"));
  if (n == 0)
    return g_strdup_printf (_ ("Fork from sample %u?"), prism_wording_count_samples (first));
  return g_strdup_printf (ngettext ("Fork from sample %u, %u moment earlier?",
                                    "Fork from sample %u, %u moments earlier?", n),
                          prism_wording_count_samples (first), n);
}

static void
on_answer (PrismAnswer answer,
           gpointer data)
{
  Fork *fork = data;
  PrismSession *session = fork->window->session;

  if (answer == PRISM_ANSWER_CONFIRM)
    begin (fork);
  else if (fork->paused && prism_session_get_state (session) == PRISM_STATE_PAUSED)
    prism_session_run (session);
}

static void
ask (Fork *fork)
{
  g_autofree char *heading = dup_heading (fork);
  g_autofree char *shown = prism_ticks_dup_count (fork->shown->step);
  g_autofree char *first = prism_ticks_dup_count (fork->run->snapshot->step);
  g_autofree char *body = g_strdup_printf (
      _ ("Of step %s there is a picture, but no state to go on from: the newest one before it is "
         "of step %s. The new run has all curves and moments up to there, and the run on the "
         "screen stays as it is in its file."),
      shown, first);
  const PrismMessage message = { heading, body, _ ("_Cancel"), _ ("_Fork"), FALSE, NULL };

  prism_message_show (&message, GTK_WINDOW (fork->window), on_answer, fork, fork_free);
}

static void
on_state_read (gpointer data,
               gpointer result,
               const GError *error)
{
  Fork *fork = data, *asking;

  if (result == NULL)
    {
      if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        prism_window_show_problem (fork->window, error->message);
      return;
    }
  fork->run = result;
  if (fork->run->snapshot->step >= fork->shown->step)
    {
      begin (fork);
      return;
    }
  asking = fork_new (fork->window, fork->path, fork->shown, fork->paused);
  asking->run = g_steal_pointer (&fork->run);
  ask (asking);
}

static const PrismJob reading_job = {
  .name = "fork a run",
  .run = read_state,
  .done = on_state_read,
  .free_data = fork_free,
  .free_result = (GDestroyNotify) prism_run_free,
};

/* From the moment that is shown, or the present; a run that is over goes on from before its end. */
static void
fork_now (PrismWindow *self,
          gboolean paused)
{
  PrismSnapshot *shown = prism_session_get_shown (self->session);
  const char *path = prism_session_get_run_file (self->session);

  self->forking = FALSE;
  if (path == NULL || shown == NULL)
    return;
  prism_job_start (&reading_job, fork_new (self, path, shown, paused),
                   prism_window_begin_reading (self));
}

static void
on_fork (GSimpleAction *action,
         GVariant *parameter,
         gpointer data)
{
  PrismWindow *self = data;
  PrismState state = prism_session_get_state (self->session);

  if (state != PRISM_STATE_RUNNING && state != PRISM_STATE_PREPARING)
    {
      fork_now (self, FALSE);
      return;
    }
  self->forking = TRUE;
  prism_session_pause (self->session);
}

static void
on_fork_back (GSimpleAction *action,
              GVariant *parameter,
              gpointer data)
{
  PrismWindow *self = data;

  if (self->forked_from != NULL)
    prism_window_open_run (self, self->forked_from);
}

/* Goes on with a fork that waited for the run to pause. */
static void
on_state_changed (PrismWindow *self)
{
  if (self->forking && prism_session_get_state (self->session) == PRISM_STATE_PAUSED)
    fork_now (self, TRUE);
}

static void
leave (PrismWindow *self,
       const char *path)
{
  if (self->fork_file == NULL || g_strcmp0 (path, self->fork_file) == 0)
    return;
  g_clear_pointer (&self->fork_file, g_free);
  if (path != NULL && g_strcmp0 (path, self->saving_run) == 0)
    self->fork_file = g_strdup (path);
  else
    g_clear_pointer (&self->forked_from, g_free);
}

/* Where a fork came from is forgotten as soon as another run is on the screen; one that is saved
 * elsewhere is the same. */
static void
on_run_file_changed (PrismWindow *self)
{
  leave (self, prism_session_get_run_file (self->session));
  enable_actions (self);
}

/**
 * prism_window_install_fork:
 * @self: a window
 *
 * Adds the actions that begin another run with the past of this one, and lead back to the first.
 */
void
prism_window_install_fork (PrismWindow *self)
{
  static const GActionEntry entries[] = {
    { "fork", on_fork },
    { "fork-back", on_fork_back },
  };

  g_action_map_add_action_entries (G_ACTION_MAP (self), entries, G_N_ELEMENTS (entries), self);
  g_signal_connect_object (self->session, "notify::state", G_CALLBACK (on_state_changed), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->session, "notify::run-file", G_CALLBACK (on_run_file_changed),
                           self, G_CONNECT_SWAPPED);
  enable_actions (self);
}
