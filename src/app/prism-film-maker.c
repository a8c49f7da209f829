#include "config.h"

#include "prism-film-maker.h"

#define PROGRESS_INTERVAL 100 /* ms */
#define PARTS 1000

typedef struct
{
  PrismSnapshot *snapshot;
  PrismFilmOptions options;
  char *path;
  GCancellable *cancellable; /* (nullable) */
  int done;                  /* of PARTS; atomic */
  guint timer;
  PrismFilmMakerProgress progress;
  gpointer data;
} Job;

static void
job_free (gpointer data)
{
  Job *job = data;

  prism_snapshot_unref (job->snapshot);
  g_clear_object (&job->cancellable);
  g_free (job->path);
  g_free (job);
}

static gboolean
report (gpointer data)
{
  Job *job = data;

  job->progress (g_atomic_int_get (&job->done) / (double) PARTS, job->data);
  return G_SOURCE_CONTINUE;
}

/* Worker. */
static gboolean
go_on (guint n_done,
       guint n_frames,
       gpointer data)
{
  Job *job = data;

  g_atomic_int_set (&job->done, (int) (PARTS * (guint64) n_done / MAX (n_frames, 1)));
  return !g_cancellable_is_cancelled (job->cancellable);
}

static void
run_job (GTask *task,
         gpointer source,
         gpointer data,
         GCancellable *cancellable)
{
  Job *job = data;
  GError *error = NULL;

  if (prism_film_save (job->snapshot, job->path, &job->options, go_on, job, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

/**
 * prism_film_maker_save_async:
 * @snapshot: the newest of a run
 * @path: what to write
 * @options: what it shows, and how fast
 * @cancellable: (nullable): breaks it off
 * @progress: (scope notified): how far it is
 * @callback: (scope async): called when it is done
 * @data: for @progress and @callback
 *
 * Writes on another thread; the run may go on.
 *
 * Thread: main.
 */
void
prism_film_maker_save_async (PrismSnapshot *snapshot,
                             const char *path,
                             const PrismFilmOptions *options,
                             GCancellable *cancellable,
                             PrismFilmMakerProgress progress,
                             GAsyncReadyCallback callback,
                             gpointer data)
{
  g_autoptr (GTask) task = g_task_new (NULL, NULL, callback, data);
  Job *job = g_new0 (Job, 1);

  job->snapshot = prism_snapshot_ref (snapshot);
  job->options = *options;
  job->path = g_strdup (path);
  job->cancellable = cancellable != NULL ? g_object_ref (cancellable) : NULL;
  job->progress = progress;
  job->data = data;
  job->timer = g_timeout_add (PROGRESS_INTERVAL, report, job);
  g_task_set_name (task, "animation");
  g_task_set_task_data (task, job, job_free);
  g_task_run_in_thread (task, run_job);
}

/**
 * prism_film_maker_save_finish:
 * @result: of the callback
 * @path: (out) (optional) (transfer full): the file or folder
 * @error: return location
 *
 * Errors: those of prism_film_save().
 *
 * Returns: whether everything was written
 */
gboolean
prism_film_maker_save_finish (GAsyncResult *result,
                              char **path,
                              GError **error)
{
  Job *job = g_task_get_task_data (G_TASK (result));

  g_clear_handle_id (&job->timer, g_source_remove);
  if (!g_task_propagate_boolean (G_TASK (result), error))
    return FALSE;
  if (path != NULL)
    *path = g_strdup (job->path);
  return TRUE;
}
