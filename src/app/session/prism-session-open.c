#include "config.h"

#include "session/prism-session-private.h"

#include "run/prism-run-lock.h"

#include <glib/gi18n.h>

/* How runs come out of their files into a session, begin anew from one, and go elsewhere. */

/**
 * prism_session_get_saved:
 * @self: a session
 *
 * Returns: whether a run is under way that its file will have, so that the program may leave it
 */
gboolean
prism_session_get_saved (PrismSession *self)
{
  return prism_session_get_active (self) && self->run_file != NULL && !self->read_only
         && (self->snapshot == NULL || self->snapshot->error < 0);
}

/* The settings of the run are those that are edited from now on; the engine has them already. */
static void
edit_settings (PrismSession *self,
               const PrismConfig *config,
               const char *path)
{
  g_autofree char *name = g_filename_display_basename (path);
  g_autofree char *label = g_strdup_printf (_ ("Opened “%s”"), name);

  prism_draft_set_config (self->draft, config, label);
  g_clear_handle_id (&self->apply_id, g_source_remove);
  prism_session_set_lent (self, NULL);
}

/* Where the engine refuses, what it was doing goes on. */
static gboolean
take_up (PrismSession *self,
         PrismRun *run,
         const char *path,
         const PrismConfig *config)
{
  g_autofree char *frames
      = run->snapshot->recorded ? g_strdup (run->snapshot->config->object) : NULL;
  g_autoptr (GError) error = NULL;

  if (prism_engine_resume (self->engine, run, path, config, &error))
    {
      if (frames != NULL)
        prism_draft_set_frames (self->draft, frames);
      prism_session_keep_result (self);
      return TRUE;
    }
  prism_session_emit_failure (self, error);
  return FALSE;
}

/**
 * prism_session_open_run:
 * @self: a session
 * @run: (transfer full): of prism_run_file_load()
 * @path: its file
 * @go_on: whether to go on at once, unless the run is finished or another program writes it
 *
 * Shows a run as it stood in its file; prism_session_run() goes on from there. Its settings become
 * those that are edited. A run that was under way is left as it is in its own file. What another
 * program writes is shown alone, and goes on as a copy.
 *
 * Returns: whether it was taken; a notice says why not
 */
gboolean
prism_session_open_run (PrismSession *self,
                        PrismRun *run,
                        const char *path,
                        gboolean go_on)
{
  g_autoptr (PrismConfig) config = prism_config_dup (run->snapshot->config);
  gboolean done = run->snapshot->phase == PRISM_PHASE_DONE;
  gboolean read_only = prism_run_lock_is_taken (path);

  if (!take_up (self, run, read_only ? NULL : path, NULL))
    return FALSE;
  prism_session_leave_run_file (self);
  prism_session_set_run_file (self, path);
  self->read_only = read_only;
  self->resting = !go_on || done || read_only;
  edit_settings (self, config, path);
  prism_session_begin (self);
  if (!self->resting)
    prism_engine_run (self->engine);
  return TRUE;
}

/**
 * prism_session_fork_run:
 * @self: a session
 * @run: (transfer full): of prism_run_file_load()
 * @path: its file
 *
 * Begins another run whose past is that of the first, paused, to change its settings and go on. It
 * has a file of its own; that of the first stays as it is.
 *
 * Returns: whether it was begun; a notice says why not
 */
gboolean
prism_session_fork_run (PrismSession *self,
                        PrismRun *run,
                        const char *path)
{
  g_autoptr (PrismConfig) config = prism_config_dup (run->snapshot->config);

  prism_engine_close (self->engine);
  prism_session_name_run_file (self, config);
  if (!take_up (self, run, path, config))
    {
      prism_engine_configure (self->engine, prism_draft_get_config (self->draft), NULL);
      return FALSE;
    }
  self->resting = TRUE;
  edit_settings (self, config, path);
  prism_session_begin (self);
  return TRUE;
}

/**
 * prism_session_move_run:
 * @self: a session with a run under way
 * @path: where it shall be saved from now on
 *
 * Saves the run elsewhere. Where that cannot be done, it pauses and stays where it was.
 */
void
prism_session_move_run (PrismSession *self,
                        const char *path)
{
  g_return_if_fail (prism_session_get_active (self));

  if (self->run_file != NULL && !self->read_only)
    {
      g_free (self->moved_from);
      self->moved_from = g_strdup (self->run_file);
    }
  self->read_only = FALSE;
  prism_engine_set_run_file (self->engine, path);
}

/**
 * prism_session_run_in:
 * @self: a session without a run under way
 * @path: where the run shall be saved
 *
 * Starts a run with the edited configuration and a file that the user has chosen.
 */
void
prism_session_run_in (PrismSession *self,
                      const char *path)
{
  g_return_if_fail (!prism_session_get_active (self));

  self->chosen = g_strdup (path);
  prism_session_run (self);
  g_clear_pointer (&self->chosen, g_free);
}

/**
 * prism_session_run_unsaved:
 * @self: a session
 *
 * Runs without a file, this run and those after it, where none can be written; a run under way goes
 * on.
 */
void
prism_session_run_unsaved (PrismSession *self)
{
  self->unsaved = TRUE;
  prism_session_follow_device (self);
  if (prism_session_get_active (self))
    {
      prism_engine_set_run_file (self->engine, NULL);
      prism_session_set_run_file (self, NULL);
    }
  prism_session_run (self);
}
