#include "config.h"

#include "window/prism-window-private.h"

#include "model/prism-object.h"
#include "profile/prism-trace.h"
#include "support/prism-file-dialog.h"
#include "support/prism-folder.h"
#include "support/prism-job.h"
#include "support/prism-wording.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>

#define CONFIG_SUFFIX ".prism"
#define CONFIG_TYPE "application/x-prism-studio"

static const char *const open_patterns[]
    = { "*.prism", "*.prismrun", "*.png", "*.PNG", "*.jpg", "*.jpeg", "*.JPG", "*.JPEG", "*.tif",
        "*.tiff", "*.TIF", "*.TIFF", "*.fits", "*.fit", "*.fts", "*.FITS", "*.npy",
        "*.hdf5", "*.h5", "*.cxi", "*.mat", "*.npz", "*" PRISM_LESSON_SUFFIX,
        "*" PRISM_TRACE_SUFFIX, NULL };
static const char *const frame_endings[] = { ".hdf5", ".h5", ".cxi", ".mat", ".npz" };
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

  prism_window_hide_problem (self);
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

  prism_job_start (&opening_job, opening, prism_window_begin_reading (self));
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
  prism_window_end_reading (self);
  prism_window_hide_problem (self);
  prism_draft_set_config (self->draft, config, label);
  prism_window_set_opened (self, path);
  prism_window_remember (path, CONFIG_TYPE);
}

/* Files that hold frames of a camera rather than one picture, and folders of frames. */
static gboolean
has_frames (const char *path)
{
  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    return TRUE;
  for (gsize i = 0; i < G_N_ELEMENTS (frame_endings); i++)
    if (g_str_has_suffix (path, frame_endings[i]))
      return TRUE;
  return FALSE;
}

/**
 * prism_window_open_file:
 * @self: a window
 * @file: an image, a configuration, a run, a lesson, recorded frames, a folder of them, or the
 *   folder of what explains them
 *
 * Opens a file: an image becomes the object, a configuration replaces all parameters, a run is
 * shown as it stood, a lesson begins. Frames and their results have windows of their own.
 */
void
prism_window_open_file (PrismWindow *self,
                        GFile *file)
{
  g_autofree char *path = g_file_get_path (file);

  if (path == NULL)
    prism_window_show_problem (
        self, _ ("Only files of this computer can be opened: copy it to a folder first."));
  else if (prism_folder_is_result (path))
    prism_window_compare_folder (self, path);
  else if (g_str_has_suffix (path, CONFIG_SUFFIX))
    open_config (self, path);
  else if (g_str_has_suffix (path, PRISM_RUN_FILE_SUFFIX))
    prism_window_open_run (self, path);
  else if (g_str_has_suffix (path, PRISM_LESSON_SUFFIX))
    prism_window_open_lesson (self, path);
  else if (g_str_has_suffix (path, PRISM_TRACE_SUFFIX))
    prism_window_open_profile (self, path);
  else if (has_frames (path))
    prism_window_open_measurements (self, path);
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
 * Adds opening by dialog, drop and clipboard, and saving a configuration.
 */
void
prism_window_install_files (PrismWindow *self)
{
  GtkDropTarget *target = gtk_drop_target_new (GDK_TYPE_FILE_LIST, GDK_ACTION_COPY);

  g_action_map_add_action_entries (G_ACTION_MAP (self), entries, G_N_ELEMENTS (entries), self);
  g_signal_connect (target, "drop", G_CALLBACK (on_drop), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (target));
}
