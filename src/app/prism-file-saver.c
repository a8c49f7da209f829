#include "config.h"

#include "prism-file-saver.h"

typedef struct
{
  PrismFileSaverFunc func;
  gpointer data; /* the job's alone */
  GDestroyNotify destroy;
  char *path;
} Job;

static void
job_free (gpointer data)
{
  Job *job = data;

  job->destroy (job->data);
  g_free (job->path);
  g_free (job);
}

static void
run_job (GTask *task,
         gpointer source,
         gpointer data,
         GCancellable *cancellable)
{
  Job *job = data;
  GError *error = NULL;

  if (job->func (job->data, job->path, &error))
    g_task_return_pointer (task, g_strdup (job->path), g_free);
  else
    g_task_return_error (task, error);
}

/**
 * prism_file_saver_save_async:
 * @func: writes
 * @data: (transfer full): what is written; nobody else changes it
 * @destroy: frees @data
 * @path: name of a file or folder
 * @callback: (scope async): called when it is done
 * @callback_data: for @callback
 *
 * Writes on another thread; the run may go on.
 *
 * Thread: main.
 */
void
prism_file_saver_save_async (PrismFileSaverFunc func,
                             gpointer data,
                             GDestroyNotify destroy,
                             const char *path,
                             GAsyncReadyCallback callback,
                             gpointer callback_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, NULL, callback, callback_data);
  Job *job = g_new0 (Job, 1);

  *job = (Job) { func, data, destroy, g_strdup (path) };
  g_task_set_name (task, "save");
  g_task_set_task_data (task, job, job_free);
  g_task_run_in_thread (task, run_job);
}

/**
 * prism_file_saver_save_finish:
 * @result: of the callback
 * @path: (out) (optional) (transfer full): the file or folder
 * @error: return location
 *
 * Errors: those of the function that wrote, PRISM_ERROR_IO above all.
 *
 * Returns: whether everything is on the disk
 */
gboolean
prism_file_saver_save_finish (GAsyncResult *result,
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
