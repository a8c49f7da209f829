#include "config.h"

#include "history/prism-history.h"

#include "base/prism-arena.h"
#include "base/prism-temporary.h"

#include <pthread.h>
#include <stdatomic.h>

#define CHUNK_ROWS PRISM_HISTORY_CHUNK
#ifndef PRISM_HISTORY_MAX_CHUNKS
#define PRISM_HISTORY_MAX_CHUNKS 16384
#endif
#define MAX_CHUNKS PRISM_HISTORY_MAX_CHUNKS
#define KEPT_CHUNKS 16 /* in memory, when the rest can be moved */
#define CHUNK_BYTES (CHUNK_ROWS * sizeof (PrismHistoryRow))

/* One writer, any number of readers. The writer fills a row, then publishes it by a release store
 * of n_rows; it takes the mutex only to hand a chunk over from memory to the file, once in 4096
 * rows. What is in the file never changes, so that it is read without the mutex. */
struct _PrismHistory
{
  atomic_int ref_count;
  atomic_ullong n_rows;

  /* guarded by mutex */
  pthread_mutex_t mutex;
  int fd;                              /* -1 before the first chunk is moved */
  guint64 n_moved;                     /* chunks: [0, n_moved) are in the file */
  PrismHistoryRow *chunks[MAX_CHUNKS]; /* each [CHUNK_ROWS]; NULL when moved */
  gpointer companion;                  /* (nullable): as soon as somebody asks for it */
  GDestroyNotify destroy_companion;
};

/**
 * prism_history_new:
 *
 * Starts an empty history.
 *
 * Returns: (transfer full) (nullable): the history; NULL where there is no memory
 */
PrismHistory *
prism_history_new (void)
{
  PrismHistory *self = prism_arena_new_array (sizeof *self, "the metrics", NULL);

  if (self == NULL)
    return NULL;
  atomic_init (&self->ref_count, 1);
  atomic_init (&self->n_rows, 0);
  pthread_mutex_init (&self->mutex, NULL);
  self->fd = -1;
  return self;
}

/**
 * prism_history_ref:
 *
 * Returns: (transfer full): the same history, with one more reference
 */
PrismHistory *
prism_history_ref (PrismHistory *self)
{
  if (self != NULL)
    atomic_fetch_add_explicit (&self->ref_count, 1, memory_order_relaxed);
  return self;
}

/**
 * prism_history_unref:
 * @self: (transfer full) (nullable): a history
 *
 * Gives one reference back; the last one frees the rows.
 */
void
prism_history_unref (PrismHistory *self)
{
  guint64 n_rows;

  if (self == NULL || atomic_fetch_sub_explicit (&self->ref_count, 1, memory_order_acq_rel) != 1)
    return;
  n_rows = atomic_load_explicit (&self->n_rows, memory_order_relaxed);
  for (guint64 i = 0; i * CHUNK_ROWS < n_rows; i++)
    prism_arena_free_array (self->chunks[i]);
  if (self->fd >= 0)
    close (self->fd);
  if (self->companion != NULL)
    self->destroy_companion (self->companion);
  pthread_mutex_destroy (&self->mutex);
  prism_arena_free_array (self);
}

/* Moves the oldest chunk from memory to the file and returns its memory; NULL where it cannot be
 * written, and stays. Only the writer changes fd and n_moved, so that it may read them without the
 * mutex. */
static PrismHistoryRow *
move_chunk (PrismHistory *self)
{
  guint64 i = self->n_moved;
  PrismHistoryRow *chunk = self->chunks[i];

  if (self->fd < 0)
    {
      int fd = prism_temporary_store_open (0);

      pthread_mutex_lock (&self->mutex);
      self->fd = fd;
      pthread_mutex_unlock (&self->mutex);
    }
  if (self->fd < 0
      || !prism_temporary_store_write (self->fd, chunk, CHUNK_BYTES, i * CHUNK_BYTES))
    return NULL;
  pthread_mutex_lock (&self->mutex);
  self->chunks[i] = NULL;
  self->n_moved = i + 1;
  pthread_mutex_unlock (&self->mutex);
  return chunk;
}

/* n_chunks: that are full. The memory of a chunk that was moved is that of the new one: freed and
 * taken anew, it would be scattered over the heap in the course of hours. */
static gboolean
add_chunk (PrismHistory *self,
           guint64 n_chunks)
{
  PrismHistoryRow *chunk = NULL;

  while (self->n_moved + KEPT_CHUNKS <= n_chunks)
    {
      PrismHistoryRow *moved = move_chunk (self);

      if (moved == NULL)
        break;
      prism_arena_free_array (chunk);
      chunk = moved;
    }
  if (chunk == NULL)
    chunk = prism_arena_new_array (CHUNK_BYTES, "the metrics", NULL);
  pthread_mutex_lock (&self->mutex);
  self->chunks[n_chunks] = chunk;
  pthread_mutex_unlock (&self->mutex);
  return chunk != NULL;
}

/**
 * prism_history_append:
 * @row: values; NAN for what was not computed
 *
 * Adds one row. Of a long history the newest 65536 rows stay in memory; the others go to a
 * temporary file without a name in $TMPDIR, /var/tmp or /tmp, or stay, too, where none can be
 * written.
 *
 * Errors: none is reported beyond the result; a run may go on without the row.
 * Thread: engine, the only writer.
 *
 * Returns: whether it was added; %FALSE when memory does not suffice or 67,108,864 rows are reached
 */
gboolean
prism_history_append (PrismHistory *self,
                      const PrismHistoryRow *row)
{
  guint64 i = atomic_load_explicit (&self->n_rows, memory_order_relaxed);
  guint64 chunk = i / CHUNK_ROWS;

  if (chunk >= MAX_CHUNKS || (self->chunks[chunk] == NULL && !add_chunk (self, chunk)))
    return FALSE;
  self->chunks[chunk][i % CHUNK_ROWS] = *row;
  atomic_store_explicit (&self->n_rows, i + 1, memory_order_release);
  return TRUE;
}

/**
 * prism_history_get_n_rows:
 *
 * Returns: the number of rows that may be read
 */
guint64
prism_history_get_n_rows (PrismHistory *self)
{
  return atomic_load_explicit (&self->n_rows, memory_order_acquire);
}

/**
 * prism_history_get_n_moved:
 *
 * Returns: the number of rows, from the first, that are in the file and not in memory
 */
guint64
prism_history_get_n_moved (PrismHistory *self)
{
  guint64 n_moved;

  pthread_mutex_lock (&self->mutex);
  n_moved = self->n_moved;
  pthread_mutex_unlock (&self->mutex);
  return n_moved * CHUNK_ROWS;
}

/**
 * prism_history_get_companion:
 * @create: makes it where there is none yet
 * @destroy: frees it with the history
 *
 * Something that goes with the rows and lives as long: the compressed text of them. There is one.
 *
 * Returns: (transfer none): the companion
 */
gpointer
prism_history_get_companion (PrismHistory *self,
                             gpointer (*create) (void),
                             GDestroyNotify destroy)
{
  gpointer companion;

  pthread_mutex_lock (&self->mutex);
  if (self->companion == NULL)
    {
      self->companion = create ();
      self->destroy_companion = destroy;
    }
  companion = self->companion;
  pthread_mutex_unlock (&self->mutex);
  return companion;
}

/* What takes the place of rows that cannot be read. */
static void
fill_absent (PrismHistoryRow *rows,
             gsize n_rows,
             guint64 first)
{
  for (gsize i = 0; i < n_rows; i++)
    {
      rows[i] = (PrismHistoryRow) {
        .step = first + i + 1,
        .loss_new = NAN,
        .loss_old = NAN,
        .learning_rate = NAN,
        .cache_hit_rate = NAN,
        .device_bytes = NAN,
        .cache_bytes = NAN,
        .steps_per_second = NAN,
        .seconds = NAN,
      };
      prism_metrics_init (&rows[i].metrics);
    }
}

/* Rows of one chunk. */
static gboolean
read_chunk (PrismHistory *self,
            guint64 first,
            gsize n_rows,
            PrismHistoryRow *rows)
{
  const PrismHistoryRow *chunk;
  int fd;

  pthread_mutex_lock (&self->mutex);
  chunk = self->chunks[first / CHUNK_ROWS];
  fd = self->fd;
  if (chunk != NULL)
    memcpy (rows, chunk + first % CHUNK_ROWS, n_rows * sizeof *rows);
  pthread_mutex_unlock (&self->mutex);
  return chunk != NULL
         || prism_temporary_store_read (fd, rows, n_rows * sizeof *rows, first * sizeof *rows);
}

/**
 * prism_history_read:
 * @first: index of the first row
 * @n_rows: how many, no more than there are; best %PRISM_HISTORY_BLOCK
 * @rows: (out caller-allocates) (array length=n_rows): the rows
 *
 * Copies rows. Those that cannot be read back from the file are NAN in all numbers but the step.
 *
 * Returns: whether all could be read; errno says why not
 */
gboolean
prism_history_read (PrismHistory *self,
                    guint64 first,
                    gsize n_rows,
                    PrismHistoryRow *rows)
{
  gboolean complete = TRUE;
  int code = 0;

  g_return_val_if_fail (first + n_rows <= prism_history_get_n_rows (self), FALSE);

  while (n_rows > 0)
    {
      gsize n = MIN (n_rows, CHUNK_ROWS - first % CHUNK_ROWS);

      errno = 0;
      if (!read_chunk (self, first, n, rows))
        {
          fill_absent (rows, n, first);
          complete = FALSE;
          code = errno != 0 ? errno : EIO;
        }
      first += n;
      rows += n;
      n_rows -= n;
    }
  errno = code;
  return complete;
}

/**
 * prism_history_get_row:
 * @i: index, below prism_history_get_n_rows()
 *
 * Copies one row; prism_history_read() is the way to many.
 *
 * Returns: the row; NAN in all numbers but the step where it cannot be read back
 */
PrismHistoryRow
prism_history_get_row (PrismHistory *self,
                       guint64 i)
{
  PrismHistoryRow row;

  fill_absent (&row, 1, i);
  prism_history_read (self, i, 1, &row);
  return row;
}
