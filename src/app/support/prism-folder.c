#include "config.h"

#include "support/prism-folder.h"

#include "base/prism-clock.h"
#include "base/prism-directory.h"

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

/**
 * prism_folder_is_result:
 * @path: a file name
 *
 * Returns: whether it is a folder that a run or a reconstruction has written
 */
gboolean
prism_folder_is_result (const char *path)
{
  g_autofree char *summary = g_build_filename (path, PRISM_EXCHANGE_HEAD, NULL);

  prism_exchange_finish (path);
  return g_file_test (path, G_FILE_TEST_IS_DIR) && g_file_test (summary, G_FILE_TEST_EXISTS);
}

/**
 * prism_folder_dup_new:
 * @kind: what it is of, such as “tiles”: a folder of the user's data
 * @format: of its name, for prism_clock_dup_local()
 *
 * Names a folder that is not there yet. Two of them may be asked for within one second.
 *
 * Returns: (transfer full): its path
 */
char *
prism_folder_dup_new (const char *kind,
                      const char *format)
{
  g_autofree char *name = prism_clock_dup_local (format);
  char *path = g_build_filename (g_get_user_data_dir (), "prism-studio", kind, name, NULL);

  for (guint i = 2; g_file_test (path, G_FILE_TEST_EXISTS); i++)
    {
      g_autofree char *taken = path;
      g_autofree char *other = g_strdup_printf ("%s-%u", name, i);

      path = g_build_filename (g_get_user_data_dir (), "prism-studio", kind, other, NULL);
    }
  return path;
}
