#include "config.h"

#include "window/prism-window-private.h"

#include "model/prism-object.h"
#include "support/prism-file-dialog.h"
#include "support/prism-job.h"
#include "support/prism-wording.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>

#define MAX_RECENT 8
#define RECENT_GROUP "prism-studio" /* of what prism_window_remember() adds */
#define CONFIG_SUFFIX ".prism"
#define CONFIG_TYPE "application/x-prism-studio"

static const char *const open_patterns[]
    = { "*.prism", "*.prismrun", "*.png", "*.PNG", "*.jpg", "*.jpeg", "*.JPG", "*.JPEG", "*.tif",
        "*.tiff", "*.TIF", "*.TIFF", "*.fits", "*.fit", "*.fts", "*.FITS", "*.npy", NULL };
static const char *const config_patterns[] = { "*.prism", NULL };

typedef struct
{
  PrismWindow *window;
  PrismConfig *config; /* with the object that is tried */
  char *path;
} Opening;

static void
opening_free (gpointer data)
{
  Opening *opening = data;

  g_object_unref (opening->window);
  prism_config_free (opening->config);
  g_free (opening->path);
  g_free (opening);
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

/* Another thread: a large or damaged file must not hold the window up. */
static gpointer
try_object (gpointer data,
            GError **error)
{
  Opening *opening = data;
  g_autoptr (PrismImage) image = prism_object_load (opening->config, error);

  return image != NULL ? opening : NULL;
}

static void
on_object_tried (gpointer data,
                 gpointer result,
                 const GError *error)
{
  Opening *opening = data;
  PrismWindow *self = opening->window;
  g_autofree char *name = g_filename_display_basename (opening->path);

  if (error != NULL)
    {
      if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        prism_window_show_problem (self, error->message);
      return;
    }

  prism_notice_hide (self->notice);
  prism_draft_set_parameter (self->draft, prism_config_get_param ("object"), opening->path,
                             NULL);
  prism_window_remember (opening->path, "image/png");
  if (prism_session_get_active (self->session) || prism_session_get_outdated (self->session))
    {
      g_autofree char *text = g_strdup_printf (_ ("“%s” is used by the next run"), name);
      prism_window_show_toast (self, text);
    }
}

static const PrismJob opening_job = {
  .name = "open an image",
  .run = try_object,
  .done = on_object_tried,
  .free_data = opening_free,
};

/* The file is read once before it becomes the object, so that a bad one changes nothing. */
static void
open_object (PrismWindow *self,
             const char *path)
{
  Opening *opening = g_new0 (Opening, 1);
  g_autoptr (GError) error = NULL;

  opening->window = g_object_ref (self);
  opening->config = prism_config_dup (prism_draft_get_config (self->draft));
  opening->path = g_strdup (path);
  if (!prism_config_set_text (opening->config, "object", path, &error))
    {
      prism_window_show_problem (self, error->message);
      opening_free (opening);
      return;
    }

  g_cancellable_cancel (self->opening);
  g_clear_object (&self->opening);
  self->opening = g_cancellable_new ();
  prism_job_start (&opening_job, opening, self->opening);
}

static void
open_config (PrismWindow *self,
             const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismConfig) config = prism_config_load (path, &error);
  g_autofree char *name = g_filename_display_basename (path);
  g_autofree char *label = g_strdup_printf (_ ("Opened “%s”"), name);

  if (config == NULL)
    {
      prism_window_show_problem (self, error->message);
      return;
    }
  prism_notice_hide (self->notice);
  prism_draft_set_config (self->draft, config, label);
  prism_window_set_opened (self, path);
  prism_window_remember (path, CONFIG_TYPE);
}

/**
 * prism_window_open_file:
 * @self: a window
 * @file: an image, a configuration or a run
 *
 * Opens a file: an image becomes the object, a configuration replaces all parameters, a run is
 * shown as it stood.
 */
void
prism_window_open_file (PrismWindow *self,
                        GFile *file)
{
  g_autofree char *path = g_file_get_path (file);

  if (path == NULL)
    prism_window_show_problem (
        self, _ ("Only files of this computer can be opened: copy it to a folder first."));
  else if (g_str_has_suffix (path, CONFIG_SUFFIX))
    open_config (self, path);
  else if (g_str_has_suffix (path, PRISM_RUN_FILE_SUFFIX))
    prism_window_open_run (self, path);
  else
    open_object (self, path);
}

static void
on_open_chosen (const char *path,
                gpointer data)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);

  prism_window_open_file (data, file);
}

static void
on_open (GSimpleAction *action,
         GVariant *parameter,
         gpointer data)
{
  PrismFileDialog dialog = { PRISM_FILE_DIALOG_OPEN,
                             _ ("Open an image, a configuration or a run"),
                             _ ("_Open"),
                             NULL,
                             _ ("Images, configurations and runs"),
                             open_patterns };

  prism_file_dialog_show (&dialog, GTK_WINDOW (data), on_open_chosen, g_object_ref (data),
                          g_object_unref);
}

static void
on_open_uri (GSimpleAction *action,
             GVariant *parameter,
             gpointer data)
{
  g_autoptr (GFile) file = g_file_new_for_uri (g_variant_get_string (parameter, NULL));

  prism_window_open_file (data, file);
}

static void
on_config_chosen (const char *path,
                  gpointer data)
{
  PrismWindow *self = data;
  g_autofree char *full = g_str_has_suffix (path, CONFIG_SUFFIX)
                              ? g_strdup (path)
                              : g_strconcat (path, CONFIG_SUFFIX, NULL);
  g_autoptr (GError) error = NULL;

  if (!prism_config_save (prism_draft_get_config (self->draft), full, &error))
    {
      prism_window_show_problem (self, error->message);
      return;
    }
  prism_window_set_opened (self, full);
  prism_window_remember (full, CONFIG_TYPE);
  prism_window_show_saved (self, full);
}

static void
on_save_config (GSimpleAction *action,
                GVariant *parameter,
                gpointer data)
{
  PrismFileDialog dialog
      = { PRISM_FILE_DIALOG_SAVE, _ ("Save the configuration"), _ ("_Save"),
          "setup.prism", _ ("Configurations"), config_patterns };

  prism_file_dialog_show (&dialog, GTK_WINDOW (data), on_config_chosen, g_object_ref (data),
                          g_object_unref);
}

static void
on_texture_pasted (GObject *source,
                   GAsyncResult *result,
                   gpointer data)
{
  g_autoptr (PrismWindow) self = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GdkTexture) texture
      = gdk_clipboard_read_texture_finish (GDK_CLIPBOARD (source), result, &error);
  g_autofree char *folder = g_build_filename (g_get_user_cache_dir (), "prism-studio", NULL);
  g_autofree char *path = g_build_filename (folder, "pasted.png", NULL);

  if (texture == NULL)
    {
      prism_window_show_toast (self, _ ("There is no image in the clipboard"));
      return;
    }
  if (g_mkdir_with_parents (folder, 0700) != 0 || !gdk_texture_save_to_png (texture, path))
    {
      prism_window_show_problem (self, _ ("The pasted image could not be kept: is the disk full?"));
      return;
    }
  open_object (self, path);
}

static void
on_paste (GSimpleAction *action,
          GVariant *parameter,
          gpointer data)
{
  GdkClipboard *clipboard = gtk_widget_get_clipboard (GTK_WIDGET (data));

  gdk_clipboard_read_texture_async (clipboard, NULL, on_texture_pasted, g_object_ref (data));
}

static gboolean
on_drop (GtkDropTarget *target,
         const GValue *value,
         double x,
         double y,
         PrismWindow *self)
{
  GSList *files = g_value_get_boxed (value);

  if (files == NULL)
    return FALSE;
  if (!prism_window_compare_files (self, files))
    prism_window_open_file (self, files->data);
  return TRUE;
}

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

static const GActionEntry entries[] = {
  { "open", on_open },
  { "open-uri", on_open_uri, "s" },
  { "paste", on_paste },
  { "save-config", on_save_config },
};

/**
 * prism_window_install_files:
 * @self: a window
 *
 * Adds opening by dialog, drop, clipboard and the list of recent files, and saving a configuration.
 */
void
prism_window_install_files (PrismWindow *self)
{
  GtkDropTarget *target = gtk_drop_target_new (GDK_TYPE_FILE_LIST, GDK_ACTION_COPY);

  g_action_map_add_action_entries (G_ACTION_MAP (self), entries, G_N_ELEMENTS (entries), self);
  g_signal_connect (target, "drop", G_CALLBACK (on_drop), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (target));
  g_signal_connect_object (gtk_recent_manager_get_default (), "changed", G_CALLBACK (fill_recent),
                           self, G_CONNECT_SWAPPED);
  fill_recent (self);
}
