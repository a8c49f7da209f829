#include "config.h"

#include "output/prism-exporter.h"
#include "output/prism-figure-dialog.h"
#include "reconstruction/prism-finding-view.h"
#include "support/prism-ui-text.h"
#include "window/prism-window-private.h"

/* Of each kind of export: what it asks, and what is said before there is anything to save. */
static const struct
{
  PrismFileDialog dialog;
  const char *missing;
} kinds[] = {
  [PRISM_EXPORT_METRICS]
  = { { PRISM_FILE_DIALOG_SAVE, N_ ("Save metrics"), N_ ("Tables"), "*.csv", "metrics.csv" },
      N_ ("There are no metrics yet: run a reconstruction first") },
  [PRISM_EXPORT_EVENTS]
  = { { PRISM_FILE_DIALOG_FOLDER, N_ ("Save for TensorBoard into a folder"),
        .accept = N_ ("_Save here") },
      N_ ("There are no metrics yet: run a reconstruction first") },
  [PRISM_EXPORT_CORRELATION]
  = { { PRISM_FILE_DIALOG_SAVE, N_ ("Save ring correlation"), N_ ("Tables"), "*.csv", "frc.csv" },
      N_ ("There is no result yet: run a reconstruction first") },
  [PRISM_EXPORT_ALL]
  = { { PRISM_FILE_DIALOG_FOLDER, N_ ("Save everything into a folder"),
        .accept = N_ ("_Save here") },
      N_ ("There is no result yet: run a reconstruction first") },
};

/* Another thread. */
static gpointer
save_everything (const PrismExport *what,
                 GError **error)
{
  return prism_exporter_save_in_new_folder (what->snapshot, what->parent, error);
}

static void
on_everything_saved (PrismWindow *self,
                     gpointer what,
                     gpointer folder,
                     const GError *error)
{
  g_autofree char *place = folder;

  prism_window_show_saved (self, place != NULL ? place : "", error);
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
    prism_window_show_saved (self, self->exporting, NULL);
  else if (snapshot->error >= 0)
    g_rmdir (self->exporting);
  else
    return;
  g_clear_pointer (&self->exporting, g_free);
}

/* What was asked for is kept while the dialog is open; the run may go on meanwhile. */
static void
on_path_chosen (PrismWindow *self,
                const char *path,
                const PrismExport *what)
{
  static const PrismJob job
      = { "save everything", save_everything, on_everything_saved, prism_exporter_free, g_free,
          .writes = TRUE };
  PrismExport *saving;

  if (what->kind == PRISM_EXPORT_ALL && prism_snapshot_is_recorded (what->snapshot)
      && what->snapshot != self->session->previous)
    {
      export_problem (self, what->snapshot->config, path);
      return;
    }
  saving = prism_exporter_dup (what);
  if (what->kind != PRISM_EXPORT_ALL)
    {
      prism_window_save (self, prism_exporter_save, saving, prism_exporter_free, path);
      return;
    }
  saving->parent = g_strdup (path);
  prism_job_start (&job, self, saving, NULL);
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
  const PrismFileDialog dialog
      = { PRISM_FILE_DIALOG_SAVE, N_ ("Save pixels"), N_ ("PNG images"), "*.png", file };
  g_autoptr (GError) error = NULL;
  PrismExport *what;
  PrismMapping mapping;

  if (view->image == NULL)
    {
      prism_window_show_toast (self, _ ("This panel is empty: run a reconstruction first"));
      return;
    }
  what = prism_exporter_new (kind, self->session->playback->shown);
  prism_view_get_mapping (view, &mapping);
  what->black = mapping.black;
  what->white = mapping.white;
  what->image = dup_shown_image (view, &error);
  if (what->image != NULL)
    prism_window_ask_place (&dialog, self, on_path_chosen, what, prism_exporter_free);
  else
    {
      prism_window_show_problem (self, error->message);
      prism_exporter_free (what);
    }
}

static void
ask_for_place (PrismWindow *self,
               PrismExportKind kind,
               PrismSnapshot *snapshot)
{
  prism_window_ask_place (&kinds[kind].dialog, self, on_path_chosen,
                          prism_exporter_new (kind, snapshot), prism_exporter_free);
}

static void
on_export (PrismWindow *self,
           PrismExportKind kind)
{
  PrismSnapshot *snapshot = self->session->snapshot;
  gboolean any = snapshot->reconstruction != NULL;

  if (kind == PRISM_EXPORT_CORRELATION && snapshot->has_no_target)
    {
      prism_window_show_problem (self, prism_snapshot_get_target_gap (snapshot));
      return;
    }
  if (kind == PRISM_EXPORT_CORRELATION)
    any &= snapshot->coverage_plane != NULL;
  else if (kind != PRISM_EXPORT_ALL)
    any = snapshot->history != NULL;
  if (any)
    ask_for_place (self, kind, snapshot);
  else
    prism_window_show_toast (self, _ (kinds[kind].missing));
}

static void
on_export_previous (PrismWindow *self)
{
  ask_for_place (self, PRISM_EXPORT_ALL, self->session->previous);
}

static void
on_show_folder (PrismWindow *self,
                const char *path)
{
  g_autofree char *folder = g_file_test (path, G_FILE_TEST_IS_DIR) ? g_strdup (path)
                                                                   : g_path_get_dirname (path);
  g_autoptr (GError) error = NULL;

  if (!prism_folder_show (folder, &error))
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
on_figure_path (PrismFigureDialog *dialog,
                const char *path)
{
  GtkWindow *parent = gtk_window_get_transient_for (GTK_WINDOW (dialog));
  g_autoptr (GError) error = NULL;

  if (parent == NULL)
    return;
  prism_figure_dialog_save (dialog, path, &error);
  gtk_window_close (GTK_WINDOW (dialog));
  prism_window_show_saved (PRISM_WINDOW (parent), path, error);
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

  prism_file_dialog_ask (&file_dialog, dialog, on_figure_path, NULL, NULL);
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
  PrismSnapshot *snapshot;
  PrismFilmOptions options;
} FilmRequest;

PRISM_FREE (FilmRequest, film_request_free, prism_snapshot_unref, snapshot)

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
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    prism_window_show_toast (self, error->message);
  else
    prism_window_show_saved (self, path, error);
}

static void
on_film_path_chosen (PrismWindow *self,
                     const char *path,
                     const FilmRequest *request)
{
  if (self->filming != NULL)
    return;
  self->filming = g_cancellable_new ();
  prism_time_bar_set_progress (self->time_bar, 0.0);
  update_actions (self);
  prism_film_maker_save (request->snapshot, path, &request->options, self->filming, on_progress,
                         on_saved, g_object_ref (self));
}

/* In the colours of the reconstruction on the screen. */
static void
on_film_accepted (PrismWindow *self,
                  PrismFilmDialog *dialog)
{
  static const PrismFileDialog dialogs[] = {
    [PRISM_ANIMATION_APNG] = { PRISM_FILE_DIALOG_SAVE, N_ ("Save animation"), N_ ("Animated PNG"),
                               "*.png *.apng", "run.png" },
    [PRISM_ANIMATION_GIF]
    = { PRISM_FILE_DIALOG_SAVE, N_ ("Save animation"), N_ ("GIF"), "*.gif", "run.gif" },
    [PRISM_ANIMATION_WEBM]
    = { PRISM_FILE_DIALOG_SAVE, N_ ("Save animation"), N_ ("WebM"), "*.webm", "run.webm" },
    [PRISM_ANIMATION_FOLDER]
    = { PRISM_FILE_DIALOG_FOLDER, N_ ("Save the pictures into a folder"),
        .accept = N_ ("_Save here") },
  };
  PrismPanel *panel = prism_dashboard_get_panel (self->dashboard, "reconstruction");
  FilmRequest *request = PRISM_NEW (FilmRequest, prism_snapshot_ref (self->session->snapshot));

  prism_film_dialog_get_options (dialog, &request->options);
  prism_view_get_mapping (PRISM_VIEW (panel->child), &request->options.mapping);
  prism_window_ask_place (&dialogs[prism_film_dialog_get_kind (dialog)], self,
                          on_film_path_chosen, request, film_request_free);
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
                        { "export-all", on_export, NULL, PRISM_EXPORT_ALL },
                        { "export-previous", on_export_previous },
                        { "export-metrics", on_export, NULL, PRISM_EXPORT_METRICS },
                        { "export-events", on_export, NULL, PRISM_EXPORT_EVENTS },
                        { "export-correlation", on_export, NULL, PRISM_EXPORT_CORRELATION },
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
