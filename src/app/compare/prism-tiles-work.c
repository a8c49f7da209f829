#include "config.h"

#include "compare/prism-tiles-work.h"

#include "base/prism-file.h"
#include "prism-benchmark-report.h"
#include "support/prism-job.h"
#include "support/prism-widget.h"
#include "tiles/prism-tile-runner.h"

#include <glib/gi18n.h>
#include <math.h>

typedef struct
{
  PrismConfig *config; /* (nullable) */
  char *directory;     /* (nullable) */
  char *otherwise;     /* (nullable) */
  PrismTilesPlanned planned;
  PrismTilesMerged merged;
  GWeakRef owner; /* a window that was closed meanwhile is not kept for this */
} Work;

static void
work_free (gpointer data)
{
  Work *self = data;

  prism_config_free (self->config);
  g_free (self->directory);
  g_free (self->otherwise);
  g_weak_ref_clear (&self->owner);
  g_free (self);
}

static gpointer
plan (gpointer data,
      GError **error)
{
  Work *self = data;
  g_autoptr (PrismTilePlan) tiles = prism_tile_plan_new (self->config, error);

  if (tiles == NULL)
    return NULL;
  if (self->directory != NULL && prism_tile_plan_save (tiles, self->directory, NULL))
    return g_steal_pointer (&tiles);
  g_free (self->directory);
  self->directory = g_strdup (self->otherwise);
  return prism_tile_plan_save (tiles, self->directory, error) ? g_steal_pointer (&tiles) : NULL;
}

static void
end_plan (gpointer data,
          gpointer result,
          const GError *error)
{
  Work *self = data;
  g_autoptr (GObject) owner = g_weak_ref_get (&self->owner);

  if (owner != NULL)
    self->planned (owner, result, self->directory, error);
  else
    prism_tile_plan_free (result);
}

/**
 * prism_tiles_work_plan:
 * @config: with the picture as its object
 * @directory: (nullable): where the tiles go if these very tiles are there already
 * @otherwise: where they go else
 * @done: called on the main thread
 * @data: first argument of @done, which is not called when it is gone by then
 *
 * Plans tiles and saves the plan.
 */
void
prism_tiles_work_plan (const PrismConfig *config,
                       const char *directory,
                       const char *otherwise,
                       PrismTilesPlanned done,
                       GObject *data)
{
  static const PrismJob job = { "tiles-plan", plan, end_plan, work_free, NULL };
  Work *work = g_new0 (Work, 1);

  work->config = prism_config_dup (config);
  work->directory = g_strdup (directory);
  work->otherwise = g_strdup (otherwise);
  work->planned = done;
  g_weak_ref_init (&work->owner, data);
  prism_job_start (&job, work, NULL);
}

static char *
dup_sentence (const PrismTileBlend *blend,
              const PrismTileTable *table)
{
  double median = prism_tile_table_get_median_psnr (table);

  if (isfinite (blend->psnr) && isfinite (median))
    return g_strdup_printf (_ ("PSNR of the picture %.1f dB, of the tiles %.1f dB (median)."),
                            blend->psnr, median);
  return g_strdup (_ ("The picture is put together."));
}

static gpointer
merge (gpointer data,
       GError **error)
{
  const Work *self = data;
  g_autoptr (PrismTilePlan) tiles = prism_tile_plan_load (self->directory, error);
  g_autoptr (PrismTileTable) table = NULL;
  g_autoptr (PrismTileBlend) blend = NULL;

  if (tiles == NULL)
    return NULL;
  table = prism_tile_table_load (tiles, self->directory, NULL);
  blend = prism_tile_report_save_all (tiles, table, self->directory, NULL, error);
  return blend != NULL ? dup_sentence (blend, table) : NULL;
}

static void
end_merge (gpointer data,
           gpointer result,
           const GError *error)
{
  Work *self = data;
  g_autofree char *sentence = result;
  g_autoptr (GObject) owner = g_weak_ref_get (&self->owner);

  if (owner != NULL)
    self->merged (owner, sentence, error);
}

/**
 * prism_tiles_work_merge:
 * @directory: of tiles
 * @done: called on the main thread
 * @data: first argument of @done, which is not called when it is gone by then
 *
 * Puts together what is there, with maps and report.
 */
void
prism_tiles_work_merge (const char *directory,
                        PrismTilesMerged done,
                        GObject *data)
{
  static const PrismJob job = { "tiles-merge", merge, end_merge, work_free, NULL };
  Work *work = g_new0 (Work, 1);

  work->directory = g_strdup (directory);
  work->merged = done;
  g_weak_ref_init (&work->owner, data);
  prism_job_start (&job, work, NULL);
}

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

static void
picture_free (gpointer data)
{
  Picture *self = data;

  g_clear_pointer (&self->config, prism_config_free);
  g_free (self->directory);
  g_clear_pointer (&self->plan, prism_tile_plan_free);
  g_free (self->text);
  g_free (self);
}

static PrismTilePlan *
read_picture (const Picture *self,
              GCancellable *cancellable)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&reading);

  return g_cancellable_is_cancelled (cancellable) ? NULL : prism_tile_plan_new (self->config, NULL);
}

/* What is there of other tiles does not count. */
static gboolean
has_results (const Picture *self,
             const PrismTilePlan *plan)
{
  g_autoptr (PrismTilePlan) there
      = self->directory != NULL ? prism_tile_plan_load (self->directory, NULL) : NULL;

  return there != NULL && there->checksum == plan->checksum && there->side == plan->side
         && there->overlap == plan->overlap && there->n_tiles == plan->n_tiles;
}

static char *
answer_time (gpointer data,
             GCancellable *cancellable)
{
  const Picture *self = data;
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
answer_count (gpointer data,
              GCancellable *cancellable)
{
  Picture *self = data;
  g_autoptr (PrismTilePlan) plan = read_picture (self, cancellable);
  g_autoptr (GString) text = g_string_new (NULL);
  PrismTileCounts counts;

  if (plan == NULL)
    return NULL;
  prism_tile_forecast_count (&counts, plan, has_results (self, plan) ? self->directory : NULL);
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
           gpointer data,
           const char *time)
{
  const Picture *self = data;
  g_autofree char *text = time != NULL ? g_strdup_printf ("%s, %s", self->text, time) : NULL;

  if (text != NULL)
    gtk_label_set_text (GTK_LABEL (label), text);
}

/* A run has to be timed for it, which takes long where tiles are large. */
static void
ask_for_time (GtkWidget *label,
              Picture *counted,
              const char *text)
{
  static const PrismQuestion question = { "tile-time", answer_time, show_time, picture_free };
  Picture *picture = g_new (Picture, 1);

  *picture = *counted;
  *counted = (Picture) { 0 };
  picture->text = g_strdup (text);
  prism_question_ask (&question, label, picture, 0);
}

/* Where it cannot be told Run says why. */
static void
show_count (GtkWidget *label,
            gpointer data,
            const char *text)
{
  gtk_label_set_text (GTK_LABEL (label), text != NULL ? text : "");
  gtk_widget_set_visible (label, text != NULL);
  if (text != NULL)
    ask_for_time (label, data, text);
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
  Picture *picture = g_new0 (Picture, 1);

  prism_tile_time_forget (label);
  picture->config = prism_config_dup (config);
  picture->directory = g_strdup (directory);
  picture->keeps = keeps;
  prism_question_ask (&question, GTK_WIDGET (label), picture, PRISM_QUESTION_DELAY);
}
