#include "config.h"

#include "support/prism-job.h"

typedef struct
{
  PrismJob job;
  gpointer data;
} Task;

/* Other thread. */
static void
run (GTask *async,
     gpointer source,
     gpointer data,
     GCancellable *cancellable)
{
  Task *task = data;
  GError *error = NULL;
  gpointer result = task->job.run (task->data, &error);

  if (error != NULL)
    g_task_return_error (async, error);
  else
    g_task_return_pointer (async, result, task->job.free_result);
}

/* The data go here and not with the task, whose last reference may be the other thread's: they hold
 * widgets. */
static void
on_done (GObject *source,
         GAsyncResult *async,
         gpointer data)
{
  Task *task = g_task_get_task_data (G_TASK (async));
  g_autoptr (GError) error = NULL;
  gpointer result = g_task_propagate_pointer (G_TASK (async), &error);

  if (task->job.done != NULL)
    task->job.done (task->data, result, error);
  else if (result != NULL && task->job.free_result != NULL)
    task->job.free_result (result);
  task->job.free_data (task->data);
}

/**
 * prism_job_start:
 * @self: what kind of job it is
 * @data: (transfer full): what it works on
 * @cancellable: (nullable): once cancelled, the job ends with G_IO_ERROR_CANCELLED and its result
 *   is dropped
 *
 * Begins a job, or lets it wait for a thread. The main loop hears of its end and frees @data then,
 * never before this function has returned.
 *
 * Thread: main.
 */
void
prism_job_start (const PrismJob *self,
                 gpointer data,
                 GCancellable *cancellable)
{
  g_autoptr (GTask) async = g_task_new (NULL, cancellable, on_done, NULL);
  Task *task = g_new0 (Task, 1);

  *task = (Task) { *self, data };
  g_task_set_name (async, self->name);
  g_task_set_task_data (async, task, g_free);
  g_task_run_in_thread (async, run);
}
