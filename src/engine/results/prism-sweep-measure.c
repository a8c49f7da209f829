#include "config.h"

#include "results/prism-sweep-measure.h"

#include "base/prism-directory.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "base/prism-record.h"
#include "base/prism-text.h"
#include "batch/prism-batch.h"
#include "formats/prism-fields-readers.h"
#include "ptychography/prism-finding-picture.h"

/* What is told like a metric. */
static const PrismMetric infos[PRISM_SWEEP_N_MEASURES - PRISM_N_METRICS] = {
  { "misfit", N_ ("Misfit"), "", "%.3g", .logarithmic = TRUE },
  { "verdict", N_ ("Runs that fit"), "%", "%.0f" },
  { "rest", N_ ("Misfit over expected noise"), "", "%.3f" },
  { "seconds", N_ ("Time"), "s", "%.1f" },
  { "steps", N_ ("Steps"), "", "%.0f" },
  { "coverage", N_ ("Coverage"), "%", "%.1f" },
  { "correlation", N_ ("Held-out correlation"), "", "%.4f" },
};

/**
 * prism_sweep_measure_get_info:
 * @self: a metric, or a PrismSweepMeasure
 *
 * Returns: (transfer none): its key, name, unit and format
 */
const PrismMetric *
prism_sweep_measure_get_info (guint self)
{
  return self < PRISM_N_METRICS ? &prism_metrics[self] : &infos[self - PRISM_N_METRICS];
}

/**
 * prism_sweep_measure_is_of:
 * @self: a metric's number, or a PrismSweepMeasure
 * @recorded: whether frames are
 *
 * Returns: whether runs of such frames have it: there is no truth to compare a specimen with
 */
gboolean
prism_sweep_measure_is_of (guint self,
                           gboolean recorded)
{
  if (!recorded)
    return self != PRISM_SWEEP_MEASURE_CORRELATION;
  return self >= PRISM_N_METRICS && self != PRISM_SWEEP_MEASURE_REST
         && self != PRISM_SWEEP_MEASURE_COVERAGE;
}

/**
 * prism_sweep_measure_get_first:
 * @recorded: whether frames are
 *
 * Returns: the number that their runs are told apart by where nobody names another one
 */
guint
prism_sweep_measure_get_first (gboolean recorded)
{
  return recorded ? PRISM_SWEEP_MEASURE_MISFIT : PRISM_METRICS_INDEX (psnr);
}

/**
 * prism_sweep_measure_find:
 * @self: (out): the measure
 * @recorded: whether frames are
 * @key: of its info
 *
 * Errors: PRISM_ERROR_CONFIG, with a list of those that there are.
 *
 * Returns: whether there is such a measure
 */
gboolean
prism_sweep_measure_find (guint *self,
                          gboolean recorded,
                          const char *key,
                          GError **error)
{
  g_autoptr (GString) known = g_string_new (NULL);

  for (*self = 0; *self < PRISM_SWEEP_N_MEASURES; (*self)++)
    {
      const char *one = prism_sweep_measure_get_info (*self)->key;

      if (!prism_sweep_measure_is_of (*self, recorded))
        continue;
      if (g_str_equal (one, key))
        return TRUE;
      g_string_append_printf (known, "%s%s", known->len > 0 ? ", " : "", one);
    }
  return prism_error_config (error, _ ("A sweep has no number “%s” to show: choose one of %s."),
                             key, known->str);
}

/**
 * prism_sweep_measure_dup_number:
 * @self: a metric's number, or a PrismSweepMeasure
 * @value: NAN where it is not known
 *
 * Returns: (transfer full): the value as people read it, without its unit
 */
char *
prism_sweep_measure_dup_number (guint self,
                                double value)
{
  if (!isfinite (value))
    return g_strdup ("–");
  return g_strdup_printf (prism_sweep_measure_get_info (self)->format, value);
}

/**
 * prism_sweep_measure_dup_text:
 * @self: a metric's number, or a PrismSweepMeasure
 * @value: NAN where it is not known
 *
 * Returns: (transfer full): the value as people read it: "34.20 dB"
 */
char *
prism_sweep_measure_dup_text (guint self,
                              double value)
{
  g_autofree char *number = prism_sweep_measure_dup_number (self, value);
  const char *unit = prism_sweep_measure_get_info (self)->unit;

  return isfinite (value) && unit[0] != '\0' ? g_strdup_printf ("%s %s", number, unit)
                                             : g_steal_pointer (&number);
}

/**
 * prism_sweep_measure_get:
 * @self: a metric's number, or a PrismSweepMeasure
 * @row: of a run
 *
 * Returns: its number; NAN where it is not known, as before the run is finished
 */
double
prism_sweep_measure_get (guint self,
                         const PrismSweepRow *row)
{
  if (!row->finished)
    return NAN;
  if (self < PRISM_N_METRICS)
    return row->metrics.values[self];
  switch ((PrismSweepMeasure) self)
    {
    case PRISM_SWEEP_MEASURE_MISFIT:
      return row->misfit;
    case PRISM_SWEEP_MEASURE_VERDICT:
      /* What another picture explains as well is no explanation. */
      return row->verdict.kind == PRISM_VERDICT_OPEN        ? (double) NAN
             : row->verdict.kind == PRISM_VERDICT_EXPLAINED ? 100.0
                                                            : 0.0;
    case PRISM_SWEEP_MEASURE_REST:
      return prism_verdict_get_rest (&row->verdict);
    case PRISM_SWEEP_MEASURE_SECONDS:
      return row->seconds;
    case PRISM_SWEEP_MEASURE_STEPS:
      return row->steps;
    case PRISM_SWEEP_MEASURE_COVERAGE:
      return 100.0 * row->coverage;
    case PRISM_SWEEP_MEASURE_CORRELATION:
      return row->correlation;
    case PRISM_SWEEP_N_MEASURES:
    default:
      return NAN;
    }
}

#define MAX_FAILURE_BYTES (1 << 20)

static JsonNode *
load_summary (const char *folder)
{
  g_autofree char *path = g_build_filename (folder, PRISM_EXCHANGE_HEAD, NULL);

  prism_exchange_finish (folder);
  return prism_json_load (path, NULL);
}

/* Frames that an object speaks of. */
static guint
get_count (JsonObject *object)
{
  return (guint) fmin (fmax (prism_json_get_number (object, "frames"), 0.0), G_MAXINT);
}

/* Whether a run says that it has ended as it should, and its picture is there as a whole. */
static gboolean
has_finished (JsonObject *summary,
              const char *folder)
{
  static const char *const names[] = { "reconstruction.npy", "object.npy" };
  gboolean is_there = FALSE;

  for (gsize i = 0; i < G_N_ELEMENTS (names) && !is_there; i++)
    {
      g_autofree char *path = g_build_filename (folder, names[i], NULL);
      g_autoptr (PrismFields) array = prism_fields_load_npy (path, NULL);

      is_there = array != NULL;
    }
  return is_there && g_strcmp0 (prism_json_get_text (summary, "state"), "finished") == 0;
}

/* summary: (nullable). A setting that it does not tell is the same, and so is what decides nothing;
 * without any nothing says whose result it is. A dark tile had no run. */
static gboolean
check_settings (JsonObject *summary,
                const PrismConfig *config,
                const char *folder,
                GError **error)
{
  g_autoptr (PrismConfig) their = prism_config_dup (config);
  JsonObject *settings = prism_json_to_object (prism_json_find (summary, "settings"));

  if (settings == NULL)
    settings = prism_json_to_object (prism_json_find (summary, "configuration"));
  if (summary != NULL && settings == NULL && prism_json_find (summary, "dark") == NULL)
    return prism_error_io (error,
                           _ ("%s has a result whose summary.json has no settings, so nothing says"
                              " which run it is of: choose another directory, or remove that"
                              " result."),
                           folder);
  prism_config_take_json (their, settings);
  PRISM_FOR_EACH_PARAM (param)
    {
      g_autofree char *ours = prism_config_dup_text (config, param);
      g_autofree char *other = prism_config_dup_text (their, param);
      /* A folder of many runs may have been moved. */
      g_autofree char *ending = g_path_get_basename (ours);

      if (prism_config_decides (config, param) && strcmp (ours, other) != 0
          && !(prism_config_names_file (param) && g_str_has_suffix (other, ending)))
        return prism_error_io (error,
                               _ ("%s has the result of another run, with %s=%s, not %s: choose"
                                  " another directory, or remove that result."),
                               folder, param->key, other, ours);
    }
  return TRUE;
}

/**
 * prism_sweep_row_check:
 * @folder: of a run
 * @config: of that run
 *
 * Finds out whether a result that lies there already is of that run, by the settings that it tells.
 *
 * Errors: PRISM_ERROR_IO where another run has its result there.
 *
 * Returns: whether it is, or there is none
 */
gboolean
prism_sweep_row_check (const char *folder,
                       const PrismConfig *config,
                       GError **error)
{
  g_autoptr (JsonNode) root = load_summary (folder);

  return check_settings (prism_json_to_object (root), config, folder, error);
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
  g_autofree char *path = g_build_filename (folder, PRISM_BATCH_FAILURE_NAME, NULL);
  g_autoptr (GBytes) bytes = NULL;
  g_autofree char *text = NULL;

  bytes = prism_file_load (path, MAX_FAILURE_BYTES, NULL);
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

  return root != NULL && has_finished (json_node_get_object (root), folder);
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

  return prism_image_load (path, NULL);
}

/**
 * prism_sweep_row_load:
 * @row: (out caller-allocates): clear it with prism_sweep_row_clear()
 * @folder: that a run wrote its result into
 * @config: (nullable): of the run
 * @image: whether to load the reconstruction, too
 *
 * Reads what is there; a run without a whole result is one that is not finished, and one in whose
 * folder another run has its result has failed.
 */
void
prism_sweep_row_load (PrismSweepRow *row,
                      const char *folder,
                      const PrismConfig *config,
                      gboolean image)
{
  g_autoptr (JsonNode) root = load_summary (folder);
  JsonObject *summary = prism_json_to_object (root);
  JsonObject *metrics = prism_json_to_object (prism_json_find (summary, "final"));
  JsonObject *held = prism_json_to_object (prism_json_find (summary, "held_out"));
  g_autoptr (GError) other = NULL;

  row->recorded = held != NULL;
  row->finished = summary != NULL && has_finished (summary, folder)
                  && (config == NULL || check_settings (summary, config, folder, &other));
  row->stopped = g_strcmp0 (prism_json_get_text (summary, "state"), "stopped") == 0;
  for (gsize i = 0; i < PRISM_N_METRICS; i++)
    row->metrics.values[i] = prism_json_get_number (metrics, prism_metrics[i].key);
  row->misfit = prism_json_get_number (summary, "misfit");
  row->coverage = prism_json_get_number (summary, "coverage");
  row->seconds = prism_json_get_number (summary, "seconds");
  row->steps = prism_json_get_number (summary, "steps");
  row->correlation = NAN;
  if (row->recorded)
    {
      const guint n_frames = get_count (held);

      /* Of frames that were held out, and where there are none of those that were used. */
      row->correlation = n_frames > 0 ? prism_json_get_number (held, "correlation") : NAN;
      row->misfit = prism_json_get_number (
          n_frames > 0 ? held : prism_json_to_object (prism_json_find (summary, "used")), "misfit");
      row->steps = prism_json_get_number (summary, "passes");
      row->verdict = (PrismVerdict) {
        .is_predicted = TRUE,
        .kind = prism_verdict_find (prism_json_get_text (summary, "verdict")),
        .n_frames = n_frames,
        .misfit = row->misfit,
        .correlation = row->correlation,
      };
    }
  else
    {
      prism_verdict_take_json (&row->verdict,
                               prism_json_to_object (prism_json_find (summary, "verdict")));
      if (config != NULL && config->motion_blur > 0.0)
        row->verdict.cause = PRISM_CAUSE_MOTION;
    }
  row->image = NULL;
  if (row->finished && image)
    row->image = row->recorded ? load_picture (folder)
                               : prism_sweep_row_load_image (folder, "reconstruction.npy");
  row->failure = row->finished   ? NULL
                 : other != NULL ? g_strdup (other->message)
                                 : load_failure (folder);
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
  row->image = prism_image_ref (other->image);
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
