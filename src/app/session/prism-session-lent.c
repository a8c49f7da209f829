#include "config.h"

#include "session/prism-session-private.h"

/* Configurations that are shown and run in place of the edited one, which stays as it is: the steps
 * of a lesson, the methods of a comparison. */

static gboolean
show (PrismSession *self,
      const PrismConfig *config)
{
  if (!prism_session_configure_with (self, config))
    return FALSE;
  prism_session_set_lent (self, config);
  prism_session_follow_scene (self);
  return TRUE;
}

static gboolean
run (PrismSession *self,
     const PrismConfig *config,
     gboolean is_lesson)
{
  if (!show (self, config))
    return FALSE;
  if (is_lesson)
    prism_session_name_lesson_file (self, config);
  else
    prism_session_name_run_file (self, config);
  prism_session_begin (self);
  prism_engine_run (self->engine);
  return TRUE;
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

  return show (self, config);
}

/**
 * prism_session_run_lesson:
 * @self: a session without a run under way
 * @config: a step of a lesson
 *
 * Starts the run of a step.
 *
 * Returns: whether it was started; a notice says why not
 */
gboolean
prism_session_run_lesson (PrismSession *self,
                          const PrismConfig *config)
{
  g_return_val_if_fail (!prism_session_get_active (self), FALSE);

  return run (self, config, TRUE);
}

/**
 * prism_session_show_edited:
 * @self: a session
 *
 * Shows the scene that is edited in place of one of prism_session_show_lesson(). A result stays.
 * Recorded frames that waited are looked at again.
 */
void
prism_session_show_edited (PrismSession *self)
{
  if (self->lent != NULL && self->state == PRISM_STATE_IDLE && self->engine != NULL
      && prism_draft_get_problem (self->draft) == NULL)
    prism_session_configure (self);
}

/**
 * prism_session_run_config:
 * @self: a session without a run under way
 * @config: what to run
 *
 * Starts a run with another configuration than the edited one, which stays as it is.
 *
 * Returns: whether it was started; a notice says why not
 */
gboolean
prism_session_run_config (PrismSession *self,
                          const PrismConfig *config)
{
  g_return_val_if_fail (!prism_session_get_active (self), FALSE);

  return run (self, config, FALSE);
}
