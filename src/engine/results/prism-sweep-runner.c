#include "config.h"

#include "results/prism-sweep-runner.h"

#include "base/prism-file.h"
#include "batch/prism-batch-cost.h"
#include "device/prism-registry.h"
#include "forecast/prism-trial.h"
#include "model/prism-pattern.h"
#include "results/prism-sweep-table.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

struct _PrismSweepRunner
{
  PrismSweep *sweep; /* borrowed */
  char *directory;
  char *program;
  PrismSweepRunnerFunc func;
  gpointer data;
  PrismBatch *batch;
};

static char **
dup_command (PrismBatch *batch,
             guint point,
             gpointer data,
             GError **error)
{
  PrismSweepRunner *self = data;
  g_autofree char *config = prism_sweep_dup_config_path (self->directory, point);
  g_autofree char *output = prism_sweep_dup_directory (self->directory, point);
  guint n_threads = prism_batch_get_n_threads (batch);
  g_autofree char *threads = g_strdup_printf ("threads=%u", n_threads);
  g_autofree char *run = prism_sweep_dup_run_path (self->directory, point);
  g_autoptr (GPtrArray) command = g_ptr_array_new ();
  const char *const always[] = { self->program, "run", "--quiet", "--config", config, "--output",
                                 output };

  if (prism_sweep_table_is_finished (self->directory, point))
    return NULL;
  for (gsize i = 0; i < G_N_ELEMENTS (always); i++)
    g_ptr_array_add (command, (gpointer) always[i]);
  for (char **argument = self->sweep->frames; argument != NULL && *argument != NULL; argument++)
    g_ptr_array_add (command, *argument);
  if (n_threads > 0)
    {
      g_ptr_array_add (command, (gpointer) "--set");
      g_ptr_array_add (command, threads);
    }
  /* What an earlier try has left there is begun again, to the same bits. */
  g_unlink (run);
  if (self->sweep->keeps_runs)
    {
      g_ptr_array_add (command, (gpointer) "--save");
      g_ptr_array_add (command, run);
    }
  g_ptr_array_add (command, NULL);
  return g_strdupv ((char **) command->pdata);
}

static void
end_point (PrismBatch *batch,
           guint point,
           const char *message,
           gboolean stopped,
           gpointer data)
{
  PrismSweepRunner *self = data;
  g_autofree char *directory = prism_sweep_dup_directory (self->directory, point);
  g_autofree char *path = prism_file_dup_place (directory, PRISM_SWEEP_FAILURE_NAME);

  if (message != NULL && !stopped && g_mkdir_with_parents (directory, 0777) == 0)
    prism_file_save (path, message, strlen (message), NULL);
  else if (message == NULL)
    g_unlink (path);
  self->func (self, point, message, self->data);
}

static void
note_change (PrismBatch *batch,
             gpointer data)
{
  PrismSweepRunner *self = data;

  self->func (self, G_MAXUINT, prism_batch_get_notice (batch), self->data);
}

static void
init_need (PrismBatchNeed *need,
           PrismSweep *sweep)
{
  const PrismBackendOps *ops = prism_registry_find (sweep->base->backend);
  gboolean one_device = prism_registry_is_gpu (sweep->base->backend);

  *need = (PrismBatchNeed) {
    .n_items = sweep->n_points,
    .host = prism_sweep_get_required_bytes (sweep),
    .device = one_device ? prism_sweep_get_device_bytes (sweep, ops) : 0,
    .backend = sweep->base->backend,
    .threads = sweep->base->threads,
  };
}

/**
 * prism_sweep_runner_new:
 * @sweep: (transfer none): what to run; outlives the runner
 * @directory: where prism_sweep_save() has written it
 * @program: path of prism-cli
 * @n_jobs: how many runs at a time; 0 = as many as there are processors
 * @func: called after each point
 * @data: for @func
 *
 * Prepares the runs, see prism_batch_new().
 *
 * Errors: PRISM_ERROR_MEMORY when not even one fits.
 *
 * Returns: (transfer full) (nullable): the runner
 */
PrismSweepRunner *
prism_sweep_runner_new (PrismSweep *sweep,
                        const char *directory,
                        const char *program,
                        guint n_jobs,
                        PrismSweepRunnerFunc func,
                        gpointer data,
                        GError **error)
{
  static const PrismBatchFuncs funcs = { NULL, dup_command, end_point, note_change };
  g_autoptr (PrismSweepRunner) self = g_new0 (PrismSweepRunner, 1);
  PrismBatchNeed need;

  init_need (&need, sweep);
  self->sweep = sweep;
  self->directory = g_strdup (directory);
  self->program = g_strdup (program);
  self->func = func;
  self->data = data;
  self->batch = prism_batch_new (&need, directory, n_jobs, &funcs, self, error);
  return self->batch != NULL ? g_steal_pointer (&self) : NULL;
}

/**
 * prism_sweep_runner_free:
 * @self: (nullable): a runner
 *
 * Ends what is still running; what those runs have so far is not kept.
 */
void
prism_sweep_runner_free (PrismSweepRunner *self)
{
  if (self == NULL)
    return;
  prism_batch_free (self->batch);
  g_free (self->directory);
  g_free (self->program);
  g_free (self);
}

/**
 * prism_sweep_runner_start:
 *
 * Begins; the rest happens in the thread's main context.
 *
 * Errors: PRISM_ERROR_IO where another program computes in the directory.
 *
 * Returns: whether it has begun
 */
gboolean
prism_sweep_runner_start (PrismSweepRunner *self,
                          GError **error)
{
  return prism_batch_start (self->batch, error);
}

/**
 * prism_sweep_runner_stop:
 *
 * Begins no more runs and ends those under way; they are run again when the sweep goes on.
 */
void
prism_sweep_runner_stop (PrismSweepRunner *self)
{
  prism_batch_stop (self->batch);
}

/**
 * prism_sweep_runner_is_over:
 *
 * Returns: whether nothing is under way and nothing will be
 */
gboolean
prism_sweep_runner_is_over (PrismSweepRunner *self)
{
  return prism_batch_is_over (self->batch);
}

/**
 * prism_sweep_runner_get_n_jobs:
 *
 * Returns: how many runs there are at a time
 */
guint
prism_sweep_runner_get_n_jobs (PrismSweepRunner *self)
{
  return prism_batch_get_n_jobs (self->batch);
}

/**
 * prism_sweep_runner_get_n_threads:
 * @self: a runner
 *
 * Returns: worker threads of each run, 0 where its configuration says
 */
guint
prism_sweep_runner_get_n_threads (PrismSweepRunner *self)
{
  return prism_batch_get_n_threads (self->batch);
}

/**
 * prism_sweep_runner_get_n_over:
 *
 * Returns: points that have a result or have failed
 */
guint
prism_sweep_runner_get_n_over (PrismSweepRunner *self)
{
  return prism_batch_get_n_over (self->batch);
}

/**
 * prism_sweep_runner_dup_text:
 *
 * Returns: (transfer full): "4 at a time, 2.1 GiB each", translated
 */
char *
prism_sweep_runner_dup_text (PrismSweepRunner *self)
{
  return prism_batch_dup_text (self->batch);
}

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

static gboolean
is_finished (guint point,
             gpointer directory)
{
  return prism_sweep_table_is_finished (directory, point);
}

/* What names recorded frames, for a shell. */
static char *
dup_frames (PrismSweep *sweep)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (char **argument = sweep->frames; argument != NULL && *argument != NULL; argument++)
    {
      g_autofree char *quoted = g_shell_quote (*argument);

      g_string_append_printf (text, "%s ", quoted);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
init_array (PrismBatchArray *array,
            PrismSweep *sweep,
            const char *directory,
            const char *frames,
            const char *program,
            guint n_jobs,
            const char *const *options)
{
  *array = (PrismBatchArray) {
    .directory = directory,
    .command = "sweep",
    .stem = "point-%04d",
    .arguments = frames,
    .keeps_runs = sweep->keeps_runs,
    .n_items = sweep->n_points,
    .bytes = prism_sweep_get_required_bytes (sweep),
    .is_finished = is_finished,
    .data = (gpointer) directory,
    .program = program,
    .n_jobs = n_jobs,
    .options = options,
  };
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
  g_autofree char *frames = dup_frames (sweep);
  PrismBatchArray array;

  init_array (&array, sweep, directory, frames, program, n_jobs, options);
  return prism_batch_array_save_script (&array, error);
}
