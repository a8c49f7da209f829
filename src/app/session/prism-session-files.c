#include "config.h"

#include "session/prism-session-private.h"

#include "base/prism-error.h"
#include "run/prism-run-folder.h"
#include "run/prism-run-lock.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>

/* The files of a session's runs: each run has one of its own in the program's folder without being
 * asked, and can be moved elsewhere; runs come back out of files. */

static void
set_run_file (PrismSession *self,
              const char *path)
{
  if (g_strcmp0 (path, self->run_file) == 0)
    return;
  g_free (self->run_file);
  self->run_file = g_strdup (path);
  g_object_notify (G_OBJECT (self), "run-file");
}

/* Whether the program has chosen the name, and nobody misses the file when the run is elsewhere. */
static gboolean
is_own_file (const char *path)
{
  g_autofree char *folder = prism_run_folder_dup_path ();
  g_autofree char *parent = g_path_get_dirname (path);

  return g_str_equal (folder, parent);
}

/* A run that is elsewhere is to be found all the same when it is interrupted. */
static void
note_place (const char *path)
{
  g_autofree char *folder = prism_run_folder_dup_path ();

  if (path == NULL || is_own_file (path) || g_mkdir_with_parents (folder, 0700) != 0)
    return;
  prism_run_folder_add_link (folder, path);
}

/* What a run has left where it was moved from: the program's own file goes, the user's stays. */
static void
forget_place (const char *path)
{
  g_autofree char *folder = prism_run_folder_dup_path ();

  if (is_own_file (path))
    g_unlink (path);
  else
    prism_run_folder_remove_link (folder, path);
}

/**
 * prism_session_name_run_file:
 * @self: a session whose engine has no run under way
 * @config: of the run that is about to begin
 *
 * Gives the next run a file in the program's folder. That the folder can be written is found out by
 * the engine, which says so before the run.
 */
void
prism_session_name_run_file (PrismSession *self,
                             const PrismConfig *config)
{
  g_autofree char *folder = prism_run_folder_dup_path ();
  g_autofree char *path = NULL;

  self->resting = FALSE;
  self->read_only = FALSE;
  if (!self->unsaved)
    {
      g_mkdir_with_parents (folder, 0700);
      path = prism_run_folder_dup_new_path (folder, config->object);
    }
  prism_engine_set_run_file (self->engine, path);
  g_clear_pointer (&self->moved_from, g_free);
  set_run_file (self, path);
}

/**
 * prism_session_go_on:
 * @self: a session with a run under way
 *
 * Before a run goes on: what another program writes goes on as a copy with a file of its own.
 */
void
prism_session_go_on (PrismSession *self)
{
  self->resting = FALSE;
  if (self->read_only && self->snapshot != NULL && self->snapshot->config != NULL)
    prism_session_name_run_file (self, self->snapshot->config);
  else
    note_place (self->run_file);
}

/**
 * prism_session_follow_run_file:
 * @self: a session with a new snapshot
 *
 * Notices that a run is saved elsewhere now; what the program kept of it in its own folder is then
 * a copy that would be offered as interrupted.
 */
void
prism_session_follow_run_file (PrismSession *self)
{
  const char *path = self->snapshot->run_file;

  if (path == NULL || self->starting)
    return;
  if (self->moved_from != NULL && !g_str_equal (self->moved_from, path))
    {
      forget_place (self->moved_from);
      g_clear_pointer (&self->moved_from, g_free);
      note_place (path);
    }
  set_run_file (self, path);
}

/**
 * prism_session_leave_run_file:
 * @self: a session that shows something else from now on
 *
 * Forgets the file of the run before.
 */
void
prism_session_leave_run_file (PrismSession *self)
{
  self->resting = FALSE;
  self->read_only = FALSE;
  g_clear_pointer (&self->moved_from, g_free);
  set_run_file (self, NULL);
}

/**
 * prism_session_get_run_file:
 * @self: a session
 *
 * Returns: (transfer none) (nullable): the file of the run on the screen
 */
const char *
prism_session_get_run_file (PrismSession *self)
{
  return self->run_file;
}

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

/**
 * prism_session_get_unsaved:
 * @self: a session
 *
 * Returns: whether a run waits, or could not begin, because its file cannot be written
 */
gboolean
prism_session_get_unsaved (PrismSession *self)
{
  PrismSnapshot *snapshot = self->snapshot;

  return self->run_file != NULL && snapshot != NULL && snapshot->error == PRISM_ERROR_IO
         && (self->state == PRISM_STATE_PAUSED
             || (self->state == PRISM_STATE_FAILED && snapshot->n_rows == 0));
}

/**
 * prism_session_get_read_only:
 * @self: a session
 *
 * Returns: whether the run on the screen is one that another program writes
 */
gboolean
prism_session_get_read_only (PrismSession *self)
{
  return self->read_only;
}

/**
 * prism_session_get_resting:
 * @self: a session
 *
 * Returns: whether the run on the screen comes from a file and has not gone on since
 */
gboolean
prism_session_get_resting (PrismSession *self)
{
  return self->resting;
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
  self->borrowed = FALSE;
}

/* Where the engine refuses, what it was doing goes on. */
static gboolean
take_up (PrismSession *self,
         PrismRun *run,
         const char *path,
         const PrismConfig *config)
{
  g_autoptr (GError) error = NULL;

  if (prism_engine_resume (self->engine, run, path, config, &error))
    {
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
  set_run_file (self, path);
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
  if (prism_session_get_active (self))
    {
      prism_engine_set_run_file (self->engine, NULL);
      set_run_file (self, NULL);
    }
  prism_session_run (self);
}
