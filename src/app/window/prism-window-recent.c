#include "config.h"

#include "window/prism-window-private.h"

#define MAX_RECENT 8
#define RECENT_GROUP "prism-studio" /* of what prism_window_remember() adds */

static int
compare_age (gconstpointer a,
             gconstpointer b)
{
  GDateTime *time_a = gtk_recent_info_get_modified ((GtkRecentInfo *) a);
  GDateTime *time_b = gtk_recent_info_get_modified ((GtkRecentInfo *) b);

  /* A time that GLib cannot hold is none. */
  if (time_a == NULL || time_b == NULL)
    return (time_b != NULL) - (time_a != NULL);
  return g_date_time_compare (time_b, time_a);
}

/* GTK's dialogs add what they are given under this program's name, too: exports and folders. */
static gboolean
is_ours (GtkRecentInfo *info)
{
  return gtk_recent_info_has_application (info, g_get_application_name ())
         && gtk_recent_info_has_group (info, RECENT_GROUP) && gtk_recent_info_exists (info);
}

/* The files that this program opened last and that are still there. */
static void
fill_recent (PrismWindow *self)
{
  g_autolist (GtkRecentInfo) infos
      = gtk_recent_manager_get_items (gtk_recent_manager_get_default ());
  guint n = 0;

  g_menu_remove_all (self->recent_menu);
  infos = g_list_sort (infos, compare_age);
  for (GList *link = infos; link != NULL && n < MAX_RECENT; link = link->next)
    {
      GtkRecentInfo *info = link->data;
      g_autoptr (GMenuItem) item = NULL;
      g_autoptr (GString) label = NULL;

      if (!is_ours (info))
        continue;
      /* An underline in a file name is no mnemonic. */
      label = g_string_new (gtk_recent_info_get_display_name (info));
      g_string_replace (label, "_", "__", 0);
      item = g_menu_item_new (label->str, NULL);
      g_menu_item_set_action_and_target (item, "win.open-uri", "s", gtk_recent_info_get_uri (info));
      g_menu_append_item (self->recent_menu, item);
      n++;
    }
  gtk_widget_set_sensitive (self->recent_button, n > 0);
}

/**
 * prism_window_install_recent:
 * @self: a window
 *
 * Fills the menu of recent files, and keeps it filled.
 */
void
prism_window_install_recent (PrismWindow *self)
{
  g_signal_connect_object (gtk_recent_manager_get_default (), "changed", G_CALLBACK (fill_recent),
                           self, G_CONNECT_SWAPPED);
  fill_recent (self);
}

/**
 * prism_window_remember:
 * @path: of a file that was opened or saved
 * @mime_type: what it is
 *
 * Adds it to the recent files.
 */
void
prism_window_remember (const char *path,
                       const char *mime_type)
{
  g_autofree char *uri = g_filename_to_uri (path, NULL, NULL);
  static char *groups[] = { RECENT_GROUP, NULL };
  GtkRecentData recent = { 0 };

  recent.mime_type = (char *) mime_type;
  recent.app_name = (char *) g_get_application_name ();
  recent.app_exec = (char *) "prism-studio %F";
  recent.groups = groups;
  if (uri != NULL)
    gtk_recent_manager_add_full (gtk_recent_manager_get_default (), uri, &recent);
}
