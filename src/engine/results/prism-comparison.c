#include "config.h"

#include "results/prism-comparison.h"

#include "base/prism-error.h"
#include "base/prism-file.h"
#include "base/prism-number.h"
#include "base/prism-csv.h"
#include "base/prism-each.h"
#include "base/prism-text.h"
#include "config/prism-builtin.h"
#include "history/prism-history-csv.h"

#include <locale.h>

/* Numbers beside the metrics, which come first. */
enum
{
  MISFIT = PRISM_N_METRICS,
  HELD_OUT_MISFIT,
  HELD_OUT_CORRELATION,
  LIKENESS,
  AGREEMENT,
  FINEST,
  PERIOD,
  PERIOD_M,
  LIMIT_M,
  COVERAGE,
  SECONDS,
  STEPS,
  PASSES,
  SAMPLES,
};

/* What every table shows. */
#define METRIC(key, name, unit, format, ...) \
  { #key, name, unit, NULL, TRUE, format, PRISM_METRICS_INDEX (key), TRUE },

static const PrismComparisonColumn quantities[] = {
  { "method", N_ ("Method"), "" },
  { "state", N_ ("State"), "" },
  PRISM_METRICS (METRIC) { "misfit", N_ ("Misfit"), "", NULL, TRUE, "%.3g", MISFIT },
  { "held_out_misfit", N_ ("Held-out misfit"), "", NULL, TRUE, "%.4f", HELD_OUT_MISFIT },
  { "held_out_correlation", N_ ("Held-out correlation"), "", NULL, TRUE, "%.4f",
    HELD_OUT_CORRELATION },
  { "likeness", N_ ("Likeness to the first"), "", NULL, TRUE, "%.4f", LIKENESS },
  { "verdict", N_ ("Verdict"), "" },
  { "agreement", N_ ("Agreement up to"), "px", NULL, TRUE, "%.1f", AGREEMENT, TRUE },
  { "finest", N_ ("Finest lines"), "lp/px", NULL, TRUE, "%.3g", FINEST },
  { "finest_period", N_ ("Finest period"), "px", NULL, TRUE, "%.2f", PERIOD, TRUE },
  { "finest_period_nm", N_ ("Finest period"), "nm", NULL, TRUE, "%.0f", PERIOD_M },
  { "allowed_period_nm", N_ ("Finest period allowed"), "nm", NULL, TRUE, "%.0f",
    LIMIT_M },
  { "coverage", N_ ("Coverage"), "%", NULL, TRUE, "%.1f", COVERAGE },
  { "seconds", N_ ("Time"), "s", NULL, TRUE, "%.1f", SECONDS },
  { "steps", N_ ("Steps done"), "", NULL, TRUE, "%.0f", STEPS },
  { "passes_done", N_ ("Passes done"), "", NULL, TRUE, "%.0f", PASSES },
  { "measurements", N_ ("Measurements"), "", NULL, TRUE, "%.0f", SAMPLES },
  { "device_name", N_ ("Computed on"), "" },
};

/* Returns: (nullable): the period that is measured of recorded frames */
static const PrismMeasured *
get_finest (const PrismResult *result)
{
  const PrismFinding *finding = result->snapshot->finding;

  return finding != NULL ? prism_finding_get_finest (finding) : NULL;
}

static double
get_number (const PrismComparisonColumn *quantity,
            const PrismResult *result)
{
  const PrismSnapshot *snapshot = result->snapshot;
  const gboolean holds_out = result->snapshot->correlation != 0;
  const PrismMeasured *finest = get_finest (result);

  switch (quantity->number)
    {
    case MISFIT:
      return holds_out ? (double) NAN : snapshot->misfit;
    case HELD_OUT_MISFIT:
      return holds_out ? snapshot->misfit : (double) NAN;
    case HELD_OUT_CORRELATION:
      return holds_out ? snapshot->correlation : (double) NAN;
    case LIKENESS:
      return result->likeness;
    case AGREEMENT:
      return result->agreement;
    case FINEST:
      return result->has_resolution && result->resolution.n_resolved > 0
                 ? result->resolution.finest.line_pairs_per_pixel
                 : NAN;
    case PERIOD:
      return result->agreement > 0 ? snapshot->config->image_size / result->agreement
                                   : (double) NAN;
    case PERIOD_M:
      return finest != NULL ? 1e9 * finest->value : (double) NAN;
    case LIMIT_M:
      return snapshot->limit > 0 ? 1e9 * snapshot->limit : (double) NAN;
    case COVERAGE:
      return 100 * snapshot->coverage;
    case SECONDS:
      return snapshot->seconds;
    case STEPS:
      return prism_snapshot_is_recorded (snapshot) ? (double) NAN : (double) snapshot->step;
    case PASSES:
      return prism_snapshot_is_recorded (snapshot) ? (double) prism_snapshot_count_passes (snapshot)
                                                   : (double) NAN;
    case SAMPLES:
      return snapshot->n_samples;
    default:
      return snapshot->metrics.values[quantity->number];
    }
}

static const char *const state_names[] = {
  [PRISM_STATE_IDLE] = N_ ("not begun"),
  [PRISM_STATE_PREPARING] = N_ ("preparing"),
  [PRISM_STATE_RUNNING] = N_ ("under way"),
  [PRISM_STATE_PAUSED] = N_ ("paused"),
  [PRISM_STATE_STOPPED] = N_ ("stopped early"),
  [PRISM_STATE_FINISHED] = N_ ("finished"),
  [PRISM_STATE_FAILED] = N_ ("failed"),
};

/**
 * prism_comparison_new:
 *
 * Thread: any; a comparison belongs to one thread at a time.
 *
 * Returns: (transfer full): a comparison of nothing yet
 */
PrismComparison *
prism_comparison_new (void)
{
  PrismComparison *self = g_new0 (PrismComparison, 1);

  self->results = g_ptr_array_new_with_free_func ((GDestroyNotify) prism_result_unref);
  self->columns = g_array_new (FALSE, FALSE, sizeof (PrismComparisonColumn));
  return self;
}

/**
 * prism_comparison_free:
 * @self: (transfer full) (nullable): a comparison
 */
PRISM_FREE_FOR_ALL (PrismComparison,
                    prism_comparison_free,
                    g_ptr_array_unref,
                    results,
                    g_array_unref,
                    columns)

/* Of recorded frames and simulated ones each kind is asked for its own settings.
 * Returns: (transfer full) (nullable): the value, NULL where it has none */
static char *
dup_setting (const PrismComparisonColumn *column,
             const PrismResult *result)
{
  return prism_result_has_setting (result, column->param)
             ? prism_config_dup_text (result->snapshot->config, column->param)
             : NULL;
}

static gboolean
differs (const PrismComparison *self,
         const PrismComparisonColumn *column)
{
  g_autofree char *first = NULL;

  for (guint i = 0; i < self->results->len; i++)
    {
      g_autofree char *text = dup_setting (column, prism_comparison_get_result (self, i));

      if (text == NULL)
        continue;
      if (first == NULL)
        first = g_steal_pointer (&text);
      else if (g_strcmp0 (first, text) != 0)
        return TRUE;
    }
  return FALSE;
}

/* A quantity that no result has would be an empty column. */
static gboolean
is_worth_telling (const PrismComparison *self,
                  const PrismComparisonColumn *quantity)
{
  PRISM_FOR_EACH_POINTER (const PrismResult, result, self->results)
    {
      if (quantity->format == NULL || isfinite (get_number (quantity, result))
          || (quantity->number == LIKENESS && result->has_other_size))
        return TRUE;
    }
  return FALSE;
}

static void
update_columns (PrismComparison *self)
{
  g_array_set_size (self->columns, 0);
  PRISM_FOR_EACH_OF (quantity, quantities)
    if (is_worth_telling (self, quantity))
      g_array_append_vals (self->columns, quantity, 1);
  PRISM_FOR_EACH_PARAM (param)
    {
      PrismComparisonColumn column = { param->key, param->label, param->unit, param,
                                       param->type == PRISM_PARAM_INTEGER
                                           || param->type == PRISM_PARAM_REAL };

      /* Of the method the first column tells. */
      if (strcmp (param->group, "method") != 0
          && differs (self, &column))
        g_array_append_val (self->columns, column);
    }
}

/**
 * prism_comparison_add:
 * @result: a result
 *
 * Adds a result at the end; the columns are then those of all results. A complex object is compared
 * with the first one.
 *
 * Thread: the comparison's.
 */
void
prism_comparison_add (PrismComparison *self,
                      PrismResult *result)
{
  const PrismResult *first = NULL;

  for (guint i = 0; i < self->results->len && first == NULL; i++)
    if (prism_comparison_get_result (self, i)->phase != NULL)
      first = prism_comparison_get_result (self, i);
  g_ptr_array_add (self->results, result->phase != NULL && first != NULL
                                      ? prism_result_new_beside (result, first)
                                      : prism_result_ref (result));
  update_columns (self);
}

/**
 * prism_comparison_dup:
 *
 * Thread: the comparison's; the new one may belong to another.
 *
 * Returns: (transfer full): a comparison of the same results
 */
PrismComparison *
prism_comparison_dup (const PrismComparison *self)
{
  PrismComparison *copy = prism_comparison_new ();

  PRISM_FOR_EACH_POINTER (PrismResult, result, self->results)
    g_ptr_array_add (copy->results, prism_result_ref (result));
  update_columns (copy);
  return copy;
}

/**
 * prism_comparison_get_result:
 * @i: index
 *
 * Thread: the comparison's.
 *
 * Returns: (transfer none): the result
 */
PrismResult *
prism_comparison_get_result (const PrismComparison *self,
                             guint i)
{
  g_return_val_if_fail (i < self->results->len, NULL);

  return self->results->pdata[i];
}

/**
 * prism_comparison_get_column:
 * @i: index
 *
 * Thread: the comparison's.
 *
 * Returns: (transfer none): the column, valid until the next result is added
 */
const PrismComparisonColumn *
prism_comparison_get_column (const PrismComparison *self,
                             guint i)
{
  g_return_val_if_fail (i < self->columns->len, NULL);

  return &g_array_index (self->columns, PrismComparisonColumn, i);
}

/**
 * prism_comparison_get_number:
 * @column: a column
 * @result: a result
 *
 * What a numeric column sorts by.
 *
 * Units: those of the column.
 *
 * Returns: the number, NAN where it is not known or no number
 */
double
prism_comparison_get_number (const PrismComparisonColumn *column,
                             const PrismResult *result)
{
  if (!column->numeric)
    return NAN;
  if (column->param != NULL)
    return prism_result_has_setting (result, column->param)
               ? prism_config_get_number (result->snapshot->config, column->param)
               : (double) NAN;
  return get_number (column, result);
}

/**
 * prism_comparison_dup_text:
 * @column: a column
 * @result: a result
 *
 * What a cell says, without its unit. Words are English; they are in the catalogue of translations.
 *
 * Returns: (transfer full): the text with '.' as decimal mark, "" where nothing is known
 */
char *
prism_comparison_dup_text (const PrismComparisonColumn *column,
                           const PrismResult *result)
{
  double number;

  if (column->param != NULL)
    {
      g_autofree char *text = dup_setting (column, result);
      return text != NULL ? g_utf8_make_valid (text, -1) : g_strdup ("");
    }
  if (column->format == NULL)
    {
      const PrismSnapshot *snapshot = result->snapshot;

      if (strcmp (column->id, "method") == 0)
        return g_strdup (prism_approach_find (snapshot->config)->label);
      if (strcmp (column->id, "state") == 0)
        return g_strdup (state_names[prism_snapshot_get_stopped (snapshot) > 0
                                         ? PRISM_STATE_STOPPED
                                         : snapshot->state]);
      if (strcmp (column->id, "verdict") == 0)
        return g_strdup (prism_verdict_get_label (&snapshot->verdict, snapshot->coverage));
      return g_strdup (snapshot->device != NULL ? snapshot->device : "");
    }
  number = get_number (column, result);
  if (!isfinite (number))
    return g_strdup ("");
  if (column->number == PERIOD_M)
    return prism_number_dup_within (number, 1e9 * get_finest (result)->error, "");
  return g_strdup (prism_digits (column->format, number));
}

/**
 * prism_comparison_dup_shown_text:
 * @column: a column
 * @result: a result
 *
 * What a cell says to people: as prism_comparison_dup_text(), but numbers as the user's locale
 * writes them, the words for choices and for numbers that mean “none” or “automatic”, translated,
 * for numbers that are not known, of the method what made the picture, and a verdict with its sign.
 *
 * Returns: (transfer full): the text
 */
char *
prism_comparison_dup_shown_text (const PrismComparisonColumn *column,
                                 const PrismResult *result)
{
  g_autofree char *text = prism_comparison_dup_text (column, result);
  g_auto (GStrv) parts = NULL;

  if (column->param != NULL)
    return prism_result_has_setting (result, column->param)
               ? prism_config_dup_words (result->snapshot->config, column->param)
               : g_strdup ("–");
  if (strcmp (column->id, "method") == 0)
    return g_strdup (prism_snapshot_get_maker (result->snapshot));
  if (strcmp (column->id, "verdict") == 0)
    return prism_verdict_dup_label (&result->snapshot->verdict, result->snapshot->coverage);
  if (column->numeric && text[0] == '\0')
    return g_strdup (column->needs_target && result->snapshot->has_no_target
                         ? _ ("No target")
                     : strcmp (column->id, "likeness") == 0 && result->has_other_size
                         ? _ ("Other size")
                         : "–");
  if (!column->numeric)
    return g_steal_pointer (&text);
  /* As all other small numbers that people read. */
  if (g_str_has_suffix (column->format, "g"))
    return prism_number_dup (get_number (column, result), 3);
  parts = g_strsplit (text, ".", 2);
  return g_strjoinv (localeconv ()->decimal_point, parts);
}

/**
 * prism_comparison_dup_remark:
 * @column: a column
 * @result: a result
 *
 * What there is to say beside a cell: of the verdict its number, and what to do.
 *
 * Returns: (transfer full) (nullable): one or two sentences, translated
 */
char *
prism_comparison_dup_remark (const PrismComparisonColumn *column,
                             const PrismResult *result)
{
  if (strcmp (column->id, "verdict") != 0)
    return NULL;
  return prism_verdict_dup_text (&result->snapshot->verdict);
}

/* What a file has of a cell: a text, or else a number, which may be unknown. A number that may be
 * automatic is the text "auto".
 * Returns: (transfer full) (nullable): the text */
static char *
dup_cell (const PrismComparisonColumn *column,
          const PrismResult *result,
          double *number)
{
  g_autofree char *text = prism_comparison_dup_text (column, result);

  *number = prism_comparison_get_number (column, result);
  return !column->numeric || strcmp (text, "auto") == 0 ? g_steal_pointer (&text) : NULL;
}

/**
 * prism_comparison_dup_csv:
 *
 * Writes one line per result: its name and every column, numbers with nine digits. The header has
 * the columns' ids.
 *
 * Units: those of the columns.
 * Thread: the comparison's.
 *
 * Returns: (transfer full): the table, UTF-8
 */
char *
prism_comparison_dup_csv (const PrismComparison *self)
{
  GString *text = g_string_new ("name");

  for (guint c = 0; c < self->columns->len; c++)
    g_string_append_printf (text, ",%s", prism_comparison_get_column (self, c)->id);
  g_string_append_c (text, '\n');
  PRISM_FOR_EACH_POINTER (const PrismResult, result, self->results)
    {
      prism_csv_append_text (text, result->name);
      PRISM_FOR_EACH (const PrismComparisonColumn, column, self->columns)
        {
          double number;
          g_autofree char *cell = dup_cell (column, result, &number);

          g_string_append_c (text, ',');
          if (cell != NULL)
            prism_csv_append_text (text, cell);
          else
            prism_csv_append_number (text, number);
        }
      g_string_append_c (text, '\n');
    }
  return g_string_free (text, FALSE);
}

/**
 * prism_comparison_dup_json:
 *
 * Writes an object with the array "runs", for each result an object with "name" and every column.
 * What is not known is null.
 *
 * Thread: the comparison's.
 *
 * Returns: (transfer full): the text, with an end of line
 */
char *
prism_comparison_dup_json (const PrismComparison *self)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  prism_json_add (builder, "{runs: [");
  PRISM_FOR_EACH_POINTER (const PrismResult, result, self->results)
    {
      prism_json_add (builder, "{name: %s", result->name);
      PRISM_FOR_EACH (const PrismComparisonColumn, column, self->columns)
        {
          double number;
          g_autofree char *cell = dup_cell (column, result, &number);

          prism_json_add (builder, "%s:", column->id);
          if (cell != NULL)
            prism_json_add (builder, "%s", cell);
          else
            prism_json_add (builder, "%g", number);
        }
      prism_json_add (builder, "}");
    }
  prism_json_add (builder, "]}");
  return prism_json_dup_text (builder);
}

/**
 * prism_comparison_save_csv:
 * @path: file name
 *
 * Writes the text of prism_comparison_dup_csv() into a file.
 *
 * Errors: PRISM_ERROR_IO.
 * Thread: the comparison's.
 *
 * Returns: whether the file is on the disk
 */
gboolean
prism_comparison_save_csv (const PrismComparison *self,
                           const char *path,
                           GError **error)
{
  g_autofree char *text = prism_comparison_dup_csv (self);

  return prism_file_save (path, text, strlen (text), error);
}

static gboolean
print_curves (const PrismComparison *self,
              FILE *stream,
              GError **error)
{
  fprintf (stream, "run,%s", prism_history_get_csv_header ());
  PRISM_FOR_EACH_POINTER (const PrismResult, result, self->results)
    {
      g_autoptr (GString) name = g_string_new (NULL);

      prism_csv_append_text (name, result->name);
      g_string_append_c (name, ',');
      if (result->snapshot->history != NULL
          && !prism_history_print_csv (result->snapshot->history, result->snapshot->n_rows,
                                       name->str, stream, error))
        return FALSE;
    }
  return !ferror (stream);
}

/**
 * prism_comparison_save_curves:
 * @path: file name
 *
 * Writes the metrics of every step of every result into one table, the result's name in the first
 * column. It goes to the disk as it is made: a million rows need no memory.
 *
 * Errors: PRISM_ERROR_IO.
 * Thread: the comparison's.
 *
 * Returns: whether the file is on the disk
 */
gboolean
prism_comparison_save_curves (const PrismComparison *self,
                              const char *path,
                              GError **error)
{
  g_autofree char *temporary = prism_file_dup_temporary (path, error);
  FILE *stream = temporary != NULL ? g_fopen (temporary, "w") : NULL;
  GError *failure = NULL;
  gboolean printed;

  if (temporary == NULL)
    return FALSE;
  printed = stream != NULL && print_curves (self, stream, &failure);
  if (stream != NULL)
    printed = fclose (stream) == 0 && printed;
  if (printed)
    return prism_file_commit (temporary, path, error);
  if (failure != NULL)
    g_propagate_error (error, failure);
  else
    prism_error_io (error,
                    _ ("“%s” could not be written: %s. Free some space or choose another folder."),
                    path, g_strerror (errno));
  g_unlink (temporary);
  return FALSE;
}
