#include "config.h"

#include "output/prism-exporter.h"
#include "output/prism-figure-dialog.h"
#include "output/prism-figure.h"
#include "reconstruction/prism-finding-view.h"
#include "support/prism-ui-text.h"
#include "window/prism-window-private.h"

/* What was asked for, while the dialog is open; the run may go on meanwhile. */
typedef struct
{
  PrismWindow *window;
  PrismExport *what;
  char *place; /* (nullable): the new one, of PRISM_EXPORT_ALL */
} Request;

PRISM_FREE (Request, request_free, g_object_unref, window, prism_exporter_free, what, g_free, place)

static Request *
request_new (PrismWindow *self,
             PrismSnapshot *snapshot,
             PrismExportKind kind)
{
  return PRISM_NEW (Request, g_object_ref (self), prism_exporter_new (kind, snapshot));
}

static void
on_path_chosen (const char *path,
                Request *request)
{
  prism_window_save (request->window, prism_exporter_save, prism_exporter_dup (request->what),
                     prism_exporter_free, path);
}

/* Another thread. */
static gboolean
save_everything (Request *request,
                 const char *path,
                 GError **error)
{
  request->place = prism_exporter_save_in_new_folder (request->what->snapshot, path, error);
  return request->place != NULL;
}

static void
on_everything_saved (const char *path,
                     const GError *error,
                     Request *request)
{
  if (error == NULL)
    prism_window_show_saved (request->window, request->place);
  else
    prism_window_show_problem (request->window, error->message);
}

/* The engine has what explains recorded frames, and writes it. */
static void
export_problem (PrismWindow *self,
                const PrismConfig *config,
                const char *parent)
{
  g_autoptr (GError) error = NULL;

  g_free (self->exporting);
  self->exporting = prism_exporter_make_folder (config, parent, &error);
  if (self->exporting != NULL)
    prism_engine_export (self->session->engine, self->exporting, FALSE);
  else
    prism_window_show_problem (self, error->message);
}

/* A notice tells what could not be written. */
static void
follow_export (PrismWindow *self)
{
  const PrismSnapshot *snapshot = self->session->snapshot;

  if (self->exporting == NULL || snapshot == NULL)
    return;
  if (g_strcmp0 (snapshot->exported, self->exporting) == 0)
    prism_window_show_saved (self, self->exporting);
  else if (snapshot->error >= 0)
    g_rmdir (self->exporting);
  else
    return;
  g_clear_pointer (&self->exporting, g_free);
}

static void
on_folder_chosen (const char *path,
                  Request *request)
{
  PrismSnapshot *snapshot = request->what->snapshot;
  Request *saving;

  if (prism_snapshot_is_recorded (snapshot)
      && snapshot != request->window->session->previous)
    {
      export_problem (request->window, snapshot->config, path);
      return;
    }
  saving = request_new (request->window, snapshot, PRISM_EXPORT_ALL);
  prism_file_saver_save (save_everything, saving, request_free, path, on_everything_saved, saving);
}

/* Row-major [h][w], the difference where the view shows one. */
static PrismImage *
dup_shown_image (PrismView *view,
                 GError **error)
{
  PrismImage *image = view->image;
  PrismImage *reference = prism_view_get_reference (view);
  PrismImage *difference;

  if (reference == NULL)
    return prism_image_ref (image);
  difference = prism_image_new_copy (image->height, image->width, image->pixels, error);
  if (difference == NULL)
    return NULL;
  for (gsize i = 0; i < (gsize) image->height * image->width; i++)
    difference->pixels[i] -= reference->pixels[i];
  return difference;
}

static void
show_pixels_dialog (PrismWindow *self,
                    const char *id,
                    PrismExportKind kind)
{
  PrismPanel *panel = prism_dashboard_get_panel (self->dashboard, id);
  PrismView *view = PRISM_VIEW (panel->child);
  g_autofree char *file = g_strconcat (id, ".png", NULL);
  g_autoptr (GError) error = NULL;
  Request *request;
  PrismMapping mapping;

  if (view->image == NULL)
    {
      prism_window_show_toast (self, _ ("This panel is empty: run a reconstruction first"));
      return;
    }
  request = request_new (self, self->session->playback->shown, kind);
  prism_view_get_mapping (view, &mapping);
  request->what->black = mapping.black;
  request->what->white = mapping.white;
  request->what->image = dup_shown_image (view, &error);
  if (request->what->image == NULL)
    {
      prism_window_show_problem (self, error->message);
      request_free (request);
      return;
    }
  prism_window_ask_place (self, _ ("Save pixels"), file, _ ("PNG images"), "*.png",
                          on_path_chosen, request, request_free);
}

static void
on_export_metrics (PrismWindow *self)
{
  if (self->session->snapshot->history == NULL)
    {
      prism_window_show_toast (self, _ ("There are no metrics yet: run a reconstruction first"));
      return;
    }
  prism_window_ask_place (
      self, _ ("Save metrics"), "metrics.csv", _ ("Tables"), "*.csv", on_path_chosen,
      request_new (self, self->session->snapshot, PRISM_EXPORT_METRICS),
      request_free);
}

/* TensorBoard reads a folder; a run's file has the time in its name, so that many fit into one. */
static void
on_export_events (PrismWindow *self)
{
  PrismSnapshot *snapshot = self->session->snapshot;
  PrismFileDialog dialog = { PRISM_FILE_DIALOG_FOLDER, _ ("Save for TensorBoard into a folder"),
                             .accept = _ ("_Save here") };

  if (snapshot->history == NULL)
    {
      prism_window_show_toast (self, _ ("There are no metrics yet: run a reconstruction first"));
      return;
    }
  prism_file_dialog_show (&dialog, GTK_WINDOW (self), on_path_chosen,
                          request_new (self, snapshot, PRISM_EXPORT_EVENTS), request_free);
}

static void
on_export_correlation (PrismWindow *self)
{
  PrismSnapshot *snapshot = self->session->snapshot;

  if (snapshot->has_no_target)
    {
      prism_window_show_problem (self, prism_snapshot_get_target_gap (snapshot));
      return;
    }
  if (snapshot->reconstruction == NULL || snapshot->coverage_plane == NULL)
    {
      prism_window_show_toast (self, _ ("There is no result yet: run a reconstruction first"));
      return;
    }
  prism_window_ask_place (self, _ ("Save ring correlation"), "frc.csv", _ ("Tables"), "*.csv",
                          on_path_chosen,
                          request_new (self, snapshot, PRISM_EXPORT_CORRELATION),
                          request_free);
}

static void
show_folder_dialog (PrismWindow *self,
                    PrismSnapshot *snapshot)
{
  PrismFileDialog dialog = { PRISM_FILE_DIALOG_FOLDER, _ ("Save everything into a folder"),
                             .accept = _ ("_Save here") };

  prism_file_dialog_show (&dialog, GTK_WINDOW (self), on_folder_chosen,
                          request_new (self, snapshot, PRISM_EXPORT_ALL), request_free);
}

static void
on_export_all (PrismWindow *self)
{
  PrismSnapshot *snapshot = self->session->snapshot;

  if (snapshot->reconstruction == NULL)
    prism_window_show_toast (self, _ ("There is no result yet: run a reconstruction first"));
  else
    show_folder_dialog (self, snapshot);
}

static void
on_export_previous (PrismWindow *self)
{
  show_folder_dialog (self, self->session->previous);
}

static void
on_show_folder (PrismWindow *self,
                const char *path)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GFile) folder = g_file_test (path, G_FILE_TEST_IS_DIR) ? g_object_ref (file)
                                                                    : g_file_get_parent (file);
  g_autofree char *uri = g_file_get_uri (folder);
  g_autoptr (GError) error = NULL;

  if (!g_app_info_launch_default_for_uri (uri, NULL, &error))
    prism_window_show_problem (self, error->message);
}

/* As soon as there is something to save. */
static void
enable_exports (PrismWindow *self)
{
  const gboolean any = self->session->snapshot != NULL;

  follow_export (self);
  prism_window_enable (self, "export-all", any, "export-metrics", any, "export-events", any,
                       "export-correlation", any, "export-pixels-8", any, "export-pixels-16", any,
                       "export-previous", self->session->previous != NULL, NULL);
}

/* The dialog stays open beneath the one that asks for the file. */
static void
on_figure_path (const char *path,
                PrismFigureDialog *dialog)
{
  GtkWindow *parent = gtk_window_get_transient_for (GTK_WINDOW (dialog));
  g_autoptr (GError) error = NULL;

  if (parent == NULL)
    return;
  if (prism_figure_dialog_save (dialog, path, &error))
    prism_window_show_saved (PRISM_WINDOW (parent), path);
  else
    prism_window_show_problem (PRISM_WINDOW (parent), error->message);
  gtk_window_close (GTK_WINDOW (dialog));
}

static void
on_accepted (PrismFigureDialog *dialog)
{
  g_autofree char *file = g_strconcat ("figure.", prism_figure_dialog_get_ending (dialog), NULL);
  g_autofree char *name = prism_window_dup_file_name (
      PRISM_WINDOW (gtk_window_get_transient_for (GTK_WINDOW (dialog))), file);
  const PrismFileDialog file_dialog = { PRISM_FILE_DIALOG_SAVE,
                                        _ ("Save figure: .png, .svg or .pdf"), _ ("Figures"),
                                        "*.pdf *.svg *.png", name };

  prism_file_dialog_ask (&file_dialog, dialog, on_figure_path);
}

static void
add_panel (PrismFigureDialog *dialog,
           PrismPanel *panel,
           const char *chosen)
{
  GtkWidget *child = panel->child;
  const gboolean is_view = PRISM_IS_VIEW (child);

  if (PRISM_IS_LIGHT_PANEL (child))
    child = GTK_WIDGET (prism_light_panel_get_map (PRISM_LIGHT_PANEL (child)));
  if (!is_view || PRISM_VIEW (child)->image != NULL)
    prism_figure_dialog_add (dialog, child,
                             is_view ? prism_view_get_title (PRISM_VIEW (child)) : panel->title,
                             g_str_equal (panel->id, chosen));
}

static void
on_figure (PrismWindow *self,
           const char *id)
{
  PrismSnapshot *shown = self->session->playback->shown;
  g_autofree char *origin = shown != NULL ? prism_ui_text_dup_origin (shown) : NULL;
  PrismFigureDialog *dialog = prism_figure_dialog_new (GTK_WINDOW (self), origin);

  for (GtkWidget *panel
       = gtk_widget_get_first_child (GTK_WIDGET (self->dashboard->grid));
       panel != NULL; panel = gtk_widget_get_next_sibling (panel))
    if (PRISM_IS_PANEL (panel) && gtk_widget_get_visible (panel))
      add_panel (dialog, PRISM_PANEL (panel), id);
  g_signal_connect (dialog, "accepted", G_CALLBACK (on_accepted), NULL);
  gtk_window_present (GTK_WINDOW (dialog));
}

/* What was asked for, while the file dialog is open. */
typedef struct
{
  PrismWindow *window;
  PrismSnapshot *snapshot;
  PrismFilmOptions options;
} FilmRequest;

PRISM_FREE (FilmRequest, film_request_free, g_object_unref, window, prism_snapshot_unref, snapshot)

static void
update_actions (PrismWindow *self)
{
  PrismPlayback *playback = self->session->playback;
  gboolean any = prism_playback_get_frames (playback) != NULL;

  prism_window_enable (self, "export-animation", any && self->filming == NULL, "cancel-animation",
                       self->filming != NULL, NULL);
}

static void
on_progress (double fraction,
             PrismWindow *self)
{
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
on_film_path_chosen (const char *path,
                     FilmRequest *request)
{
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
static FilmRequest *
film_request_new (PrismWindow *self,
                  PrismFilmDialog *dialog)
{
  PrismPanel *panel = prism_dashboard_get_panel (self->dashboard, "reconstruction");
  FilmRequest *request = PRISM_NEW (FilmRequest, g_object_ref (self),
                                    prism_snapshot_ref (self->session->snapshot));
  prism_film_dialog_get_options (dialog, &request->options);
  prism_view_get_mapping (PRISM_VIEW (panel->child), &request->options.mapping);
  return request;
}

static void
on_film_accepted (PrismWindow *self,
                  PrismFilmDialog *dialog)
{
  static const struct
  {
    const char *name;
    const char *filter;
    const char *patterns;
  } kinds[] = {
    [PRISM_ANIMATION_APNG] = { "run.png", N_ ("Animated PNG"), "*.png *.apng" },
    [PRISM_ANIMATION_GIF] = { "run.gif", N_ ("GIF"), "*.gif" },
    [PRISM_ANIMATION_WEBM] = { "run.webm", N_ ("WebM"), "*.webm" },
  };
  const PrismFileDialog folder = { PRISM_FILE_DIALOG_FOLDER, _ ("Save the pictures into a folder"),
                                   .accept = _ ("_Save here") };
  PrismAnimationKind kind = prism_film_dialog_get_kind (dialog);

  if (kind == PRISM_ANIMATION_FOLDER)
    prism_file_dialog_show (&folder, GTK_WINDOW (self), on_film_path_chosen,
                            film_request_new (self, dialog), film_request_free);
  else
    prism_window_ask_place (self, _ ("Save animation"), kinds[kind].name,
                            gettext (kinds[kind].filter), kinds[kind].patterns,
                            on_film_path_chosen, film_request_new (self, dialog),
                            film_request_free);
}

static void
on_export_animation (PrismWindow *self)
{
  PrismFilmDialog *dialog
      = g_object_new (PRISM_TYPE_FILM_DIALOG, "transient-for", GTK_WINDOW (self), NULL);

  PRISM_CONNECT (dialog, "accepted", on_film_accepted, self);
  gtk_window_present (GTK_WINDOW (dialog));
}

static void
on_cancel_animation (PrismWindow *self)
{
  if (self->filming != NULL)
    g_cancellable_cancel (self->filming);
}

/**
 * prism_window_install_export:
 * @self: a window that has its dashboard
 *
 * Adds the actions that write files, figures of several panels and animations.
 */
void
prism_window_install_export (PrismWindow *self)
{
  PRISM_WINDOW_ACTIONS (self,
                        { "export-all", on_export_all },
                        { "export-previous", on_export_previous },
                        { "export-metrics", on_export_metrics },
                        { "export-events", on_export_events },
                        { "export-correlation", on_export_correlation },
                        { "export-pixels-8", show_pixels_dialog, "s", PRISM_EXPORT_PIXELS_8 },
                        { "export-pixels-16", show_pixels_dialog, "s", PRISM_EXPORT_PIXELS_16 },
                        { "show-folder", on_show_folder, "s" },
                        { "figure", on_figure, "s" },
                        { "export-animation", on_export_animation },
                        { "cancel-animation", on_cancel_animation });
  PRISM_CONNECT (self->session, "notify::snapshot", enable_exports, self);
  enable_exports (self);
  PRISM_CONNECT (self->session->playback, "notify::shown", update_actions, self);
  update_actions (self);
}
