/* prism-message: asks a question with two or three answers, or says something. The one place that
 * knows which dialog does it. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

typedef struct
{
  const char *heading;
  const char *body;
  const char *dismiss;                  /* label of the harmless answer, also given by Escape */
  const char *confirm;                  /* (nullable): label of the other one */
  gboolean destructive;
  const char *better;                   /* (nullable): label of a third, which is suggested */
} PrismMessage;

typedef enum
{
  PRISM_ANSWER_DISMISS,
  PRISM_ANSWER_CONFIRM,
  PRISM_ANSWER_BETTER,
} PrismAnswer;

typedef void (*PrismMessageFunc) (PrismAnswer answer,
                                  gpointer    data);

void prism_message_show (const PrismMessage *message,
                         GtkWindow          *parent,
                         PrismMessageFunc    func,
                         gpointer            data,
                         GDestroyNotify      destroy);

G_END_DECLS
