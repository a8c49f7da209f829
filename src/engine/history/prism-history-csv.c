#include "config.h"

#include "history/prism-history-csv.h"

#include "base/prism-error.h"
#include "base/prism-number.h"

#include <gio/gio.h>
#include <inttypes.h>

#define READ_BYTES 32768 /* memory from GLib, which ends the program where there is none */

#define FIRST_COLUMNS "step,sample,sample_step,loss_new,loss_old,learning_rate"
#define OTHER_COLUMNS ",cache_hit_rate,device_bytes,steps_per_second,seconds"

#define LAST_COLUMNS ",cache_bytes"
#define SPECIAL_COLUMNS ",correlation" /* of frames that were held out, where there are any */
#define MISFIT ",misfit"               /* of passes, whose loss it is; not in run files */

#define COLUMNS \
  FIRST_COLUMNS PRISM_EARLY_METRICS OTHER_COLUMNS PRISM_LATER_METRICS LAST_COLUMNS

static const char csv_header[] = COLUMNS "\n", misfit_header[] = COLUMNS MISFIT "\n";
static const char whole_header[] = COLUMNS SPECIAL_COLUMNS "\n";

#define AT(member) G_STRUCT_OFFSET (PrismHistoryRow, member)
#define METRIC(key, ...) AT (metrics.key),

/* The doubles of a row in the order of the header, behind the three whole numbers. */
static const gsize cells[] = {
  AT (loss_new),
  AT (loss_old),
  AT (learning_rate),
  PRISM_METRICS_EARLY (METRIC) AT (cache_hit_rate),
  AT (device_bytes),
  AT (steps_per_second),
  AT (seconds),
  PRISM_METRICS_LATER (METRIC) AT (cache_bytes),
  AT (correlation),
};

#define N_WHOLE 3
#define N_CELLS G_N_ELEMENTS (cells)
#define N_SPECIAL_CELLS 1
#define N_EARLY_CELLS \
  (N_CELLS - N_SPECIAL_CELLS - 1 + PRISM_N_EARLY_METRICS - PRISM_N_METRICS)
#define MAX_LINE ((N_WHOLE + N_CELLS) * G_ASCII_DTOSTR_BUF_SIZE)

/* One row after the other becomes text when it is asked for: a long history needs no memory. */
struct _PrismHistoryCsv
{
  PrismHistory *history;
  guint64 n_rows;                            /* behind the last row */
  guint64 next;                              /* row that is not in line yet */
  PrismHistoryRow rows[PRISM_HISTORY_BLOCK]; /* those from first on */
  guint64 first;
  gsize n_read; /* of rows */
  GString *line;
  gsize done;    /* of line, given away */
  gsize n_cells; /* of a row */
  gboolean has_misfit;
};

static void
format_row (GString *line,
            const PrismHistoryRow *row,
            gsize n_cells,
            gboolean has_misfit)
{
  g_string_printf (line, "%" G_GUINT64_FORMAT ",%d,%u", row->step, row->sample, row->sample_step);
  for (gsize i = 0; i < n_cells; i++)
    {
      const double value = G_STRUCT_MEMBER (double, row, cells[i]);
      const gboolean is_size = cells[i] == AT (device_bytes) || cells[i] == AT (cache_bytes);

      g_string_append_printf (line, ",%s",
                              isnan (value) ? ""
                                            : prism_digits (is_size ? "%.15g" : "%.9g", value));
    }
  if (has_misfit)
    g_string_append_printf (line, ",%s",
                            row->sample > PRISM_ROW_POLISH || isnan (row->loss_new)
                                ? ""
                                : prism_digits ("%.9g", row->loss_new));
  g_string_append_c (line, '\n');
}

/**
 * prism_history_csv_new:
 * @history: a history
 * @first: index of a row
 * @n_rows: how many rows, no more than there are from @first on
 *
 * Begins the text of some rows: before the first of all a header, then one line per row with '.' as
 * decimal mark in every locale; a value that was not computed is an empty cell.
 *
 * Returns: (transfer full): the text's beginning
 */
PrismHistoryCsv *
prism_history_csv_new (PrismHistory *history,
                       guint64 first,
                       guint64 n_rows)
{
  PrismHistoryCsv *self = g_new0 (PrismHistoryCsv, 1);
  guint64 n_there = prism_history_get_n_rows (history);

  self->history = prism_history_ref (history);
  self->line = g_string_new (NULL);
  self->next = self->first = MIN (first, n_there);
  self->n_rows = self->first + MIN (n_rows, n_there - self->first);
  /* Whether all rows hold frames out: the first one says so. */
  self->n_cells = N_CELLS
                  - ((prism_history_get_n_rows (history) > 0
                      && prism_history_get_row (history, 0).correlation != 0.0)
                         ? 0
                         : N_SPECIAL_CELLS);
  if (self->first == 0)
    g_string_assign (self->line, self->n_cells == N_CELLS ? whole_header : csv_header);
  return self;
}

/**
 * prism_history_csv_free:
 * @self: (nullable): a text
 *
 * Frees it.
 */
void
prism_history_csv_free (PrismHistoryCsv *self)
{
  if (self == NULL)
    return;
  prism_history_unref (self->history);
  g_string_free (self->line, TRUE);
  g_free (self);
}

static gboolean
read_block (PrismHistory *history,
            guint64 first,
            gsize n_rows,
            PrismHistoryRow *rows,
            GError **error)
{
  if (prism_history_read (history, first, n_rows, rows))
    return TRUE;
  return prism_error_io (error,
                         _ ("The metrics from step %" PRIu64
                            " on cannot be read back from the"
                            " temporary file: %s. Check the disk of $TMPDIR."),
                         first + 1, g_strerror (errno));
}

/* The next line. */
static gboolean
advance (PrismHistoryCsv *self,
         GError **error)
{
  if (self->next == self->first + self->n_read)
    {
      gsize n = MIN (self->n_rows - self->next, PRISM_HISTORY_BLOCK);

      if (!read_block (self->history, self->next, n, self->rows, error))
        return FALSE;
      self->first = self->next;
      self->n_read = n;
    }
  format_row (self->line, &self->rows[self->next - self->first], self->n_cells, self->has_misfit);
  self->done = 0;
  self->next++;
  return TRUE;
}

/**
 * prism_history_csv_read:
 * @data: a text
 * @buffer: (out caller-allocates) (array length=length): where to
 * @length: bytes at most
 *
 * Goes on with the text, as a #PrismReadFunc.
 *
 * Errors: PRISM_ERROR_IO where rows cannot be read back from their file.
 *
 * Returns: how many bytes, 0 at the end, -1 on errors
 */
gssize
prism_history_csv_read (gpointer data,
                        char *buffer,
                        gsize length,
                        GError **error)
{
  PrismHistoryCsv *self = data;
  gsize n_done = 0;

  while (n_done < length)
    {
      gsize n;

      if (self->done == self->line->len)
        {
          if (self->next == self->n_rows)
            break;
          if (!advance (self, error))
            return -1;
        }
      n = MIN (length - n_done, self->line->len - self->done);
      memcpy (buffer + n_done, self->line->str + self->done, n);
      self->done += n;
      n_done += n;
    }
  return (gssize) n_done;
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
           const gsize *order, /* [n_cells] places in the row */
           gsize n_cells,
           gboolean has_misfit,
           PrismHistoryRow *row)
{
  double whole[N_WHOLE], misfit;

  for (gsize i = 0; i < N_WHOLE; i++)
    if (!parse_cell (text, ',', &whole[i]))
      return FALSE;
  if (!(whole[0] >= 0.0 && whole[0] <= 9007199254740992.0) || !(fabs (whole[1]) <= G_MAXINT32)
      || !(whole[2] >= 0.0 && whole[2] <= G_MAXUINT32))
    return FALSE;
  row->step = (guint64) whole[0];
  row->sample = (gint32) whole[1];
  row->sample_step = (guint32) whole[2];
  for (gsize i = 0; i < N_CELLS; i++)
    G_STRUCT_MEMBER (double, row, cells[i]) = NAN;
  for (gsize i = 0; i < n_cells; i++)
    if (!parse_cell (text, i + 1 < n_cells || has_misfit ? ',' : '\n',
                     &G_STRUCT_MEMBER (double, row, order[i])))
      return FALSE;
  if (isnan (row->correlation))
    row->correlation = 0.0;
  return !has_misfit || parse_cell (text, '\n', &misfit);
}

/* What is there of a text: the lines from begin on, the last of them perhaps in part. */
typedef struct
{
  PrismReadFunc read;
  gpointer data;
  char buffer[READ_BYTES];
  gsize begin;
  gsize end;
  char line[MAX_LINE]; /* a string, with its end of line */
  gsize n_cells;       /* of a row, as the header says */
  gsize order[N_CELLS];
  gboolean has_misfit; /* behind them, which the loss says, too */
} Lines;

/* Whether there is another line; without an error where the text ends or the line is too long. */
static gboolean
read_line (Lines *self,
           GError **error)
{
  for (;;)
    {
      gsize n_there = self->end - self->begin;
      const char *begin = self->buffer + self->begin;
      const char *mark = memchr (begin, '\n', n_there);
      gssize n;

      if (mark != NULL && mark - begin < MAX_LINE - 1)
        {
          gsize length = mark + 1 - begin;

          memcpy (self->line, begin, length);
          self->line[length] = '\0';
          self->begin += length;
          return TRUE;
        }
      if (n_there >= MAX_LINE)
        return FALSE;
      memmove (self->buffer, begin, n_there);
      self->begin = 0;
      self->end = n_there;
      n = self->read (self->data, self->buffer + n_there, READ_BYTES - n_there, error);
      if (n <= 0)
        return FALSE;
      self->end += (gsize) n;
    }
}

/* Older texts lack columns. */
static gboolean
read_header (Lines *lines,
             GError **error)
{
  g_auto (GStrv) known = g_strsplit (whole_header, ",", -1);
  g_auto (GStrv) names = NULL;
  gsize n, i = 0;

  if (!read_line (lines, error))
    return FALSE;
  g_strchomp (known[N_WHOLE + N_CELLS - 1]);
  names = g_strsplit (g_strchomp (lines->line), ",", -1);
  n = g_strv_length (names);
  for (gsize k = 0; i < n && k < N_WHOLE + N_CELLS; k++)
    if (strcmp (names[i], known[k]) == 0)
      {
        if (k >= N_WHOLE)
          lines->order[i - N_WHOLE] = cells[k - N_WHOLE];
        i++;
      }
    else if (k < N_WHOLE + N_EARLY_CELLS)
      return FALSE;
  lines->n_cells = i - N_WHOLE;
  lines->has_misfit = i + 1 == n && strcmp (names[i], &MISFIT[1]) == 0;
  return i + lines->has_misfit == n && i >= N_WHOLE + N_EARLY_CELLS;
}

/**
 * prism_history_new_csv:
 * @read: what gives the text that prism_history_csv_read() wrote
 * @data: for @read
 * @n_rows: how many rows, from the first
 * @name: of the text, for messages
 *
 * Reads a history, of any length in little memory. Its numbers have nine digits; written again they
 * are the same text. Columns that an older text has not are NAN.
 *
 * Errors: PRISM_ERROR_FORMAT with the line, also when there are fewer rows; PRISM_ERROR_MEMORY;
 * those of @read.
 *
 * Returns: (transfer full) (nullable): the history
 */
PrismHistory *
prism_history_new_csv (PrismReadFunc read,
                       gpointer data,
                       guint64 n_rows,
                       const char *name,
                       GError **error)
{
  g_autoptr (PrismHistory) self = prism_history_new ();
  g_autofree Lines *lines = g_new0 (Lines, 1);
  g_autoptr (GError) failure = NULL;
  gboolean added = self != NULL;
  gboolean ok;
  guint64 line = 1;

  lines->read = read;
  lines->data = data;
  ok = added && read_header (lines, &failure);
  for (; ok && added && line <= n_rows; line++)
    {
      PrismHistoryRow row;
      const char *text = lines->line;

      ok = read_line (lines, &failure)
           && parse_row (&text, lines->order, lines->n_cells, lines->has_misfit, &row)
           && *text == '\0';
      added = !ok || prism_history_append (self, &row);
    }
  if (ok && added)
    return g_steal_pointer (&self);
  if (failure != NULL)
    g_propagate_error (error, g_steal_pointer (&failure));
  else if (!added)
    prism_error_memory (
        error, _ ("There is not enough memory for the metrics of %" PRIu64 " steps."),
        n_rows);
  else
    prism_error_format (error,
                        _ ("%s cannot be read: line %" PRIu64
                           " is missing or has not the columns"
                           " that it should have."),
                        name, line);
  return NULL;
}

static gssize
read_stream (gpointer data,
             char *buffer,
             gsize length,
             GError **error)
{
  return g_input_stream_read (data, buffer, length, NULL, error);
}

/**
 * prism_history_load_csv:
 * @path: of what prism_history_save_csv() wrote
 *
 * Errors: those of prism_file_load() and prism_history_new_csv().
 *
 * Returns: (transfer full) (nullable): the history, of all rows
 */
PrismHistory *
prism_history_load_csv (const char *path,
                        GError **error)
{
  g_autoptr (GBytes) bytes = prism_file_load (path, G_MAXINT32, error);
  g_autoptr (GInputStream) stream
      = bytes != NULL ? g_memory_input_stream_new_from_bytes (bytes) : NULL;
  gsize length = 0, n_lines = 0;
  const char *text = bytes != NULL ? g_bytes_get_data (bytes, &length) : NULL;

  for (gsize i = 0; i < length; i++)
    n_lines += text[i] == '\n';
  return bytes != NULL ? prism_history_new_csv (read_stream, stream, MAX (n_lines, 1) - 1, path,
                                                error)
                       : NULL;
}

/**
 * prism_history_save_csv:
 * @n_rows: how many rows, from the first, for example those of a snapshot; no more than there are
 * @path: file name, in the file system's encoding
 *
 * Writes the text of prism_history_csv_new() as it is made, with the misfit that charts show in a
 * column of its own. A file of that name stays whole until the new one is.
 *
 * Errors: PRISM_ERROR_IO.
 *
 * Returns: whether the file was written
 */
gboolean
prism_history_save_csv (PrismHistory *self,
                        guint64 n_rows,
                        const char *path,
                        GError **error)
{
  g_autoptr (PrismHistoryCsv) csv = prism_history_csv_new (self, 0, n_rows);

  csv->has_misfit = TRUE;
  g_string_insert (csv->line, (gssize) csv->line->len - 1, MISFIT);
  return prism_file_save_stream (path, prism_history_csv_read, csv, error);
}

/**
 * prism_history_get_csv_header:
 *
 * Returns: (transfer none): the names of the columns of prism_history_print_csv(), with an end of
 *   line
 */
const char *
prism_history_get_csv_header (void)
{
  return misfit_header;
}

/**
 * prism_history_print_csv:
 * @n_rows: how many rows, from the first; no more than there are
 * @first_cell: what every line begins with, its comma included
 * @stream: where to
 *
 * Writes rows without a header, of all runs the same columns. Whether all went well with the
 * stream is its own to say.
 *
 * Errors: PRISM_ERROR_IO where rows cannot be read back from their file.
 *
 * Returns: whether all rows could be read
 */
gboolean
prism_history_print_csv (PrismHistory *self,
                         guint64 n_rows,
                         const char *first_cell,
                         FILE *stream,
                         GError **error)
{
  g_autoptr (PrismHistoryCsv) csv = prism_history_csv_new (self, 0, n_rows);

  csv->has_misfit = TRUE;
  csv->n_cells = N_CELLS - N_SPECIAL_CELLS;
  while (csv->next < csv->n_rows && !ferror (stream))
    {
      if (!advance (csv, error))
        return FALSE;
      fputs (first_cell, stream);
      fwrite (csv->line->str, 1, csv->line->len, stream);
    }
  return TRUE;
}
