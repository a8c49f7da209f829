#include "fuzz.h"
#include "history/prism-history-csv.h"
#include "history/prism-progress.h"
#include "run/prism-run-file.h"
#include "run/prism-run-snapshot.h"

/* What reads the texts of a run file, each called as such: many times as fast as with the file
 * around it, which is the matter of fuzz-run-file. The first byte chooses the text. */

#define IMAGE_SIZE 64

static void
try_index (const char *text)
{
  g_autoptr (PrismRunIndex) index = prism_run_index_parse (text, NULL);

  g_assert_true (index == NULL || index->identity->id != NULL);
}

/* What is left of a text, given away in small pieces. */
typedef struct
{
  const char *text;
  gsize length;
} Rest;

static gssize
read_rest (gpointer data, char *buffer, gsize length, GError **error)
{
  Rest *self = data;
  gsize n = MIN (MIN (length, 61), self->length);

  memcpy (buffer, self->text, n);
  self->text += n;
  self->length -= n;
  return (gssize) n;
}

static char *
dup_metrics (PrismHistory *history)
{
  g_autoptr (PrismHistoryCsv) csv = prism_history_csv_new (history, 0, G_MAXUINT64);
  GString *text = g_string_new (NULL);
  char buffer[4096];
  gssize n;

  while ((n = prism_history_csv_read (csv, buffer, sizeof buffer, NULL)) > 0)
    g_string_append_len (text, buffer, n);
  g_assert_cmpint (n, ==, 0);
  return g_string_free (text, FALSE);
}

/* As many rows as there are lines; what was read is written and read again as the same. */
static void
try_metrics (const char *text)
{
  guint64 n_rows = 0;
  Rest rest = { text, strlen (text) };
  g_autoptr (PrismHistory) again = NULL;

  for (const char *p = strchr (text, '\n'); p != NULL && p[1] != '\0'; p = strchr (p + 1, '\n'))
    n_rows++;
  g_autoptr (PrismHistory) history = prism_history_new_csv (read_rest, &rest, n_rows, "fuzz", NULL);
  if (history == NULL)
    return;
  g_assert_cmpuint (prism_history_get_n_rows (history), ==, n_rows);
  g_autofree char *written = dup_metrics (history);
  g_autoptr (PrismHistoryCsv) csv = prism_history_csv_new (history, 0, n_rows);
  again = prism_history_new_csv (prism_history_csv_read, csv, n_rows, "again", NULL);
  g_assert_nonnull (again);
  g_autofree char *rewritten = dup_metrics (again);
  g_assert_cmpstr (written, ==, rewritten);
}

static void
try_positions (const char *text)
{
  guint n_points = 0;
  g_autoptr (PrismPattern) pattern = NULL;

  for (const char *p = strchr (text, '\n'); p != NULL && p[1] != '\0'; p = strchr (p + 1, '\n'))
    n_points++;
  pattern = prism_run_positions_parse (text, MAX (n_points, 1), IMAGE_SIZE, NULL);
  g_assert_true (pattern == NULL || pattern->n_points == n_points);
}

static void
try_snapshot (const char *text)
{
  g_autoptr (PrismSnapshot) snapshot = prism_snapshot_new (), again = prism_snapshot_new ();

  if (!prism_run_snapshot_parse (snapshot, text, "fuzz", NULL))
    return;
  g_autofree char *written = prism_run_snapshot_to_text (snapshot);
  g_assert_true (prism_run_snapshot_parse (again, written, "again", NULL));
  g_autofree char *rewritten = prism_run_snapshot_to_text (again);
  g_assert_cmpstr (written, ==, rewritten);
}

static void
try_progress (const char *text)
{
  PrismProgress progress, again;

  if (!prism_progress_parse (&progress, text, "fuzz", NULL))
    return;
  g_autofree char *written = prism_progress_to_text (&progress);
  g_assert_true (prism_progress_parse (&again, written, "again", NULL));
  g_autofree char *rewritten = prism_progress_to_text (&again);
  g_assert_cmpstr (written, ==, rewritten);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static void (*const tries[]) (const char *)
      = { try_index, try_metrics, try_positions, try_snapshot, try_progress };

  /* As from an archive: UTF-8 without a zero. */
  if (size == 0 || !g_utf8_validate_len ((const char *) data + 1, size - 1, NULL))
    return 0;
  g_autofree char *text = g_strndup ((const char *) data + 1, size - 1);
  tries[data[0] % G_N_ELEMENTS (tries)](text);
  return 0;
}
