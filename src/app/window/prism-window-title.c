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
dup_title (PrismWindow *self,
           const char *run_file,
           const char *opened)
{
  g_autofree char *file = dup_file_name (run_file, opened);

  return file != NULL ? g_steal_pointer (&file) : g_strdup (_ ("PRISM Studio"));
}

/* For who lists windows. */
static char *
dup_window_title (PrismWindow *self,
                  const char *run_file,
                  const char *opened)
{
  g_autofree char *file = dup_file_name (run_file, opened);

  return file != NULL ? g_strdup_printf (_ ("%s – PRISM Studio"), file)
                      : g_strdup (_ ("PRISM Studio"));
}

/**
 * prism_window_bind_title:
 * @widget_class: of the window
 *
 * Names what the template makes titles with.
 */
void
prism_window_bind_title (GtkWidgetClass *widget_class)
{
  gtk_widget_class_bind_template_callback (widget_class, dup_title);
  gtk_widget_class_bind_template_callback (widget_class, dup_window_title);
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
