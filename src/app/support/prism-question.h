/* prism-question: what a widget shows once another thread has found it out; only the newest. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define PRISM_QUESTION_DELAY 500 /* ms without a change before it is asked */

/* A kind of question. */
typedef struct
{
  const char *name;                     /* static; for debuggers */
  /* Other thread: (transfer full) (nullable): the text. @cancellable: once a newer one is asked. */
  char    *(*answer) (gpointer      data,
                      GCancellable *cancellable);
  /* Main thread. @text: (nullable): what was answered. */
  void     (*show)   (GtkWidget  *widget,
                      gpointer    data,
                      const char *text);
  GDestroyNotify free_data;             /* main thread */
} PrismQuestion;

void prism_question_ask    (const PrismQuestion *self,
                            GtkWidget           *widget,
                            gpointer             data,
                            guint                delay);
void prism_question_forget (GtkWidget *widget);

G_END_DECLS
