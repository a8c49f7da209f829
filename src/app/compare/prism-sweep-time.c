#include "config.h"

#include "compare/prism-sweep-time.h"

#include "batch/prism-batch-cost.h"
#include "results/prism-sweep-forecast.h"
#include "support/prism-job.h"
#include "support/prism-program.h"

#include <glib/gi18n.h>

#define QUESTION "prism-question" /* the newest that a widget waits for */
#define DELAY 500                 /* ms without a change before runs are timed */
#define MAX_TOLD 400              /* points of a plan that is looked at while it is written */

typedef struct
{
  GtkWidget *widget;
  PrismSweep *sweep;
  char *directory; /* (nullable) */
  char *text;      /* without the time */
  PrismSweepTerms terms;
  guint source; /* while it waits */
} Question;

static void
question_free (gpointer data)
{
  Question *self = data;

  if (g_object_get_data (G_OBJECT (self->widget), QUESTION) == self)
    g_object_set_data (G_OBJECT (self->widget), QUESTION, NULL);
  g_object_unref (self->terms.cancellable);
  g_object_unref (self->widget);
  prism_sweep_free (self->sweep);
  g_free (self->directory);
  g_free (self->text);
  g_free (self);
}

static gpointer
answer (gpointer data,
        GError **error)
{
  const Question *self = data;
  g_autofree char *program = prism_program_dup_cli ();
  PrismSweepTerms terms = self->terms;
  PrismForecast forecast;

  terms.start = program != NULL ? prism_batch_cost_get_start (program, self->sweep->base) : 0.0;
  if (prism_sweep_forecast_init (&forecast, self->sweep, self->directory, &terms)
      && forecast.most > 0.0)
    return prism_forecast_dup_text (&forecast);
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "not timed");
  return NULL;
}

static void
set_text (GtkWidget *widget,
          const char *text)
{
  if (GTK_IS_LABEL (widget))
    gtk_label_set_text (GTK_LABEL (widget), text);
  else
    gtk_progress_bar_set_text (GTK_PROGRESS_BAR (widget), text);
}

static void
show (gpointer data,
      gpointer result,
      const GError *error)
{
  const Question *self = data;
  g_autofree char *time = result;
  g_autofree char *text = NULL;

  if (time == NULL || g_object_get_data (G_OBJECT (self->widget), QUESTION) != self)
    return;
  text = g_strdup_printf ("%s, %s", self->text, time);
  set_text (self->widget, text);
}

/* What was asked before is not wanted any more. */
static void
forget (GtkWidget *widget)
{
  Question *before = g_object_get_data (G_OBJECT (widget), QUESTION);

  if (before == NULL)
    return;
  g_cancellable_cancel (before->terms.cancellable);
  g_object_set_data (G_OBJECT (widget), QUESTION, NULL);
  if (before->source == 0)
    return;
  g_source_remove (before->source);
  question_free (before);
}

static gboolean
ask (gpointer data)
{
  static const PrismJob job = { "sweep-time", answer, show, question_free, g_free };
  Question *self = data;

  self->source = 0;
  /* Of a window that is gone nobody wants to know. */
  if (gtk_widget_get_root (self->widget) != NULL)
    prism_job_start (&job, self, NULL);
  else
    question_free (self);
  return G_SOURCE_REMOVE;
}

static void
say (GtkWidget *widget,
     PrismSweep *sweep,
     PrismSweepRunner *runner,
     const char *directory,
     guint delay)
{
  Question *question = g_new0 (Question, 1);
  g_autofree char *at_a_time = prism_sweep_runner_dup_text (runner);

  forget (widget);
  question->widget = g_object_ref (widget);
  question->sweep = sweep;
  question->directory = g_strdup (directory);
  /* TRANSLATORS: "12 runs", then "2 at a time, 95 MiB each" */
  question->text = g_strdup_printf (ngettext ("%u run, %s", "%u runs, %s", sweep->n_points),
                                    sweep->n_points, at_a_time);
  question->terms = (PrismSweepTerms) {
    .n_jobs = prism_sweep_runner_get_n_jobs (runner),
    .n_threads = prism_sweep_runner_get_n_threads (runner),
    .may_time = TRUE,
    .on_host_only = TRUE,
    .cancellable = g_cancellable_new (),
  };
  set_text (widget, question->text);
  g_object_set_data (G_OBJECT (widget), QUESTION, question);
  question->source = g_timeout_add (delay, ask, question);
}

/**
 * prism_sweep_time_tell:
 * @label: where
 * @sweep: (transfer full) (nullable): what is planned
 *
 * Says how many runs the plan is, how many at a time with how much memory, and a little later how
 * long they take. Runs of a shape that is new to this machine are timed on another thread.
 */
void
prism_sweep_time_tell (GtkLabel *label,
                       PrismSweep *sweep)
{
  g_autoptr (PrismSweepRunner) runner = NULL;
  g_autoptr (GError) error = NULL;

  if (sweep != NULL && sweep->n_points <= MAX_TOLD)
    {
      runner = prism_sweep_runner_new (sweep, "", "", 0, NULL, NULL, &error);
      if (runner != NULL)
        {
          say (GTK_WIDGET (label), sweep, runner, NULL, DELAY);
          return;
        }
      gtk_label_set_text (label, error->message);
    }
  else if (sweep != NULL)
    {
      g_autofree char *text
          = g_strdup_printf (ngettext ("%u run", "%u runs", sweep->n_points), sweep->n_points);
      gtk_label_set_text (label, text);
    }
  else
    gtk_label_set_text (label, "");
  forget (GTK_WIDGET (label));
  prism_sweep_free (sweep);
}

/**
 * prism_sweep_time_show:
 * @bar: where
 * @runner: what is about to run
 * @n_points: of the sweep
 * @directory: where it was saved
 *
 * Says the same of what is left of a sweep that begins.
 */
void
prism_sweep_time_show (GtkProgressBar *bar,
                       PrismSweepRunner *runner,
                       guint n_points,
                       const char *directory)
{
  PrismSweep *sweep = prism_sweep_load (directory, NULL);

  gtk_progress_bar_set_show_text (bar, TRUE);
  if (sweep != NULL)
    say (GTK_WIDGET (bar), sweep, runner, directory, 0);
}
