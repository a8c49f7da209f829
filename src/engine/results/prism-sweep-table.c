#include "config.h"

#include "results/prism-sweep-table.h"

#include "base/prism-error.h"
#include "base/prism-csv.h"

/**
 * prism_sweep_table_load:
 * @sweep: a sweep
 * @directory: where its points write
 * @before: (nullable): an earlier table of the same sweep
 *
 * Reads what has come since: a result that is in @before is taken from there.
 *
 * Returns: (transfer full): the table
 */
PrismSweepTable *
prism_sweep_table_load (PrismSweep *sweep,
                        const char *directory,
                        const PrismSweepTable *before)
{
  PrismSweepTable *self = g_new0 (PrismSweepTable, 1);

  self->n_rows = sweep->n_points;
  self->rows = g_new0 (PrismSweepRow, self->n_rows);
  for (guint i = 0; i < self->n_rows; i++)
    {
      g_autofree char *folder = prism_sweep_dup_path (directory, i, "");

      if (before != NULL && i < before->n_rows && before->rows[i].finished)
        prism_sweep_row_copy (&self->rows[i], &before->rows[i]);
      else
        {
          g_autoptr (PrismConfig) config = prism_sweep_dup_config (sweep, i, NULL);

          prism_sweep_row_load (&self->rows[i], folder, config, TRUE);
        }
      self->n_finished += self->rows[i].finished ? 1 : 0;
      if (self->target == NULL && self->rows[i].finished)
        self->target = before != NULL && before->target != NULL
                           ? prism_image_ref (before->target)
                           : prism_sweep_row_load_image (folder, "target.npy");
    }
  return self;
}

/**
 * prism_sweep_table_dup:
 *
 * Returns: (transfer full): another with the same images
 */
PrismSweepTable *
prism_sweep_table_dup (const PrismSweepTable *self)
{
  PrismSweepTable *copy = g_new0 (PrismSweepTable, 1);

  *copy = *self;
  copy->rows = g_new0 (PrismSweepRow, self->n_rows);
  for (guint i = 0; i < self->n_rows; i++)
    prism_sweep_row_copy (&copy->rows[i], &self->rows[i]);
  copy->target = prism_image_ref (self->target);
  return copy;
}

/**
 * prism_sweep_table_free:
 * @self: (nullable): a table
 */
void
prism_sweep_table_free (PrismSweepTable *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < self->n_rows; i++)
    prism_sweep_row_clear (&self->rows[i]);
  g_clear_pointer (&self->target, prism_image_unref);
  g_free (self->rows);
  g_free (self);
}

static const char *
get_state (const PrismSweepRow *row)
{
  if (row->finished)
    return "finished";
  return row->failure != NULL ? "failed" : "missing";
}

/**
 * prism_sweep_table_to_csv:
 * @sweep: its sweep
 *
 * One line a point: its values on the axes, its state, its metrics, its verdict; what is not known
 * is empty. Recorded frames have no metrics, for there is no truth.
 *
 * Returns: (transfer full): the text
 */
char *
prism_sweep_table_to_csv (const PrismSweepTable *self,
                          PrismSweep *sweep)
{
  g_autoptr (GString) csv = g_string_new ("point");

  for (guint axis = 0; axis < sweep->n_axes; axis++)
    g_string_append_printf (csv, ",%s", sweep->axes[axis].param->key);
  if (sweep->frames != NULL)
    g_string_append (csv, ",state,misfit,correlation,steps,seconds,verdict\n");
  else
    {
      g_string_append (csv, ",state" PRISM_EARLY_METRICS ",misfit,coverage,steps,seconds");
      g_string_append (csv, PRISM_LATER_METRICS ",verdict,verdict_rest\n");
    }
  for (guint i = 0; i < self->n_rows; i++)
    {
      const PrismSweepRow *row = &self->rows[i];
      const double values[] = { row->misfit, row->coverage, row->steps, row->seconds };
      const double predicted[] = { row->misfit, row->correlation, row->steps, row->seconds };

      g_string_append_printf (csv, "%u", i);
      for (guint axis = 0; axis < sweep->n_axes; axis++)
        g_string_append_printf (csv, ",%s", prism_sweep_get_value (sweep, i, axis));
      g_string_append_printf (csv, ",%s", get_state (row));
      if (sweep->frames != NULL)
        prism_csv_append_numbers (csv, predicted, G_N_ELEMENTS (predicted));
      else
        {
          prism_csv_append_numbers (csv, row->metrics.values, PRISM_N_EARLY_METRICS);
          prism_csv_append_numbers (csv, values, G_N_ELEMENTS (values));
          prism_csv_append_numbers (csv, row->metrics.values + PRISM_N_EARLY_METRICS,
                                    PRISM_N_METRICS - PRISM_N_EARLY_METRICS);
        }
      g_string_append_printf (csv, ",%s",
                              row->verdict.kind != PRISM_VERDICT_OPEN
                                  ? prism_verdict_get_key (row->verdict.kind)
                                  : "");
      if (sweep->frames == NULL)
        prism_csv_append_numbers (csv, (double[]) { prism_verdict_get_rest (&row->verdict) }, 1);
      g_string_append_c (csv, '\n');
    }
  return g_string_free (g_steal_pointer (&csv), FALSE);
}

static char *
dup_number (const PrismSweepRow *row,
            guint measure)
{
  g_autofree char *number = NULL;

  if (!row->finished)
    return g_strdup (row->failure != NULL ? "failed" : "-");
  number = prism_sweep_measure_dup_number (measure, prism_sweep_measure_get (measure, row));
  return g_strconcat (row->verdict.kind == PRISM_VERDICT_UNEXPLAINED ? "*" : "", number, NULL);
}

/* At least ten characters wide, and set to the right. */
static void
append_cell (GString *text,
             const char *cell,
             const char *unit)
{
  g_autofree char *whole = g_strdup_printf ("%s%s%s", cell, unit[0] != '\0' ? " " : "", unit);

  g_string_append_printf (text, "%*s%s", MAX (1, 11 - (int) g_utf8_strlen (whole, -1)), "", whole);
}

static void
append_values (GString *text,
               const char *value,
               const PrismSweepRow *row)
{
  g_string_append_printf (text, "%20s", value);
  for (gsize i = 0; i < PRISM_N_METRICS && !row->recorded; i++)
    {
      g_autofree char *number = prism_metrics_dup_number (&row->metrics, i);
      append_cell (text, number, "");
    }
  g_string_append_printf (text, " %10.3g", row->misfit);
  if (row->recorded)
    {
      g_autofree char *number
          = prism_sweep_measure_dup_number (PRISM_SWEEP_MEASURE_CORRELATION, row->correlation);

      g_string_append_c (text, ' ');
      append_cell (text, number, "");
    }
  g_string_append_printf (text, " %9.1f  %s\n", row->seconds,
                          _ (prism_verdict_get_label (&row->verdict, row->coverage)));
}

/* All parameters but the last, which has the columns: their values at a point, or their keys. */
static char *
dup_row (PrismSweep *sweep,
         guint point,
         gboolean keys)
{
  GString *row = g_string_new (NULL);

  for (guint i = 0; i + 1 < sweep->n_axes; i++)
    g_string_append_printf (row, "%s%s", i > 0 ? ", " : "",
                            keys ? sweep->axes[i].param->key
                                 : prism_sweep_get_value (sweep, point, i));
  return g_string_free (row, FALSE);
}

static void
append_grid (GString *text,
             const PrismSweepTable *self,
             PrismSweep *sweep)
{
  const PrismSweepAxis *last = &sweep->axes[sweep->n_axes - 1];
  guint n_columns = last->n_values;
  const guint measure = prism_sweep_measure_get_first (sweep->frames != NULL);
  g_autofree char *rows = dup_row (sweep, 0, TRUE);
  g_autofree char *title = prism_metric_dup_title (prism_sweep_measure_get_info (measure));

  /* TRANSLATORS: a number, such as “PSNR in dB”, of each run */
  g_string_append_printf (text, _ ("%s; rows: %s, columns: %s\n"), title, rows,
                          last->param->key);
  g_string_append_printf (text, "%12s", "");
  for (guint j = 0; j < n_columns; j++)
    g_string_append_printf (text, " %11s", last->values[j]);
  for (guint i = 0; i < self->n_rows; i++)
    {
      g_autofree char *cell = dup_number (&self->rows[i], measure);

      if (i % n_columns == 0)
        {
          g_autofree char *row = dup_row (sweep, i, FALSE);
          g_string_append_printf (text, "\n%12s", row);
        }
      g_string_append_printf (text, " %11s", cell);
    }
  g_string_append_c (text, '\n');
}

/* Said once: what helps differs in nothing but the noise. is_grid: numbers alone, with a mark */
static void
append_advice (GString *text,
               const PrismSweepTable *self,
               gboolean is_grid)
{
  const char *advice = NULL;
  guint n = 0;

  for (guint i = 0; i < self->n_rows; i++)
    if (self->rows[i].verdict.kind == PRISM_VERDICT_UNEXPLAINED)
      {
        n++;
        if (advice == NULL || self->rows[i].verdict.expected > 0.0)
          advice = prism_verdict_get_advice (&self->rows[i].verdict);
      }
  if (n == 0)
    return;
  if (is_grid)
    g_string_append (text, "* ");
  g_string_append_printf (text,
                          g_dngettext (GETTEXT_PACKAGE,
                                       "%u result does not fit its measurements. %s",
                                       "%u results do not fit their measurements. %s", n),
                          n, advice);
  g_string_append_c (text, '\n');
}

/**
 * prism_sweep_table_to_text:
 * @sweep: its sweep
 *
 * For people: a list for one axis, a grid of one number for two, and what to do where the
 * measurements are not explained.
 *
 * Returns: (transfer full): the text
 */
char *
prism_sweep_table_to_text (const PrismSweepTable *self,
                           PrismSweep *sweep)
{
  g_autoptr (GString) text = g_string_new (NULL);

  if (sweep->n_axes > 1)
    append_grid (text, self, sweep);
  else
    {
      const char *key = sweep->n_axes > 0 ? sweep->axes[0].param->key : "";

      g_string_append_printf (text, "%20s", key);
      for (gsize i = 0; i < PRISM_N_METRICS && sweep->frames == NULL; i++)
        append_cell (text, prism_metrics[i].name, prism_metrics[i].unit);
      g_string_append_printf (text, " %10s%s %9s  %s\n", "misfit",
                              sweep->frames != NULL ? " correlation" : "", "seconds", "verdict");
      for (guint i = 0; i < self->n_rows; i++)
        {
          const PrismSweepRow *row = &self->rows[i];
          const char *value = sweep->n_axes > 0 ? prism_sweep_get_value (sweep, i, 0) : "";

          if (row->finished)
            append_values (text, value, row);
          else
            g_string_append_printf (text, "%20s %10s %s\n", value, get_state (row),
                                    row->failure != NULL ? row->failure : "");
        }
    }
  append_advice (text, self, sweep->n_axes > 1);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static gboolean
add_image (const PrismSweepRow *row,
           PrismImage *mean,
           PrismImage *spread,
           guint n)
{
  gsize n_pixels = (gsize) mean->height * mean->width;

  if (row->image->height != mean->height || row->image->width != mean->width)
    return FALSE;
  /* Welford's recurrence: no difference of large sums. */
  for (gsize i = 0; i < n_pixels; i++)
    {
      float change = row->image->pixels[i] - mean->pixels[i];

      mean->pixels[i] += change / n;
      spread->pixels[i] += change * (row->image->pixels[i] - mean->pixels[i]);
    }
  return TRUE;
}

/**
 * prism_sweep_table_get_spread:
 * @self: a table with at least two results
 * @mean: (out) (transfer full): mean of the reconstructions
 * @spread: (out) (transfer full): their standard deviation, pixel by pixel
 *
 * What the runs of an ensemble agree on, and where they do not: the uncertainty map.
 *
 * Shape: [m][m].
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_FORMAT when there are fewer than two results of one size.
 *
 * Returns: whether there are both
 */
gboolean
prism_sweep_table_get_spread (const PrismSweepTable *self,
                              PrismImage **mean,
                              PrismImage **spread,
                              GError **error)
{
  g_autoptr (PrismImage) sum = NULL, squares = NULL;
  guint n = 0;

  for (guint i = 0; i < self->n_rows; i++)
    {
      const PrismImage *image = self->rows[i].image;

      if (image == NULL)
        continue;
      if (sum == NULL
          && ((sum = prism_image_new (image->height, image->width, error)) == NULL
              || (squares = prism_image_new (image->height, image->width, error)) == NULL))
        return FALSE;
      if (add_image (&self->rows[i], sum, squares, n + 1))
        n++;
    }
  if (n < 2)
    return prism_error_format (
        error, _ ("An ensemble of %u results of one size has no spread: it takes two."), n);
  for (gsize i = 0; i < (gsize) sum->height * sum->width; i++)
    squares->pixels[i] = sqrtf (squares->pixels[i] / (n - 1));
  *mean = g_steal_pointer (&sum);
  *spread = g_steal_pointer (&squares);
  return TRUE;
}
