#include "config.h"

#include "results/prism-sweep-forecast.h"

#include "device/prism-registry.h"
#include "forecast/prism-trial.h"
#include "model/prism-pattern.h"
#include "results/prism-sweep-table.h"

#include <math.h>

static gboolean
may_time (const PrismSweepTerms *terms,
          const PrismConfig *config)
{
  return terms->may_time && prism_registry_find (config->backend) != NULL
         && !(terms->on_host_only && prism_registry_is_gpu (config->backend));
}

/* The run of a point as it will be started. */
static gboolean
init_point (PrismForecast *self,
            PrismSweep *sweep,
            const PrismSweepTerms *terms,
            guint point)
{
  g_autoptr (PrismConfig) config = prism_sweep_dup_config (sweep, point, NULL);
  PrismCosts costs;

  if (config == NULL)
    return FALSE;
  if (terms->n_threads > 0)
    config->threads = (int) terms->n_threads;
  if (may_time (terms, config) && !prism_trial_ensure (&costs, config, terms->cancellable, NULL))
    return FALSE;
  return prism_forecast_init_config (self, config);
}

/**
 * prism_sweep_forecast_init:
 * @self: (out caller-allocates): of the whole sweep; least and most alone say something
 * @sweep: a sweep
 * @directory: (nullable): where some points may have their result
 * @terms: how its runs share the machine
 *
 * Adds up the runs that are still to come, so many at a time. What recorded frames take nobody
 * foretells.
 *
 * Units: seconds.
 *
 * Returns: whether the time of each of them is known
 */
gboolean
prism_sweep_forecast_init (PrismForecast *self,
                           PrismSweep *sweep,
                           const char *directory,
                           const PrismSweepTerms *terms)
{
  const guint n_jobs = MAX (terms->n_jobs, 1);
  double longest = 0.0;

  *self = (PrismForecast) { .least = 0.0 };
  if (sweep->frames != NULL)
    return FALSE;
  for (guint i = 0; i < sweep->n_points; i++)
    {
      PrismForecast one;

      if (directory != NULL && prism_sweep_table_is_finished (directory, i))
        continue;
      if (!init_point (&one, sweep, terms, i))
        return FALSE;
      self->least += (one.least + terms->start) / n_jobs;
      self->most += (one.most + terms->start) / n_jobs;
      longest = MAX (longest, one.least + terms->start);
    }
  self->least = MAX (self->least, longest);
  self->most = MAX (self->most, self->least);
  return TRUE;
}
