#include "config.h"

#include "import/prism-import.h"
#include "measurements/prism-import-window.h"
#include "model/prism-display.h"
#include "output/prism-exporter.h"
#include "profile/prism-trace.h"
#include "reconstruction/prism-camera-window.h"
#include "support/prism-job-window.h"
#include "support/prism-widget.h"
#include "window/prism-window-private.h"

#define CONFIG_SUFFIX ".prism"
#define CONFIG_TYPE "application/x-prism-studio"

static const char *const frame_endings[] = { ".hdf5", ".h5", ".cxi", ".mat", ".npz" };
static const char *const packers[] = { ".gz", ".bz2" };
static const char *const first_endings[] = { ".yaml", ".yml", ".pt" };

typedef struct
{
  PrismConfig *config; /* with the object that is tried */
  char *path;
} Opening;

PRISM_FREE (Opening, opening_free, prism_config_free, config, g_free, path)

/* Another thread: a large or damaged file must not hold the window up. */
static gpointer
try_object (Opening *opening,
            GError **error)
{
  g_autoptr (PrismImage) image = prism_object_load (opening->config, error);

  return image != NULL ? opening : NULL;
}

static void
on_object_tried (PrismWindow *self,
                 const Opening *opening,
                 gpointer result,
                 const GError *error)
{
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
  if (prism_session_get_active (self->session) || self->session->outdated)
    {
      g_autofree char *text = g_strdup_printf (_ ("“%s” is used by the next run"), name);
      prism_window_show_toast (self, text);
    }
}

/* The file is read once before it becomes the object, so that a bad one changes nothing. */
static void
open_object (PrismWindow *self,
             const char *path)
{
  static const PrismJob job
      = { "open an image", try_object, on_object_tried, opening_free, NULL };
  Opening *opening
      = PRISM_NEW (Opening, prism_config_dup (self->draft->config), g_strdup (path));
  g_autoptr (GError) error = NULL;

  if (!prism_config_set_text (opening->config, "object", path, &error))
    {
      prism_window_show_problem (self, error->message);
      opening_free (opening);
      return;
    }

  prism_job_start (&job, self, opening, prism_window_begin_reading (self));
}

/* A configuration, or one of the first PRISM, of which notes say what is not as it was. */
static void
open_config (PrismWindow *self,
             const char *path,
             gboolean is_ours)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismImport) import = is_ours ? NULL : prism_import_load (path, FALSE, &error);
  g_autoptr (PrismConfig) config = is_ours          ? prism_config_load (path, &error)
                                   : import != NULL ? prism_import_dup_config (import, &error)
                                                    : NULL;
  g_autofree char *name = g_filename_display_basename (path);
  g_autofree char *label = g_strdup_printf (_ ("Opened “%s”"), name);
  g_autoptr (GString) notes = g_string_new (NULL);
  g_autofree char *text = NULL, *display = NULL;
  PrismMessage message
      = { _ ("Not Everything Is as It Was"), NULL, .dismiss = _ ("_Close") };

  if (config == NULL
      || (is_ours
          && !(g_file_get_contents (path, &text, NULL, &error)
               && prism_display_read (text, &display, &error))))
    {
      prism_window_show_problem (self, error->message);
      return;
    }
  prism_window_end_reading (self);
  prism_window_hide_problem (self);
  prism_draft_open (self->draft, config, display, label);
  prism_window_set_opened (self, is_ours ? path : NULL);
  if (is_ours)
    prism_window_remember (path, CONFIG_TYPE);
  for (guint i = 0; import != NULL && i < import->notes->len; i++)
    g_string_append_printf (notes, "%s%s", i == 0 ? "" : "\n\n", (char *) import->notes->pdata[i]);
  message.body = notes->str;
  if (notes->len > 0)
    prism_message_show (&message, GTK_WINDOW (self), NULL, NULL, NULL);
}

static gboolean
ends_with (const char *path,
           const char *const *endings,
           gsize n_endings)
{
  for (gsize i = 0; i < n_endings; i++)
    if (g_str_has_suffix (path, endings[i]))
      return TRUE;
  return FALSE;
}

/* Before the ending of a packer, too. */
static gboolean
has_frames (const char *path)
{
  g_autofree char *plain = g_strdup (path);

  PRISM_FOR_EACH_OF (packer, packers)
    if (g_str_has_suffix (plain, *packer))
      plain[strlen (plain) - strlen (*packer)] = '\0';
  return ends_with (plain, frame_endings, G_N_ELEMENTS (frame_endings));
}

/* A run that is under way makes room, and where it is then is said. */
static void
start_problem (PrismWindow *self,
               PrismProblem *problem)
{
  const gboolean stops = prism_session_get_active (self->session)
                         && self->session->run_file != NULL && self->session->number > 0;
  g_autofree char *text = g_strdup_printf (
      _ ("Run %u was stopped: open it in the library to go on with it"), self->session->number);

  prism_session_start_problem (self->session, problem);
  if (stops)
    prism_window_show_toast (self, text);
}

/* The window of the frames goes out of the way, and comes back as it was. */
static void
on_reconstruct (PrismWindow *self,
                PrismProblem *problem)
{
  gtk_widget_set_visible (GTK_WIDGET (self->import_window), FALSE);
  prism_window_hide_problem (self);
  start_problem (self, problem);
  gtk_window_present (GTK_WINDOW (self));
}

/* Shows what frames that a camera recorded are understood as. path: (nullable): opened there */
static void
open_measurements (PrismWindow *self,
                   const char *path)
{
  if (self->import_window == NULL)
    {
      prism_window_open_child (self, g_object_new (PRISM_TYPE_IMPORT_WINDOW, NULL),
                               &self->import_window);
      PRISM_CONNECT (self->import_window, "reconstruct", on_reconstruct, self);
    }
  gtk_window_present (self->import_window);
  if (path != NULL)
    prism_import_window_open (PRISM_IMPORT_WINDOW (self->import_window), path);
}

/**
 * prism_window_open_file:
 * @self: a window
 * @file: an image, a configuration, a run, a lesson, recorded frames, a folder of them, or the
 *   folder of what explains them
 *
 * Opens a file: an image becomes the object, a configuration, also of the first PRISM, replaces all
 * parameters, a run is shown as it stood, a lesson begins. Frames and their results have windows of
 * their own.
 */
void
prism_window_open_file (PrismWindow *self,
                        GFile *file)
{
  g_autofree char *path = g_file_get_path (file);
  g_autofree char *folder = path != NULL ? g_path_get_dirname (path) : NULL;
  g_autofree char *small = path != NULL ? g_ascii_strdown (path, -1) : NULL;

  if (path == NULL)
    prism_window_show_problem (
        self, _ ("Only files of this computer can be opened: copy it to a folder first."));
  else if (prism_exchange_has_result (path))
    prism_window_compare_folder (self, path);
  else if (g_str_has_suffix (path, "/ptylab.hdf5") && prism_exchange_has_result (folder))
    prism_window_compare_folder (self, folder);
  else if (g_str_has_suffix (small, CONFIG_SUFFIX))
    open_config (self, path, TRUE);
  else if (g_str_has_suffix (small, PRISM_RUN_FILE_SUFFIX))
    prism_window_open_run (self, path);
  else if (g_str_has_suffix (small, PRISM_LESSON_SUFFIX))
    prism_window_open_lesson (self, path);
  else if (g_str_has_suffix (small, PRISM_TRACE_SUFFIX))
    prism_window_open_profile (self, path);
  else if (ends_with (small, first_endings, G_N_ELEMENTS (first_endings)))
    open_config (self, path, FALSE);
  else if (g_file_test (path, G_FILE_TEST_IS_DIR)
           || has_frames (small))
    open_measurements (self, path);
  else
    open_object (self, path);
}

static void
open_path (PrismWindow *self,
           const char *path)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);

  prism_window_open_file (self, file);
}

static void
on_open_uri (PrismWindow *self,
             const char *id)
{
  g_autoptr (GFile) file = g_file_new_for_uri (id);

  prism_window_open_file (self, file);
}

static void
save_config (PrismWindow *self,
             const char *path)
{
  g_autoptr (GError) error = NULL;

  if (prism_config_save (self->draft->config, path, self->draft->display, &error))
    {
      prism_window_set_opened (self, path);
      prism_window_remember (path, CONFIG_TYPE);
    }
  prism_window_show_saved (self, path, error);
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
on_paste (PrismWindow *self)
{
  GdkClipboard *clipboard = gtk_widget_get_clipboard (GTK_WIDGET (self));

  gdk_clipboard_read_texture_async (clipboard, NULL, on_texture_pasted, g_object_ref (self));
}

/**
 * prism_window_open_files:
 * @self: a window
 * @files: (element-type GFile): files that were opened together
 *
 * Compares several runs; of other files the first is opened, and a sentence says so.
 */
void
prism_window_open_files (PrismWindow *self,
                         GSList *files)
{
  g_autofree char *name = files != NULL ? g_file_get_basename (files->data) : NULL;
  g_autofree char *shown = name != NULL ? g_filename_display_name (name) : NULL;
  g_autofree char *text = NULL;
  gpointer overlay = self->toast_overlay;

  if (files == NULL || prism_window_compare_files (self, files))
    return;
  prism_window_open_file (self, files->data);
  if (files->next == NULL)
    return;
  text = g_strdup_printf (_ ("Only “%s” is opened: one file at a time, or several runs to compare"),
                          shown);
  /* The window of the frames stands above this one. */
  if (self->import_window != NULL && gtk_widget_get_visible (GTK_WIDGET (self->import_window)))
    overlay = gtk_widget_get_template_child (GTK_WIDGET (self->import_window),
                                             PRISM_TYPE_IMPORT_WINDOW, "toast_overlay");
  prism_toaster_tell (ADW_TOAST_OVERLAY (overlay), text);
}

static gboolean
on_drop (PrismWindow *self,
         const GValue *value)
{
  prism_window_open_files (self, g_value_get_boxed (value));
  return g_value_get_boxed (value) != NULL;
}

/* What is there is shown by runs that give way to each other, and the last one is a run like any
 * other. A run that somebody has begun meanwhile is left alone. */
static void
on_camera_frames (PrismWindow *self,
                  PrismProblem *problem,
                  gboolean is_last,
                  PrismCameraWindow *camera)
{
  if (is_last)
    start_problem (self, problem);
  else if (!prism_session_get_active (self->session))
    prism_session_pass_problem (self->session, problem);
}

static void
ask_camera (PrismSession *session,
            GParamSpec *pspec,
            PrismCameraWindow *camera)
{
  if (!prism_session_get_active (session))
    prism_camera_window_ask (camera);
}

static void
follow_folder (PrismWindow *self,
               const char *folder,
               const char *positions)
{
  GtkWidget *camera = prism_camera_window_new (folder, positions);

  PRISM_CONNECT (camera, "frames", on_camera_frames, self);
  g_signal_connect_object (self->session, "notify::state", G_CALLBACK (ask_camera), camera, 0);
  ask_camera (self->session, NULL, PRISM_CAMERA_WINDOW (camera));
  prism_window_hide_problem (self);
  prism_window_open_child (self, camera, NULL);
}

static void
on_table_chosen (PrismWindow *self,
                 const char *path,
                 const char *folder)
{
  follow_folder (self, folder, path);
}

/* Shows what there is of the frames that a camera writes into a folder. A table in it is that of
 * its frames; else one is asked for. */
static void
choose_folder (PrismWindow *self,
               const char *path)
{
  const PrismFileDialog dialog = { PRISM_FILE_DIALOG_OPEN,
                                   _ ("Open the table of the LEDs, with a row for each frame"),
                                   _ ("Tables"), "*.csv *.txt *.tsv" };
  g_autofree char *table = g_build_filename (path, "leds.csv", NULL);

  if (g_file_test (table, G_FILE_TEST_EXISTS))
    follow_folder (self, path, table);
  else
    prism_file_dialog_ask (&dialog, self, on_table_chosen, g_strdup (path), g_free);
}

/* A stop takes one step of the engine; after this long the window goes without its word. A pause
 * has the run's file written, which takes as long as it takes. */
#define STOP_PATIENCE 5000 /* ms */

/* Where the result of a run is kept that was ended by closing the window. */
static char *
dup_folder (void)
{
  return g_build_filename (g_get_user_data_dir (), "prism-studio", "last-run", NULL);
}

/* Stands in the folder until the next start has told the user about it. */
static char *
dup_marker (void)
{
  g_autofree char *folder = dup_folder ();

  return g_build_filename (folder, ".unseen", NULL);
}

static void
on_loss_answered (PrismWindow *self,
                  PrismAnswer answer,
                  gpointer data)
{
  self->quitting = FALSE;
  if (answer == PRISM_ANSWER_CONFIRM)
    gtk_window_destroy (GTK_WINDOW (self));
  else if (answer == PRISM_ANSWER_BETTER)
    g_action_group_activate_action (G_ACTION_GROUP (self), "export-all", NULL);
}

/* The folder of the program cannot be written. */
static void
ask_about_loss (PrismWindow *self,
                const GError *error)
{
  const PrismMessage message = {
    .heading = _ ("Close without saving?"),
    .body = error->message,
    .dismiss = _ ("_Cancel"),
    .confirm = _ ("_Close"),
    .destructive = TRUE,
    .better = _ ("_Save…"),
  };

  prism_message_show (&message, GTK_WINDOW (self), on_loss_answered, NULL, NULL);
}

static void
on_kept (PrismWindow *self,
         const char *path,
         const GError *error)
{
  g_autofree char *marker = dup_marker ();

  if (error != NULL && !self->deserted)
    {
      ask_about_loss (self, error);
      return;
    }
  if (error == NULL)
    g_file_set_contents (marker, "", 0, NULL);
  else
    g_printerr ("%s\n", error->message);
  gtk_window_destroy (GTK_WINDOW (self));
}

static void
keep_and_close (PrismWindow *self)
{
  PrismSnapshot *snapshot = self->session->snapshot;
  g_autofree char *folder = dup_folder ();

  if (snapshot == NULL || snapshot->reconstruction == NULL)
    gtk_window_destroy (GTK_WINDOW (self));
  else
    prism_file_saver_save (prism_exporter_save, prism_exporter_new (PRISM_EXPORT_ALL, snapshot),
                           prism_exporter_free, folder, on_kept, self);
}

static void
stop (PrismWindow *self)
{
  self->leaving = FALSE;
  prism_later (&self->quit_id, STOP_PATIENCE, keep_and_close, self);
  prism_session_stop (self->session);
}

static void
on_paused (PrismWindow *self)
{
  /* A run that is safe in its file is left as it is, to go on at the next start. */
  if (prism_session_get_saved (self->session))
    gtk_window_destroy (GTK_WINDOW (self));
  else
    stop (self);
}

/* What rests is in its file as it is, and a run that follows a change is over in no time. */
static gboolean
is_to_be_kept (PrismWindow *self)
{
  return prism_session_get_active (self->session) && !self->session->resting
         && !self->session->passing;
}

/* Returns: (nullable): where a sweep, a benchmark or the like goes on; it may be hidden */
static GtkWindow *
find_work (PrismWindow *self)
{
  PrismJobWindow *window = prism_job_window_find (self, PRISM_TYPE_JOB_WINDOW);

  return window != NULL && window->busy ? GTK_WINDOW (window) : NULL;
}

/* The program ends when the file is on the disk, window or not: somebody should see why. */
static void
pause_and_close (PrismWindow *self)
{
  GtkApplication *application = gtk_window_get_application (GTK_WINDOW (self));
  const char *text = _ ("Saving the run: the window closes once its file is written.");

  self->leaving = TRUE;
  prism_notice_show (self->notice, text, FALSE);
  if (application != NULL)
    gtk_application_inhibit (application, GTK_WINDOW (self), GTK_APPLICATION_INHIBIT_LOGOUT, text);
  prism_session_pause (self->session);
}

static void quit (PrismWindow *self);

/* Of what could not be written somebody should see why: the window stays. */
static void
on_files_written (PrismWindow *self,
                  const GError *error)
{
  self->quitting = FALSE;
  if (self->session == NULL)
    return;
  if (error == NULL || self->deserted)
    quit (self);
  else
    prism_notice_show (self->notice, error->message, TRUE);
}

static void
quit (PrismWindow *self)
{
  const PrismSession *session = self->session;

  if (self->quitting)
    return;
  self->quitting = TRUE;
  if (prism_job_wait_for_files (on_files_written, self))
    {
      prism_notice_show (self->notice,
                         _ ("A file is being saved: the window closes once it is written."), FALSE);
      return;
    }
  if (!is_to_be_kept (self))
    {
      /* A result that no file has, because the user has chosen so. */
      if ((session->state == PRISM_STATE_FINISHED || session->state == PRISM_STATE_STOPPED)
          && session->run_file == NULL && !session->passing)
        keep_and_close (self);
      else
        gtk_window_destroy (GTK_WINDOW (self));
      return;
    }
  if (!prism_session_get_saved (self->session))
    stop (self);
  else if (self->session->state == PRISM_STATE_PAUSED)
    gtk_window_destroy (GTK_WINDOW (self));
  else
    pause_and_close (self);
}

/* What was asked about has ended meanwhile: there is nothing to ask, nor to pause. */
static void
on_over (PrismWindow *self)
{
  if (self->quit_question != NULL)
    gtk_window_destroy (self->quit_question);
  self->leaving = self->quitting = FALSE;
  quit (self);
}

static void
on_state_changed (PrismWindow *self)
{
  if (self->kept_toast != NULL && prism_session_get_active (self->session))
    prism_toaster_dismiss (self->toast_overlay, g_steal_pointer (&self->kept_toast));
  if (self->leaving && self->session->state == PRISM_STATE_PAUSED)
    {
      self->leaving = FALSE;
      prism_later (&self->quit_id, 0, on_paused, self);
    }
  else if (self->quit_id != 0 && !prism_session_get_active (self->session))
    prism_later (&self->quit_id, 0, keep_and_close, self);
  else if ((self->quit_question != NULL || self->leaving)
           && !prism_session_get_active (self->session))
    prism_later (&self->quit_id, 0, on_over, self);
}

/**
 * prism_window_stop_and_quit:
 * @self: a window
 *
 * Closes the window where nobody is there to be asked. A run that is under way pauses and stays in
 * its file, from which it can go on; where it cannot be saved it ends, and its result is kept in
 * the user's data folder.
 */
void
prism_window_stop_and_quit (PrismWindow *self)
{
  self->deserted = TRUE;
  quit (self);
}

static void
on_answer (PrismWindow *self,
           PrismAnswer answer,
           gpointer data)
{
  if (answer == PRISM_ANSWER_CONFIRM)
    quit (self);
}

/* The program ends with this window: a key that closes any other one ends it by mistake. */
static void
on_ask_to_close (PrismWindow *self)
{
  const PrismMessage message = {
    .heading = _ ("Quit PRISM Studio?"),
    .body = _ ("This is its last window. Runs are kept."),
    .dismiss = _ ("_Cancel"),
    .confirm = _ ("_Quit"),
  };

  if (is_to_be_kept (self) || find_work (self) != NULL)
    gtk_window_close (GTK_WINDOW (self));
  else
    prism_message_show (&message, GTK_WINDOW (self), on_answer, NULL, NULL);
}

static void
ask_about_work (PrismWindow *self,
                GtkWindow *work)
{
  g_autofree char *heading
      = g_strdup_printf (_ ("Quit while “%s” is under way?"), gtk_window_get_title (work));
  const PrismMessage message = {
    .heading = heading,
    .body = _ ("It stops when you quit. Results that it has written so far are kept."),
    .dismiss = _ ("_Keep running"),
    .confirm = _ ("_Stop and quit"),
    .destructive = TRUE,
  };

  prism_message_show (&message, GTK_WINDOW (self), on_answer, NULL, NULL);
}

static gboolean
on_close_request (PrismWindow *self)
{
  PrismMessage message = {
    .heading = _ ("Stop the reconstruction?"),
    .body
    = _ ("A reconstruction is running. When you quit it stops, and its result so far is kept."),
    .dismiss = _ ("_Keep running"),
    .confirm = _ ("_Stop and quit"),
    .destructive = TRUE,
  };
  GtkWindow *work = find_work (self);

  if (self->quitting)
    return GDK_EVENT_STOP;
  if (work != NULL)
    {
      ask_about_work (self, work);
      return GDK_EVENT_STOP;
    }
  if (!is_to_be_kept (self))
    {
      quit (self);
      return GDK_EVENT_STOP;
    }
  if (prism_session_get_saved (self->session))
    {
      message.heading = _ ("Quit while the reconstruction runs?");
      message.body = _ ("The run is saved as it is. The next start offers to resume it.");
      message.confirm = _ ("_Save and quit");
      message.destructive = FALSE;
    }
  prism_widget_place_window (
      self, prism_message_show (&message, GTK_WINDOW (self), on_answer, NULL, NULL),
      &self->quit_question);
  return GDK_EVENT_STOP;
}

static void
on_kept_toast_dismissed (PrismWindow *self)
{
  self->kept_toast = NULL;
}

static void
tell_about_last_run (PrismWindow *self)
{
  g_autofree char *folder = dup_folder ();
  g_autofree char *marker = dup_marker ();
  AdwToast *toast;

  if (g_unlink (marker) != 0)
    return;
  self->kept_toast = toast = adw_toast_new (_ ("The result of the last run was kept"));
  adw_toast_set_button_label (toast, _ ("_Show folder"));
  adw_toast_set_action_name (toast, "win.show-folder");
  adw_toast_set_action_target (toast, "s", folder);
  adw_toast_set_timeout (toast, 15);
  PRISM_CONNECT (toast, "dismissed", on_kept_toast_dismissed, self);
  prism_toaster_add (self->toast_overlay, toast);
}

/**
 * prism_window_install_files:
 * @self: a window
 *
 * Adds opening by dialog, drop and clipboard, saving a configuration, and makes closing the
 * window ask while something runs.
 */
void
prism_window_install_files (PrismWindow *self)
{
  PRISM_WINDOW_ACTIONS (self,
                        { "open", open_path,
                          .dialog
                          = { PRISM_FILE_DIALOG_OPEN,
                              N_ ("Open an image, measurements, a configuration or a run"),
                              N_ ("Images, measurements, configurations and runs"),
                              "*.prism *.prismrun *.png *.PNG *.jpg *.jpeg *.JPG *.JPEG *.tif "
                              "*.tiff *.TIF *.TIFF *.fits *.fit *.fts *.FITS *.npy *.hdf5 *.h5 "
                              "*.cxi *.mat *.npz *.gz *.bz2 *.fz *.yaml *.yml *.pt "
                              "*" PRISM_LESSON_SUFFIX " *" PRISM_TRACE_SUFFIX } },
                        { "open-uri", on_open_uri, "s" },
                        { "paste", on_paste },
                        { "save-config", save_config,
                          .dialog = { PRISM_FILE_DIALOG_SAVE, N_ ("Save the configuration"),
                                      N_ ("Configurations"), "*" CONFIG_SUFFIX,
                                      "setup" CONFIG_SUFFIX } },
                        { "open-measurements", open_measurements },
                        { "follow-folder", choose_folder,
                          .dialog = { PRISM_FILE_DIALOG_FOLDER,
                                      N_ ("Open the folder that a camera writes frames into"),
                                      .accept = N_ ("_Follow") } },
                        { "ask-to-close", on_ask_to_close });
  prism_widget_control (self, gtk_drop_target_new (GDK_TYPE_FILE_LIST, GDK_ACTION_COPY), self,
                        "drop", on_drop, NULL);
  g_signal_connect (self, "close-request", G_CALLBACK (on_close_request), NULL);
  PRISM_CONNECT (self->session, "notify::state", on_state_changed, self);
  tell_about_last_run (self);
}
