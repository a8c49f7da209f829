#include "config.h"

#include "window/prism-window-private.h"

#include "run/prism-run-folder.h"

#include <glib/gi18n.h>

/* The run's own file, or the configuration's; runs that nobody has named have none. */
static char *
dup_file_name (const char *run_file,
               const char *opened)
{
  g_autofree char *folder = prism_run_folder_dup_path ();

  if (run_file != NULL && !g_str_has_prefix (run_file, folder))
    return g_filename_display_basename (run_file);
  return g_strdup (opened);
}

/* Of the header bar. */
static char *
dup_title (GObject *object,
           const char *run_file,
           const char *opened)
{
  g_autofree char *file = dup_file_name (run_file, opened);

  return file != NULL ? g_steal_pointer (&file) : g_strdup (_ ("PRISM Studio"));
}

/* Where the header bar has no room for all of it. */
static char *
dup_whole_title (GObject *object,
                 const char *run_file,
                 const char *opened,
                 const char *scene)
{
  g_autofree char *title = dup_title (object, run_file, opened);

  return scene != NULL ? g_strconcat (title, "\n", scene, NULL) : g_steal_pointer (&title);
}

/* For who lists windows. An expression of the template cannot: GTK 4.8 warns when an object goes
 * that has one of its own. */
static void
name_window (PrismWindow *self)
{
  g_autofree char *file
      = dup_file_name (prism_session_get_run_file (self->session), self->opened);
  g_autofree char *title = file != NULL ? g_strdup_printf (_ ("%s – PRISM Studio"), file)
                                        : g_strdup (_ ("PRISM Studio"));

  gtk_window_set_title (GTK_WINDOW (self), title);
}

/**
 * prism_window_install_title:
 * @self: a window
 *
 * Lets the title of the window name the file that is open.
 */
void
prism_window_install_title (PrismWindow *self)
{
  g_signal_connect_object (self->session, "notify::run-file", G_CALLBACK (name_window), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect (self, "notify::opened", G_CALLBACK (name_window), NULL);
  name_window (self);
}

/**
 * prism_window_bind_title:
 * @widget_class: of the window
 *
 * Names what the template makes the header bar's title with.
 */
void
prism_window_bind_title (GtkWidgetClass *widget_class)
{
  gtk_widget_class_bind_template_callback (widget_class, dup_title);
  gtk_widget_class_bind_template_callback (widget_class, dup_whole_title);
}

/**
 * prism_window_set_opened:
 * @self: a window
 * @path: (nullable): of the configuration that was opened or saved, %NULL for one without a file
 *
 * Says what the window is about.
 */
void
prism_window_set_opened (PrismWindow *self,
                         const char *path)
{
  g_free (self->opened);
  self->opened = path != NULL ? g_filename_display_basename (path) : NULL;
  g_object_notify (G_OBJECT (self), "opened");
}
