#include "config.h"

#include "base/prism-file.h"
#include "config/prism-builtin.h"
#include "library/prism-library-index.h"
#include "library/prism-library-window.h"
#include "run/prism-run-catalogue.h"
#include "run/prism-run-folder.h"
#include "run/prism-run-snapshot.h"
#include "support/prism-ui-text.h"
#include "window/prism-window-private.h"

/* What goes from the program's own folder, when a run is over. */
typedef struct
{
  PrismRunLimits limits;
  guint n_deleted;
} Pruning;

#define RUN_TYPE "application/x-prism-studio-run"

typedef enum
{
  SHOW,
  RESUME,
  RETURN, /* shows it, and what is edited stays */
} Purpose;

/* A file that is being read. */
typedef struct
{
  char *path;
  Purpose purpose;
} Reading;

/* A run that was interrupted, as far as the offer tells. */
typedef struct
{
  char *path;
  char *link; /* (nullable): see PrismRunEntry */
  char *text; /* of the offer */
} Interrupted;

PRISM_FREE (Reading, reading_free, g_free, path)

PRISM_FREE (Interrupted, interrupted_free, g_free, path, g_free, link, g_free, text)

/* Another thread. */
static gpointer
read_run (Reading *reading,
          GError **error)
{
  return prism_run_file_load (reading->path, error);
}

static void
show_run (PrismWindow *self,
          const Reading *reading,
          PrismRun *run)
{
  g_autoptr (PrismConfig) edited = prism_config_dup (self->draft->config);

  /* From now on it is the session's. */
  g_clear_object (&self->reading);
  prism_window_hide_problem (self);
  if (!prism_session_open_run (self->session, run, reading->path, reading->purpose == RESUME))
    {
      prism_window_end_reading (self);
      return;
    }
  if (reading->purpose == RETURN)
    prism_draft_set_config (self->draft, edited, "");
  prism_window_remember (reading->path, RUN_TYPE);
}

static void
on_run_read (PrismWindow *self,
             const Reading *reading,
             gpointer result,
             const GError *error)
{
  if (result != NULL)
    show_run (self, reading, result);
  else if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      prism_window_end_reading (self);
      prism_window_show_problem (self, error->message);
    }
}

static void
start_reading (PrismWindow *self,
               const char *path,
               Purpose purpose)
{
  static const PrismJob job
      = { "open a run", read_run, on_run_read, reading_free, prism_run_free };
  g_autofree char *name = prism_run_catalogue_dup_name (path, NULL);
  g_autofree char *text = g_strdup_printf (_ ("Opening “%s”…"), name);
  g_autofree char *markup = g_markup_escape_text (text, -1);

  prism_job_start (&job, self, PRISM_NEW (Reading, g_strdup (path), purpose),
                   prism_window_begin_reading (self));
  self->opening = g_object_ref (adw_toast_new (markup));
  adw_toast_set_timeout (self->opening, 0);
  adw_toast_set_button_label (self->opening, _ ("_Cancel"));
  adw_toast_set_action_name (self->opening, "win.stop");
  prism_toaster_add (self->toast_overlay, self->opening);
  prism_session_set_opening (self->session, name);
}

/* The ways in lead to other runs than the one that is on its way. */
static void
on_opening_changed (PrismWindow *self)
{
  gtk_widget_set_sensitive (GTK_WIDGET (self->dashboard->ways), self->session->opening == NULL);
}

/**
 * prism_window_open_run:
 * @self: a window
 * @path: of a run file
 *
 * Shows a run as it stood when it was saved; the file is read on another thread.
 */
void
prism_window_open_run (PrismWindow *self,
                       const char *path)
{
  if (prism_session_get_saved (self->session)
      && g_strcmp0 (self->session->run_file, path) == 0)
    prism_window_show_toast (self, _ ("This is the run on the screen"));
  else
    start_reading (self, path, SHOW);
}

/**
 * prism_window_return_to_run:
 * @self: a window
 * @path: of the file of a run that was left
 *
 * Shows it as prism_window_open_run() does, beside the settings that are edited.
 */
void
prism_window_return_to_run (PrismWindow *self,
                            const char *path)
{
  start_reading (self, path, RETURN);
}

/* Another thread: looks for the newest run that was interrupted and can be read. */
static gpointer
find_interrupted (gpointer data,
                  GError **error)
{
  g_autofree char *folder = prism_run_folder_dup_path ();
  g_autoptr (GPtrArray) entries = prism_run_folder_list (folder);
  Interrupted *found = NULL;

  for (guint i = 0; i < entries->len && found == NULL; i++)
    {
      const PrismRunEntry *entry = g_ptr_array_index (entries, i);
      g_autoptr (PrismSnapshot) snapshot = NULL;
      g_autofree char *object = NULL, *place = NULL, *time = NULL;

      if (!prism_run_entry_is_interrupted (entry))
        continue;
      snapshot = prism_run_file_load_snapshot (entry->path, NULL);
      if (snapshot == NULL)
        continue;
      object = prism_builtin_dup_label (snapshot->config->object);
      place = prism_ui_text_dup_place (snapshot);
      time = prism_machine_wording_dup_time (entry->saved);
      found = g_new0 (Interrupted, 1);
      found->path = g_strdup (entry->path);
      found->link = g_strdup (entry->link);
      /* TRANSLATORS: object, time and “Tile 3 of 25, pass 57 of at most 232” */
      found->text = g_strdup_printf (_ ("“%s” was interrupted. It can go on from where it was saved"
                                        " %s: %s."),
                                     object, time, place);
    }
  return found;
}

static void
update_actions (PrismWindow *self)
{
  gboolean any = self->session->run_file != NULL;
  gboolean active = prism_session_get_active (self->session);

  prism_window_enable (self, "save-run", any || active, "interrupted", self->interrupted != NULL,
                       NULL);
}

static void
offer (PrismWindow *self,
       const Interrupted *found)
{
  prism_keep_text (&self->interrupted, found->path);
  prism_keep_text (&self->interrupted_link, found->link);
  update_actions (self);
  prism_notice_show (self->run_notice, found->text, FALSE);
  prism_notice_add_button (self->run_notice, _ ("Resume"), "win.interrupted::resume");
  prism_notice_add_button (self->run_notice, _ ("Show"), "win.interrupted::show");
  prism_notice_add_button (self->run_notice, _ ("Discard"), "win.interrupted::discard");
}

static void
on_interrupted_found (PrismWindow *self,
                      gpointer data,
                      Interrupted *found,
                      const GError *error)
{
  if (found == NULL)
    return;
  if (!self->quitting && !prism_session_get_active (self->session)
      && !self->session->resting)
    offer (self, found);
  interrupted_free (found);
}

static void
look_for_interrupted (PrismWindow *self)
{
  static const PrismJob job = { "look for interrupted runs", find_interrupted,
                                on_interrupted_found, NULL, interrupted_free };

  prism_job_start (&job, self, NULL, NULL);
}

PRISM_FREE (Pruning, pruning_free, g_hash_table_unref, limits.marked)

/* Another thread. Where it is not known what is marked, everything stays. */
static gpointer
prune (Pruning *pruning,
       GError **error)
{
  g_autofree char *folder = prism_run_folder_dup_path ();
  g_autofree char *catalogue = prism_run_catalogue_dup_folder ();

  if (pruning->limits.marked == NULL)
    pruning->limits.marked = prism_run_catalogue_load_marked (catalogue, error);
  if (pruning->limits.marked == NULL)
    return NULL;
  prism_run_folder_prune (folder, &pruning->limits, &pruning->n_deleted);
  return pruning;
}

static void
on_pruned (PrismWindow *self,
           const Pruning *pruning,
           gpointer result,
           const GError *error)
{
  g_autofree char *text = NULL;

  if (error != NULL)
    g_message ("No old run goes: %s", error->message);
  if (self->library != NULL)
    prism_library_window_refresh (PRISM_LIBRARY_WINDOW (self->library));
  if (pruning->n_deleted == 0 || self->quitting)
    return;
  text = g_strdup_printf (ngettext ("%u old run was deleted, as there is no trash for it",
                                    "%u old runs were deleted, as there is no trash for them",
                                    pruning->n_deleted),
                          pruning->n_deleted);
  prism_window_show_toast (self, text);
}

static void
start_pruning (PrismWindow *self)
{
  static const PrismJob job = { "remove old runs", prune, on_pruned, pruning_free, NULL };
  Pruning *pruning = g_new0 (Pruning, 1);

  prism_library_limits_init (&pruning->limits);
  /* What is marked there may not be on the disk yet. */
  if (self->library != NULL && PRISM_LIBRARY_WINDOW (self->library)->catalogue != NULL)
    pruning->limits.marked
        = prism_run_catalogue_dup_marked (PRISM_LIBRARY_WINDOW (self->library)->catalogue);
  prism_job_start (&job, self, pruning, NULL);
}

/* Into the wastebasket where there is one; what the user keeps elsewhere stays there, and is not
 * offered any more. */
static void
discard (PrismWindow *self,
         const char *path)
{
  const char *link = self->interrupted_link;
  g_autoptr (GFile) file = g_file_new_for_path (link != NULL ? link : path);
  g_autoptr (GError) error = NULL;

  if ((link == NULL && g_file_trash (file, NULL, NULL)) || g_file_delete (file, NULL, &error))
    look_for_interrupted (self);
  else
    prism_window_show_problem (self, error->message);
}

static void
on_interrupted (PrismWindow *self,
                const char *what)
{
  g_autofree char *path = g_steal_pointer (&self->interrupted);

  prism_notice_hide (self->run_notice);
  update_actions (self);
  if (path == NULL)
    return;
  if (g_str_equal (what, "discard"))
    discard (self, path);
  else
    start_reading (self, path, g_str_equal (what, "resume") ? RESUME : SHOW);
}

static void
on_run_copied (PrismWindow *self,
               const char *path,
               const GError *error)
{
  if (error == NULL)
    prism_window_remember (path, RUN_TYPE);
  prism_window_show_saved (self, path, error);
}

static void
on_place_chosen (PrismWindow *self,
                 const char *path)
{
  if (!prism_session_get_active (self->session) && !prism_session_get_unsaved (self->session))
    {
      const char *source = self->session->run_file;

      /* A run that is over is copied as it is. */
      if (source != NULL && !g_str_equal (source, path))
        prism_file_saver_save (prism_file_copy, g_strdup (source), g_free, path, on_run_copied,
                               self);
      return;
    }
  prism_window_hide_problem (self);
  if (!prism_session_get_active (self->session))
    {
      prism_session_run_in (self->session, path);
      return;
    }
  prism_keep_text (&self->saving_run, path);
  prism_session_move_run (self->session, path);
}

static void
on_save_run (PrismWindow *self)
{
  const char *path = self->session->run_file;
  g_autofree char *name
      = path != NULL ? g_path_get_basename (path) : g_strdup ("run" PRISM_RUN_FILE_SUFFIX);
  const PrismFileDialog dialog = { PRISM_FILE_DIALOG_SAVE, _ ("Save the run"), _ ("Runs"),
                                   "*" PRISM_RUN_FILE_SUFFIX, name };

  prism_file_dialog_ask (&dialog, self, on_place_chosen, NULL, NULL);
}

static void
on_run_unsaved (PrismWindow *self)
{
  prism_window_hide_problem (self);
  prism_session_run_unsaved (self->session);
}

static void
on_run_file_changed (PrismWindow *self)
{
  const char *path = self->session->run_file;

  update_actions (self);
  if (self->saving_run == NULL || g_strcmp0 (self->saving_run, path) != 0)
    return;
  prism_window_remember (path, RUN_TYPE);
  prism_window_show_saved (self, path, NULL);
  g_clear_pointer (&self->saving_run, g_free);
}

/* Shows what became of the run on the screen and its file. */
static void
update_runs (PrismWindow *self)
{
  PrismState state = self->session->state;
  gboolean still = state == PRISM_STATE_PAUSED || state == PRISM_STATE_FINISHED;

  /* An offer that was not answered comes back with the next start. */
  if ((self->session->resting && still) || prism_session_get_active (self->session))
    g_clear_pointer (&self->interrupted, g_free);
  if (self->session->resting && still)
    prism_window_show_resting (self);
  else if (self->interrupted == NULL)
    prism_notice_hide (self->run_notice);
  if (state == PRISM_STATE_RUNNING && self->save_problem)
    {
      self->save_problem = FALSE;
      prism_window_hide_problem (self);
    }
  update_actions (self);
  if ((state == PRISM_STATE_FINISHED || state == PRISM_STATE_STOPPED)
      && !self->session->passing)
    start_pruning (self);
}

/* Another run whose past is that of the first. It begins with one of the states that the file has,
 * which may be earlier than the moment that is shown: the user is then asked. */
typedef struct
{
  char *path;
  PrismSnapshot *shown;
  gboolean paused; /* for the fork alone */
  PrismRun *run;   /* (nullable): where it begins, while the question is asked */
} Fork;

PRISM_FREE (Fork, fork_free, g_free, path, prism_snapshot_unref, shown, prism_run_free, run)

/* Another thread. */
static gpointer
read_state (Fork *fork,
            GError **error)
{
  return prism_run_file_load_until (fork->path, fork->shown->step, error);
}

static void
enable_actions (PrismWindow *self)
{
  gboolean any = self->session->run_file != NULL;

  prism_window_enable (self, "fork", any, "fork-back", self->forked_from != NULL, NULL);
}

static void
begin (PrismWindow *self,
       Fork *fork)
{
  prism_window_hide_problem (self);
  if (!prism_session_fork_run (self->session, g_steal_pointer (&fork->run), fork->path))
    return;
  prism_keep_text (&self->forked_from, fork->path);
  prism_keep_text (&self->fork_file, self->session->run_file);
  enable_actions (self);
  update_runs (self);
  prism_window_show_toast (self, _ ("A new run begins here: change its settings, then resume"));
}

static void
on_answer (PrismWindow *self,
           PrismAnswer answer,
           Fork *fork)
{
  if (answer == PRISM_ANSWER_CONFIRM)
    begin (self, fork);
  else if (fork->paused && self->session->state == PRISM_STATE_PAUSED)
    prism_session_run (self->session);
}

static void
ask (PrismWindow *self,
     Fork *fork)
{
  g_autofree char *heading = prism_ui_text_dup_fork (self->session->snapshot, fork->shown);
  const PrismMessage message = {
    .heading = heading != NULL ? heading : _ ("Fork the run"),
    .body
    = _ ("Of the moment on the screen there is a picture, but no checkpoint to go on from: this "
         "is the newest one before it. The new run has all curves and moments up to there, and "
         "the run on the screen stays as it is in its file."),
    .dismiss = _ ("_Cancel"),
    .confirm = _ ("_Fork"),
  };

  prism_message_show (&message, GTK_WINDOW (self), on_answer, fork, fork_free);
}

static void
on_state_read (PrismWindow *self,
               Fork *fork,
               gpointer result,
               const GError *error)
{
  fork->run = result;
  if (fork->run != NULL && fork->run->snapshot->step < fork->shown->step)
    {
      ask (self, fork);
      return;
    }
  if (fork->run != NULL)
    begin (self, fork);
  else if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    prism_window_show_problem (self, error->message);
  fork_free (fork);
}

/* From the moment that is shown, or the present; a run that is over goes on from before its end. */
static void
fork_now (PrismWindow *self,
          gboolean paused)
{
  static const PrismJob job
      = { "fork a run", read_state, on_state_read, NULL, prism_run_free };
  PrismSnapshot *shown = self->session->playback->shown;
  const char *path = self->session->run_file;

  self->forking = FALSE;
  if (path == NULL || shown == NULL)
    return;
  prism_job_start (&job, self,
                   PRISM_NEW (Fork, g_strdup (path), prism_snapshot_ref (shown), paused),
                   prism_window_begin_reading (self));
}

static void
on_fork (PrismWindow *self)
{
  if (!prism_session_get_going (self->session))
    {
      fork_now (self, FALSE);
      return;
    }
  self->forking = TRUE;
  prism_session_pause (self->session);
}

static void
on_fork_back (PrismWindow *self)
{
  if (self->forked_from != NULL)
    prism_window_open_run (self, self->forked_from);
}

/* Goes on with a fork that waited for the run to pause, and says no more that a run is opened. */
static void
on_state_changed (PrismWindow *self)
{
  if (self->opening != NULL && self->reading == NULL
      && self->session->state != PRISM_STATE_PREPARING)
    prism_window_end_reading (self);
  if (self->forking && self->session->state == PRISM_STATE_PAUSED)
    fork_now (self, TRUE);
}

static void
leave (PrismWindow *self,
       const char *path)
{
  if (self->fork_file == NULL || g_strcmp0 (path, self->fork_file) == 0)
    return;
  g_clear_pointer (&self->fork_file, g_free);
  if (path != NULL && g_strcmp0 (path, self->saving_run) == 0)
    self->fork_file = g_strdup (path);
  else
    g_clear_pointer (&self->forked_from, g_free);
}

/* Where a fork came from is forgotten as soon as another run is on the screen; one that is saved
 * elsewhere is the same. */
static void
on_forked_file_changed (PrismWindow *self)
{
  leave (self, self->session->run_file);
  enable_actions (self);
}

/* Ways in, where the reconstruction will be: the last results come with those that are always
 * there. */

#define MOST 3

/* Another thread. */
static gpointer
find_last (gpointer data,
           GError **error)
{
  return prism_run_card_read_last (MOST);
}

static void
add_way (GtkBox *ways,
         const PrismRunCard *card)
{
  g_autofree char *uri = g_filename_to_uri (card->path, NULL, NULL);
  g_autofree char *time = prism_machine_wording_dup_time (card->saved);
  g_autofree char *object = card->name[0] != '\0' ? g_strdup (card->name)
                                                  : prism_builtin_dup_label (card->object);
  const guint number = prism_run_folder_get_number (card->path);
  const gboolean goes_on = !g_str_equal (
      card->state_name, prism_run_snapshot_get_state_name (PRISM_STATE_FINISHED));
  const char *numbered = goes_on ? _ ("Go on with run %u, “%s”, %s") : _ ("Show run %u, “%s”, %s");
  const char *other = goes_on ? _ ("Go on with “%s”, %s") : _ ("Show “%s”, %s");
  g_autofree char *label = number > 0 ? g_strdup_printf (numbered, number, object, time)
                                      : g_strdup_printf (other, object, time);
  GtkWidget *button = gtk_button_new_with_label (label);

  gtk_label_set_ellipsize (GTK_LABEL (gtk_button_get_child (GTK_BUTTON (button))),
                           PANGO_ELLIPSIZE_END);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), "win.open-uri");
  gtk_actionable_set_action_target (GTK_ACTIONABLE (button), "s", uri);
  gtk_widget_add_css_class (button, "last");
  gtk_box_append (ways, button);
}

static void
show_last (PrismWindow *self,
           gpointer data,
           GPtrArray *cards,
           const GError *error)
{
  GtkBox *ways = self->dashboard->ways;

  while (gtk_widget_has_css_class (gtk_widget_get_last_child (GTK_WIDGET (ways)), "last"))
    gtk_box_remove (ways, gtk_widget_get_last_child (GTK_WIDGET (ways)));
  PRISM_FOR_EACH_POINTER (PrismRunCard, card, cards)
    add_way (ways, card);
}

static void
fill_ways (PrismWindow *self)
{
  static const PrismJob job
      = { "last results", find_last, show_last, NULL, g_ptr_array_unref };

  if (self->session->state == PRISM_STATE_IDLE)
    prism_job_start (&job, self, NULL, NULL);
}

/**
 * prism_window_install_runs:
 * @self: a window
 *
 * Adds what keeps runs in files, takes them out again, offers the one that was interrupted, begins
 * another run with the past of this one, and fills the ways in wherever nothing has been
 * reconstructed yet. A lesson is a way of its own.
 */
void
prism_window_install_runs (PrismWindow *self)
{
  PRISM_WINDOW_ACTIONS (self,
                        { "fork", on_fork },
                        { "fork-back", on_fork_back },
                        { "save-run", on_save_run },
                        { "run-unsaved", on_run_unsaved },
                        { "interrupted", on_interrupted, "s" });
  PRISM_CONNECT (self->session, "notify::state", on_state_changed, self);
  PRISM_CONNECT (self->session, "notify::opening", on_opening_changed, self);
  PRISM_CONNECT (self->session, "notify::run-file", on_forked_file_changed, self);
  enable_actions (self);
  PRISM_CONNECT (self->session, "notify::state", update_runs, self);
  PRISM_CONNECT (self->session, "notify::run-file", on_run_file_changed, self);
  update_actions (self);
  look_for_interrupted (self);
  start_pruning (self);
  g_object_bind_property (self->parameters, "visible", self->dashboard->ways, "visible",
                          G_BINDING_SYNC_CREATE);
  PRISM_CONNECT (self->session, "notify::state", fill_ways, self);
  fill_ways (self);
}
