#include "config.h"

#include "base/prism-each.h"
#include "prism-chart-draw.h"

/* Free space above and below the curves, as a fraction of their range. */
#define MARGIN 0.06
/* A logarithmic axis spans at most this many decades below its largest value. */
#define MAX_DECADES 12
/* A pass of the polish looks at every measurement, and few passes come after thousands of steps:
 * each gets this much room, all of them at most a part of the plot. */
#define PASS_WIDTH 5.0 /* px */
#define POLISH_SHARE 0.25
/* Between two numbers below the plot, and how many of them are tried, as heights of a line. */
#define NUMBER_GAP 10.0 /* px */
#define NUMBER_SPACING 2.4
/* Lines of text that fit into an area that has room for one more below its numbers. */
#define TALL 12
/* Of the points of a map of few and of many, and of others. */
#define LEAST_DOT 2.5
#define MOST_DOT 14.0
#define DOT 3.5
/* A bar of colours with its distance from the plot and from its numbers. */
#define BAR_ROOM 28
/* An axis that begins this near to zero begins there. */
#define NEARLY_ZERO 0.05

static void
extend_range (PrismChartSeries *series,
              double first,
              double last,
              PrismChartExtremes *range)
{
  guint64 begin = prism_chart_series_find (series, first);
  guint64 end = prism_chart_series_find (series, nextafter (last, INFINITY));

  prism_chart_series_add_extremes (series, begin, end, FALSE, range);
}

static void
extend_by_items (const PrismChartData *data,
                 PrismChartExtremes *range)
{
  PRISM_FOR_EACH (const PrismChartItem, item, data->items)
    {
      const double values[] = { item->y[0], item->y[1], item->spread[0], item->spread[1],
                                item->spread[2], item->spread[3] };

      /* In lanes it lies along the other axis. */
      for (guint k = 0; k < (data->shape == PRISM_CHART_LANES ? 2 : G_N_ELEMENTS (values)); k++)
        prism_chart_extremes_add (range, (float) values[k]);
    }
}

/* Of the curves, of those of another run behind them, and of the items. */
static gboolean
get_visible_range (PrismChartData *data,
                   PrismChartSide side,
                   double first,
                   double last,
                   PrismChartExtremes *range)
{
  *range = PRISM_CHART_NO_EXTREMES;
  for (guint i = 0; i < data->series->len; i++)
    {
      PrismChartSeries *series = prism_chart_data_get_series (data, i);

      if (series->side != side || series->hidden)
        continue;
      extend_range (series, first, last, range);
      if (i < data->ghosts->len && data->ghosts->pdata[i] != NULL)
        extend_range (data->ghosts->pdata[i], first, last, range);
    }
  if (side == PRISM_CHART_LEFT)
    extend_by_items (data, range);
  return range->minimum <= range->maximum;
}

static void
widen_linear (double *low,
              double *high)
{
  double range = *high - *low;

  if (range <= 1e-9 * MAX (fabs (*high), 1e-30))
    range = MAX (fabs (*high), 1e-3);
  /* What is never negative does not show negative numbers. */
  *low = *low >= 0 && *low < 0.3 * range ? 0 : *low - MARGIN * range;
  *high += MARGIN * range;
}

static void
compute_scale (PrismChartScale *scale,
               PrismChartData *data,
               PrismChartSide side,
               double first,
               double last)
{
  const PrismChartAxis *axis = &data->axes[side];
  PrismChartExtremes range;
  gboolean found = get_visible_range (data, side, first, last, &range);

  scale->logarithmic = axis->logarithmic;
  scale->down = data->equal || data->shape == PRISM_CHART_LANES || data->shape == PRISM_CHART_CELLS;
  scale->floor = found && axis->logarithmic && range.minimum <= 0 ? range.minimum : NAN;
  scale->low = axis->logarithmic ? range.positive : range.minimum;
  scale->high = range.maximum;
  if (!(scale->low <= scale->high))
    {
      scale->low = axis->logarithmic ? 0.1 : 0;
      scale->high = 1;
    }
  else if (axis->logarithmic)
    {
      double margin;

      scale->low = MAX (scale->low, scale->high * pow (10, -MAX_DECADES));
      margin = pow (10, MARGIN * MAX (log10 (scale->high / scale->low), 0.2));
      scale->low /= margin;
      scale->high *= margin;
    }
  else
    widen_linear (&scale->low, &scale->high);

  /* A limit that is far away would press the curve to the ground. */
  if (side == PRISM_CHART_LEFT && scale->high > 0.5 * data->limit)
    scale->high = MAX (scale->high, 1.05 * data->limit);
  /* What has an end is judged against all of it: a correlation of 0.6 is not the least there is. */
  if (!isnan (axis->maximum) && !axis->logarithmic)
    scale->low = MIN (scale->low, 0);
  if (!isnan (axis->minimum))
    scale->low = axis->minimum;
  if (!isnan (axis->maximum))
    scale->high = axis->maximum;
  if (!(scale->high > scale->low))
    scale->high = scale->low + 1;
}

/**
 * prism_chart_layout_dup_tick:
 * @names: (nullable): of an axis, which stand in place of numbers
 * @ticks: its numbers
 * @i: from 0 on
 * @at: (out): where on the axis
 *
 * Returns: (transfer full) (nullable): what stands there, %NULL after the last one
 */
char *
prism_chart_layout_dup_tick (const GArray *names,
                             const PrismTicks *ticks,
                             guint i,
                             double *at)
{
  if (names != NULL && names->len > 0)
    {
      const PrismChartMark *name = &g_array_index (names, PrismChartMark, i);

      *at = i < names->len ? name->x : NAN;
      return i < names->len ? g_strdup (name->label) : NULL;
    }
  *at = i < (guint) ticks->n_major ? ticks->major[i] : NAN;
  return i < (guint) ticks->n_major ? prism_ticks_dup_label (ticks, (int) i) : NULL;
}

static double
measure_labels (const GArray *names,
                const PrismTicks *ticks,
                PrismPaint *paint)
{
  double widest = 0, width, at;
  char *label;

  for (guint i = 0; (label = prism_chart_layout_dup_tick (names, ticks, i, &at)) != NULL; i++)
    {
      prism_paint_measure (paint, label, &width, NULL);
      widest = MAX (widest, width);
      g_free (label);
    }
  return widest;
}

/* The numbers beside the plot, with their distance from it. */
static double
measure_numbers (const PrismChartScale *scale,
                 const GArray *names,
                 PrismPaint *paint)
{
  double floor = 0;

  if (!isnan (scale->floor))
    prism_paint_measure (paint, "≤ 0", &floor, NULL);
  return ceil (fmax (floor, measure_labels (names, &scale->ticks, paint))) + 8;
}

/* One number alone is no scale: where there is little room, they come closer. */
static void
compute_ticks (PrismChartLayout *self,
               const PrismChartData *data,
               PrismPaint *paint)
{
  for (int side = 0; side < PRISM_CHART_N_SIDES; side++)
    {
      PrismChartScale *scale = &self->scales[side];
      int n = (int) (self->height / (2.2 * paint->line_height)) + 1;

      scale->ticks.n_major = 0;
      for (; scale->ticks.n_major < 2 && (n - 1) * paint->line_height <= 2 * self->height; n++)
        if (scale->logarithmic)
          prism_ticks_init_log (&scale->ticks, scale->low, scale->high, n);
        else
          prism_ticks_init_linear (&scale->ticks, scale->low, scale->high, n);
      if (data->names[1]->len > 0)
        scale->ticks.n_major = scale->ticks.n_minor = 0;
    }
}

/* As many as fit beside each other. */
static void
compute_x_ticks (PrismChartLayout *self,
                 const PrismChartData *data,
                 PrismPaint *paint)
{
  double scale = self->bend_width / (self->bend - self->first);
  int max_ticks = (int) (self->bend_width / (NUMBER_SPACING * paint->line_height)) + 1;

  for (gboolean fits = FALSE; !fits; max_ticks--)
    {
      if (data->continuous)
        prism_ticks_init_linear (&self->x_ticks, self->first, self->bend, max_ticks);
      else
        prism_ticks_init_integer (&self->x_ticks, self->first, self->bend, max_ticks);
      fits = max_ticks <= 2
             || measure_labels (NULL, &self->x_ticks, paint) + NUMBER_GAP
                    <= scale * self->x_ticks.step;
    }
  /* Of one step before many passes the numbers would stand on each other. */
  if (measure_labels (NULL, &self->x_ticks, paint) > scale * self->x_ticks.step)
    self->x_ticks.n_major = MIN (self->x_ticks.n_major, 1);
}

static void
compute_extent (PrismChartLayout *self,
                PrismChartData *data)
{
  double first;
  double last;

  self->empty = !prism_chart_data_get_extent (data, &first, &last);
  if (isnan (self->first))
    {
      gboolean from_zero = isnan (data->first) && first > 0 && first < NEARLY_ZERO * last;

      self->first = self->empty || from_zero ? 0 : first;
      self->last = self->empty ? 1 : last;
    }
  if (!(self->last > self->first))
    self->last = self->first + 1;
}

/* Numbers, names or a bar of colours on either side, and the curves between them. */
static void
place_sides (PrismChartLayout *self,
             PrismChartData *data,
             PrismPaint *paint,
             double area_width)
{
  double left = 10, right = 10, number;

  if (self->scales[PRISM_CHART_LEFT].shown && data->shape != PRISM_CHART_LANES)
    left = measure_numbers (&self->scales[PRISM_CHART_LEFT], data->names[1], paint);
  if (self->scales[PRISM_CHART_RIGHT].shown)
    right = measure_numbers (&self->scales[PRISM_CHART_RIGHT], NULL, paint);
  if (data->mapping.white > data->mapping.black)
    {
      prism_paint_measure (paint, "−0.0005", &number, NULL);
      right = BAR_ROOM + prism_color_bar_get_room (&data->mapping, number);
    }
  self->left = left;
  self->width = MAX (1, round (area_width - left - right));
}

/* One scale for both axes: the range of the one that has more room than it needs is wider. */
static void
equalise (PrismChartLayout *self,
          const PrismChartData *data,
          PrismPaint *paint)
{
  PrismChartScale *y = &self->scales[PRISM_CHART_LEFT];
  double side = MIN (self->width, self->height), scale, more;

  self->dot = DOT;
  if (!data->equal)
    return;
  self->dot = CLAMP (0.38 * side / sqrt (MAX (data->items->len, 1)), LEAST_DOT, MOST_DOT);
  /* Whole points at the edges. */
  scale = MIN ((self->width - 2 * self->dot) / MAX (self->last - self->first, 1e-6),
               (self->height - 2 * self->dot) / MAX (y->high - y->low, 1e-6));
  more = self->width / scale - (self->last - self->first);
  self->first -= more / 2;
  self->last += more / 2;
  more = self->height / scale - (y->high - y->low);
  y->low -= more / 2;
  y->high += more / 2;
  compute_ticks (self, data, paint);
}

/**
 * prism_chart_layout_init:
 * @self: (out caller-allocates): a layout
 * @data: what is shown
 * @paint: with the font of the numbers
 * @area_width: of the chart
 * @area_height: of the chart
 * @first: smallest x to show, NAN for all
 * @last: largest x to show, NAN for all
 *
 * Gives numbers and titles the room they need and the curves the rest; the vertical axes span the
 * values between @first and @last.
 */
void
prism_chart_layout_init (PrismChartLayout *self,
                         PrismChartData *data,
                         PrismPaint *paint,
                         double area_width,
                         double area_height,
                         double first,
                         double last)
{
  PrismChartExtremes range;

  *self = (PrismChartLayout) { .first = first, .last = last };
  compute_extent (self, data);
  for (int side = 0; side < PRISM_CHART_N_SIDES; side++)
    compute_scale (&self->scales[side], data, side, self->first, self->last);
  /* An axis takes its room when it has something to show: a run without training has no losses.
   * Where nothing has anything the left one stands. */
  self->scales[PRISM_CHART_RIGHT].shown
      = get_visible_range (data, PRISM_CHART_RIGHT, -INFINITY, INFINITY, &range);
  self->scales[PRISM_CHART_LEFT].shown
      = get_visible_range (data, PRISM_CHART_LEFT, -INFINITY, INFINITY, &range)
        || !self->scales[PRISM_CHART_RIGHT].shown;

  if (data->shape != PRISM_CHART_LANES || data->items->len == 0)
    self->top = round (paint->line_height * 1.25 + 2);
  self->titled_below = data->x_title[0] != '\0' && area_height >= TALL * paint->line_height;
  self->height = MAX (1, round (area_height - self->top - 3
                                - (self->titled_below ? 2.6 : 1.5) * paint->line_height));
  /* In a low chart numbers tell more than titles, and two of them need two lines. */
  if (self->top > 0 && self->height < 2 * paint->line_height)
    {
      const double spared = round (self->top - 0.5 * paint->line_height);

      self->top -= spared;
      self->height += spared;
    }
  compute_ticks (self, data, paint);
  place_sides (self, data, paint, area_width);
  if (data->bare)
    {
      self->left = self->top = 0;
      self->width = area_width;
      self->height = area_height;
    }
  /* A small map keeps its room to itself. */
  if (data->equal && area_height < TALL * paint->line_height)
    {
      self->width += self->left;
      self->left = self->top = 0;
      self->height = area_height;
    }
  equalise (self, data, paint);
  self->bend = self->last;
  self->bend_width = self->width;
  /* To its left steps are as wide as each other, and passes to its right. */
  if (data->polish > self->first && data->polish < self->last)
    {
      const double passes = self->last - data->polish;
      const double share = MAX (MIN (POLISH_SHARE, PASS_WIDTH * passes / self->width),
                                passes / (self->last - self->first));

      self->bend = data->polish;
      self->bend_width = (1 - share) * self->width;
    }
  if (data->names[0]->len == 0)
    compute_x_ticks (self, data, paint);
}

/**
 * prism_chart_layout_get_height:
 * @data: with lanes
 * @line_height: of the text
 *
 * Returns: height of an area in which lines of the lanes are as high as those of text
 */
double
prism_chart_layout_get_height (const PrismChartData *data,
                               double line_height)
{
  const double lines = data->axes[PRISM_CHART_LEFT].maximum;

  return ceil ((lines + (lines >= TALL - 2.6 ? 2.6 : 1.5)) * line_height) + 3;
}

/**
 * prism_chart_layout_get_x:
 * @self: a layout
 * @x: a step
 *
 * Returns: its place in the area
 */
double
prism_chart_layout_get_x (const PrismChartLayout *self,
                          double x)
{
  /* Far outside the plot cairo's fixed-point numbers would overflow. */
  const double most = 1e6;
  double place;

  if (x > self->bend && self->bend < self->last)
    place = self->bend_width
            + (x - self->bend) / (self->last - self->bend) * (self->width - self->bend_width);
  else
    place = (x - self->first) / (self->bend - self->first) * self->bend_width;
  return self->left + CLAMP (place, -most, most);
}

/**
 * prism_chart_layout_get_y:
 * @self: a layout
 * @side: an axis
 * @value: a value
 *
 * On a logarithmic axis what is not positive lies at the bottom, where the axis says so.
 *
 * Returns: its place in the area, NAN where it has none
 */
double
prism_chart_layout_get_y (const PrismChartLayout *self,
                          PrismChartSide side,
                          double value)
{
  const PrismChartScale *scale = &self->scales[side];
  double t;

  if (!scale->logarithmic)
    t = (value - scale->low) / (scale->high - scale->low);
  else
    t = value <= 0 ? 0 : log (value / scale->low) / log (scale->high / scale->low);
  return self->top + (scale->down ? t : 1 - t) * self->height;
}

/**
 * prism_chart_layout_get_step:
 * @self: a layout
 * @area_x: a place in the area
 *
 * The inverse of prism_chart_layout_get_x().
 *
 * Returns: the step there
 */
double
prism_chart_layout_get_step (const PrismChartLayout *self,
                             double area_x)
{
  double after = area_x - self->left - self->bend_width;

  if (after > 0 && self->bend < self->last)
    return self->bend + after / (self->width - self->bend_width) * (self->last - self->bend);
  return self->first + (area_x - self->left) / self->bend_width * (self->bend - self->first);
}
