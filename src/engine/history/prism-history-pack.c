#include "config.h"

#include "history/prism-history-pack.h"

#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-temporary.h"
#include "history/prism-history-csv.h"

#include <pthread.h>
#include <zlib.h>

#define CHUNK PRISM_HISTORY_CHUNK
#define MIN_CHUNKS 16 /* a shorter history is compressed anew each time and needs no file */
#define BLOCK_BYTES 16384

/* How far the file goes after each chunk. */
typedef struct
{
  guint64 size;
  guint64 packed_size;
  guint32 crc;
} Mark;

/* Keeps the compressed text of a history's rows from one save to the next. */
typedef struct
{
  pthread_mutex_t mutex;
  int fd;        /* -1 before there is a file */
  GArray *marks; /* of Mark, one per chunk in the file */
} PrismHistoryPack;

static gpointer
create (void)
{
  PrismHistoryPack *self = g_new0 (PrismHistoryPack, 1);

  pthread_mutex_init (&self->mutex, NULL);
  self->fd = -1;
  self->marks = g_array_new (FALSE, FALSE, sizeof (Mark));
  return self;
}

static void
destroy (gpointer data)
{
  PrismHistoryPack *self = data;

  if (self->fd >= 0)
    close (self->fd);
  pthread_mutex_destroy (&self->mutex);
  g_array_unref (self->marks);
  g_free (self);
}

static void
set_memory_error (GError **error)
{
  prism_error_memory (
      error, _ ("Not enough memory to compress the metrics. Close other programs and save again."));
}

/* Says so where there is no memory, unlike a GByteArray. */
static gboolean
add_bytes (PrismHistoryBytes *self,
           gconstpointer data,
           gsize length)
{
  if (self->length + length > self->capacity)
    {
      gsize capacity = MAX (2 * self->capacity, 2 * BLOCK_BYTES);
      char *larger = g_try_realloc (self->data, capacity);

      if (larger == NULL)
        return FALSE;
      self->data = larger;
      self->capacity = capacity;
    }
  /* Nothing has been allocated where the first block is empty. */
  if (length > 0)
    memcpy (self->data + self->length, data, length);
  self->length += length;
  return TRUE;
}

/* Compresses a block of text, and ends the stream or brings it to a whole byte where asked. */
static gboolean
deflate_block (z_stream *stream,
               char *text,
               gsize length,
               int flush,
               PrismHistoryBytes *packed)
{
  guint8 block[BLOCK_BYTES];

  stream->next_in = (Bytef *) text;
  stream->avail_in = (uInt) length;
  do
    {
      int code;

      stream->next_out = block;
      stream->avail_out = sizeof block;
      code = deflate (stream, flush);
      if ((code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
          || !add_bytes (packed, block, sizeof block - stream->avail_out))
        return FALSE;
    }
  while (stream->avail_out == 0);
  return TRUE;
}

/* Adds rows to what mark and packed have. The text of each call is compressed without a look at
 * that before it, so that the pieces can be put together anew. */
static gboolean
compress_rows (PrismHistoryCsv *csv,
               gboolean last,
               PrismHistoryBytes *packed,
               Mark *mark,
               GError **error)
{
  g_autofree char *text = g_malloc (BLOCK_BYTES);
  z_stream stream = { 0 };
  gboolean packs = deflateInit2 (&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS,
                                 MAX_MEM_LEVEL - 1, Z_DEFAULT_STRATEGY)
                   == Z_OK;
  gsize before = packed->length;
  gssize n = 0;

  if (!packs)
    {
      set_memory_error (error);
      return FALSE;
    }
  while (packs && (n = prism_history_csv_read (csv, text, BLOCK_BYTES, error)) > 0)
    {
      packs = deflate_block (&stream, text, n, Z_NO_FLUSH, packed);
      mark->crc = (guint32) crc32 (mark->crc, (const Bytef *) text, (uInt) n);
      mark->size += n;
    }
  if (n == 0 && packs)
    packs = deflate_block (&stream, text, 0, last ? Z_FINISH : Z_FULL_FLUSH, packed);
  if (n >= 0 && !packs)
    set_memory_error (error);
  deflateEnd (&stream);
  mark->packed_size += packed->length - before;
  return n >= 0 && packs;
}

static Mark
get_mark (PrismHistoryPack *self,
          guint64 n_chunks)
{
  return n_chunks > 0 ? g_array_index (self->marks, Mark, n_chunks - 1) : (Mark) { 0 };
}

/* Returns whether the next chunk is in the file; without an error where it cannot be written. */
static gboolean
add_chunk (PrismHistoryPack *self,
           PrismHistory *history,
           GError **error)
{
  guint64 first = (guint64) self->marks->len * CHUNK;
  g_autoptr (PrismHistoryCsv) csv = prism_history_csv_new (history, first, CHUNK);
  PrismHistoryBytes packed = { 0 };
  Mark before = get_mark (self, self->marks->len);
  Mark mark = before;
  gboolean added;

  if (self->fd < 0)
    self->fd = prism_temporary_store_open (0);
  added = self->fd >= 0 && compress_rows (csv, FALSE, &packed, &mark, error)
          && prism_temporary_store_write (self->fd, packed.data, packed.length, before.packed_size);
  g_free (packed.data);
  if (added)
    g_array_append_val (self->marks, mark);
  return added;
}

/* Brings the file up to date and takes from it what there is of the rows. Returns how many. */
static guint64
take_chunks (PrismHistoryMember *self,
             PrismHistoryPack *pack,
             guint64 n_rows,
             GError **error)
{
  guint64 n_chunks = n_rows / CHUNK;
  g_autoptr (GError) failure = NULL;
  Mark mark;

  pthread_mutex_lock (&pack->mutex);
  while (n_chunks > MIN_CHUNKS && pack->marks->len < n_chunks
         && add_chunk (pack, self->history, &failure))
    continue;
  n_chunks = MIN (n_chunks, pack->marks->len);
  mark = get_mark (pack, n_chunks);
  self->fd = pack->fd;
  pthread_mutex_unlock (&pack->mutex);

  self->size = mark.size;
  self->n_filed = self->packed_size = mark.packed_size;
  self->crc = mark.crc;
  if (failure != NULL)
    g_propagate_error (error, g_steal_pointer (&failure));
  return n_chunks * CHUNK;
}

/**
 * prism_history_member_new:
 * @history: a history
 * @n_rows: how many rows, from the first, no more than there are
 *
 * Compresses the text of prism_history_csv_new(), of which a long history keeps the larger part in
 * a temporary file from one call to the next. Where there can be none it is compressed as a whole.
 *
 * Errors: PRISM_ERROR_IO where rows cannot be read back from their file, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the part of an archive
 */
PrismHistoryMember *
prism_history_member_new (PrismHistory *history,
                          guint64 n_rows,
                          GError **error)
{
  g_autoptr (PrismHistoryMember) self = g_new0 (PrismHistoryMember, 1);
  g_autoptr (PrismHistoryCsv) csv = NULL;
  g_autoptr (GError) failure = NULL;
  guint64 first;
  Mark mark;

  n_rows = MIN (n_rows, prism_history_get_n_rows (history));
  self->history = prism_history_ref (history);
  first = take_chunks (self, prism_history_get_companion (history, create, destroy), n_rows,
                       &failure);
  csv = prism_history_csv_new (history, first, n_rows - first);
  mark = (Mark) { self->size, self->packed_size, self->crc };
  if (failure == NULL)
    compress_rows (csv, TRUE, &self->tail, &mark, &failure);
  self->size = mark.size;
  self->packed_size = mark.packed_size;
  self->crc = mark.crc;
  if (failure == NULL)
    return g_steal_pointer (&self);
  g_propagate_error (error, g_steal_pointer (&failure));
  return NULL;
}

/**
 * prism_history_member_free:
 * @self: (nullable): a part
 *
 * Frees it.
 */
PRISM_FREE_FOR_ALL (PrismHistoryMember,
                    prism_history_member_free,
                    g_free,
                    tail.data,
                    prism_history_unref,
                    history)

/**
 * prism_history_member_rewind:
 * @data: a part
 *
 * Goes back to its beginning.
 */
void
prism_history_member_rewind (gpointer data)
{
  ((PrismHistoryMember *) data)->done = 0;
}

/**
 * prism_history_member_read:
 * @data: a part
 * @buffer: (out caller-allocates) (array length=length): where to
 * @length: bytes at most
 *
 * Goes on with the compressed bytes, as a #PrismReadFunc.
 *
 * Errors: PRISM_ERROR_IO where they cannot be read back from their file.
 *
 * Returns: how many bytes, 0 at the end, -1 on errors
 */
gssize
prism_history_member_read (gpointer data,
                           char *buffer,
                           gsize length,
                           GError **error)
{
  PrismHistoryMember *self = data;
  gboolean filed = self->done < self->n_filed;
  gsize n = (gsize) MIN (length, (filed ? self->n_filed : self->packed_size) - self->done);

  if (filed && !prism_temporary_store_read (self->fd, buffer, n, self->done))
    {
      prism_error_io (
          error,
          _ ("The compressed metrics cannot be read back from the temporary file: %s. Check"
             " the disk of $TMPDIR."),
          g_strerror (errno != 0 ? errno : EIO));
      return -1;
    }
  if (!filed && n > 0)
    memcpy (buffer, self->tail.data + (self->done - self->n_filed), n);
  self->done += n;
  return (gssize) n;
}
