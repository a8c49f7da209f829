#include "config.h"

#include "window/prism-window-private.h"

#include "measurements/prism-import-window.h"

#include <glib/gi18n.h>

/* The window of the frames goes out of the way, and comes back as it was. */
static void
on_reconstruct (PrismWindow *self,
                PrismProblem *problem)
{
  gtk_widget_set_visible (GTK_WIDGET (self->import_window), FALSE);
  prism_window_hide_problem (self);
  g_action_group_activate_action (G_ACTION_GROUP (self), "arrangement",
                                  g_variant_new_string ("microscope"));
  prism_session_start_problem (self->session, problem);
  gtk_window_present (GTK_WINDOW (self));
}

static void
on_destroyed (PrismWindow *self)
{
  self->import_window = NULL;
}

/**
 * prism_window_open_measurements:
 * @self: a window
 * @path: (nullable): a file with recorded frames, NULL for one that is opened there
 *
 * Shows what frames that a camera recorded are understood as.
 */
void
prism_window_open_measurements (PrismWindow *self,
                                const char *path)
{
  if (self->import_window == NULL)
    {
      self->import_window = GTK_WINDOW (prism_import_window_new ());
      gtk_window_set_transient_for (self->import_window, GTK_WINDOW (self));
      gtk_window_set_destroy_with_parent (self->import_window, TRUE);
      g_signal_connect_object (self->import_window, "reconstruct", G_CALLBACK (on_reconstruct),
                               self, G_CONNECT_SWAPPED);
      g_signal_connect_object (self->import_window, "destroy", G_CALLBACK (on_destroyed), self,
                               G_CONNECT_SWAPPED);
    }
  gtk_window_present (self->import_window);
  if (path != NULL)
    prism_import_window_open (PRISM_IMPORT_WINDOW (self->import_window), path);
}

static void
on_open_measurements (GSimpleAction *action,
                      GVariant *parameter,
                      gpointer data)
{
  prism_window_open_measurements (data, NULL);
}

/**
 * prism_window_install_import:
 * @self: a window
 *
 * Adds the action that opens recorded frames.
 */
void
prism_window_install_import (PrismWindow *self)
{
  static const GActionEntry entries[] = { { "open-measurements", on_open_measurements } };

  g_action_map_add_action_entries (G_ACTION_MAP (self), entries, G_N_ELEMENTS (entries), self);
}
