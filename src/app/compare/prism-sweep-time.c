#include "config.h"

#include "compare/prism-sweep-time.h"

#include "results/prism-sweep-forecast.h"
#include "support/prism-job.h"

#include <glib/gi18n.h>

#define DIRECTORY "prism-directory" /* of the sweep that a bar shows */

typedef struct
{
  GtkProgressBar *bar;
  char *directory;
  char *text; /* without the time */
  PrismSweepTerms terms;
} Question;

static void
question_free (gpointer data)
{
  Question *self = data;

  g_object_unref (self->bar);
  g_free (self->directory);
  g_free (self->text);
  g_free (self);
}

/* With a sweep of its own: the window's may go meanwhile. */
static gpointer
answer (gpointer data,
        GError **error)
{
  const Question *self = data;
  g_autoptr (PrismSweep) sweep = prism_sweep_load (self->directory, error);
  PrismForecast forecast;

  if (sweep == NULL)
    return NULL;
  if (prism_sweep_forecast_init (&forecast, sweep, self->directory, &self->terms)
      && forecast.most > 0.0)
    return prism_forecast_dup_text (&forecast);
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "not timed");
  return NULL;
}

static void
show (gpointer data,
      gpointer result,
      const GError *error)
{
  const Question *self = data;
  g_autofree char *time = result;
  g_autofree char *text = NULL;
  const char *shown = g_object_get_data (G_OBJECT (self->bar), DIRECTORY);

  if (time == NULL || g_strcmp0 (shown, self->directory) != 0)
    return;
  text = g_strdup_printf ("%s, %s", self->text, time);
  gtk_progress_bar_set_text (self->bar, text);
}

/**
 * prism_sweep_time_show:
 * @bar: where
 * @runner: what is about to run
 * @n_points: of the sweep
 * @directory: where it was saved
 *
 * Says how many runs there are, and when it is known how long they take. Runs of a shape that is
 * new to this machine are timed on another thread.
 */
void
prism_sweep_time_show (GtkProgressBar *bar,
                       PrismSweepRunner *runner,
                       guint n_points,
                       const char *directory)
{
  static const PrismJob job = { "sweep-time", answer, show, question_free, g_free };
  const guint n_jobs = prism_sweep_runner_get_n_jobs (runner);
  Question *question = g_new0 (Question, 1);

  question->bar = g_object_ref (bar);
  question->directory = g_strdup (directory);
  question->text = g_strdup_printf (ngettext ("%u run, %u at a time", "%u runs, %u at a time",
                                              n_points),
                                    n_points, n_jobs);
  question->terms = (PrismSweepTerms) {
    .n_jobs = n_jobs,
    .n_threads = prism_sweep_runner_get_n_threads (runner),
    .may_time = TRUE,
    .on_host_only = TRUE,
  };
  gtk_progress_bar_set_show_text (bar, TRUE);
  gtk_progress_bar_set_text (bar, question->text);
  g_object_set_data_full (G_OBJECT (bar), DIRECTORY, g_strdup (directory), g_free);
  prism_job_start (&job, question, NULL);
}
