#include "config.h"

#include "prism-window-private.h"

/**
 * prism_window_install_kspace:
 * @self: a window
 *
 * Adds the actions of the panel that shows k-space.
 */
void
prism_window_install_kspace (PrismWindow *self)
{
  PrismKspaceView *view = prism_dashboard_get_kspace_view (self->dashboard);
  g_autoptr (GPropertyAction) correlation
      = g_property_action_new ("show-correlation", view, "show-correlation");

  g_action_map_add_action (G_ACTION_MAP (self), G_ACTION (correlation));
}
