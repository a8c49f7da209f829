#include "config.h"

#include "library/prism-library-index.h"

#include "support/prism-job.h"

#define DELAY 400 /* ms, for what is done in one go */
#define PAUSE 10  /* s, between two writings while the catalogue grows */

struct _PrismLibraryIndex
{
  PrismRunCatalogue *catalogue; /* (unowned) (nullable): NULL once it is closed */
  PrismLibraryIndexFailed failed;
  gpointer data;
  guint timer;
  gboolean unsaved; /* the catalogue is newer than what was handed on */
  gboolean writing; /* a job is under way */
  gint64 begun;     /* µs, the last job */
  GMutex mutex;     /* held while the file is written */
  gboolean closed;  /* under the mutex: what jobs have is old */
};

/* The catalogue as it was when its turn came. */
typedef struct
{
  PrismLibraryIndex *index;
  PrismRunCatalogue *copy;
} Writing;

static void
clear (gpointer data)
{
  g_mutex_clear (&((PrismLibraryIndex *) data)->mutex);
}

static void
writing_free (gpointer data)
{
  Writing *writing = data;

  prism_run_catalogue_free (writing->copy);
  g_rc_box_release_full (writing->index, clear);
  g_free (writing);
}

/* Another thread. What was closed has written what is newer. */
static gpointer
write_copy (gpointer data,
            GError **error)
{
  Writing *writing = data;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&writing->index->mutex);

  if (writing->index->closed)
    return data;
  return prism_run_catalogue_save (writing->copy, error) ? data : NULL;
}

static void
on_written (gpointer data,
            gpointer result,
            const GError *error)
{
  PrismLibraryIndex *self = ((Writing *) data)->index;

  self->writing = FALSE;
  if (self->catalogue == NULL)
    return;
  if (error != NULL)
    self->failed (error->message, self->data);
  if (self->unsaved)
    prism_library_index_grows (self);
}

static gboolean
start (gpointer data)
{
  static const PrismJob job = { "library-index", write_copy, on_written, writing_free, NULL };
  PrismLibraryIndex *self = data;
  Writing *writing;

  self->timer = 0;
  if (self->writing)
    return G_SOURCE_REMOVE;
  writing = g_new (Writing, 1);
  *writing = (Writing) { g_rc_box_acquire (self), prism_run_catalogue_copy (self->catalogue) };
  self->unsaved = FALSE;
  self->writing = TRUE;
  self->begun = g_get_monotonic_time ();
  prism_job_start (&job, writing, NULL);
  return G_SOURCE_REMOVE;
}

/**
 * prism_library_index_new:
 * @catalogue: that outlives prism_library_index_close()
 * @failed: told of what could not be written, until it is closed
 * @data: for @failed
 *
 * Returns: (transfer full): keeps the index of @catalogue
 */
PrismLibraryIndex *
prism_library_index_new (PrismRunCatalogue *catalogue,
                         PrismLibraryIndexFailed failed,
                         gpointer data)
{
  PrismLibraryIndex *self = g_rc_box_new0 (PrismLibraryIndex);

  self->catalogue = catalogue;
  self->failed = failed;
  self->data = data;
  g_mutex_init (&self->mutex);
  return self;
}

/**
 * prism_library_index_changed:
 * @self: an index
 *
 * Writes it in a moment.
 */
void
prism_library_index_changed (PrismLibraryIndex *self)
{
  self->unsaved = TRUE;
  g_clear_handle_id (&self->timer, g_source_remove);
  self->timer = g_timeout_add (DELAY, start, self);
}

/**
 * prism_library_index_grows:
 * @self: an index
 *
 * Writes it, but not again and again while much is added to the catalogue.
 */
void
prism_library_index_grows (PrismLibraryIndex *self)
{
  gint64 left = self->begun + PAUSE * G_USEC_PER_SEC - g_get_monotonic_time ();

  self->unsaved = TRUE;
  if (self->timer == 0)
    self->timer = g_timeout_add ((guint) MAX (left / 1000, DELAY), start, self);
}

/**
 * prism_library_index_is_at_rest:
 * @self: an index
 *
 * Returns: whether everything was handed to the disk
 */
gboolean
prism_library_index_is_at_rest (const PrismLibraryIndex *self)
{
  return !self->unsaved && !self->writing;
}

/**
 * prism_library_index_close:
 * @self: (transfer full): an index
 *
 * Waits for what is being written, and writes what is newer.
 */
void
prism_library_index_close (PrismLibraryIndex *self)
{
  g_autoptr (GError) error = NULL;

  g_clear_handle_id (&self->timer, g_source_remove);
  g_mutex_lock (&self->mutex);
  self->closed = TRUE;
  if (!prism_library_index_is_at_rest (self) && !prism_run_catalogue_save (self->catalogue, &error))
    g_message ("%s", error->message);
  g_mutex_unlock (&self->mutex);
  self->catalogue = NULL;
  g_rc_box_release_full (self, clear);
}
