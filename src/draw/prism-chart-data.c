#include "config.h"

#include "prism-chart-data.h"

#include <math.h>

static void
free_series (gpointer data)
{
  if (data != NULL)
    prism_chart_series_free (data);
}

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
  self->ghosts = g_ptr_array_new_with_free_func (free_series);
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
  g_ptr_array_unref (self->ghosts);
  g_array_unref (self->marks);
  g_free (self);
}

/**
 * prism_chart_data_clear:
 * @self: a chart's data
 *
 * Removes all points and marks; the series stay, and so do the ghosts.
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
 * prism_chart_data_get_ghost:
 * @self: a chart's data
 * @i: index of a series
 *
 * Returns: (transfer none): the curve of another run that is shown behind it, empty at first
 */
PrismChartSeries *
prism_chart_data_get_ghost (PrismChartData *self,
                            guint i)
{
  PrismChartSeries *series = prism_chart_data_get_series (self, i);

  g_return_val_if_fail (series != NULL, NULL);

  if (i >= self->ghosts->len)
    g_ptr_array_set_size (self->ghosts, i + 1);
  if (self->ghosts->pdata[i] == NULL)
    {
      self->ghosts->pdata[i] = prism_chart_series_new (prism_chart_series_get_label (series),
                                                       prism_chart_series_get_side (series));
      prism_chart_series_set_joined (self->ghosts->pdata[i], TRUE);
      prism_chart_series_set_smoothing (self->ghosts->pdata[i], self->smoothing);
    }
  return self->ghosts->pdata[i];
}

/**
 * prism_chart_data_clear_ghosts:
 * @self: a chart's data
 *
 * Forgets the curves of another run.
 */
void
prism_chart_data_clear_ghosts (PrismChartData *self)
{
  g_ptr_array_set_size (self->ghosts, 0);
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
  for (guint i = 0; i < self->ghosts->len; i++)
    if (self->ghosts->pdata[i] != NULL)
      prism_chart_series_set_smoothing (self->ghosts->pdata[i], weight);
}

static gboolean
extend (PrismChartSeries *series,
        double *first,
        double *last)
{
  double a, b;

  if (series == NULL || !prism_chart_series_get_extent (series, &a, &b))
    return FALSE;
  *first = MIN (*first, a);
  *last = MAX (*last, b);
  return TRUE;
}

/**
 * prism_chart_data_get_extent:
 * @self: a chart's data
 * @first: (out): smallest x
 * @last: (out): largest x
 *
 * Of the curves that have a value, where they have none, too: what is known of one step in a
 * thousand stands at its place among these.
 *
 * Returns: whether there is a value
 */
gboolean
prism_chart_data_get_extent (PrismChartData *self,
                             double *first,
                             double *last)
{
  *first = INFINITY;
  *last = -INFINITY;
  for (guint i = 0; i < self->series->len; i++)
    extend (self->series->pdata[i], first, last);
  for (guint i = 0; i < self->ghosts->len; i++)
    extend (self->ghosts->pdata[i], first, last);
  return *first <= *last;
}
