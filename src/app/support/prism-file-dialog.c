#include "config.h"

#include "support/prism-file-dialog.h"

#include "base/prism-clock.h"
#include "support/prism-job.h"
#include "support/prism-notice.h"

typedef struct
{
  GtkNativeDialog *native;
  GtkWindow *parent; /* (nullable) (unowned): until it is closed */
  GtkWidget *widget;
  void (*func) (GtkWidget *widget,
                const char *path,
                gpointer data);
  gpointer data;
  GDestroyNotify destroy;
  PrismFileDialogMode mode;
  char **endings; /* (nullable): that a name to save under may have */
  char *ending;   /* (nullable): that it gets where it has none of them */
  char *path;     /* (nullable): that replaces a file which GTK has not asked about */
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
  g_object_unref (answer->widget);
  if (answer->destroy != NULL)
    answer->destroy (answer->data);
  g_strfreev (answer->endings);
  g_free (answer->ending);
  g_free (answer->path);
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

/* Returns: whether the name had none of the endings, in letters of any size, and has got one */
static gboolean
add_ending (const Answer *answer,
            char **path)
{
  g_autofree char *bare = NULL, *small = g_ascii_strdown (*path, -1);

  if (answer->ending == NULL)
    return FALSE;
  PRISM_FOR_EACH_STRING (ending, answer->endings)
    if (g_str_has_suffix (small, *ending))
      return FALSE;
  bare = *path;
  *path = g_strconcat (bare, answer->ending, NULL);
  return TRUE;
}

static void
on_replace_answered (GtkWindow *parent,
                     PrismAnswer given,
                     Answer *answer)
{
  if (given == PRISM_ANSWER_CONFIRM)
    answer->func (answer->widget, answer->path, answer->data);
}

/* GTK has asked about the name without its ending. */
static void
ask_to_replace (Answer *answer)
{
  g_autofree char *name = g_filename_display_basename (answer->path);
  g_autofree char *heading = g_strdup_printf (_ ("Replace “%s”?"), name);
  const PrismMessage message = {
    .heading = heading,
    .body = _ ("There is a file of this name already."),
    .dismiss = _ ("_Cancel"),
    .confirm = _ ("_Replace"),
    .destructive = TRUE,
  };

  prism_message_show (&message, gtk_native_dialog_get_transient_for (answer->native),
                      on_replace_answered, answer, answer_free);
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
      if (add_ending (answer, &path) && g_file_test (path, G_FILE_TEST_EXISTS))
        {
          answer->path = g_steal_pointer (&path);
          ask_to_replace (answer);
          return;
        }
      answer->func (answer->widget, path, answer->data);
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

/* That of the name that is suggested, or the first of all. */
static void
find_endings (Answer *answer,
              const PrismFileDialog *dialog)
{
  answer->endings = g_strsplit (dialog->patterns, " ", -1);
  PRISM_FOR_EACH_STRING (ending, answer->endings)
    {
      memmove (*ending, *ending + 1, strlen (*ending)); /* without its star */
      if (dialog->name != NULL && g_str_has_suffix (dialog->name, *ending))
        prism_keep_text (&answer->ending, *ending);
    }
  if (answer->ending == NULL)
    answer->ending = g_strdup (answer->endings[0]);
}

/**
 * prism_file_dialog_ask:
 * @dialog: what to ask for
 * @widget: on behalf of which, held until the answer
 * @func: (scope notified): called with the widget, what was chosen, and @data
 * @data: (nullable): for @func
 * @destroy: (nullable): frees @data after the answer
 *
 * Asks the user for a file or a folder. A place that is on no disk of this computer is refused
 * here, in one sentence; an ending that was written twice is one, and a name that has none gets
 * one. The dialog goes with the window of the widget, without an answer.
 *
 * Thread: main.
 */
void
prism_file_dialog_ask (const PrismFileDialog *dialog,
                       gpointer widget,
                       gpointer func,
                       gpointer data,
                       gpointer destroy)
{
  GtkWindow *parent = GTK_WINDOW (gtk_widget_get_root (widget));
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

  answer = PRISM_NEW (Answer, GTK_NATIVE_DIALOG (native), parent, g_object_ref (widget), func,
                      data, destroy, dialog->mode);

  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (native), TRUE);
  if (dialog->patterns != NULL)
    add_filters (GTK_FILE_CHOOSER (native), dialog);
  if (dialog->patterns != NULL && dialog->mode == PRISM_FILE_DIALOG_SAVE)
    find_endings (answer, dialog);
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

static void
on_ask (GtkWidget *widget,
        const char *action,
        GVariant *parameter)
{
  const PrismAsk *ask = g_type_get_qdata (G_OBJECT_TYPE (widget), g_quark_from_string (action));

  prism_file_dialog_ask (&ask->dialog, widget, ask->func, ask->data, NULL);
}

/**
 * prism_file_dialog_add_actions:
 * @klass: of a kind of widget
 * @asks: (array length=n_asks): what its actions ask for, as long as the program lives
 * @n_asks: their number
 *
 * Gives widgets actions that ask for a place.
 */
void
prism_file_dialog_add_actions (gpointer klass,
                               const PrismAsk *asks,
                               gsize n_asks)
{
  for (gsize i = 0; i < n_asks; i++)
    {
      g_type_set_qdata (G_TYPE_FROM_CLASS (klass), g_quark_from_string (asks[i].action),
                        (gpointer) &asks[i]);
      gtk_widget_class_install_action (klass, asks[i].action, NULL, on_ask);
    }
}

typedef struct
{
  gboolean (*func) (gpointer data,
                    const char *path,
                    GError **error);
  gpointer data; /* the job's alone */
  GDestroyNotify destroy;
  char *path;
  void (*done) (gpointer owner,
                const char *path,
                const GError *error);
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
on_written (gpointer owner,
            Saving *saving,
            gpointer result,
            const GError *error)
{
  saving->done (owner, saving->path, error);
}

/**
 * prism_file_saver_save:
 * @func: writes
 * @data: (transfer full): what is written; nobody else changes it
 * @destroy: frees @data
 * @path: name of a file or folder
 * @done: (scope async): called when it is done, with the errors of @func
 * @owner: for @done, and held until then
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
                       gpointer owner)
{
  static const PrismJob job = { "save", write_file, on_written, saving_free, .writes = TRUE };

  prism_job_start (&job, owner, PRISM_NEW (Saving, func, data, destroy, g_strdup (path), done),
                   NULL);
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
