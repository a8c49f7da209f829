#include "config.h"

#include "support/prism-folder.h"

#include <glib/gi18n.h>

/**
 * prism_folder_ask:
 * @window: over which the dialog is shown
 * @title: of the dialog, translated
 * @func: called with the window as its data, which is held until then
 *
 * Asks for a folder.
 */
void
prism_folder_ask (GtkWidget *window,
                  const char *title,
                  PrismFileDialogFunc func)
{
  const PrismFileDialog dialog = {
    .mode = PRISM_FILE_DIALOG_FOLDER,
    .title = title,
    .accept = _ ("_Open"),
  };

  prism_file_dialog_show (&dialog, GTK_WINDOW (window), func, g_object_ref (window),
                          g_object_unref);
}

/**
 * prism_folder_show:
 * @directory: a folder
 *
 * Shows it in the program that the desktop has for that.
 *
 * Errors: those of GIO.
 *
 * Returns: whether there is such a program
 */
gboolean
prism_folder_show (const char *directory,
                   GError **error)
{
  g_autoptr (GFile) folder = g_file_new_for_path (directory);
  g_autofree char *uri = g_file_get_uri (folder);

  return g_app_info_launch_default_for_uri (uri, NULL, error);
}
