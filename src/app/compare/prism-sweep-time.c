#include "config.h"

#include "compare/prism-sweep-time.h"

#include "batch/prism-batch-cost.h"
#include "results/prism-sweep-forecast.h"
#include "support/prism-job.h"
#include "support/prism-widget.h"

#include <glib/gi18n.h>

#define MAX_TOLD 400 /* points of a plan that is looked at while it is written */

/* Which runs. */
typedef struct
{
  PrismSweep *sweep;
  char *directory; /* (nullable) */
  char *text;      /* without the time */
  PrismSweepTerms terms;
} Runs;

static void
runs_free (gpointer data)
{
  Runs *self = data;

  prism_sweep_free (self->sweep);
  g_free (self->directory);
  g_free (self->text);
  g_free (self);
}

static char *
answer (gpointer data,
        GCancellable *cancellable)
{
  const Runs *self = data;
  g_autofree char *program = prism_program_dup_cli ();
  PrismSweepTerms terms = self->terms;
  PrismForecast forecast;

  terms.cancellable = cancellable;
  if (program != NULL && self->sweep->frames == NULL)
    terms.start = prism_batch_cost_get_start (program, self->sweep->base, cancellable);
  return prism_sweep_forecast_init (&forecast, self->sweep, self->directory, &terms)
                 && forecast.most > 0.0
             ? prism_forecast_dup_text (&forecast)
             : NULL;
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
show (GtkWidget *widget,
      gpointer data,
      const char *time)
{
  const Runs *self = data;
  g_autofree char *text = NULL;

  if (time == NULL)
    return;
  text = g_strdup_printf ("%s, %s", self->text, time);
  set_text (widget, text);
}

static void
say (GtkWidget *widget,
     PrismSweep *sweep,
     PrismSweepRunner *runner,
     const char *directory,
     guint delay)
{
  static const PrismQuestion question = { "sweep-time", answer, show, runs_free };
  Runs *runs = g_new0 (Runs, 1);
  g_autofree char *at_a_time = prism_sweep_runner_dup_text (runner);

  runs->sweep = sweep;
  runs->directory = g_strdup (directory);
  /* TRANSLATORS: "12 runs", then "2 at a time, 95 MiB each" */
  runs->text = g_strdup_printf (ngettext ("%u run, %s", "%u runs, %s", sweep->n_points),
                                sweep->n_points, at_a_time);
  runs->terms = (PrismSweepTerms) {
    .n_jobs = prism_sweep_runner_get_n_jobs (runner),
    .n_threads = prism_sweep_runner_get_n_threads (runner),
    .may_time = TRUE,
    .on_host_only = TRUE,
  };
  set_text (widget, runs->text);
  prism_question_ask (&question, widget, runs, delay);
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
          say (GTK_WIDGET (label), sweep, runner, NULL, PRISM_QUESTION_DELAY);
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
  prism_question_forget (GTK_WIDGET (label));
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
