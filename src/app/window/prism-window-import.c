#include "config.h"

#include "window/prism-window-private.h"

#include "measurements/prism-import-window.h"
#include "reconstruction/prism-reconstruction-window.h"

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
  GtkWidget *window = prism_import_window_new ();

  gtk_window_set_transient_for (GTK_WINDOW (window), GTK_WINDOW (self));
  gtk_window_set_destroy_with_parent (GTK_WINDOW (window), TRUE);
  gtk_window_present (GTK_WINDOW (window));
  if (path != NULL)
    prism_import_window_open (PRISM_IMPORT_WINDOW (window), path);
}

/**
 * prism_window_open_finding:
 * @self: a window
 * @directory: the folder of a result
 *
 * Shows what was found of recorded frames.
 */
void
prism_window_open_finding (PrismWindow *self,
                           const char *directory)
{
  GtkWidget *window = prism_reconstruction_window_new (NULL);

  gtk_window_set_transient_for (GTK_WINDOW (window), GTK_WINDOW (self));
  gtk_window_set_destroy_with_parent (GTK_WINDOW (window), TRUE);
  gtk_window_present (GTK_WINDOW (window));
  prism_reconstruction_window_open (PRISM_RECONSTRUCTION_WINDOW (window), directory);
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
