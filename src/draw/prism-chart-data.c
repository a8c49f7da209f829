#include "config.h"

#include "prism-chart-data.h"

#include <math.h>

static void
clear_mark (gpointer data)
{
  PrismChartMark *mark = data;

  g_free (mark->label);
}

/**
 * prism_chart_data_new:
 *
 * Returns: (transfer full): a chart without series
 */
PrismChartData *
prism_chart_data_new (void)
{
  PrismChartData *self = g_new0 (PrismChartData, 1);

  self->title = g_strdup ("");
  self->x_title = g_strdup ("");
  self->series = g_ptr_array_new_with_free_func ((GDestroyNotify) prism_chart_series_free);
  self->marks = g_array_new (FALSE, FALSE, sizeof (PrismChartMark));
  g_array_set_clear_func (self->marks, clear_mark);
  self->polish = self->limit = NAN;
  for (int side = 0; side < PRISM_CHART_N_SIDES; side++)
    self->axes[side].minimum = self->axes[side].maximum = NAN;
  return self;
}

/**
 * prism_chart_data_free:
 * @self: (transfer full): a chart's data
 *
 * Frees it with its series.
 */
void
prism_chart_data_free (PrismChartData *self)
{
  g_free (self->title);
  g_free (self->x_title);
  g_free (self->note);
  g_free (self->empty_text);
  for (int side = 0; side < PRISM_CHART_N_SIDES; side++)
    g_free (self->axes[side].title);
  g_ptr_array_unref (self->series);
  g_array_unref (self->marks);
  g_free (self);
}

/**
 * prism_chart_data_clear:
 * @self: a chart's data
 *
 * Removes all points and marks; the series stay.
 */
void
prism_chart_data_clear (PrismChartData *self)
{
  for (guint i = 0; i < self->series->len; i++)
    prism_chart_series_clear (prism_chart_data_get_series (self, i));
  g_array_set_size (self->marks, 0);
  self->polish = NAN;
}

/**
 * prism_chart_data_get_series:
 * @self: a chart's data
 * @i: index
 *
 * Returns: (transfer none): a series
 */
PrismChartSeries *
prism_chart_data_get_series (PrismChartData *self,
                             guint i)
{
  g_return_val_if_fail (i < self->series->len, NULL);

  return g_ptr_array_index (self->series, i);
}

/**
 * prism_chart_data_add_mark:
 * @self: a chart's data
 * @x: above the last mark
 * @label: (nullable): what begins there
 *
 * Adds a vertical line.
 */
void
prism_chart_data_add_mark (PrismChartData *self,
                           double x,
                           const char *label)
{
  PrismChartMark mark = { x, g_strdup (label) };

  g_array_append_val (self->marks, mark);
}

/**
 * prism_chart_data_set_smoothing:
 * @self: a chart's data
 * @weight: of the past, 0 for none, below 1
 *
 * Smooths all series.
 */
void
prism_chart_data_set_smoothing (PrismChartData *self,
                                double weight)
{
  self->smoothing = weight;
  for (guint i = 0; i < self->series->len; i++)
    prism_chart_series_set_smoothing (prism_chart_data_get_series (self, i), weight);
}

/**
 * prism_chart_data_get_extent:
 * @self: a chart's data
 * @first: (out): smallest x
 * @last: (out): largest x
 *
 * Returns: whether there is a point
 */
gboolean
prism_chart_data_get_extent (PrismChartData *self,
                             double *first,
                             double *last)
{
  *first = INFINITY;
  *last = -INFINITY;
  for (guint i = 0; i < self->series->len; i++)
    {
      PrismChartSeries *series = prism_chart_data_get_series (self, i);
      guint64 n = prism_chart_series_get_n_points (series);

      if (n == 0)
        continue;
      *first = MIN (*first, prism_chart_series_get_x (series, 0));
      *last = MAX (*last, prism_chart_series_get_x (series, n - 1));
    }
  return *first <= *last;
}
