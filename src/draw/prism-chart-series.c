#include "config.h"

#include "base/prism-each.h"
#include "prism-chart-draw.h"

/* A curve of more points is thinned out: many times as many as a screen has columns. */
#define MAX_POINTS 131072
/* Of so many neighbours the smallest and the largest stay. */
#define GROUP 4

/**
 * prism_chart_extremes_add:
 * @self: the extremes of some values
 * @value: one more; NAN is absent
 */
void
prism_chart_extremes_add (PrismChartExtremes *self,
                          float value)
{
  /* Comparisons with NAN are false. */
  if (value < self->minimum)
    self->minimum = value;
  if (value > self->maximum)
    self->maximum = value;
  if (value > 0 && value < self->positive)
    self->positive = value;
}

/**
 * prism_chart_series_new:
 * @label: name in the legend
 * @side: its axis
 *
 * Returns: (transfer full): a series without points
 */
PrismChartSeries *
prism_chart_series_new (const char *label,
                        PrismChartSide side)
{
  PrismChartSeries *self = g_new0 (PrismChartSeries, 1);

  self->label = g_strdup (label);
  self->side = side;
  self->stride = 1;
  self->first = self->last = NAN;
  self->x = g_array_new (FALSE, FALSE, sizeof (double));
  self->tail_x = g_array_new (FALSE, FALSE, sizeof (double));
  self->tail_y = g_array_new (FALSE, FALSE, sizeof (float));
  self->raw = g_array_new (FALSE, FALSE, sizeof (float));
  self->smooth = g_array_new (FALSE, FALSE, sizeof (float));
  return self;
}

/**
 * prism_chart_series_free:
 * @self: (transfer full): a series
 *
 * Frees it.
 */
PRISM_FREE_FOR_ALL (PrismChartSeries,
                    prism_chart_series_free,
                    g_free,
                    label,
                    g_array_unref,
                    x,
                    g_array_unref,
                    tail_x,
                    g_array_unref,
                    tail_y,
                    g_array_unref,
                    raw,
                    g_array_unref,
                    smooth)

/**
 * prism_chart_series_set_smoothing:
 * @self: a series
 * @weight: of the past, 0 for none, below 1
 *
 * Asks for the moving average of all points, and of those to come: s = w·s + (1-w)·y, divided by
 * 1-wⁿ. Where the curve has been thinned out it is the average of the points that are kept.
 */
void
prism_chart_series_set_smoothing (PrismChartSeries *self,
                                  double weight)
{
  g_return_if_fail (weight >= 0 && weight < 1);

  if (weight != self->weight)
    g_array_set_size (self->smooth, 0);
  self->weight = weight;
}

/* Which two of some neighbours stay, in their order: the smallest and the largest; absent ones only
 * where there are no others. */
static void
choose (const float *values,
        guint n_values,
        guint kept[2])
{
  guint low = 0, high = n_values - 1;

  for (guint i = 0; i < n_values; i++)
    {
      if (isnan (values[low]) || values[i] < values[low])
        low = i;
      if (isnan (values[high]) || values[i] > values[high])
        high = i;
    }
  if (low == high)
    high = low > 0 ? 0 : n_values - 1;
  kept[0] = MIN (low, high);
  kept[1] = MAX (low, high);
}

/* Halves the points of the whole curve. */
static void
thin (PrismChartSeries *self)
{
  const guint n_points = self->x->len / GROUP * 2;
  float *raw = (float *) self->raw->data;
  double *x = (double *) self->x->data;

  for (guint to = 0; to < n_points; to++)
    {
      const guint from = to / 2 * GROUP;
      guint kept[2];

      if (to % 2 == 0)
        choose (&raw[from], GROUP, kept);
      x[to] = x[from + kept[to % 2]];
      raw[to] = raw[from + kept[to % 2]];
    }
  g_array_set_size (self->x, n_points);
  g_array_set_size (self->raw, n_points);
  g_array_set_size (self->smooth, 0);
  self->stride *= 2;
}

/* Of a curve that has been thinned out two of so many points are kept. */
static void
append (PrismChartSeries *self,
        double x,
        double y)
{
  const gboolean all = self->stride == 1;
  float value = (float) y;
  guint kept[2];

  self->broken |= isnan (y);
  g_array_append_val (self->tail_x, x);
  g_array_append_val (self->tail_y, value);
  if (!all && self->tail_y->len < 2 * self->stride)
    return;
  choose ((const float *) self->tail_y->data, self->tail_y->len, kept);
  /* One alone is both of them. */
  for (guint i = 0; i < (kept[0] == kept[1] ? 1 : 2); i++)
    {
      g_array_append_val (self->x, g_array_index (self->tail_x, double, kept[i]));
      g_array_append_val (self->raw, g_array_index (self->tail_y, float, kept[i]));
    }
  g_array_set_size (self->tail_x, 0);
  g_array_set_size (self->tail_y, 0);
  if (self->x->len == MAX_POINTS)
    thin (self);
}

/**
 * prism_chart_series_append:
 * @self: a series
 * @x: above the last x
 * @y: value; NAN is absent
 *
 * Adds a point at the end. Of more than 131072 points the smallest and largest among their
 * neighbours are kept, with the x they had, so that a run of days needs no more memory. An absent
 * value has its place on the axis, too.
 */
void
prism_chart_series_append (PrismChartSeries *self,
                           double x,
                           double y)
{
  if (isnan (self->first))
    self->first = x;
  self->last = x;
  if (isfinite (y))
    append (self, x, y);
  else if (!self->joined)
    append (self, x, NAN);
}

/**
 * prism_chart_series_interrupt:
 * @self: a series
 * @x: above the last x
 *
 * Leaves a gap up to the next value, in a joined series too: what comes is not of the same course.
 * Where there is nothing to part, nothing is done.
 */
void
prism_chart_series_interrupt (PrismChartSeries *self,
                              double x)
{
  const GArray *newest = self->tail_y->len > 0 ? self->tail_y : self->raw;

  if (newest->len > 0 && !isnan (g_array_index (newest, float, newest->len - 1)))
    append (self, x, NAN);
}

/**
 * prism_chart_series_clear:
 * @self: a series
 *
 * Removes all points.
 */
void
prism_chart_series_clear (PrismChartSeries *self)
{
  g_array_set_size (self->x, 0);
  self->first = self->last = NAN;
  self->broken = FALSE;
  self->stride = 1;
  g_array_set_size (self->tail_x, 0);
  g_array_set_size (self->tail_y, 0);
  g_array_set_size (self->raw, 0);
  g_array_set_size (self->smooth, 0);
}

/**
 * prism_chart_series_get_n_points:
 * @self: a series
 *
 * Returns: the number of points
 */
guint64
prism_chart_series_get_n_points (PrismChartSeries *self)
{
  return self->x->len;
}

/**
 * prism_chart_series_get_x:
 * @self: a series
 * @i: index of a point
 *
 * Returns: its x
 */
double
prism_chart_series_get_x (PrismChartSeries *self,
                          guint64 i)
{
  return g_array_index (self->x, double, i);
}

/**
 * prism_chart_series_get_extent:
 * @self: a series
 * @first: (out): smallest x that was added, with a value or without
 * @last: (out): largest x
 *
 * Returns: whether there is a value
 */
gboolean
prism_chart_series_get_extent (PrismChartSeries *self,
                               double *first,
                               double *last)
{
  guint i = 0;

  *first = self->first;
  *last = self->last;
  while (i < self->raw->len && isnan (g_array_index (self->raw, float, i)))
    i++;
  return i < self->raw->len;
}

/**
 * prism_chart_series_is_alone:
 * @self: a series
 * @i: index of a point
 *
 * Returns: whether this is a value between two absent ones, so that no line goes to it
 */
gboolean
prism_chart_series_is_alone (PrismChartSeries *self,
                             guint64 i)
{
  const float *y = (const float *) self->raw->data;
  guint64 n = self->raw->len;

  return !isnan (y[i]) && (i == 0 || isnan (y[i - 1])) && (i + 1 == n || isnan (y[i + 1]));
}

/* Of the exponential moving average, corrected for its start at 0 as in TensorBoard; a point that
 * stands for many counts as many. */
static const float *
get_values (PrismChartSeries *self,
            gboolean smooth)
{
  const float *raw = (const float *) self->raw->data;
  double average = 0, correction = 1, weight;

  if (!smooth || self->weight == 0)
    return raw;
  if (self->smooth->len == self->raw->len)
    return (const float *) self->smooth->data;
  weight = pow (self->weight, self->stride);
  g_array_set_size (self->smooth, 0);
  for (guint i = 0; i < self->raw->len; i++)
    {
      float value = NAN;

      if (isfinite (raw[i]))
        {
          average = weight * average + (1 - weight) * raw[i];
          correction *= weight;
          value = (float) (average / (1 - correction));
        }
      g_array_append_val (self->smooth, value);
    }
  return (const float *) self->smooth->data;
}

/**
 * prism_chart_series_get_y:
 * @self: a series
 * @i: index of a point
 * @smooth: the moving average instead of the value itself
 *
 * Returns: the value, NAN when absent
 */
double
prism_chart_series_get_y (PrismChartSeries *self,
                          guint64 i,
                          gboolean smooth)
{
  return get_values (self, smooth)[i];
}

/**
 * prism_chart_series_find:
 * @self: a series
 * @x: a place
 *
 * Returns: the index of the first point at @x or after it; the number of points when there is none
 */
guint64
prism_chart_series_find (PrismChartSeries *self,
                         double x)
{
  guint64 low = 0;
  guint64 high = self->x->len;

  while (low < high)
    {
      guint64 middle = low + (high - low) / 2;

      if (g_array_index (self->x, double, middle) < x)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/**
 * prism_chart_series_get_nearest:
 * @self: a series
 * @x: a place
 * @i: (out): index of the point nearest to it
 *
 * Returns: whether there is a point
 */
gboolean
prism_chart_series_get_nearest (PrismChartSeries *self,
                                double x,
                                guint64 *i)
{
  *i = prism_chart_series_find (self, x);
  if (self->x->len == 0)
    return FALSE;
  if (*i == self->x->len)
    (*i)--;
  else if (*i > 0)
    {
      double before = x - prism_chart_series_get_x (self, *i - 1);
      double after = prism_chart_series_get_x (self, *i) - x;
      *i -= before < after;
    }
  return TRUE;
}

/**
 * prism_chart_series_add_extremes:
 * @self: a series
 * @first: index of the first point
 * @end: index after the last point
 * @smooth: the moving average instead of the values themselves
 * @extremes: those of other values; what lies between is added
 */
void
prism_chart_series_add_extremes (PrismChartSeries *self,
                                 guint64 first,
                                 guint64 end,
                                 gboolean smooth,
                                 PrismChartExtremes *extremes)
{
  const float *values = get_values (self, smooth);

  for (guint64 i = first; i < end; i++)
    prism_chart_extremes_add (extremes, values[i]);
}
