#include "config.h"

#include "file-answer.h"

/* Dialogs that were shown and wait, the newest first. */
static GSList *waiting;
/* (nullable): what the dialog that is being answered says */
static GFile *answer;

/* It goes with the window that asked. */
static void
on_gone (gpointer data,
         GObject *dialog)
{
  waiting = g_slist_remove (waiting, dialog);
}

/* In place of GTK's: the dialog stays invisible. */
void
gtk_native_dialog_show (GtkNativeDialog *dialog)
{
  g_assert_true (GTK_IS_FILE_CHOOSER (dialog));
  waiting = g_slist_prepend (waiting, dialog);
  g_object_weak_ref (G_OBJECT (dialog), on_gone, NULL);
}

/* In place of GTK's. */
GFile *
gtk_file_chooser_get_file (GtkFileChooser *chooser)
{
  return answer != NULL ? g_object_ref (answer) : NULL;
}

gboolean
file_answer_is_wanted (void)
{
  return waiting != NULL;
}

void
file_answer_give (GFile *file)
{
  g_assert_nonnull (waiting);
  GtkNativeDialog *dialog = waiting->data;
  waiting = g_slist_delete_link (waiting, waiting);
  g_object_weak_unref (G_OBJECT (dialog), on_gone, NULL);
  answer = file;
  g_signal_emit_by_name (dialog, "response",
                         file != NULL ? GTK_RESPONSE_ACCEPT : GTK_RESPONSE_CANCEL);
  answer = NULL;
}
