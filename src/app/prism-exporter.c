#include "config.h"

#include "prism-exporter.h"

#include "prism-error.h"
#include "prism-export.h"
#include "prism-frc.h"

#include <glib/gi18n.h>

typedef struct
{
  PrismExport what;
  char *path;
} Job;

static void
job_free (gpointer data)
{
  Job *job = data;

  prism_snapshot_unref (job->what.snapshot);
  g_clear_pointer (&job->what.image, prism_image_unref);
  g_free (job->path);
  g_free (job);
}

static char *
format_level (double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  return g_strdup (g_ascii_formatd (text, sizeof text, "%.9g", value));
}

/* The parameters of the run, and what the greys mean. */
static char **
dup_text (const PrismExport *what)
{
  g_auto (GStrv) run = prism_export_dup_png_text (what->snapshot);
  g_autoptr (GStrvBuilder) text = g_strv_builder_new ();
  g_autofree char *black = format_level (what->black);
  g_autofree char *white = format_level (what->white);

  g_strv_builder_addv (text, (const char **) run);
  g_strv_builder_add_many (text, "black", black, "white", white, NULL);
  return g_strv_builder_end (text);
}

static gboolean
save_pixels (const Job *job,
             int bits,
             GError **error)
{
  g_auto (GStrv) text = dup_text (&job->what);

  return prism_image_save_png (job->what.image, job->path, bits, job->what.black, job->what.white,
                               (const char *const *) text, error);
}

static gboolean
save_correlation (const Job *job,
                  GError **error)
{
  g_autoptr (GError) failure = NULL;
  g_autoptr (PrismFrc) frc = prism_frc_new_snapshot (job->what.snapshot, &failure);

  if (frc == NULL && failure == NULL)
    g_set_error (&failure, PRISM_ERROR, PRISM_ERROR_CONFIG,
                 _ ("There is no reconstruction to correlate with the object yet. Run first."));
  if (failure != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&failure));
      return FALSE;
    }
  return prism_frc_save_csv (frc, job->path, error);
}

static gboolean
save (const Job *job,
      GError **error)
{
  PrismSnapshot *snapshot = job->what.snapshot;

  switch (job->what.kind)
    {
    case PRISM_EXPORT_PIXELS_8:
      return save_pixels (job, 8, error);
    case PRISM_EXPORT_PIXELS_16:
      return save_pixels (job, 16, error);
    case PRISM_EXPORT_METRICS:
      return prism_history_save_csv (snapshot->history, snapshot->n_rows, job->path, error);
    case PRISM_EXPORT_CORRELATION:
      return save_correlation (job, error);
    case PRISM_EXPORT_ALL:
    default:
      return prism_export_check_directory (job->path, error)
             && prism_export_save_all (snapshot, job->path, error);
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
 * prism_exporter_save_async:
 * @what: what to save, and where
 * @callback: (scope async): called when it is done
 * @data: for @callback
 *
 * Writes on another thread; snapshots do not change, so the run may go on.
 *
 * Thread: main.
 */
void
prism_exporter_save_async (const PrismExport *what,
                           GAsyncReadyCallback callback,
                           gpointer data)
{
  g_autoptr (GTask) task = g_task_new (NULL, NULL, callback, data);
  Job *job = g_new0 (Job, 1);

  job->what = *what;
  prism_snapshot_ref (what->snapshot);
  if (what->image != NULL)
    prism_image_ref (what->image);
  job->path = g_strdup (what->path);
  job->what.path = job->path;
  g_task_set_name (task, "export");
  g_task_set_task_data (task, job, job_free);
  g_task_run_in_thread (task, run_job);
}

/**
 * prism_exporter_save_finish:
 * @result: of the callback
 * @path: (out) (optional) (transfer full): the file or folder
 * @error: return location
 *
 * Errors: those of the writers, PRISM_ERROR_IO above all.
 *
 * Returns: whether everything was written
 */
gboolean
prism_exporter_save_finish (GAsyncResult *result,
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
