#include "config.h"

#include "output/prism-film-maker.h"

#include "support/prism-job.h"

#define PROGRESS_INTERVAL 100 /* ms */
#define PARTS 1000

typedef struct
{
  PrismSnapshot *snapshot;
  PrismFilmOptions options;
  char *path;
  GCancellable *cancellable; /* (nullable) */
  int n_done;                /* of PARTS; atomic */
  guint timer;
  PrismFilmMakerProgress progress;
  PrismFileSaverDone done;
  gpointer data;
} Filming;

static void
filming_free (gpointer data)
{
  Filming *filming = data;

  prism_snapshot_unref (filming->snapshot);
  g_clear_object (&filming->cancellable);
  g_free (filming->path);
  g_free (filming);
}

static gboolean
report (gpointer data)
{
  Filming *filming = data;

  filming->progress (g_atomic_int_get (&filming->n_done) / (double) PARTS, filming->data);
  return G_SOURCE_CONTINUE;
}

/* Other thread. */
static gboolean
go_on (guint n_done,
       guint n_frames,
       gpointer data)
{
  Filming *filming = data;

  g_atomic_int_set (&filming->n_done, (int) (PARTS * (guint64) n_done / MAX (n_frames, 1)));
  return !g_cancellable_is_cancelled (filming->cancellable);
}

static gpointer
make_film (gpointer data,
           GError **error)
{
  Filming *filming = data;

  return prism_film_save (filming->snapshot, filming->path, &filming->options, go_on, filming,
                          error)
             ? filming
             : NULL;
}

static void
on_made (gpointer data,
         gpointer result,
         const GError *error)
{
  Filming *filming = data;

  g_clear_handle_id (&filming->timer, g_source_remove);
  filming->done (filming->path, error, filming->data);
}

static const PrismJob job = {
  .name = "animation",
  .run = make_film,
  .done = on_made,
  .free_data = filming_free,
};

/**
 * prism_film_maker_save:
 * @snapshot: the newest of a run
 * @path: what to write
 * @options: what it shows, and how fast
 * @cancellable: (nullable): breaks it off
 * @progress: (scope notified): how far it is
 * @done: (scope async): called when it is done, with the errors of prism_film_save()
 * @data: for @progress and @done
 *
 * Writes on another thread; the run may go on.
 *
 * Thread: main.
 */
void
prism_film_maker_save (PrismSnapshot *snapshot,
                       const char *path,
                       const PrismFilmOptions *options,
                       GCancellable *cancellable,
                       PrismFilmMakerProgress progress,
                       PrismFileSaverDone done,
                       gpointer data)
{
  Filming *filming = g_new0 (Filming, 1);

  filming->snapshot = prism_snapshot_ref (snapshot);
  filming->options = *options;
  filming->path = g_strdup (path);
  filming->cancellable = cancellable != NULL ? g_object_ref (cancellable) : NULL;
  filming->progress = progress;
  filming->done = done;
  filming->data = data;
  filming->timer = g_timeout_add (PROGRESS_INTERVAL, report, filming);
  prism_job_start (&job, filming, NULL);
}
