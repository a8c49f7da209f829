#include "config.h"

#include "window/prism-window-private.h"

#include "output/prism-film-dialog.h"
#include "output/prism-film-maker.h"
#include "support/prism-file-dialog.h"

#include <glib/gi18n.h>
#include <math.h>

/* What was asked for, while the file dialog is open. */
typedef struct
{
  PrismWindow *window;
  PrismSnapshot *snapshot;
  PrismFilmOptions options;
} Request;

static void
request_free (gpointer data)
{
  Request *request = data;

  g_object_unref (request->window);
  prism_snapshot_unref (request->snapshot);
  g_free (request);
}

static void
update_actions (PrismWindow *self)
{
  GActionMap *map = G_ACTION_MAP (self);
  PrismPlayback *playback = prism_session_get_playback (self->session);
  gboolean any = prism_playback_get_frames (playback) != NULL;

  g_simple_action_set_enabled (
      G_SIMPLE_ACTION (g_action_map_lookup_action (map, "export-animation")),
      any && self->filming == NULL);
  g_simple_action_set_enabled (
      G_SIMPLE_ACTION (g_action_map_lookup_action (map, "cancel-animation")),
      self->filming != NULL);
}

static void
on_progress (double fraction,
             gpointer data)
{
  PrismWindow *self = data;

  prism_time_bar_set_progress (self->time_bar, fraction);
}

static void
on_saved (const char *path,
          const GError *error,
          gpointer data)
{
  g_autoptr (PrismWindow) self = data;

  /* The window may have been closed meanwhile. */
  if (self->session == NULL)
    return;
  g_clear_object (&self->filming);
  prism_time_bar_set_progress (self->time_bar, NAN);
  update_actions (self);
  if (error == NULL)
    prism_window_show_saved (self, path);
  else if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    prism_window_show_toast (self, error->message);
  else
    prism_window_show_problem (self, error->message);
}

static void
on_path_chosen (const char *path,
                gpointer data)
{
  Request *request = data;
  PrismWindow *self = request->window;

  if (self->filming != NULL)
    return;
  self->filming = g_cancellable_new ();
  prism_time_bar_set_progress (self->time_bar, 0.0);
  update_actions (self);
  prism_film_maker_save (request->snapshot, path, &request->options, self->filming, on_progress,
                         on_saved, g_object_ref (self));
}

/* In the colours of the reconstruction on the screen. */
static Request *
request_new (PrismWindow *self,
             PrismFilmDialog *dialog)
{
  PrismPanel *panel = prism_dashboard_get_panel (self->dashboard, "reconstruction");
  Request *request = g_new0 (Request, 1);

  request->window = g_object_ref (self);
  request->snapshot = prism_snapshot_ref (prism_session_get_snapshot (self->session));
  prism_film_dialog_get_options (dialog, &request->options);
  prism_view_get_mapping (PRISM_VIEW (prism_panel_get_child (panel)), &request->options.mapping);
  return request;
}

static void
on_accepted (PrismFilmDialog *dialog,
             PrismWindow *self)
{
  static const char *const gif_patterns[] = { "*.gif", NULL };
  static const char *const webm_patterns[] = { "*.webm", NULL };
  static const char *const png_patterns[] = { "*.png", "*.apng", NULL };
  PrismAnimationKind kind = prism_film_dialog_get_kind (dialog);
  PrismFileDialog file_dialog = { PRISM_FILE_DIALOG_SAVE, _ ("Save animation"), _ ("_Save"),
                                  "run.png", _ ("Animated PNG"), png_patterns };

  if (kind == PRISM_ANIMATION_GIF)
    {
      file_dialog.name = "run.gif";
      file_dialog.filter_label = _ ("GIF");
      file_dialog.patterns = gif_patterns;
    }
  else if (kind == PRISM_ANIMATION_WEBM)
    {
      file_dialog.name = "run.webm";
      file_dialog.filter_label = _ ("WebM");
      file_dialog.patterns = webm_patterns;
    }
  else if (kind == PRISM_ANIMATION_FOLDER)
    file_dialog = (PrismFileDialog) { .mode = PRISM_FILE_DIALOG_FOLDER,
                                      .title = _ ("Save the pictures into a folder"),
                                      .accept = _ ("_Save here") };
  prism_file_dialog_show (&file_dialog, GTK_WINDOW (self), on_path_chosen,
                          request_new (self, dialog), request_free);
}

static void
on_export_animation (GSimpleAction *action,
                     GVariant *parameter,
                     gpointer data)
{
  PrismWindow *self = data;
  PrismFilmDialog *dialog = prism_film_dialog_new (GTK_WINDOW (self));

  g_signal_connect_object (dialog, "accepted", G_CALLBACK (on_accepted), self, 0);
  gtk_window_present (GTK_WINDOW (dialog));
}

static void
on_cancel_animation (GSimpleAction *action,
                     GVariant *parameter,
                     gpointer data)
{
  PrismWindow *self = data;

  if (self->filming != NULL)
    g_cancellable_cancel (self->filming);
}

/**
 * prism_window_install_film:
 * @self: a window
 *
 * Adds the actions that save the run as an animation.
 */
void
prism_window_install_film (PrismWindow *self)
{
  const GActionEntry entries[] = {
    { "export-animation", on_export_animation },
    { "cancel-animation", on_cancel_animation },
  };

  g_action_map_add_action_entries (G_ACTION_MAP (self), entries, G_N_ELEMENTS (entries), self);
  g_signal_connect_object (prism_session_get_playback (self->session), "notify::shown",
                           G_CALLBACK (update_actions), self, G_CONNECT_SWAPPED);
  update_actions (self);
}
