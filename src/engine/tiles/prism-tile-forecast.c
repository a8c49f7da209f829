#include "config.h"

#include "tiles/prism-tile-forecast.h"

#include "batch/prism-batch-cost.h"

#define ANY_OBJECT "usaf1951" /* drawn as fast as a tile is read */

/**
 * prism_tile_forecast_count:
 * @self: (out): how many there are
 * @plan: of tiles
 * @directory: (nullable): where results may be; %NULL: there are none
 *
 * Counts what is to be done.
 */
void
prism_tile_forecast_count (PrismTileCounts *self,
                           const PrismTilePlan *plan,
                           const char *directory)
{
  *self = (PrismTileCounts) { 0 };
  for (guint i = 0; i < plan->n_tiles; i++)
    {
      const guint is_dark = prism_tile_plan_is_dark (plan, i) ? 1 : 0;

      self->n_dark += is_dark;
      if (directory != NULL && prism_tile_plan_is_finished (plan, directory, i))
        continue;
      self->n_left++;
      self->n_runs += 1 - is_dark;
    }
}

/* Of one tile. What it shows does not change how long it takes, and the whole picture in memory
 * would be more than a run ever has. */
static PrismConfig *
dup_run (const PrismTilePlan *plan,
         guint n_threads)
{
  PrismConfig *config = prism_config_dup (plan->base);

  prism_config_set_text (config, "object", ANY_OBJECT, NULL);
  if (n_threads > 0)
    config->threads = (int) n_threads;
  return config;
}

/**
 * prism_tile_forecast_init:
 * @self: (out): how long, in seconds
 * @plan: of tiles
 * @n_runs: that are left
 * @program: (nullable): path of prism-cli, whose start is timed
 * @terms: how they take place; their start is not looked at
 *
 * Returns: whether anybody can tell
 */
gboolean
prism_tile_forecast_init (PrismForecast *self,
                          const PrismTilePlan *plan,
                          guint n_runs,
                          const char *program,
                          const PrismSweepTerms *terms)
{
  const guint n_jobs = MAX (terms->n_jobs, 1);
  g_autoptr (PrismConfig) config = dup_run (plan, terms->n_threads);
  g_autoptr (PrismSweep) one = prism_sweep_new (config);
  PrismSweepTerms alone = *terms;

  alone.n_jobs = 1;
  alone.n_threads = 0;
  if (n_runs == 0)
    return FALSE;
  alone.start
      = program != NULL ? prism_batch_cost_get_start (program, config, terms->cancellable) : 0.0;
  if (!prism_sweep_forecast_init (self, one, NULL, &alone) || !(self->most > 0.0))
    return FALSE;
  self->least *= (double) n_runs / MIN (n_jobs, n_runs);
  self->most *= (double) n_runs / MIN (n_jobs, n_runs);
  return TRUE;
}
