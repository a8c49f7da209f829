#include "config.h"

#include "session/prism-session.h"

#include "model/prism-display.h"
#include "run/prism-run-catalogue.h"
#include "run/prism-run-lock.h"

/* How runs begin, pause and end: those of the edited configuration; those of another one that is
 * shown and run in its place, a step of a lesson or a method of a comparison; those that give way
 * to the next value; and those that come out of their files. */

/* Makes sure that what is started is what is edited. */
static gboolean
prepare (PrismSession *self)
{
  gboolean configured
      = self->snapshot != NULL && self->state == PRISM_STATE_IDLE && self->apply_id == 0
        && self->lent == NULL;

  if (self->draft->problem != NULL)
    return FALSE;
  if (!configured && !prism_session_configure (self))
    return FALSE;
  prism_session_name_file (self, self->draft->config, FALSE);
  prism_session_begin (self);
  return TRUE;
}

/**
 * prism_session_run:
 * @self: a session
 *
 * Starts a run with the edited configuration, or goes on after a pause. In place of one that stops
 * another one begins.
 */
void
prism_session_run (PrismSession *self)
{
  if (self->stopping)
    {
      prism_session_restart (self);
      return;
    }
  if (prism_session_get_going (self))
    return;
  if (self->state == PRISM_STATE_PAUSED)
    prism_session_go_on (self);
  else if (!prepare (self))
    return;
  prism_engine_run (self->engine);
}

/**
 * prism_session_pause:
 * @self: a session
 *
 * Pauses the run.
 */
void
prism_session_pause (PrismSession *self)
{
  if (prism_session_get_active (self))
    prism_engine_pause (self->engine);
}

/**
 * prism_session_step:
 * @self: a session
 * @n_samples: how many
 *
 * Runs some samples, then pauses; starts a run where there is none.
 */
void
prism_session_step (PrismSession *self,
                    guint n_samples)
{
  if (prism_session_get_active (self))
    prism_session_go_on (self);
  else if (!prepare (self))
    return;
  prism_engine_step (self->engine, n_samples);
}

/**
 * prism_session_stop:
 * @self: a session
 *
 * Ends the run and keeps its result.
 */
void
prism_session_stop (PrismSession *self)
{
  if (!prism_session_get_active (self) || self->stopping)
    return;
  prism_engine_stop (self->engine);
  self->stopping = TRUE;
  g_object_notify (G_OBJECT (self), "stopping");
}

/**
 * prism_session_set_opening:
 * @self: a session
 * @name: (nullable): of a run that is on its way out of its file; NULL when it is there, or is not
 *   to come
 *
 * Notes it, for those who show what goes on.
 */
void
prism_session_set_opening (PrismSession *self,
                           const char *name)
{
  if (g_strcmp0 (name, self->opening) == 0)
    return;
  prism_keep_text (&self->opening, name);
  g_object_notify (G_OBJECT (self), "opening");
}

/**
 * prism_session_restart:
 * @self: a session
 *
 * Ends the run, if there is one, and starts anew with the edited configuration.
 */
void
prism_session_restart (PrismSession *self)
{
  if (self->draft->problem != NULL || !prism_session_configure (self))
    return;
  prism_session_name_file (self, self->draft->config, FALSE);
  prism_session_begin (self);
  prism_engine_run (self->engine);
}

static void
take_problem (PrismSession *self,
              PrismProblem *problem)
{
  g_autoptr (PrismScene) scene = prism_scene_new_problem (problem);
  g_autoptr (PrismConfig) config = prism_config_dup (self->draft->config);
  g_autofree char *name = g_filename_display_basename (problem->recording->path);
  g_autofree char *label = g_strdup_printf (_ ("Opened “%s”"), name);
  g_autofree char *display = NULL;

  /* Marks belong to what they were drawn on. */
  if (strcmp (config->object, problem->recording->path) != 0)
    display = prism_display_set (self->draft->display, "marks", "");
  else
    display = g_strdup (self->draft->display);
  PRISM_FOR_EACH_PARAM (param)
    if (prism_config_decides (problem->settings, param))
      prism_config_copy (config, problem->settings, param);
  prism_scene_apply_problem (scene, config);
  prism_draft_open_frames (self->draft, config, scene, display, label);
}

/**
 * prism_session_start_problem:
 * @self: a session
 * @problem: recorded frames
 *
 * Explains them: begins a run. One that is under way stays as it is in its file. The frames are
 * looked at until another object is chosen, and again where that is undone.
 */
void
prism_session_start_problem (PrismSession *self,
                             PrismProblem *problem)
{
  if (prism_session_get_active (self))
    prism_engine_close (self->engine);
  take_problem (self, problem);
  prism_session_restart (self);
}

/**
 * prism_session_pass_problem:
 * @self: a session without a run under way
 * @problem: recorded frames, of which there will be more
 *
 * Shows what they tell by now: begins a passing run.
 */
void
prism_session_pass_problem (PrismSession *self,
                            PrismProblem *problem)
{
  g_return_if_fail (!prism_session_get_active (self));

  take_problem (self, problem);
  prism_session_run_passing (self);
}

/**
 * prism_session_show_lesson:
 * @self: a session without a run under way
 * @config: a step of a lesson
 *
 * Shows the scene of a step. A result that is on the screen goes as it does when a run begins.
 *
 * Returns: whether it is shown; a notice says why not
 */
gboolean
prism_session_show_lesson (PrismSession *self,
                           const PrismConfig *config)
{
  g_return_val_if_fail (!prism_session_get_active (self), FALSE);

  if (!prism_session_configure_with (self, config))
    return FALSE;
  prism_session_set_lent (self, config);
  prism_session_follow_scene (self);
  return TRUE;
}

/**
 * prism_session_show_edited:
 * @self: a session
 *
 * Shows the scene that is edited in place of one of prism_session_show_lesson(), or of its result;
 * a run that is under way stays. Recorded frames that waited are looked at again.
 */
void
prism_session_show_edited (PrismSession *self)
{
  if (self->lent != NULL && !prism_session_get_active (self) && self->engine != NULL
      && self->draft->problem == NULL)
    prism_session_configure (self);
}

/**
 * prism_session_run_config:
 * @self: a session without a run under way
 * @config: what to run
 * @is_lesson: whether it is a step of a lesson
 *
 * Starts a run with another configuration than the edited one, which stays as it is.
 *
 * Returns: whether it was started; a notice says why not
 */
gboolean
prism_session_run_config (PrismSession *self,
                          const PrismConfig *config,
                          gboolean is_lesson)
{
  if (!prism_session_show_lesson (self, config))
    return FALSE;
  prism_session_name_file (self, config, is_lesson);
  prism_session_begin (self);
  prism_engine_run (self->engine);
  return TRUE;
}

/* Runs that are begun for a value and give way to the next one: they have no file, so that one that
 * gives way leaves nothing behind that would be offered as interrupted. */

/**
 * prism_session_run_passing:
 * @self: a session
 *
 * Ends the run, if there is one, and begins a passing one with the edited configuration.
 *
 * Returns: whether it was begun; a notice says why not
 */
gboolean
prism_session_run_passing (PrismSession *self)
{
  if (self->draft->problem != NULL || !prism_session_configure (self))
    return FALSE;
  prism_engine_set_run_file (self->engine, NULL);
  /* One that gives way leaves its number to the next. */
  if (!self->passing)
    prism_session_number_run (self);
  self->passing = TRUE;
  /* Before all who show the state have heard of it, which takes some milliseconds. */
  prism_engine_run (self->engine);
  prism_session_begin (self);
  return TRUE;
}

/**
 * prism_session_keep_run:
 * @self: a session with a passing run under way
 *
 * Makes it a run like any other, with a file of its own from now on.
 */
void
prism_session_keep_run (PrismSession *self)
{
  g_return_if_fail (self->passing && prism_session_get_active (self));

  /* Its number stays. */
  self->last_number = self->number - 1;
  prism_session_name_file (self, self->draft->config, FALSE);
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

/* The settings of the run are those that are edited from now on; the engine has them already, and
 * how recorded frames are read, which an undo may lead back to.
 *
 * @reading: (nullable): of those frames */
static void
edit_settings (PrismSession *self,
               const PrismConfig *config,
               const char *display,
               const char *reading,
               const char *path)
{
  g_autofree char *name = prism_run_catalogue_dup_name (path, NULL);
  g_autofree char *label
      = g_strdup_printf (_ ("Opened “%s”: undo begins here, the library has other runs"), name);

  prism_draft_take_run (self->draft, config, display, label);
  if (reading != NULL)
    g_hash_table_insert (self->draft->readings, g_strdup (config->object), g_strdup (reading));
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
  g_autofree char *display = g_strdup (run->snapshot->display);
  g_autofree char *reading = g_strdup (run->snapshot->problem);
  gboolean done = run->snapshot->phase == PRISM_PHASE_DONE;
  gboolean read_only = prism_run_lock_is_taken (path);

  if (!take_up (self, run, read_only ? NULL : path, NULL))
    return FALSE;
  prism_session_leave_run_file (self);
  self->number = 0;
  prism_session_set_run_file (self, path);
  self->read_only = read_only;
  self->resting = !go_on || done || read_only;
  edit_settings (self, config, display, reading, path);
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
  g_autofree char *display = g_strdup (run->snapshot->display);
  g_autofree char *reading = g_strdup (run->snapshot->problem);

  prism_engine_close (self->engine);
  prism_session_name_file (self, config, FALSE);
  if (!take_up (self, run, path, config))
    {
      prism_engine_configure (self->engine, self->draft->config, NULL);
      return FALSE;
    }
  self->resting = TRUE;
  edit_settings (self, config, display, reading, path);
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
      prism_keep_text (&self->moved_from, self->run_file);
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
