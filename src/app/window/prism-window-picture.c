#include "config.h"

#include "window/prism-window-private.h"

#include "base/prism-file.h"
#include "output/prism-figure.h"
#include "support/prism-file-dialog.h"
#include "support/prism-wording.h"
#include "tools/prism-picture-copy.h"

#include <glib/gi18n.h>
#include <string.h>

static const char *const csv_patterns[] = { "*.csv", NULL };

static PrismView *
get_view (PrismWindow *self,
          GVariant *id)
{
  PrismPanel *panel
      = prism_dashboard_get_panel (self->dashboard, g_variant_get_string (id, NULL));

  return PRISM_VIEW (prism_panel_get_child (panel));
}

static void
copy (PrismWindow *self,
      GdkTexture *texture,
      const GError *error)
{
  if (texture == NULL)
    {
      prism_window_show_problem (self, error->message);
      return;
    }
  gdk_clipboard_set_texture (gtk_widget_get_clipboard (GTK_WIDGET (self)), texture);
  prism_window_show_toast (self, _ ("The picture is in the clipboard"));
}

static void
on_copy (GSimpleAction *action,
         GVariant *parameter,
         gpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GdkTexture) texture
      = prism_picture_copy_new_texture (get_view (data, parameter), &error);

  copy (data, texture, error);
}

static void
on_copy_figure (GSimpleAction *action,
                GVariant *parameter,
                gpointer data)
{
  PrismWindow *self = data;
  PrismSnapshot *shown = prism_session_get_shown (self->session);
  g_autofree char *subtitle = shown != NULL ? prism_wording_dup_origin (shown) : NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GdkTexture) texture = NULL;
  g_autoptr (GBytes) png = NULL;
  PrismFigureOptions options;

  prism_figure_options_init (&options);
  options.subtitle = subtitle;
  png = prism_figure_render_view (get_view (self, parameter), &options, &error);
  if (png != NULL)
    texture = gdk_texture_new_from_bytes (png, &error);
  copy (self, texture, error);
}

/* Another thread. */
static gboolean
save_text (gpointer data,
           const char *path,
           GError **error)
{
  return prism_file_save (path, data, strlen (data), error);
}

typedef struct
{
  PrismWindow *window;
  char *text;
} Request;

static void
request_free (gpointer data)
{
  Request *request = data;

  g_object_unref (request->window);
  g_free (request->text);
  g_free (request);
}

static void
on_path_chosen (const char *path,
                gpointer data)
{
  Request *request = data;

  prism_window_save (request->window, save_text, g_strdup (request->text), g_free, path);
}

static void
on_save_readings (GSimpleAction *action,
                  GVariant *parameter,
                  gpointer data)
{
  PrismWindow *self = data;
  PrismFileDialog dialog = { PRISM_FILE_DIALOG_SAVE, _ ("Save readings"), _ ("_Save"),
                             "readings.csv", _ ("Tables"), csv_patterns };
  const char *panel = g_variant_get_string (parameter, NULL);
  char *text = prism_dashboard_dup_readings (self->dashboard, panel);
  Request *request;

  /* K-space has no marks. */
  if (text == NULL)
    return;
  request = g_new0 (Request, 1);
  request->window = g_object_ref (self);
  request->text = text;
  prism_file_dialog_show (&dialog, GTK_WINDOW (self), on_path_chosen, request, request_free);
}

/**
 * prism_window_install_picture:
 * @self: a window
 *
 * Adds the actions of the picture tools that need the clipboard or a file.
 */
void
prism_window_install_picture (PrismWindow *self)
{
  static const GActionEntry entries[] = {
    { "copy", on_copy, "s" },
    { "copy-figure", on_copy_figure, "s" },
    { "save-readings", on_save_readings, "s" },
  };

  g_action_map_add_action_entries (G_ACTION_MAP (self), entries, G_N_ELEMENTS (entries), self);
}
