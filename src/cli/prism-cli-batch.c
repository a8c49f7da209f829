#include "config.h"

#include "prism-cli-batch.h"

#include "prism-cli-output.h"

/**
 * prism_cli_batch_show:
 * @batch: runs
 * @item: the one that is over; G_MAXUINT: something else has changed
 * @message: (nullable): what went wrong, or the notice
 * @lines: a PrismCliBatch
 *
 * A PrismBatchFunc that prints a line. A signal for the terminal's programs may have ended the run:
 * no other one begins then.
 */
void
prism_cli_batch_show (PrismBatch *batch,
                      guint item,
                      const char *message,
                      gpointer lines)
{
  PrismCliBatch *self = lines;
  g_autofree char *name = item != G_MAXUINT ? self->dup_name (item, self->data) : NULL;

  if (item == G_MAXUINT)
    {
      if (message != NULL && message != self->notice)
        prism_cli_warn ("%s", message);
      else if (message == NULL && self->notice != NULL)
        prism_cli_warn ("It goes on.");
      self->notice = message;
      return;
    }
  if (message != NULL)
    prism_cli_warn ("%s: %s", name, message);
  else if (!self->quiet)
    prism_cli_print_line (stderr, "%u of %u: %s", batch->n_over, self->n_items,
                          name);
  if (prism_cli_engine_get_signal () != 0)
    prism_batch_stop (batch);
}

/**
 * prism_cli_batch_init_terms:
 * @terms: (out): under which the time of the runs is told
 * @batch: runs
 * @watch: (out): ends what is timed when a signal comes
 */
void
prism_cli_batch_init_terms (PrismSweepTerms *terms,
                            PrismBatch *batch,
                            PrismCliWatch *watch)
{
  prism_cli_watch_init (watch);
  *terms = (PrismSweepTerms) { .n_jobs = batch->n_jobs,
                               .n_threads = batch->n_threads,
                               .may_time = TRUE,
                               .cancellable = watch->cancellable };
}

/**
 * prism_cli_batch_run:
 * @batch: runs that were not started yet
 * @error: return location
 *
 * Runs them all, or up to a signal.
 *
 * Errors: those of prism_batch_start().
 *
 * Returns: whether they could be started
 */
gboolean
prism_cli_batch_run (PrismBatch *batch,
                     GError **error)
{
  if (!prism_batch_start (batch, error))
    return FALSE;
  prism_cli_engine_wait_for (batch, (gboolean (*) (gpointer)) prism_batch_is_over,
                             (void (*) (gpointer)) prism_batch_stop);
  return TRUE;
}

/**
 * prism_cli_batch_tell_script:
 * @command: that puts the results together
 * @directory: of the results
 * @path: (transfer full) (nullable): of a script for Slurm; NULL where nothing is left to run
 * @error: of writing it
 *
 * Prints what starts the jobs and what comes after them, as a shell wants it.
 *
 * Returns: the exit code
 */
PrismExit
prism_cli_batch_tell_script (const char *command,
                             const char *directory,
                             char *path,
                             GError **error)
{
  g_autofree char *quoted_directory = g_shell_quote (directory), *script = path;

  if (*error != NULL)
    return PRISM_EXIT_FAILED;
  if (path == NULL)
    prism_cli_say ("Every run has its result.");
  else
    {
      g_autofree char *quoted_path = g_shell_quote (path);

      prism_cli_say ("Start the jobs with: sbatch %s", quoted_path);
      prism_cli_say ("Then: prism-cli %s --merge --output %s", command, quoted_directory);
    }
  return PRISM_EXIT_OK;
}
