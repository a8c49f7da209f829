#include "config.h"

#include "prism-chart-draw.h"

#include <math.h>

/* Each level of a pyramid holds the extremes of this many entries of the level below. */
#define BRANCH 16
/* A curve of more points is thinned out: many times as many as a screen has columns. */
#define MAX_POINTS 131072
/* Of so many neighbours the smallest and the largest stay. */
#define GROUP 4

#define NO_EXTREMES ((PrismChartExtremes) { INFINITY, -INFINITY, INFINITY })

static void
pyramid_init (PrismChartPyramid *self)
{
  self->values = g_array_new (FALSE, FALSE, sizeof (float));
  for (int level = 0; level < PRISM_CHART_N_LEVELS; level++)
    self->levels[level] = g_array_new (FALSE, FALSE, sizeof (PrismChartExtremes));
}

static void
pyramid_clear (PrismChartPyramid *self)
{
  g_array_set_size (self->values, 0);
  for (int level = 0; level < PRISM_CHART_N_LEVELS; level++)
    g_array_set_size (self->levels[level], 0);
}

static void
pyramid_free (PrismChartPyramid *self)
{
  g_array_unref (self->values);
  for (int level = 0; level < PRISM_CHART_N_LEVELS; level++)
    g_array_unref (self->levels[level]);
}

static void
widen (PrismChartExtremes *extremes,
       const PrismChartExtremes *other)
{
  /* Comparisons with NAN are false: absent values leave the extremes alone. */
  if (other->minimum < extremes->minimum)
    extremes->minimum = other->minimum;
  if (other->maximum > extremes->maximum)
    extremes->maximum = other->maximum;
  if (other->positive < extremes->positive)
    extremes->positive = other->positive;
}

static void
widen_value (PrismChartExtremes *extremes,
             float value)
{
  widen (extremes, &(PrismChartExtremes) { value, value, value > 0 ? value : INFINITY });
}

static void
pyramid_append (PrismChartPyramid *self,
                float value)
{
  guint64 i = self->values->len;

  g_array_append_val (self->values, value);
  for (int level = 0; level < PRISM_CHART_N_LEVELS; level++)
    {
      GArray *groups = self->levels[level];

      i /= BRANCH;
      if (i == groups->len)
        {
          PrismChartExtremes start = NO_EXTREMES;

          /* A level comes into being when its first group begins to have a neighbour. */
          if (i == 0 && level > 0)
            start = g_array_index (self->levels[level - 1], PrismChartExtremes, 0);
          g_array_append_val (groups, start);
        }
      widen_value (&g_array_index (groups, PrismChartExtremes, i), value);
      if (i == 0)
        break;
    }
}

/* Full groups are taken from the level above, the ragged ends one by one. */
static void
pyramid_accumulate (const PrismChartPyramid *self,
                    int level,
                    guint64 first,
                    guint64 end,
                    PrismChartExtremes *extremes)
{
  while (first < end)
    {
      gboolean whole = first % BRANCH == 0 && end - first >= BRANCH
                       && level + 1 < PRISM_CHART_N_LEVELS
                       && self->levels[level + 1]->len > first / BRANCH;

      if (whole)
        {
          guint64 groups = (end - first) / BRANCH;
          pyramid_accumulate (self, level + 1, first / BRANCH, first / BRANCH + groups, extremes);
          first += groups * BRANCH;
        }
      else if (level < 0)
        {
          widen_value (extremes, g_array_index (self->values, float, first));
          first++;
        }
      else
        {
          widen (extremes, &g_array_index (self->levels[level], PrismChartExtremes, first));
          first++;
        }
    }
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
  self->correction = 1;
  self->stride = 1;
  self->first = self->last = NAN;
  self->x = g_array_new (FALSE, FALSE, sizeof (double));
  self->tail_x = g_array_new (FALSE, FALSE, sizeof (double));
  self->tail_y = g_array_new (FALSE, FALSE, sizeof (float));
  pyramid_init (&self->raw);
  pyramid_init (&self->smooth);
  return self;
}

/**
 * prism_chart_series_free:
 * @self: (transfer full): a series
 *
 * Frees it.
 */
void
prism_chart_series_free (PrismChartSeries *self)
{
  g_free (self->label);
  g_array_unref (self->x);
  g_array_unref (self->tail_x);
  g_array_unref (self->tail_y);
  pyramid_free (&self->raw);
  pyramid_free (&self->smooth);
  g_free (self);
}

/* The exponential moving average, corrected for its start at 0 as in TensorBoard. A point that
 * stands for many counts as many. */
static float
average (PrismChartSeries *self,
         float y,
         double weight)
{
  if (!isfinite (y))
    return NAN;
  self->average = weight * self->average + (1 - weight) * y;
  self->correction *= weight;
  return (float) (self->average / (1 - self->correction));
}

static void
reset_smooth (PrismChartSeries *self)
{
  pyramid_clear (&self->smooth);
  self->average = 0;
  self->correction = 1;
}

/**
 * prism_chart_series_set_smoothing:
 * @self: a series
 * @weight: of the past, 0 for none, below 1
 *
 * Computes the moving average of all points, and of those to come: s = w·s + (1-w)·y, divided by
 * 1-wⁿ. Where the curve has been thinned out it is the average of the points that are kept.
 */
void
prism_chart_series_set_smoothing (PrismChartSeries *self,
                                  double weight)
{
  g_return_if_fail (weight >= 0 && weight < 1);

  if (weight == self->weight)
    return;
  self->weight = weight;
  reset_smooth (self);
  for (guint i = 0; i < self->raw.values->len && weight > 0; i++)
    pyramid_append (&self->smooth, average (self, g_array_index (self->raw.values, float, i),
                                            pow (weight, self->stride)));
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

static void
pyramid_rebuild (PrismChartPyramid *self,
                 guint n_values)
{
  pyramid_clear (self);
  /* The values themselves are still there: each is read before it is written again. */
  for (guint i = 0; i < n_values; i++)
    pyramid_append (self, ((const float *) self->values->data)[i]);
}

/* Halves the points of the whole curve. The pyramids know of it when they are built anew. */
static void
thin (PrismChartSeries *self)
{
  const guint n_points = self->x->len / GROUP * 2;
  float *raw = (float *) self->raw.values->data, *smooth = (float *) self->smooth.values->data;
  double *x = (double *) self->x->data;

  for (guint to = 0; to < n_points; to++)
    {
      const guint from = to / 2 * GROUP;
      guint kept[2];

      if (to % 2 == 0)
        choose (&raw[from], GROUP, kept);
      x[to] = x[from + kept[to % 2]];
      raw[to] = raw[from + kept[to % 2]];
      if (self->smooth.values->len > 0)
        smooth[to] = smooth[from + kept[to % 2]];
    }
  g_array_set_size (self->x, n_points);
  pyramid_rebuild (&self->raw, n_points);
  if (self->smooth.values->len > 0)
    pyramid_rebuild (&self->smooth, n_points);
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
  for (guint i = 0; i < self->tail_y->len; i++)
    {
      const float one = g_array_index (self->tail_y, float, i);
      const float smooth = self->weight > 0 ? average (self, one, self->weight) : NAN;

      if (i != kept[0] && i != kept[1])
        continue;
      g_array_append_val (self->x, g_array_index (self->tail_x, double, i));
      pyramid_append (&self->raw, one);
      if (self->weight > 0)
        pyramid_append (&self->smooth, smooth);
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
  const GArray *newest = self->tail_y->len > 0 ? self->tail_y : self->raw.values;

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
  pyramid_clear (&self->raw);
  reset_smooth (self);
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
  PrismChartColumn all;

  *first = self->first;
  *last = self->last;
  prism_chart_series_compute_column (self, 0, self->x->len, FALSE, &all);
  return all.minimum <= all.maximum;
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
  const float *y = (const float *) self->raw.values->data;
  guint64 n = self->raw.values->len;

  return !isnan (y[i]) && (i == 0 || isnan (y[i - 1])) && (i + 1 == n || isnan (y[i + 1]));
}

/**
 * prism_chart_series_may_be_alone:
 * @self: a series
 *
 * Returns: whether prism_chart_series_is_alone() can hold for any point
 */
gboolean
prism_chart_series_may_be_alone (PrismChartSeries *self)
{
  return self->broken || self->x->len == 1;
}

static const PrismChartPyramid *
get_pyramid (PrismChartSeries *self,
             gboolean smooth)
{
  return smooth && self->weight > 0 ? &self->smooth : &self->raw;
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
  return g_array_index (get_pyramid (self, smooth)->values, float, i);
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
 * prism_chart_series_compute_column:
 * @self: a series
 * @first: index of the first point
 * @end: index after the last point
 * @smooth: the moving average instead of the values themselves
 * @column: (out caller-allocates): what lies between
 *
 * Finds first, last, smallest and largest value in a time that grows with the logarithm of the
 * number of points only.
 */
void
prism_chart_series_compute_column (PrismChartSeries *self,
                                   guint64 first,
                                   guint64 end,
                                   gboolean smooth,
                                   PrismChartColumn *column)
{
  const PrismChartPyramid *pyramid = get_pyramid (self, smooth);
  PrismChartExtremes extremes = NO_EXTREMES;

  *column = (PrismChartColumn) {
    .first = NAN,
    .last = NAN,
    .minimum = INFINITY,
    .maximum = -INFINITY,
    .positive = INFINITY,
  };
  if (first >= end)
    return;
  pyramid_accumulate (pyramid, -1, first, end, &extremes);
  column->n_points = end - first;
  column->first = g_array_index (pyramid->values, float, first);
  column->last = g_array_index (pyramid->values, float, end - 1);
  column->minimum = extremes.minimum;
  column->maximum = extremes.maximum;
  column->positive = extremes.positive;
}
