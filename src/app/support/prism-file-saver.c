#include "config.h"

#include "support/prism-file-saver.h"

#include "support/prism-job.h"

typedef struct
{
  PrismFileSaverFunc func;
  gpointer data; /* the job's alone */
  GDestroyNotify destroy;
  char *path;
  PrismFileSaverDone done;
  gpointer done_data;
} Saving;

static void
saving_free (gpointer data)
{
  Saving *saving = data;

  saving->destroy (saving->data);
  g_free (saving->path);
  g_free (saving);
}

static gpointer
write_file (gpointer data,
            GError **error)
{
  Saving *saving = data;

  return saving->func (saving->data, saving->path, error) ? saving : NULL;
}

static void
on_written (gpointer data,
            gpointer result,
            const GError *error)
{
  Saving *saving = data;

  saving->done (saving->path, error, saving->done_data);
}

static const PrismJob job = {
  .name = "save",
  .run = write_file,
  .done = on_written,
  .free_data = saving_free,
};

/**
 * prism_file_saver_save:
 * @func: writes
 * @data: (transfer full): what is written; nobody else changes it
 * @destroy: frees @data
 * @path: name of a file or folder
 * @done: (scope async): called when it is done, with the errors of @func
 * @done_data: for @done
 *
 * Writes on another thread; the run may go on.
 *
 * Thread: main.
 */
void
prism_file_saver_save (PrismFileSaverFunc func,
                       gpointer data,
                       GDestroyNotify destroy,
                       const char *path,
                       PrismFileSaverDone done,
                       gpointer done_data)
{
  Saving *saving = g_new0 (Saving, 1);

  *saving = (Saving) { func, data, destroy, g_strdup (path), done, done_data };
  prism_job_start (&job, saving, NULL);
}
