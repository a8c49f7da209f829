#include "config.h"

#include "session/prism-session-private.h"

#include "base/prism-error.h"
#include "run/prism-run-folder.h"

#include <glib/gstdio.h>

/* The files of a session's runs: each run has one of its own in the program's folder without being
 * asked, and can be moved elsewhere. */

/**
 * prism_session_set_run_file:
 * @self: a session
 * @path: (nullable): the file of the run on the screen from now on
 *
 * Notes it and tells those who show it.
 */
void
prism_session_set_run_file (PrismSession *self,
                            const char *path)
{
  if (g_strcmp0 (path, self->run_file) == 0)
    return;
  g_free (self->run_file);
  self->run_file = g_strdup (path);
  self->passing = self->passing && path == NULL;
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
 * prism_session_name_file:
 * @self: a session whose engine has no run under way
 * @config: of the run that is about to begin
 * @is_lesson: whether it is a step of a lesson, which is not kept in place of the user's own runs
 *
 * Gives the next run a file: the one that the user has chosen, or one in the program's folder; none
 * where the user wants none. That it can be written is found out by the engine.
 */
void
prism_session_name_file (PrismSession *self,
                         const PrismConfig *config,
                         gboolean is_lesson)
{
  g_autofree char *folder = prism_run_folder_dup_path ();
  g_autofree char *path = g_steal_pointer (&self->chosen);

  if (path == NULL && !self->unsaved)
    path = prism_run_folder_dup_new_path (folder, config->object);
  self->resting = FALSE;
  self->read_only = FALSE;
  self->passing = FALSE;
  if (is_lesson)
    prism_engine_set_lesson_file (self->engine, path);
  else
    prism_engine_set_run_file (self->engine, path);
  note_place (path);
  g_clear_pointer (&self->moved_from, g_free);
  prism_session_set_run_file (self, path);
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
    prism_session_name_file (self, self->snapshot->config, FALSE);
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

  if (path == NULL || self->snapshot->run < self->n_begun)
    return;
  if (self->moved_from != NULL && !g_str_equal (self->moved_from, path))
    {
      forget_place (self->moved_from);
      g_clear_pointer (&self->moved_from, g_free);
      note_place (path);
    }
  prism_session_set_run_file (self, path);
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
  self->passing = FALSE;
  g_clear_pointer (&self->moved_from, g_free);
  prism_session_set_run_file (self, NULL);
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
