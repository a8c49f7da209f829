#include "config.h"

#include "window/prism-window-private.h"

#include "output/prism-exporter.h"
#include "support/prism-file-saver.h"
#include "support/prism-message.h"
#include "support/prism-toaster.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>

/* A stop takes one step of the engine; after this long the window goes without its word. */
#define STOP_PATIENCE 5 /* s */

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
on_loss_answered (PrismAnswer answer,
                  gpointer data)
{
  PrismWindow *self = data;

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

  prism_message_show (&message, GTK_WINDOW (self), on_loss_answered, g_object_ref (self),
                      g_object_unref);
}

static void
on_kept (const char *path,
         const GError *error,
         gpointer data)
{
  g_autoptr (PrismWindow) self = data;
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
  PrismSnapshot *snapshot = prism_session_get_snapshot (self->session);
  g_autofree char *folder = dup_folder ();

  if (snapshot == NULL || snapshot->reconstruction == NULL)
    gtk_window_destroy (GTK_WINDOW (self));
  else
    prism_file_saver_save (prism_exporter_save, prism_exporter_new (PRISM_EXPORT_ALL, snapshot),
                           prism_exporter_free, folder, on_kept, g_object_ref (self));
}

static gboolean
on_stopped (gpointer data)
{
  PrismWindow *self = data;

  self->quit_id = 0;
  keep_and_close (self);
  return G_SOURCE_REMOVE;
}

/* Not before the main loop has the word again, and never for a window that is gone by then. */
static void
plan (PrismWindow *self,
      GSourceFunc func)
{
  g_clear_handle_id (&self->quit_id, g_source_remove);
  self->quit_id = g_idle_add (func, self);
}

/* A run that is safe in its file is left as it is, to go on at the next start. */
static void
leave (PrismWindow *self)
{
  gtk_window_destroy (GTK_WINDOW (self));
}

static void
stop (PrismWindow *self)
{
  g_clear_handle_id (&self->quit_id, g_source_remove);
  self->leaving = FALSE;
  self->quit_id = g_timeout_add_seconds (STOP_PATIENCE, on_stopped, self);
  prism_session_stop (self->session);
}

static gboolean
on_paused (gpointer data)
{
  PrismWindow *self = data;

  self->quit_id = 0;
  if (prism_session_get_saved (self->session))
    leave (self);
  else
    stop (self);
  return G_SOURCE_REMOVE;
}

static void
on_state_changed (PrismWindow *self)
{
  if (self->kept_toast != NULL && prism_session_get_active (self->session))
    prism_toaster_dismiss (self->toast_overlay, g_steal_pointer (&self->kept_toast));
  if (self->leaving && prism_session_get_state (self->session) == PRISM_STATE_PAUSED)
    {
      self->leaving = FALSE;
      plan (self, on_paused);
    }
  else if (self->quit_id != 0 && !prism_session_get_active (self->session))
    plan (self, on_stopped);
}

/* What rests is in its file as it is, and a run that follows a change is over in no time. */
static gboolean
is_to_be_kept (PrismWindow *self)
{
  return prism_session_get_active (self->session) && !prism_session_get_resting (self->session)
         && !prism_session_get_passing (self->session);
}

/* A result that no file has, because the user has chosen so. */
static gboolean
has_lone_result (PrismWindow *self)
{
  PrismState state = prism_session_get_state (self->session);

  return (state == PRISM_STATE_FINISHED || state == PRISM_STATE_STOPPED)
         && prism_session_get_run_file (self->session) == NULL
         && !prism_session_get_passing (self->session);
}

static void
quit (PrismWindow *self)
{
  if (self->quitting)
    return;
  self->quitting = TRUE;
  if (!is_to_be_kept (self))
    {
      if (has_lone_result (self))
        keep_and_close (self);
      else
        gtk_window_destroy (GTK_WINDOW (self));
      return;
    }
  if (!prism_session_get_saved (self->session))
    stop (self);
  else if (prism_session_get_state (self->session) == PRISM_STATE_PAUSED)
    leave (self);
  else
    {
      self->leaving = TRUE;
      self->quit_id = g_timeout_add_seconds (STOP_PATIENCE, on_stopped, self);
      prism_session_pause (self->session);
    }
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
on_answer (PrismAnswer answer,
           gpointer data)
{
  if (answer == PRISM_ANSWER_CONFIRM)
    quit (data);
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

  if (self->quitting)
    return GDK_EVENT_STOP;
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
  prism_message_show (&message, GTK_WINDOW (self), on_answer, g_object_ref (self), g_object_unref);
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
  g_signal_connect_object (toast, "dismissed", G_CALLBACK (on_kept_toast_dismissed), self,
                           G_CONNECT_SWAPPED);
  prism_toaster_add (self->toast_overlay, toast);
}

/**
 * prism_window_install_quit:
 * @self: a window
 *
 * Makes closing the window ask while something runs.
 */
void
prism_window_install_quit (PrismWindow *self)
{
  g_signal_connect (self, "close-request", G_CALLBACK (on_close_request), NULL);
  g_signal_connect_object (self->session, "notify::state", G_CALLBACK (on_state_changed), self,
                           G_CONNECT_SWAPPED);
  tell_about_last_run (self);
}
