#include "config.h"

#include "results/prism-sweep-slurm.h"

#include "batch/prism-batch-array.h"
#include "results/prism-sweep-table.h"

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
