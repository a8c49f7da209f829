#include "config.h"

#include "session/prism-session-private.h"

/* Whose object and path the screen plans: the edited configuration, or one in its place;
 * see prism-session-lent.c. */

/**
 * prism_session_set_lent:
 * @self: a session
 * @config: (nullable): what stands in place of the edited configuration from now on
 *
 * Notes it, and tells whoever shows what is planned.
 */
void
prism_session_set_lent (PrismSession *self,
                        const PrismConfig *config)
{
  PrismConfig *before = self->lent;

  if (before == NULL && config == NULL)
    return;
  self->lent = config != NULL ? prism_config_dup (config) : NULL;
  prism_config_free (before);
  g_object_notify (G_OBJECT (self), "lent");
}

/**
 * prism_session_get_borrowed:
 * @self: a session
 *
 * Returns: whether what is on the screen is of another configuration than the edited one; see
 *   prism_session_show_lesson() and prism_session_run_config()
 */
gboolean
prism_session_get_borrowed (PrismSession *self)
{
  return self->lent != NULL;
}

/**
 * prism_session_get_planned:
 * @self: a session
 *
 * Returns: (transfer none): the configuration whose path is planned: the edited one, unless another
 *   one stands in its place, which “notify::lent” tells
 */
const PrismConfig *
prism_session_get_planned (PrismSession *self)
{
  return self->lent != NULL ? self->lent : prism_draft_get_config (self->draft);
}
