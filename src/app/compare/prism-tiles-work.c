#include "config.h"

#include "compare/prism-tiles-work.h"

#include "base/prism-file.h"
#include "prism-benchmark-report.h"
#include "support/prism-job.h"

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
