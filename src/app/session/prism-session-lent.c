#include "config.h"

#include "session/prism-session-private.h"

/* Configurations that are shown and run in place of the edited one, which stays as it is: the steps
 * of a lesson, the methods of a comparison. */

/**
 * prism_session_show_config:
 * @self: a session without a run under way
 * @config: what will be run
 *
 * Shows the scene of another configuration than the edited one: object, spectrum, planned path. A
 * result that is on the screen goes as it does when a run begins.
 *
 * Returns: whether it is shown; a notice says why not
 */
gboolean
prism_session_show_config (PrismSession *self,
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
 * Shows the scene that is edited in place of one of prism_session_show_config(). A result stays.
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
  if (!prism_session_show_config (self, config))
    return FALSE;
  prism_session_name_run_file (self, config);
  prism_session_begin (self);
  prism_engine_run (self->engine);
  return TRUE;
}
