#include "config.h"

#include "results/prism-sweep-field.h"

#include "base/prism-arena.h"
#include "base/prism-error.h"
#include "base/prism-csv.h"
#include "base/prism-each.h"
#include "num/prism-metrics.h"

static void
fill (PrismSweepField *self,
      PrismSweep *sweep,
      const PrismSweepTable *table)
{
  const guint n_cells = self->n_rows * self->n_columns;

  for (guint i = 0; i < n_cells; i++)
    self->cells[i] = (PrismSweepCell) { .mean = NAN,
                                        .deviation = NAN,
                                        .least = NAN,
                                        .most = NAN,
                                        .point = G_MAXUINT };
  for (guint i = 0; i < table->n_rows; i++)
    {
      PrismSweepCell *cell = &self->cells[prism_sweep_field_find (self, sweep, i)];
      double value = prism_sweep_measure_get (self->measure, &table->rows[i]);

      cell->n_points++;
      cell->point = MIN (cell->point, i);
      if (isfinite (value))
        {
          double change = value - (cell->n_runs > 0 ? cell->mean : 0.0);

          /* Welford's recurrence. */
          cell->n_runs++;
          if (cell->n_runs == 1)
            cell->mean = cell->least = cell->most = value, cell->deviation = 0.0;
          else
            {
              cell->mean += change / cell->n_runs;
              cell->deviation += change * (value - cell->mean);
              cell->least = MIN (cell->least, value);
              cell->most = MAX (cell->most, value);
            }
        }
    }
  for (guint i = 0; i < n_cells; i++)
    self->cells[i].deviation = self->cells[i].n_runs > 1
                                   ? sqrt (self->cells[i].deviation / (self->cells[i].n_runs - 1))
                                   : NAN;
}

/**
 * prism_sweep_field_new:
 * @sweep: a sweep
 * @table: what its runs have come to
 * @measure: a metric's number, or a PrismSweepMeasure
 *
 * Rows are the values of the first parameter and columns those of the second; a sweep of one
 * parameter has one row. Runs that differ in a seed alone are one cell, with their mean and spread.
 *
 * Returns: (transfer full): the field
 */
PrismSweepField *
prism_sweep_field_new (PrismSweep *sweep,
                       const PrismSweepTable *table,
                       guint measure)
{
  PrismSweepField *self = g_new0 (PrismSweepField, 1);
  guint n = 0;
  g_autofree double *nearest = NULL;

  self->measure = measure;
  /* The axes that are shown; where all are seeds, the first of them is. */
  self->row_axis = self->column_axis = PRISM_SWEEP_FIELD_NO_AXIS;
  for (guint i = 0; i < sweep->n_axes; i++)
    if (!prism_sweep_is_seed (sweep, i))
      {
        if (n++ > 0)
          self->row_axis = self->column_axis;
        self->column_axis = i;
      }
  if (n == 0 && sweep->n_axes > 0)
    self->column_axis = 0;
  self->n_rows = n > 1 ? sweep->axes[self->row_axis].n_values : 1;
  self->n_columns = sweep->n_axes > 0 ? sweep->axes[self->column_axis].n_values : 1;
  self->repeated = sweep->n_points > self->n_rows * self->n_columns;
  self->cells = g_new0 (PrismSweepCell, (gsize) self->n_rows * self->n_columns);
  fill (self, sweep, table);
  /* Of several runs the one that is shown for all is no exception among them. */
  nearest = g_new (double, self->n_rows * self->n_columns);
  for (guint i = 0; i < self->n_rows * self->n_columns; i++)
    nearest[i] = INFINITY;
  for (guint i = 0; i < table->n_rows; i++)
    {
      guint at = prism_sweep_field_find (self, sweep, i);
      double distance = fabs (prism_sweep_measure_get (self->measure, &table->rows[i])
                              - self->cells[at].mean);

      if (distance < nearest[at])
        {
          nearest[at] = distance;
          self->cells[at].point = i;
        }
    }
  return self;
}

/**
 * prism_sweep_field_free:
 * @self: (nullable): a field
 */
PRISM_FREE_FOR_ALL (PrismSweepField, prism_sweep_field_free, g_free, cells)

/**
 * prism_sweep_field_find:
 * @sweep: its sweep
 * @point: number of a point
 *
 * Returns: number of its cell, row by row
 */
guint
prism_sweep_field_find (const PrismSweepField *self,
                        PrismSweep *sweep,
                        guint point)
{
  guint row = 0, column = 0;

  if (self->row_axis != PRISM_SWEEP_FIELD_NO_AXIS)
    row = prism_sweep_get_position (sweep, point, self->row_axis);
  if (self->column_axis != PRISM_SWEEP_FIELD_NO_AXIS)
    column = prism_sweep_get_position (sweep, point, self->column_axis);
  return row * self->n_columns + column;
}

/**
 * prism_sweep_field_get_range:
 * @low: (out): least value of any run
 * @high: (out): largest
 *
 * Returns: whether there is a value at all
 */
gboolean
prism_sweep_field_get_range (const PrismSweepField *self,
                             double *low,
                             double *high)
{
  *low = INFINITY;
  *high = -INFINITY;
  for (guint i = 0; i < self->n_rows * self->n_columns; i++)
    if (self->cells[i].n_runs > 0)
      {
        *low = MIN (*low, self->cells[i].least);
        *high = MAX (*high, self->cells[i].most);
      }
  return *high >= *low;
}

/**
 * prism_sweep_field_to_csv:
 * @sweep: its sweep
 *
 * One line a cell: its values on the axes, how many runs, their mean, standard deviation, least and
 * largest number.
 *
 * Returns: (transfer full): the text
 */
char *
prism_sweep_field_to_csv (const PrismSweepField *self,
                          PrismSweep *sweep)
{
  const guint axes[] = { self->row_axis, self->column_axis };
  g_autoptr (GString) csv = g_string_new (NULL);

  PRISM_FOR_EACH_OF (ax, axes)
    if (*ax != PRISM_SWEEP_FIELD_NO_AXIS)
      g_string_append_printf (csv, "%s,", sweep->axes[*ax].param->key);
  g_string_append_printf (csv, "runs,%s,deviation,least,most\n",
                          prism_sweep_measure_get_info (self->measure)->key);
  for (guint i = 0; i < self->n_rows * self->n_columns; i++)
    {
      const PrismSweepCell *cell = &self->cells[i];
      const double values[] = { cell->mean, cell->deviation, cell->least, cell->most };

      PRISM_FOR_EACH_OF (one, axes)
        if (*one != PRISM_SWEEP_FIELD_NO_AXIS)
          g_string_append_printf (csv, "%s,", prism_sweep_get_value (sweep, cell->point, *one));
      g_string_append_printf (csv, "%u", cell->n_runs);
      prism_csv_append_numbers (csv, values, G_N_ELEMENTS (values));
      g_string_append_c (csv, '\n');
    }
  return g_string_free (g_steal_pointer (&csv), FALSE);
}

typedef struct
{
  float spread;
  float error; /* squared */
} Pixel;

/* The least certain first. */
static int
compare_pixels (gconstpointer a,
                gconstpointer b)
{
  const Pixel *one = a, *other = b;

  return one->spread > other->spread ? -1 : one->spread < other->spread;
}

/* Squared error of the first n pixels over that of all. */
static double
get_share (const Pixel *pixels,
           gsize n,
           gsize n_pixels)
{
  double part = 0.0, all = 0.0;

  for (gsize i = 0; i < n_pixels; i++)
    {
      part += i < n ? pixels[i].error : 0.0;
      all += pixels[i].error;
    }
  return all > 0.0 ? part / all : NAN;
}

/**
 * prism_sweep_ensemble_compute:
 * @self: (out caller-allocates): the numbers
 * @table: of an ensemble
 * @mean: of prism_sweep_table_get_spread()
 * @spread: of prism_sweep_table_get_spread()
 *
 * Compares the mean with the object, and finds how much of its squared error lies in the quarter of
 * the pixels where the runs differ most: a quarter if the map says nothing, all of it at best.
 *
 * Shape: both [m][m].
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_FORMAT when the runs have left no object of this size.
 *
 * Returns: whether the numbers are there
 */
gboolean
prism_sweep_ensemble_compute (PrismSweepEnsemble *self,
                              const PrismSweepTable *table,
                              const PrismImage *mean,
                              const PrismImage *spread,
                              GError **error)
{
  const PrismImage *target = table->target;
  PrismMetrics metrics;
  gsize n_pixels;
  Pixel *pixels;

  if (target == NULL || target->height != mean->height || target->width != mean->width)
    return prism_error_format (
        error, _ ("The runs of the ensemble have left no object to compare their mean with:"
                  " run them anew."));
  prism_metrics_compute_errors (&metrics, mean->pixels, target->pixels, mean->height, mean->width);
  self->psnr = metrics.psnr;
  self->n_runs = 0;
  self->least = self->most = NAN;
  for (guint i = 0; i < table->n_rows; i++)
    {
      if (table->rows[i].image == NULL)
        continue;
      self->n_runs++;
      self->least = fmin (self->least, table->rows[i].metrics.psnr);
      self->most = fmax (self->most, table->rows[i].metrics.psnr);
    }
  n_pixels = (gsize) mean->height * mean->width;
  pixels = prism_arena_new_array (n_pixels * sizeof *pixels, _ ("the order of the pixels"), error);
  if (pixels == NULL)
    return FALSE;
  for (gsize i = 0; i < n_pixels; i++)
    {
      float difference = mean->pixels[i] - target->pixels[i];

      pixels[i] = (Pixel) { spread->pixels[i], difference * difference };
    }
  qsort (pixels, n_pixels, sizeof *pixels, compare_pixels);
  self->share = get_share (pixels, n_pixels / PRISM_SWEEP_ENSEMBLE_PART, n_pixels);
  prism_arena_free_array (pixels);
  return TRUE;
}
