#include "config.h"

#include "support/prism-message.h"

#include <adwaita.h>

typedef struct
{
  PrismMessageFunc func;
  gpointer data;
  GDestroyNotify destroy;
} Answer;

static void
on_response (AdwMessageDialog *dialog,
             const char *response,
             Answer *answer)
{
  PrismAnswer given = PRISM_ANSWER_DISMISS;

  if (g_str_equal (response, "confirm"))
    given = PRISM_ANSWER_CONFIRM;
  else if (g_str_equal (response, "better"))
    given = PRISM_ANSWER_BETTER;
  if (answer->func != NULL)
    answer->func (given, answer->data);
}

static void
answer_free (gpointer data,
             GClosure *closure)
{
  Answer *answer = data;

  if (answer->destroy != NULL)
    answer->destroy (answer->data);
  g_free (answer);
}

/**
 * prism_message_show:
 * @message: the question and its answers
 * @parent: (nullable): the window it belongs to
 * @func: (scope notified) (nullable): receives the answer
 * @data: passed to @func
 * @destroy: (nullable): frees @data after the answer
 *
 * Asks the user a question without stopping the program; without a second answer it says something.
 *
 * Thread: main.
 */
void
prism_message_show (const PrismMessage *message,
                    GtkWindow *parent,
                    PrismMessageFunc func,
                    gpointer data,
                    GDestroyNotify destroy)
{
  GtkWidget *widget = adw_message_dialog_new (parent, message->heading, message->body);
  AdwMessageDialog *dialog = ADW_MESSAGE_DIALOG (widget);
  Answer *answer = g_new0 (Answer, 1);

  answer->func = func;
  answer->data = data;
  answer->destroy = destroy;

  adw_message_dialog_add_response (dialog, "dismiss", message->dismiss);
  if (message->confirm != NULL)
    {
      adw_message_dialog_add_response (dialog, "confirm", message->confirm);
      adw_message_dialog_set_response_appearance (dialog, "confirm",
                                                  message->destructive ? ADW_RESPONSE_DESTRUCTIVE
                                                                       : ADW_RESPONSE_SUGGESTED);
    }
  if (message->better != NULL)
    {
      adw_message_dialog_add_response (dialog, "better", message->better);
      adw_message_dialog_set_response_appearance (dialog, "better", ADW_RESPONSE_SUGGESTED);
    }
  adw_message_dialog_set_default_response (dialog, "dismiss");
  adw_message_dialog_set_close_response (dialog, "dismiss");
  g_signal_connect_data (dialog, "response", G_CALLBACK (on_response), answer, answer_free, 0);
  gtk_window_present (GTK_WINDOW (dialog));
}
