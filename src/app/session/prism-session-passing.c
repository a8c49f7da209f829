#include "config.h"

#include "session/prism-session-private.h"

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
  if (prism_draft_get_problem (self->draft) != NULL || !prism_session_configure (self))
    return FALSE;
  prism_engine_set_run_file (self->engine, NULL);
  self->passing = TRUE;
  /* Before all who show the state have heard of it, which takes some milliseconds. */
  prism_engine_run (self->engine);
  prism_session_begin (self);
  return TRUE;
}

/**
 * prism_session_get_passing:
 * @self: a session
 *
 * Returns: whether the run on the screen is a passing one
 */
gboolean
prism_session_get_passing (PrismSession *self)
{
  return self->passing;
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

  prism_session_name_run_file (self, prism_draft_get_config (self->draft));
}
