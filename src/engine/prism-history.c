#include "config.h"

#include "prism-history.h"

#include "prism-arena.h"
#include "prism-error.h"
#include "prism-file.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#define CHUNK_ROWS 4096
#define MAX_CHUNKS 16384
#define MAX_LINE 512
#define N_CELLS 13

static const char csv_header[] = "step,sample,sample_step,loss_new,loss_old,learning_rate,"
                                 "psnr,ssim,rmse,cache_hit_rate,device_bytes,"
                                 "steps_per_second,seconds\n";

/* One writer, any number of readers, no lock: the writer fills a row, then publishes it by a
 * release store of n_rows. The table of chunks is fixed in size and a chunk never moves, so a row
 * that was published stays where it is. */
struct _PrismHistory
{
  atomic_int ref_count;
  atomic_ullong n_rows;
  PrismHistoryRow *chunks[MAX_CHUNKS]; /* each [CHUNK_ROWS] */
};

typedef struct
{
  char *data; /* [length] of capacity */
  gsize length;
  gsize capacity;
} CsvBuffer;

static void
csv_append_number (char *line,
                   gsize *length,
                   const char *format,
                   double value,
                   char separator)
{
  if (!isnan (value))
    {
      g_ascii_formatd (line + *length, G_ASCII_DTOSTR_BUF_SIZE, format, value);
      *length += strlen (line + *length);
    }
  line[(*length)++] = separator;
}

/* line: [MAX_LINE], not terminated. 13 cells of less than 39 characters fit. */
static gsize
csv_format_row (const PrismHistoryRow *row,
                char *line)
{
  gsize length = g_snprintf (line, MAX_LINE, "%" G_GUINT64_FORMAT ",%d,%u,",
                             row->step, row->sample, row->sample_step);

  csv_append_number (line, &length, "%.9g", row->loss_new, ',');
  csv_append_number (line, &length, "%.9g", row->loss_old, ',');
  csv_append_number (line, &length, "%.9g", row->learning_rate, ',');
  csv_append_number (line, &length, "%.9g", row->psnr, ',');
  csv_append_number (line, &length, "%.9g", row->ssim, ',');
  csv_append_number (line, &length, "%.9g", row->rmse, ',');
  csv_append_number (line, &length, "%.9g", row->cache_hit_rate, ',');
  csv_append_number (line, &length, "%.15g", row->device_bytes, ',');
  csv_append_number (line, &length, "%.9g", row->steps_per_second, ',');
  csv_append_number (line, &length, "%.9g", row->seconds, '\n');
  return length;
}

static gboolean
csv_append (CsvBuffer *csv,
            const char *line,
            gsize length,
            GError **error)
{
  if (csv->length + length > csv->capacity)
    {
      gsize capacity = MAX (2 * csv->capacity, 1u << 16);
      char *data = g_try_realloc (csv->data, capacity);

      if (data == NULL)
        {
          g_autofree char *size = g_format_size_full (capacity, G_FORMAT_SIZE_IEC_UNITS);
          g_set_error (error, PRISM_ERROR, PRISM_ERROR_MEMORY,
                       "Not enough memory to write the metrics: %s could not be had. "
                       "Close other programs and save again.",
                       size);
          return FALSE;
        }
      csv->data = data;
      csv->capacity = capacity;
    }
  memcpy (csv->data + csv->length, line, length);
  csv->length += length;
  return TRUE;
}

/**
 * prism_history_new:
 *
 * Starts an empty history.
 *
 * Thread: any.
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
  return self;
}

/**
 * prism_history_ref:
 * @self: a history
 *
 * Thread: any.
 *
 * Returns: (transfer full): the same history, with one more reference
 */
PrismHistory *
prism_history_ref (PrismHistory *self)
{
  atomic_fetch_add_explicit (&self->ref_count, 1, memory_order_relaxed);
  return self;
}

/**
 * prism_history_unref:
 * @self: (transfer full) (nullable): a history
 *
 * Gives one reference back; the last one frees the rows.
 *
 * Thread: any.
 */
void
prism_history_unref (PrismHistory *self)
{
  if (self == NULL || atomic_fetch_sub_explicit (&self->ref_count, 1, memory_order_acq_rel) != 1)
    return;
  for (gsize i = 0; i < MAX_CHUNKS && self->chunks[i] != NULL; i++)
    prism_arena_free_array (self->chunks[i]);
  prism_arena_free_array (self);
}

/**
 * prism_history_append:
 * @self: a history
 * @row: values; NAN for what was not computed
 *
 * Adds one row. Rows that are there already never move.
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

  if (chunk >= MAX_CHUNKS)
    return FALSE;
  if (self->chunks[chunk] == NULL)
    {
      self->chunks[chunk] = prism_arena_new_array (CHUNK_ROWS * sizeof *row, "the metrics", NULL);
      if (self->chunks[chunk] == NULL)
        return FALSE;
    }
  self->chunks[chunk][i % CHUNK_ROWS] = *row;
  atomic_store_explicit (&self->n_rows, i + 1, memory_order_release);
  return TRUE;
}

/**
 * prism_history_get_n_rows:
 * @self: a history
 *
 * Thread: any, also while the engine appends.
 *
 * Returns: the number of rows that may be read
 */
guint64
prism_history_get_n_rows (PrismHistory *self)
{
  return atomic_load_explicit (&self->n_rows, memory_order_acquire);
}

/**
 * prism_history_get_row:
 * @self: a history
 * @i: index, below prism_history_get_n_rows()
 *
 * Thread: any, also while the engine appends.
 *
 * Returns: (transfer none): the row, valid and unchanged as long as the history is held
 */
const PrismHistoryRow *
prism_history_get_row (PrismHistory *self,
                       guint64 i)
{
  g_return_val_if_fail (i < prism_history_get_n_rows (self), NULL);

  return &self->chunks[i / CHUNK_ROWS][i % CHUNK_ROWS];
}

/**
 * prism_history_to_csv:
 * @self: a history
 * @n_rows: how many rows, from the first, no more than there are
 * @length: (out): bytes of the text
 * @error: return location
 *
 * Writes the rows as prism_history_save_csv() does.
 *
 * Errors: PRISM_ERROR_MEMORY.
 * Thread: any, also while the engine appends.
 *
 * Returns: (transfer full) (nullable): the text, with a zero after its end
 */
char *
prism_history_to_csv (PrismHistory *self,
                      guint64 n_rows,
                      gsize *length,
                      GError **error)
{
  CsvBuffer csv = { NULL, 0, 0 };
  gboolean complete;

  n_rows = MIN (n_rows, prism_history_get_n_rows (self));
  complete = csv_append (&csv, csv_header, strlen (csv_header), error);
  for (guint64 i = 0; complete && i < n_rows; i++)
    {
      char line[MAX_LINE];
      gsize n_bytes = csv_format_row (prism_history_get_row (self, i), line);

      complete = csv_append (&csv, line, n_bytes, error);
    }
  *length = csv.length;
  if (complete && csv_append (&csv, "", 1, error))
    return csv.data;
  g_free (csv.data);
  return NULL;
}

/* One cell and the mark behind it; NAN for an empty one. */
static gboolean
parse_cell (const char **text,
            char mark,
            double *value)
{
  char *end = (char *) *text;

  *value = NAN;
  if (**text != mark)
    *value = g_ascii_strtod (*text, &end);
  if (*end != mark)
    return FALSE;
  *text = end + 1;
  return TRUE;
}

static gboolean
parse_row (const char **text,
           PrismHistoryRow *row)
{
  double cells[N_CELLS];

  for (int i = 0; i < N_CELLS; i++)
    if (!parse_cell (text, i + 1 < N_CELLS ? ',' : '\n', &cells[i]))
      return FALSE;
  if (!(cells[0] >= 0.0 && cells[0] <= 9007199254740992.0) || !(fabs (cells[1]) <= G_MAXINT32)
      || !(cells[2] >= 0.0 && cells[2] <= G_MAXUINT32))
    return FALSE;
  *row = (PrismHistoryRow) {
    .step = (guint64) cells[0],
    .sample = (gint32) cells[1],
    .sample_step = (guint32) cells[2],
    .loss_new = cells[3],
    .loss_old = cells[4],
    .learning_rate = cells[5],
    .psnr = cells[6],
    .ssim = cells[7],
    .rmse = cells[8],
    .cache_hit_rate = cells[9],
    .device_bytes = cells[10],
    .steps_per_second = cells[11],
    .seconds = cells[12],
  };
  return TRUE;
}

/**
 * prism_history_new_csv:
 * @text: what prism_history_to_csv() wrote
 * @n_rows: how many rows, from the first
 * @name: of the text, for messages
 * @error: return location
 *
 * Reads a history. Its numbers have nine digits; written again they are the same text.
 *
 * Errors: PRISM_ERROR_FORMAT with the line, also when there are fewer rows; PRISM_ERROR_MEMORY.
 * Thread: any.
 *
 * Returns: (transfer full) (nullable): the history
 */
PrismHistory *
prism_history_new_csv (const char *text,
                       guint64 n_rows,
                       const char *name,
                       GError **error)
{
  g_autoptr (PrismHistory) self = prism_history_new ();
  gboolean ok = g_str_has_prefix (text, csv_header);
  guint64 line = 1;

  text += ok ? strlen (csv_header) : 0;
  for (; ok && line <= n_rows; line++)
    {
      PrismHistoryRow row;

      ok = parse_row (&text, &row);
      if (ok && !prism_history_append (self, &row))
        {
          g_set_error (error, PRISM_ERROR, PRISM_ERROR_MEMORY,
                       "There is not enough memory for the metrics of %" G_GUINT64_FORMAT
                       " steps.",
                       n_rows);
          return NULL;
        }
    }
  if (ok)
    return g_steal_pointer (&self);
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_FORMAT,
               "%s cannot be read: line %" G_GUINT64_FORMAT " is missing or has not the columns"
               " that it should have.",
               name, line);
  return NULL;
}

/**
 * prism_history_save_csv:
 * @self: a history
 * @n_rows: how many rows, from the first, for example those of a snapshot; no more than there are
 * @path: file name, in the file system's encoding
 * @error: return location
 *
 * Writes the rows as CSV: a header, then one line per row with '.' as decimal mark in every locale;
 * a value that was not computed is an empty cell. A file of that name stays whole until the new one
 * is.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_MEMORY.
 * Thread: any, also while the engine appends.
 *
 * Returns: whether the file was written
 */
gboolean
prism_history_save_csv (PrismHistory *self,
                        guint64 n_rows,
                        const char *path,
                        GError **error)
{
  gsize length = 0;
  g_autofree char *text = prism_history_to_csv (self, n_rows, &length, error);

  return text != NULL && prism_file_save (path, text, length, error);
}

/**
 * prism_history_get_csv_header:
 *
 * Thread: any.
 *
 * Returns: (transfer none): the names of the columns of prism_history_save_csv(), with an end of
 *   line
 */
const char *
prism_history_get_csv_header (void)
{
  return csv_header;
}

/**
 * prism_history_print_csv:
 * @self: a history
 * @n_rows: how many rows, from the first; no more than there are
 * @first_cell: what every line begins with, its comma included
 * @stream: where to
 *
 * Writes rows without a header. Whether all went well is the stream's to say.
 *
 * Thread: any, also while the engine appends.
 */
void
prism_history_print_csv (PrismHistory *self,
                         guint64 n_rows,
                         const char *first_cell,
                         FILE *stream)
{
  n_rows = MIN (n_rows, prism_history_get_n_rows (self));
  for (guint64 i = 0; i < n_rows && !ferror (stream); i++)
    {
      char line[MAX_LINE];
      gsize length = csv_format_row (prism_history_get_row (self, i), line);

      fputs (first_cell, stream);
      fwrite (line, 1, length, stream);
    }
}
