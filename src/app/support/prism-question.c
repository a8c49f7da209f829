#include "config.h"

#include "support/prism-question.h"

#include "support/prism-job.h"

#define NEWEST "prism-question" /* the one that a widget waits for */

typedef struct
{
  const PrismQuestion *kind;
  GtkWidget *widget;
  gpointer data;
  GCancellable *cancellable;
  guint source; /* while it waits */
} Asked;

static void
asked_free (gpointer data)
{
  Asked *self = data;

  if (g_object_get_data (G_OBJECT (self->widget), NEWEST) == self)
    g_object_set_data (G_OBJECT (self->widget), NEWEST, NULL);
  self->kind->free_data (self->data);
  g_object_unref (self->cancellable);
  g_object_unref (self->widget);
  g_free (self);
}

/* Other thread. */
static gpointer
answer (gpointer data,
        GError **error)
{
  Asked *self = data;
  char *text = NULL;

  if (!g_cancellable_is_cancelled (self->cancellable))
    text = self->kind->answer (self->data, self->cancellable);
  if (text == NULL)
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "no answer");
  return text;
}

static void
show (gpointer data,
      gpointer result,
      const GError *error)
{
  Asked *self = data;
  g_autofree char *text = result;

  if (g_object_get_data (G_OBJECT (self->widget), NEWEST) == self)
    self->kind->show (self->widget, self->data, text);
}

static gboolean
start (gpointer data)
{
  Asked *self = data;
  const PrismJob job = { self->kind->name, answer, show, asked_free, g_free };

  self->source = 0;
  /* Of a window that is gone nobody wants to know. */
  if (gtk_widget_get_root (self->widget) != NULL)
    prism_job_start (&job, self, NULL);
  else
    asked_free (self);
  return G_SOURCE_REMOVE;
}

/**
 * prism_question_forget:
 * @widget: where something was to be shown
 *
 * What it waits for is not wanted any more.
 *
 * Thread: main.
 */
void
prism_question_forget (GtkWidget *widget)
{
  Asked *before = g_object_get_data (G_OBJECT (widget), NEWEST);

  if (before == NULL)
    return;
  g_cancellable_cancel (before->cancellable);
  g_object_set_data (G_OBJECT (widget), NEWEST, NULL);
  if (before->source == 0)
    return;
  g_source_remove (before->source);
  asked_free (before);
}

/**
 * prism_question_ask:
 * @self: what kind of question it is; static
 * @widget: where the answer is shown
 * @data: (transfer full): what is asked
 * @delay: ms; what is asked of @widget before they are over takes its place
 *
 * Answers on another thread and shows it, unless @widget was asked something else meanwhile or has
 * left its window before the answer was begun.
 *
 * Thread: main.
 */
void
prism_question_ask (const PrismQuestion *self,
                    GtkWidget *widget,
                    gpointer data,
                    guint delay)
{
  Asked *asked = g_new0 (Asked, 1);

  prism_question_forget (widget);
  asked->kind = self;
  asked->widget = g_object_ref (widget);
  asked->data = data;
  asked->cancellable = g_cancellable_new ();
  g_object_set_data (G_OBJECT (widget), NEWEST, asked);
  asked->source = g_timeout_add (delay, start, asked);
}
