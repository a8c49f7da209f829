#include "config.h"

#include "compare/prism-tile-time.h"

#include "support/prism-job.h"
#include "support/prism-program.h"
#include "tiles/prism-tile-forecast.h"
#include "tiles/prism-tile-runner.h"

#include <glib/gi18n.h>

#define QUESTION "prism-tile-question" /* the newest that a label waits for */
#define DELAY 500                      /* ms without a change before the picture is read */

typedef struct
{
  GtkLabel *label;
  PrismConfig *config;
  char *directory; /* (nullable) */
  gboolean keeps;
  GCancellable *cancellable;
  guint source; /* while it waits */
} Question;

/* A large picture takes long to read: not two at a time. */
static GMutex reading;

static void
question_free (gpointer data)
{
  Question *self = data;

  if (g_object_get_data (G_OBJECT (self->label), QUESTION) == self)
    g_object_set_data (G_OBJECT (self->label), QUESTION, NULL);
  g_object_unref (self->cancellable);
  g_object_unref (self->label);
  prism_config_free (self->config);
  g_free (self->directory);
  g_free (self);
}

static PrismTilePlan *
read_picture (const Question *self,
              GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&reading);

  if (g_cancellable_set_error_if_cancelled (self->cancellable, error))
    return NULL;
  return prism_tile_plan_new (self->config, error);
}

/* What is there of other tiles does not count. */
static gboolean
has_results (const Question *self,
             const PrismTilePlan *plan)
{
  g_autoptr (PrismTilePlan) there
      = self->directory != NULL ? prism_tile_plan_load (self->directory, NULL) : NULL;

  return there != NULL && there->checksum == plan->checksum && there->side == plan->side
         && there->overlap == plan->overlap && there->n_tiles == plan->n_tiles;
}

static char *
dup_time (const Question *self,
          const PrismTilePlan *plan,
          guint n_runs,
          guint n_jobs)
{
  g_autofree char *program = prism_program_dup_cli ();
  const guint share = MAX (g_get_num_processors () / MAX (n_jobs, 1), 1);
  const PrismSweepTerms terms = { .n_jobs = n_jobs,
                                  .n_threads = plan->base->threads == 0 ? share : 0,
                                  .may_time = TRUE,
                                  .on_host_only = TRUE,
                                  .cancellable = self->cancellable };
  PrismForecast forecast;

  return prism_tile_forecast_init (&forecast, plan, n_runs, program, &terms)
             ? prism_forecast_dup_text (&forecast)
             : NULL;
}

static void
append (GString *text,
        char *part)
{
  if (part != NULL)
    g_string_append_printf (text, ", %s", part);
  g_free (part);
}

static gpointer
answer (gpointer data,
        GError **error)
{
  const Question *self = data;
  g_autoptr (PrismTilePlan) plan = read_picture (self, error);
  g_autoptr (GString) text = g_string_new (NULL);
  PrismTileCounts counts;
  PrismBatchNeed need;
  guint n_jobs;

  if (plan == NULL)
    return NULL;
  prism_tile_forecast_count (&counts, plan, has_results (self, plan) ? self->directory : NULL);
  prism_tile_runner_init_need (&need, plan, self->keeps);
  n_jobs = prism_batch_space_count (&need, 0, error);
  if (n_jobs == 0)
    return NULL;
  g_string_printf (text, ngettext ("%u tile of %d px", "%u tiles of %d px", plan->n_tiles),
                   plan->n_tiles, plan->side);
  if (counts.n_dark > 0)
    append (text, g_strdup_printf (_ ("%u of them dark"), counts.n_dark));
  if (counts.n_left < plan->n_tiles)
    append (text, g_strdup_printf (_ ("%u left to compute"), counts.n_left));
  append (text, g_strdup_printf (_ ("%u at a time"), n_jobs));
  append (text, dup_time (self, plan, counts.n_runs, n_jobs));
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* Where it cannot be told Run says why. */
static void
show (gpointer data,
      gpointer result,
      const GError *error)
{
  const Question *self = data;
  g_autofree char *text = result;

  if (g_object_get_data (G_OBJECT (self->label), QUESTION) != self)
    return;
  gtk_label_set_text (self->label, text != NULL ? text : "");
  gtk_widget_set_visible (GTK_WIDGET (self->label), text != NULL);
}

static gboolean
ask (gpointer data)
{
  static const PrismJob job = { "tile-time", answer, show, question_free, g_free };
  Question *self = data;

  self->source = 0;
  prism_job_start (&job, self, NULL);
  return G_SOURCE_REMOVE;
}

/**
 * prism_tile_time_forget:
 * @label: where something was to be told
 *
 * Tells nothing any more.
 */
void
prism_tile_time_forget (GtkLabel *label)
{
  Question *before = g_object_get_data (G_OBJECT (label), QUESTION);

  gtk_widget_set_visible (GTK_WIDGET (label), FALSE);
  if (before == NULL)
    return;
  g_cancellable_cancel (before->cancellable);
  g_object_set_data (G_OBJECT (label), QUESTION, NULL);
  if (before->source == 0)
    return;
  g_source_remove (before->source);
  question_free (before);
}

/**
 * prism_tile_time_tell:
 * @label: where
 * @config: with the picture as its object
 * @directory: (nullable): where some of these tiles may be finished
 * @keeps: whether runs leave run files
 *
 * Reads the picture on another thread a little later, and says how many tiles it is, how many at a
 * time and how long they take; a shape of runs that is new to this machine is timed for it. Says
 * nothing where they cannot be planned.
 */
void
prism_tile_time_tell (GtkLabel *label,
                      const PrismConfig *config,
                      const char *directory,
                      gboolean keeps)
{
  Question *question = g_new0 (Question, 1);

  prism_tile_time_forget (label);
  question->label = g_object_ref (label);
  question->config = prism_config_dup (config);
  question->directory = g_strdup (directory);
  question->keeps = keeps;
  question->cancellable = g_cancellable_new ();
  g_object_set_data (G_OBJECT (label), QUESTION, question);
  question->source = g_timeout_add (DELAY, ask, question);
}
