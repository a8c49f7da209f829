#include "config.h"

#include "prism-compare-saver.h"

#include "prism-report.h"

typedef struct
{
  PrismCompareOutput output;
  PrismComparison *comparison; /* the job's alone */
  char *path;
} Job;

static void
job_free (gpointer data)
{
  Job *job = data;

  prism_comparison_free (job->comparison);
  g_free (job->path);
  g_free (job);
}

static gboolean
save (const Job *job,
      GError **error)
{
  switch (job->output)
    {
    case PRISM_COMPARE_TABLE_CSV:
      return prism_comparison_save_csv (job->comparison, job->path, error);
    case PRISM_COMPARE_CURVES_CSV:
      return prism_comparison_save_curves (job->comparison, job->path, error);
    case PRISM_COMPARE_REPORT:
    default:
      return prism_report_save (job->comparison, job->path, error);
    }
}

static void
run_job (GTask *task,
         gpointer source,
         gpointer data,
         GCancellable *cancellable)
{
  Job *job = data;
  GError *error = NULL;

  if (save (job, &error))
    g_task_return_pointer (task, g_strdup (job->path), g_free);
  else
    g_task_return_error (task, error);
}

/**
 * prism_compare_saver_save_async:
 * @output: what to write
 * @comparison: of which runs
 * @path: file name
 * @callback: (scope async): called when it is done
 * @data: for @callback
 *
 * Writes on another thread.
 *
 * Thread: main.
 */
void
prism_compare_saver_save_async (PrismCompareOutput output,
                                const PrismComparison *comparison,
                                const char *path,
                                GAsyncReadyCallback callback,
                                gpointer data)
{
  g_autoptr (GTask) task = g_task_new (NULL, NULL, callback, data);
  Job *job = g_new0 (Job, 1);

  job->output = output;
  job->comparison = prism_comparison_dup (comparison);
  job->path = g_strdup (path);
  g_task_set_name (task, "save a comparison");
  g_task_set_task_data (task, job, job_free);
  g_task_run_in_thread (task, run_job);
}

/**
 * prism_compare_saver_save_finish:
 * @result: of the callback
 * @path: (out) (optional) (transfer full): the file
 * @error: return location
 *
 * Errors: those of the writers, PRISM_ERROR_IO above all.
 *
 * Returns: whether the file is on the disk
 */
gboolean
prism_compare_saver_save_finish (GAsyncResult *result,
                                 char **path,
                                 GError **error)
{
  g_autofree char *saved = g_task_propagate_pointer (G_TASK (result), error);

  if (saved == NULL)
    return FALSE;
  if (path != NULL)
    *path = g_steal_pointer (&saved);
  return TRUE;
}
