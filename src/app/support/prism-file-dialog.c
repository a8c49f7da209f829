#include "config.h"

#include "support/prism-file-dialog.h"

#include "base/prism-clock.h"
#include "base/prism-directory.h"
#include "support/prism-job.h"
#include "support/prism-notice.h"

typedef struct
{
  GtkNativeDialog *native;
  GtkWindow *parent; /* (nullable) (unowned): until it is closed */
  void (*func) (const char *path,
                gpointer data);
  gpointer data;
  GDestroyNotify destroy;
  PrismFileDialogMode mode;
} Answer;

/* Where the last dialog of each kind ended, so that the next one starts there: what is saved does
 * not land among the data. */
static GFile *last_folders[PRISM_FILE_DIALOG_FOLDER + 1];

static void
leave_parent (Answer *answer)
{
  if (answer->parent != NULL)
    g_signal_handlers_disconnect_by_data (answer->parent, answer);
  answer->parent = NULL;
}

static void
answer_free (Answer *answer)
{
  leave_parent (answer);
  g_signal_handlers_disconnect_by_data (answer->native, answer);
  g_object_unref (answer->native);
  if (answer->destroy != NULL)
    answer->destroy (answer->data);
  g_free (answer);
}

/* A chooser can lead to a server that no file is behind. */
static void
refuse (GtkNativeDialog *native,
        PrismFileDialogMode mode)
{
  const PrismMessage message = {
    .heading = gtk_native_dialog_get_title (native),
    .body = mode == PRISM_FILE_DIALOG_OPEN
                ? _ ("Only files of this computer can be opened: copy it to a folder first.")
                : _ ("Only folders of this computer can be written to: choose another place."),
    .dismiss = _ ("_Close"),
  };

  prism_message_show (&message, gtk_native_dialog_get_transient_for (native), NULL, NULL, NULL);
}

/* The chooser selects a name without its ending: who types the whole name has the ending twice. It
 * goes, but where that is another file: nobody was asked about that one. */
static void
undouble_ending (char *path)
{
  const char *ending = strrchr (path, '.');
  const gsize length = ending != NULL ? strlen (ending) : 0;
  const gsize rest = strlen (path) - length;

  if (length == 0 || rest <= length || strncmp (path + rest - length, ending, length) != 0)
    return;
  path[rest] = '\0';
  if (g_file_test (path, G_FILE_TEST_EXISTS))
    path[rest] = '.';
}

static void
on_response (GtkNativeDialog *native,
             int response,
             Answer *answer)
{
  g_autoptr (GFile) file = NULL;
  g_autofree char *path = NULL;

  /* What is done with the answer may close the window. */
  leave_parent (answer);
  if (response == GTK_RESPONSE_ACCEPT)
    file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (native));
  if (file != NULL)
    path = g_file_get_path (file);
  if (path != NULL)
    {
      g_autoptr (GFile) parent = answer->mode == PRISM_FILE_DIALOG_FOLDER
                                     ? g_object_ref (file)
                                     : g_file_get_parent (file);

      if (answer->mode == PRISM_FILE_DIALOG_SAVE)
        undouble_ending (path);
      if (parent != NULL)
        g_set_object (&last_folders[answer->mode], parent);
      answer->func (path, answer->data);
    }
  else if (file != NULL)
    refuse (native, answer->mode);
  answer_free (answer);
}

/* The window is closed, and lives on only because the answer holds it. */
static void
on_parent_unrealized (Answer *answer)
{
  gtk_native_dialog_destroy (answer->native);
  answer_free (answer);
}

static void
add_filters (GtkFileChooser *chooser,
             const PrismFileDialog *dialog)
{
  g_auto (GStrv) patterns = g_strsplit (dialog->patterns, " ", -1);
  g_autoptr (GtkFileFilter) wanted = gtk_file_filter_new ();
  g_autoptr (GtkFileFilter) all = gtk_file_filter_new ();

  PRISM_FOR_EACH_STRING (pattern, patterns)
    gtk_file_filter_add_pattern (wanted, *pattern);
  gtk_file_filter_set_name (wanted, gettext (dialog->filter_label));
  gtk_file_chooser_add_filter (chooser, wanted);

  gtk_file_filter_add_pattern (all, "*");
  gtk_file_filter_set_name (all, _ ("All files"));
  gtk_file_chooser_add_filter (chooser, all);
}

/**
 * prism_file_dialog_show:
 * @dialog: what to ask for
 * @parent: (nullable): the window it belongs to
 * @func: (scope notified): receives what was chosen
 * @data: passed to @func
 * @destroy: (nullable): frees @data after the answer
 *
 * Asks the user for a file or a folder. A place that is on no disk of this computer is refused
 * here, in one sentence, and an ending that was written twice is one. The dialog goes with its
 * window, without an answer.
 *
 * Thread: main.
 */
void
prism_file_dialog_show (const PrismFileDialog *dialog,
                        GtkWindow *parent,
                        gpointer func,
                        gpointer data,
                        gpointer destroy)
{
  static const GtkFileChooserAction actions[] = {
    [PRISM_FILE_DIALOG_OPEN] = GTK_FILE_CHOOSER_ACTION_OPEN,
    [PRISM_FILE_DIALOG_SAVE] = GTK_FILE_CHOOSER_ACTION_SAVE,
    [PRISM_FILE_DIALOG_FOLDER] = GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER,
  };
  GtkFileChooserNative *native = gtk_file_chooser_native_new (
      gettext (dialog->title), parent, actions[dialog->mode],
      dialog->accept != NULL                   ? gettext (dialog->accept)
      : dialog->mode == PRISM_FILE_DIALOG_SAVE ? _ ("_Save")
                                               : _ ("_Open"),
      _ ("_Cancel"));
  Answer *answer;

  answer = PRISM_NEW (Answer, GTK_NATIVE_DIALOG (native), parent, func, data, destroy,
                      dialog->mode);

  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (native), TRUE);
  if (dialog->patterns != NULL)
    add_filters (GTK_FILE_CHOOSER (native), dialog);
  if (dialog->name != NULL && dialog->mode == PRISM_FILE_DIALOG_SAVE)
    gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (native), dialog->name);
  if (last_folders[dialog->mode] != NULL)
    gtk_file_chooser_set_current_folder (GTK_FILE_CHOOSER (native), last_folders[dialog->mode],
                                         NULL);

  g_signal_connect (native, "response", G_CALLBACK (on_response), answer);
  if (parent != NULL)
    g_signal_connect_swapped (parent, "unrealize", G_CALLBACK (on_parent_unrealized), answer);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (native));
}

/**
 * prism_file_dialog_ask:
 * @dialog: what to ask for
 * @widget: in the window that it belongs to
 * @func: called with the widget as its data, which is held until then
 *
 * Asks on behalf of a widget; see prism_file_dialog_show().
 */
void
prism_file_dialog_ask (const PrismFileDialog *dialog,
                       gpointer widget,
                       gpointer func)
{
  prism_file_dialog_show (dialog, GTK_WINDOW (gtk_widget_get_root (widget)), func,
                          g_object_ref (widget), g_object_unref);
}

typedef struct
{
  gboolean (*func) (gpointer data,
                    const char *path,
                    GError **error);
  gpointer data; /* the job's alone */
  GDestroyNotify destroy;
  char *path;
  void (*done) (const char *path,
                const GError *error,
                gpointer data);
  gpointer done_data;
} Saving;

static void
saving_free (Saving *saving)
{
  saving->destroy (saving->data);
  g_free (saving->path);
  g_free (saving);
}

static gpointer
write_file (Saving *saving,
            GError **error)
{
  return saving->func (saving->data, saving->path, error) ? saving : NULL;
}

static void
on_written (Saving *saving,
            gpointer result,
            const GError *error)
{
  saving->done (saving->path, error, saving->done_data);
}

static const PrismJob job = {
  .name = "save",
  .run = write_file,
  .done = on_written,
  .free_data = saving_free,
};

/**
 * prism_file_saver_save:
 * @func: writes
 * @data: (transfer full): what is written; nobody else changes it
 * @destroy: frees @data
 * @path: name of a file or folder
 * @done: (scope async): called when it is done, with the errors of @func
 * @done_data: for @done
 *
 * Writes on another thread; the run may go on.
 *
 * Thread: main.
 */
void
prism_file_saver_save (gpointer func,
                       gpointer data,
                       gpointer destroy,
                       const char *path,
                       gpointer done,
                       gpointer done_data)
{

  prism_job_start (&job, PRISM_NEW (Saving, func, data, destroy, g_strdup (path), done, done_data),
                   NULL);
}

/* What is to be saved once there is a name for it. */
typedef struct
{
  GtkWidget *window;
  AdwToastOverlay *toasts;
  gpointer func;
  gpointer (*dup) (gpointer window);
  gpointer destroy;
} Wish;

PRISM_FREE (Wish, wish_free, g_object_unref, window, g_object_unref, toasts)

static void
tell_saved (const char *path,
            const GError *error,
            gpointer data)
{
  g_autoptr (AdwToastOverlay) toasts = data;
  g_autofree char *name = g_filename_display_basename (path);
  g_autofree char *text = g_strdup_printf (_ ("Saved “%s”"), name);

  prism_toaster_tell (toasts, error != NULL ? error->message : text);
}

static void
save_wish (const char *path,
           const Wish *wish)
{
  gpointer what = wish->dup (wish->window);

  if (what != NULL)
    prism_file_saver_save (wish->func, what, wish->destroy, path, tell_saved,
                           g_object_ref (wish->toasts));
}

/**
 * prism_file_saver_ask:
 * @dialog: asks for a name
 * @window: to which the dialog belongs
 * @toasts: where it is told that the file is written, or why it could not be
 * @func: writes
 * @dup: (scope notified): gives what is written, when there is a name; NULL for nothing
 * @destroy: frees it
 *
 * Asks for a name and writes on another thread.
 *
 * Thread: main.
 */
void
prism_file_saver_ask (const PrismFileDialog *dialog,
                      gpointer window,
                      AdwToastOverlay *toasts,
                      gpointer func,
                      gpointer dup,
                      gpointer destroy)
{

  prism_file_dialog_show (dialog, window, save_wish,
                          PRISM_NEW (Wish, g_object_ref (window), g_object_ref (toasts), func, dup,
                                     destroy),
                          wish_free);
}

/**
 * prism_folder_show:
 * @directory: a folder
 *
 * Shows it in the program that the desktop has for that.
 *
 * Errors: those of GIO.
 *
 * Returns: whether there is such a program
 */
gboolean
prism_folder_show (const char *directory,
                   GError **error)
{
  g_autoptr (GFile) folder = g_file_new_for_path (directory);
  g_autofree char *uri = g_file_get_uri (folder);

  return g_app_info_launch_default_for_uri (uri, NULL, error);
}

/**
 * prism_folder_dup_new:
 * @kind: what it is of, such as “tiles”: a folder of the user's data
 * @format: of its name, for prism_clock_dup_local()
 *
 * Names a folder that is not there yet. Two of them may be asked for within one second.
 *
 * Returns: (transfer full): its path
 */
char *
prism_folder_dup_new (const char *kind,
                      const char *format)
{
  g_autofree char *name = prism_clock_dup_local (format);
  char *path = g_build_filename (g_get_user_data_dir (), "prism-studio", kind, name, NULL);

  for (guint i = 2; g_file_test (path, G_FILE_TEST_EXISTS); i++)
    {
      g_autofree char *taken = path;
      g_autofree char *other = g_strdup_printf ("%s-%u", name, i);

      path = g_build_filename (g_get_user_data_dir (), "prism-studio", kind, other, NULL);
    }
  return path;
}
