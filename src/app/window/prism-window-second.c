#include "config.h"

#include "window/prism-window-private.h"

/* The switch between two pictures that explain the measurements equally. */

static void
on_show_second (GSimpleAction *action,
                GVariant *state,
                gpointer data)
{
  PrismWindow *self = PRISM_WINDOW (data);

  g_simple_action_set_state (action, state);
  g_object_set (self->dashboard, "shows-second", g_variant_get_boolean (state), NULL);
}

/* A run that is begun or chosen is first seen by its result. */
static void
on_shown (PrismWindow *self)
{
  GAction *action = g_action_map_lookup_action (G_ACTION_MAP (self), "show-second");
  g_autoptr (GVariant) off = g_variant_ref_sink (g_variant_new_boolean (FALSE));
  g_autoptr (PrismSnapshot) shown = NULL;
  gboolean has_second;

  g_object_get (self->dashboard, "shown", &shown, NULL);
  has_second = shown != NULL && shown->second != NULL;
  if (has_second == g_action_get_enabled (action))
    return;
  g_simple_action_set_enabled (G_SIMPLE_ACTION (action), has_second);
  on_show_second (G_SIMPLE_ACTION (action), off, self);
}

/**
 * prism_window_install_second:
 * @self: a window that has its dashboard
 *
 * Adds what shows the other picture where the verdict is ambiguous.
 */
void
prism_window_install_second (PrismWindow *self)
{
  static const GActionEntry entries[]
      = { { "show-second", NULL, NULL, "false", on_show_second } };

  g_action_map_add_action_entries (G_ACTION_MAP (self), entries, G_N_ELEMENTS (entries), self);
  g_simple_action_set_enabled (
      G_SIMPLE_ACTION (g_action_map_lookup_action (G_ACTION_MAP (self), "show-second")), FALSE);
  g_signal_connect_object (self->dashboard, "notify::shown", G_CALLBACK (on_shown), self,
                           G_CONNECT_SWAPPED);
}
