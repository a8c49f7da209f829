#include "config.h"

#include "session/prism-session-private.h"

/* Marks and limits that change when a run is over belong to it all the same. Those that come with
 * another configuration, or go with one, belong to that: they leave the run as it was. */

/**
 * prism_session_follow_view:
 * @self: a session whose draft has changed
 *
 * Notes whether marks or limits have changed, and nothing else with them.
 */
void
prism_session_follow_view (PrismSession *self)
{
  const PrismConfig *config = prism_draft_get_config (self->draft);

  if (!prism_config_view_equal (self->drafted, config))
    self->view_edited = prism_config_view_is_all (self->drafted, config);
  prism_config_free (self->drafted);
  self->drafted = prism_config_dup (config);
}

/**
 * prism_session_apply_view:
 * @self: a session that shows a result
 *
 * Gives the run that is over the marks and limits that were edited, for its file as well.
 *
 * Errors: as prism_engine_update().
 *
 * Returns: whether there were none, or they were taken
 */
gboolean
prism_session_apply_view (PrismSession *self,
                          GError **error)
{
  if (!self->view_edited || self->engine == NULL || prism_draft_get_problem (self->draft) != NULL)
    return TRUE;
  self->view_edited = FALSE;
  return prism_engine_update (self->engine, prism_draft_get_config (self->draft), error);
}
