#include "config.h"

#include "results/prism-sweep-runner.h"

#include "device/prism-registry.h"
#include "forecast/prism-cost-probe.h"
#include "model/prism-pattern.h"
#include "results/prism-sweep-measure.h"

#include "results/prism-sweep-table.h"

static gboolean
is_finished (guint point,
             gpointer directory)
{
  g_autofree char *folder = prism_sweep_dup_path (directory, point, "");

  return prism_sweep_row_is_finished (folder);
}

static void
init_runs (PrismBatchRuns *runs,
           PrismSweep *sweep,
           const char *directory,
           const char *program)
{
  const PrismBackendOps *ops = prism_registry_find (sweep->base->backend);
  const gboolean one_device = prism_registry_is_gpu (sweep->base->backend);

  *runs = (PrismBatchRuns) {
    .need = { .n_items = sweep->n_points,
              .host = prism_sweep_get_required_bytes (sweep),
              .device = one_device ? prism_sweep_get_device_bytes (sweep, ops) : 0,
              .backend = sweep->base->backend,
              .threads = sweep->base->threads },
    .directory = directory,
    .program = program,
    .command = "sweep",
    .stem = PRISM_SWEEP_STEM,
    .arguments = (const char *const *) sweep->frames,
    .keeps_runs = sweep->keeps_runs,
    .is_finished = is_finished,
    .data = (gpointer) directory,
  };
}

/**
 * prism_sweep_batch_new:
 * @sweep: what to run
 * @directory: where prism_sweep_save() has written it
 * @program: path of prism-cli
 * @n_jobs: how many runs at a time; 0 = as many as there are processors
 * @func: called after each point
 * @data: for @func
 *
 * Prepares the runs, see prism_batch_new(). A point whose result is there is not run again.
 *
 * Errors: PRISM_ERROR_MEMORY when not even one fits.
 *
 * Returns: (transfer full) (nullable): the runs
 */
PrismBatch *
prism_sweep_batch_new (PrismSweep *sweep,
                       const char *directory,
                       const char *program,
                       guint n_jobs,
                       PrismBatchFunc func,
                       gpointer data,
                       GError **error)
{
  g_autofree char *own = g_strdup (directory);
  PrismBatchRuns runs;
  PrismBatch *batch;

  init_runs (&runs, sweep, own, program);
  batch = prism_batch_new (&runs, n_jobs, func, data, g_free, error);
  if (batch != NULL)
    g_steal_pointer (&own);
  return batch;
}

static gboolean
may_time (const PrismSweepTerms *terms,
          const PrismConfig *config)
{
  return terms->may_time && prism_registry_find (config->backend) != NULL
         && !(terms->on_host_only && prism_registry_is_gpu (config->backend));
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
      g_autoptr (PrismConfig) config = NULL;
      PrismCosts costs;

      if (directory != NULL && is_finished (i, (gpointer) directory))
        continue;
      /* The run of a point as it will be started. */
      config = prism_sweep_dup_config (sweep, i, NULL);
      if (config == NULL)
        return FALSE;
      if (terms->n_threads > 0)
        config->threads = (int) terms->n_threads;
      if (may_time (terms, config)
          && !prism_cost_probe_ensure (&costs, config, terms->cancellable, NULL))
        return FALSE;
      if (!prism_forecast_init_config (&one, config))
        return FALSE;
      self->least += (one.least + terms->start) / n_jobs;
      self->most += (one.most + terms->start) / n_jobs;
      self->longest += (one.longest + terms->start) / n_jobs;
      longest = MAX (longest, one.least + terms->start);
      if (terms->seconds != NULL)
        terms->seconds[i] = one.seconds[one.likely] + terms->start;
    }
  self->least = MAX (self->least, longest);
  self->most = MAX (self->most, self->least);
  self->longest = MAX (self->longest, self->most);
  return TRUE;
}

/**
 * prism_sweep_slurm_save_script:
 * @sweep: a sweep
 * @directory: where prism_sweep_save() has written it
 * @program: path of prism-cli on the nodes
 * @n_jobs: how many jobs at a time; 0 = as many as Slurm likes
 * @options: (nullable): more options of sbatch
 *
 * Writes an array of jobs, one for each point without a result, with the memory that a run needs,
 * into the directory of the sweep. Paths are absolute and relative ones of the configuration mean
 * the present directory.
 *
 * Errors: PRISM_ERROR_CONFIG when the directory or an option has a control character,
 * PRISM_ERROR_IO.
 *
 * Returns: (transfer full) (nullable): path of the script; NULL without an error when every point
 * has its result
 */
char *
prism_sweep_slurm_save_script (PrismSweep *sweep,
                               const char *directory,
                               const char *program,
                               guint n_jobs,
                               const char *const *options,
                               GError **error)
{
  PrismBatchRuns runs;

  init_runs (&runs, sweep, directory, program);
  return prism_batch_save_script (&runs, n_jobs, options, error);
}
