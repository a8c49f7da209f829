#include "config.h"

#include "compare/prism-tiles-parts.h"

#include "support/prism-job.h"
#include "support/prism-widget.h"
#include "tiles/prism-tile-runner.h"

/* Whose tiles. */
typedef struct
{
  PrismConfig *config;
  char *directory; /* (nullable) */
  gboolean keeps;
  /* Once it is counted. */
  PrismTilePlan *plan; /* (nullable) */
  char *text;          /* (nullable): without the time */
  PrismBatchNeed need;
  guint n_runs;
  guint n_jobs;
} Picture;

/* A large picture takes long to read: not two at a time. */
static GMutex reading;

PRISM_FREE (Picture,
            picture_free,
            prism_config_free,
            config,
            g_free,
            directory,
            prism_tile_plan_free,
            plan,
            g_free,
            text)

static char *
answer_time (const Picture *self,
             GCancellable *cancellable)
{
  g_autofree char *program = prism_program_dup_cli ();
  const PrismSweepTerms terms = { .n_jobs = self->n_jobs,
                                  .n_threads = prism_batch_space_share (&self->need, self->n_jobs),
                                  .may_time = TRUE,
                                  .on_host_only = TRUE,
                                  .cancellable = cancellable };
  PrismForecast forecast;

  return prism_tile_forecast_init (&forecast, self->plan, self->n_runs, program, &terms)
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

static char *
answer_count (Picture *self,
              GCancellable *cancellable)
{
  g_autoptr (PrismTilePlan) plan = NULL;
  g_autoptr (PrismTilePlan) there = NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  PrismTileCounts counts;
  gboolean same;

  g_mutex_lock (&reading);
  if (!g_cancellable_is_cancelled (cancellable))
    plan = prism_tile_plan_new (self->config, NULL);
  g_mutex_unlock (&reading);
  if (plan == NULL)
    return NULL;
  /* What is there of other tiles does not count. */
  if (self->directory != NULL)
    there = prism_tile_plan_load (self->directory, NULL);
  same = there != NULL && there->checksum == plan->checksum && there->side == plan->side
         && there->overlap == plan->overlap && there->n_tiles == plan->n_tiles;
  prism_tile_forecast_count (&counts, plan, same ? self->directory : NULL);
  prism_tile_runner_init_need (&self->need, plan, self->keeps);
  self->n_jobs = prism_batch_space_count (&self->need, 0, NULL);
  if (self->n_jobs == 0)
    return NULL;
  g_string_printf (text, ngettext ("%u tile of %d px", "%u tiles of %d px", plan->n_tiles),
                   plan->n_tiles, plan->side);
  if (counts.n_dark > 0)
    append (text, g_strdup_printf (_ ("%u of them dark"), counts.n_dark));
  if (counts.n_left < plan->n_tiles)
    append (text, g_strdup_printf (_ ("%u left to compute"), counts.n_left));
  append (text, g_strdup_printf (_ ("%u at a time"), self->n_jobs));
  self->n_runs = counts.n_runs;
  self->plan = g_steal_pointer (&plan);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
show_time (GtkWidget *label,
           const Picture *self,
           const char *time)
{
  g_autofree char *text = time != NULL ? g_strdup_printf ("%s, %s", self->text, time) : NULL;

  if (text != NULL)
    gtk_label_set_text (GTK_LABEL (label), text);
}

/* Where it cannot be told Run says why. */
static void
show_count (GtkWidget *label,
            gpointer data,
            const char *text)
{
  static const PrismQuestion question = { "tile-time", answer_time, show_time, picture_free };
  Picture *counted = data, *picture;

  gtk_label_set_text (GTK_LABEL (label), text != NULL ? text : "");
  gtk_widget_set_visible (label, text != NULL);
  if (text == NULL)
    return;
  /* A run has to be timed for it, which takes long where tiles are large. */
  picture = g_memdup2 (counted, sizeof *counted);
  *counted = (Picture) { 0 };
  picture->text = g_strdup (text);
  prism_question_ask (&question, label, picture, 0);
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
  prism_question_forget (GTK_WIDGET (label));
  gtk_widget_set_visible (GTK_WIDGET (label), FALSE);
}

/**
 * prism_tile_time_tell:
 * @label: where
 * @config: with the picture as its object
 * @directory: (nullable): where some of these tiles may be finished
 * @keeps: whether runs leave run files
 *
 * Reads the picture on another thread a little later, and says how many tiles it is and how many at
 * a time, then how long they take; a shape of runs that is new to this machine is timed for it.
 * Says nothing where they cannot be planned.
 */
void
prism_tile_time_tell (GtkLabel *label,
                      const PrismConfig *config,
                      const char *directory,
                      gboolean keeps)
{
  static const PrismQuestion question = { "tile-count", answer_count, show_count, picture_free };

  prism_tile_time_forget (label);
  prism_question_ask (&question, GTK_WIDGET (label),
                      PRISM_NEW (Picture, prism_config_dup (config), g_strdup (directory), keeps),
                      PRISM_QUESTION_DELAY);
}
