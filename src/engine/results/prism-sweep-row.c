#include "config.h"

#include "results/prism-sweep-row.h"

#include "base/prism-directory.h"
#include "base/prism-file.h"
#include "base/prism-text.h"
#include "ptychography/prism-finding-picture.h"

#include <math.h>
#include <string.h>

#define MAX_SUMMARY_BYTES (1 << 20)

static JsonNode *
load_summary (const char *folder)
{
  g_autofree char *path = g_build_filename (folder, PRISM_EXCHANGE_HEAD, NULL);
  g_autoptr (GBytes) bytes = NULL;
  gsize size;
  const char *data;

  prism_exchange_finish (folder);
  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return NULL;
  bytes = prism_file_load (path, MAX_SUMMARY_BYTES, NULL);
  data = bytes != NULL ? g_bytes_get_data (bytes, &size) : NULL;
  return data != NULL ? prism_json_parse_object (data, size) : NULL;
}

static gboolean
says_finished (JsonObject *summary)
{
  return g_strcmp0 (json_object_get_string_member_with_default (summary, "state", NULL),
                    "finished")
         == 0;
}

static JsonObject *
get_object (JsonObject *object,
            const char *name)
{
  JsonNode *node = object != NULL ? json_object_get_member (object, name) : NULL;

  return node != NULL && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
}

static double
get_number (JsonObject *object,
            const char *name)
{
  JsonNode *node = object != NULL ? json_object_get_member (object, name) : NULL;

  return node != NULL && JSON_NODE_HOLDS_VALUE (node) ? json_node_get_double (node) : NAN;
}

static double
get_sum (JsonObject *object,
         const char *name)
{
  double sum = get_number (object, name);

  return isfinite (sum) ? sum : 0.0;
}

/* A program that knew of no verdicts wrote none. */
static void
load_verdict (PrismVerdict *verdict,
              JsonObject *summary)
{
  JsonObject *object = get_object (summary, "verdict");
  const char *key;

  if (object == NULL)
    return;
  key = json_object_get_string_member_with_default (object, "kind", NULL);
  verdict->kind = prism_verdict_find (key);
  verdict->n_frames = (guint) CLAMP (get_sum (object, "frames"), 0.0, G_MAXINT);
  verdict->misfit = get_sum (object, "misfit");
  verdict->expected = get_sum (object, "expected");
  verdict->variance = get_sum (object, "variance");
  verdict->power = get_sum (object, "power");
}

/* Of frames that were held out, and where there are none of those that were used. */
static void
load_prediction (PrismSweepRow *row,
                 JsonObject *summary)
{
  JsonObject *held = get_object (summary, "held_out");
  const guint n_frames = (guint) CLAMP (get_sum (held, "frames"), 0.0, G_MAXINT);

  row->correlation = n_frames > 0 ? get_number (held, "correlation") : NAN;
  row->misfit = get_number (n_frames > 0 ? held : get_object (summary, "used"), "misfit");
  row->steps = get_number (summary, "passes");
  row->verdict = (PrismVerdict) {
    .is_predicted = TRUE,
    .kind = prism_verdict_find (prism_json_get_text (summary, "verdict")),
    .n_frames = n_frames,
    .misfit = row->misfit,
    .correlation = row->correlation,
  };
}

/* As a run shows it, however large the object is. */
static PrismImage *
load_picture (const char *folder)
{
  g_autoptr (PrismFinding) finding = prism_finding_load (folder, NULL);
  g_autoptr (PrismImage) phase = NULL;
  PrismImage *amplitude = NULL;

  if (finding != NULL)
    prism_finding_picture_make_pair (finding, &amplitude, &phase, NULL);
  return amplitude;
}

static char *
load_failure (const char *folder)
{
  g_autofree char *path = g_build_filename (folder, PRISM_SWEEP_FAILURE_NAME, NULL);
  g_autoptr (GBytes) bytes = NULL;
  g_autofree char *text = NULL;

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return NULL;
  bytes = prism_file_load (path, MAX_SUMMARY_BYTES, NULL);
  if (bytes == NULL)
    return NULL;
  text = g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  return prism_printable_dup (g_strchomp (text));
}

/**
 * prism_sweep_row_is_finished:
 * @folder: that a run wrote its result into
 *
 * Returns: whether the run has ended as it should and its result is there
 */
gboolean
prism_sweep_row_is_finished (const char *folder)
{
  g_autoptr (JsonNode) root = load_summary (folder);

  return root != NULL && says_finished (json_node_get_object (root));
}

/**
 * prism_sweep_row_load_image:
 * @folder: of a result
 * @name: of a file in it
 *
 * Returns: (transfer full) (nullable): the image; %NULL when it is not there or cannot be read
 */
PrismImage *
prism_sweep_row_load_image (const char *folder,
                            const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  return g_file_test (path, G_FILE_TEST_EXISTS) ? prism_image_load (path, NULL) : NULL;
}

/**
 * prism_sweep_row_load:
 * @row: (out caller-allocates): clear it with prism_sweep_row_clear()
 * @folder: that a run wrote its result into
 * @image: whether to load the reconstruction, too
 *
 * Reads what is there; a run without a whole result is one that is not finished.
 */
void
prism_sweep_row_load (PrismSweepRow *row,
                      const char *folder,
                      gboolean image)
{
  g_autoptr (JsonNode) root = load_summary (folder);
  JsonObject *summary = root != NULL ? json_node_get_object (root) : NULL;
  JsonObject *metrics = get_object (summary, "final");

  row->finished = summary != NULL && says_finished (summary);
  row->recorded = get_object (summary, "held_out") != NULL;
  for (gsize i = 0; i < PRISM_N_METRICS; i++)
    row->metrics.values[i] = get_number (metrics, prism_metrics[i].key);
  row->misfit = get_number (summary, "misfit");
  row->coverage = get_number (summary, "coverage");
  row->seconds = get_number (summary, "seconds");
  row->steps = get_number (summary, "steps");
  row->correlation = NAN;
  if (row->recorded)
    load_prediction (row, summary);
  else
    load_verdict (&row->verdict, summary);
  row->image = NULL;
  if (row->finished && image)
    row->image = row->recorded ? load_picture (folder)
                               : prism_sweep_row_load_image (folder, "reconstruction.npy");
  row->failure = row->finished ? NULL : load_failure (folder);
}

/**
 * prism_sweep_row_copy:
 * @row: (out caller-allocates): another with the same image
 * @other: a row
 */
void
prism_sweep_row_copy (PrismSweepRow *row,
                      const PrismSweepRow *other)
{
  *row = *other;
  row->failure = g_strdup (other->failure);
  row->image = other->image != NULL ? prism_image_ref (other->image) : NULL;
}

/**
 * prism_sweep_row_clear:
 * @row: a row, which then holds nothing
 */
void
prism_sweep_row_clear (PrismSweepRow *row)
{
  g_clear_pointer (&row->failure, g_free);
  g_clear_pointer (&row->image, prism_image_unref);
}
