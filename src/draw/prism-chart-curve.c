#include "config.h"

#include "prism-chart-draw.h"

#include "base/prism-number.h"

#define LINE_WIDTH 1.6
#define FAINT_ALPHA 0.28
#define GHOST_ALPHA 0.45
/* Logical pixels between the symbols on a curve. */
#define SYMBOL_SPACING 84.0
#define SYMBOL_SIZE 3.2
#define N_STYLES 8
/* A column this high is as wide as one, in logical pixels. */
#define SHARP_TURN 4.0
/* Such columns of this height on average are a block. */
#define BLOCK_HEIGHT 12.0
/* A median is taken over so many logical pixels, of at most so many values. */
#define MEDIAN_WIDTH 4.0
#define MEDIAN_VALUES 64

typedef struct
{
  PrismColor light; /* on a light page */
  PrismColor dark;  /* on a dark page */
  double dashes[4];
  int n_dashes;
} Style;

typedef struct
{
  guint n_corners; /* none for a circle */
  double corners[6][2];
} Symbol;

/* Source: the hues of Okabe and Ito (2008), told apart with any kind of colour vision, here with
 * enough contrast on either page. */
static const Style styles[N_STYLES] = {
  { { 0.00, 0.40, 0.75, 1 }, { 0.42, 0.74, 1.00, 1 }, { 0 }, 0 },
  { { 0.80, 0.33, 0.00, 1 }, { 1.00, 0.62, 0.26, 1 }, { 6, 3 }, 2 },
  { { 0.00, 0.53, 0.39, 1 }, { 0.30, 0.85, 0.66, 1 }, { 1.5, 2.5 }, 2 },
  { { 0.64, 0.24, 0.56, 1 }, { 0.93, 0.60, 0.85, 1 }, { 8, 3, 1.5, 3 }, 4 },
  { { 0.36, 0.36, 0.36, 1 }, { 0.78, 0.78, 0.78, 1 }, { 3, 3 }, 2 },
  { { 0.47, 0.40, 0.00, 1 }, { 0.94, 0.89, 0.26, 1 }, { 10, 4 }, 2 },
  { { 0.05, 0.47, 0.60, 1 }, { 0.55, 0.86, 0.94, 1 }, { 5, 2, 1, 2 }, 4 },
  { { 0.72, 0.10, 0.22, 1 }, { 1.00, 0.52, 0.52, 1 }, { 1, 4 }, 2 },
};

static const Symbol symbols[N_STYLES] = {
  { 0 },
  { 4, { { -0.9, -0.9 }, { 0.9, -0.9 }, { 0.9, 0.9 }, { -0.9, 0.9 } } },
  { 3, { { 0, -1.2 }, { 1.15, 0.85 }, { -1.15, 0.85 } } },
  { 4, { { 0, -1.35 }, { 1.35, 0 }, { 0, 1.35 }, { -1.35, 0 } } },
  { 3, { { 0, 1.2 }, { 1.15, -0.85 }, { -1.15, -0.85 } } },
  { 4, { { -1.4, -0.6 }, { 1.4, -0.6 }, { 1.4, 0.6 }, { -1.4, 0.6 } } },
  { 4, { { -0.6, -1.4 }, { 0.6, -1.4 }, { 0.6, 1.4 }, { -0.6, 1.4 } } },
  { 6, { { 1.2, 0 }, { .6, 1.04 }, { -.6, 1.04 }, { -1.2, 0 }, { -.6, -1.04 }, { .6, -1.04 } } },
};

static void
set_series_color (PrismPaint *paint,
                  guint series,
                  double alpha)
{
  const Style *style = &styles[series % N_STYLES];

  prism_paint_set_color (paint, paint->dark ? &style->dark : &style->light, alpha);
}

static void
set_dashes (PrismPaint *paint,
            guint series)
{
  const Style *style = &styles[series % N_STYLES];

  cairo_set_dash (paint->cr, style->dashes, style->n_dashes, 0);
}

static void
add_symbol (PrismPaint *paint,
            guint series,
            double x,
            double y)
{
  const Symbol *symbol = &symbols[series % N_STYLES];

  prism_paint_add_polygon (paint, x, y, SYMBOL_SIZE, symbol->corners, symbol->n_corners);
}

static void
draw_symbol (PrismPaint *paint,
             guint series,
             double x,
             double y)
{
  const double ground = paint->dark ? 0.1 : 1;

  cairo_new_path (paint->cr);
  add_symbol (paint, series, x, y);
  set_series_color (paint, series, 1);
  cairo_fill_preserve (paint->cr);
  cairo_set_dash (paint->cr, NULL, 0, 0);
  cairo_set_line_width (paint->cr, 1);
  cairo_set_source_rgba (paint->cr, ground, ground, ground, 0.9);
  cairo_stroke (paint->cr);
}

/* Ordinate of a value, NAN when it has none. */
static double
get_y (const PrismChartLayout *layout,
       PrismChartSide side,
       double value)
{
  double y = prism_chart_layout_get_y (layout, side, value);

  /* Far outside the plot cairo's fixed-point numbers would overflow. */
  return isnan (y) ? NAN
                   : CLAMP (y, layout->top - 4 * layout->height, layout->top + 5 * layout->height);
}

/* Adds a point to the path; an absent one ends the line. */
static void
add_point (cairo_t *cr,
           double x,
           double y,
           gboolean *drawing)
{
  if (isnan (y))
    {
      *drawing = FALSE;
      return;
    }
  if (*drawing)
    cairo_line_to (cr, x, y);
  else
    cairo_move_to (cr, x, y);
  *drawing = TRUE;
}

/* What of a dense curve is to be painted. */
typedef struct
{
  PrismChartSeries *series;
  const PrismChartLayout *layout;
  gboolean smooth;
} Curve;

/* Of at most MEDIAN_VALUES of the values first…end - 1, evenly; NAN where all are absent. */
static double
compute_median (const Curve *curve,
                guint64 first,
                guint64 end)
{
  double values[MEDIAN_VALUES];
  guint64 stride = (end - first) / MEDIAN_VALUES + 1;
  guint n = 0;

  for (guint64 i = first; i < end; i += stride)
    {
      double value = prism_chart_series_get_y (curve->series, i, curve->smooth);

      if (!isnan (value))
        values[n++] = value;
    }
  prism_sort_doubles (values, n);
  return n > 0 ? values[n / 2] : NAN;
}

/* Where the line to a point from the one before it is at a place in the area; NAN without one. */
static double
get_line_y (const Curve *curve,
            guint64 i,
            double x)
{
  const PrismChartLayout *layout = curve->layout;
  const PrismChartSide side = curve->series->side;
  double ends[2][2];

  if (i == 0 || i >= prism_chart_series_get_n_points (curve->series))
    return NAN;
  for (guint k = 0; k < 2; k++)
    {
      ends[k][0] = prism_chart_layout_get_x (layout,
                                             prism_chart_series_get_x (curve->series, i - 1 + k));
      ends[k][1] = get_y (layout, side,
                          prism_chart_series_get_y (curve->series, i - 1 + k, curve->smooth));
    }
  return ends[0][1] + (ends[1][1] - ends[0][1]) * (x - ends[0][0]) / (ends[1][0] - ends[0][0]);
}

/* The median of a few columns each. */
static void
stroke_median (PrismPaint *paint,
               const Curve *curve)
{
  const PrismChartLayout *layout = curve->layout;
  PrismChartSide side = curve->series->side;
  const double right = layout->left + layout->width;
  gboolean drawing = FALSE;

  for (double x = layout->left; x < right; x += MEDIAN_WIDTH)
    {
      double last = prism_chart_layout_get_step (layout, MIN (x + MEDIAN_WIDTH, right));
      guint64 first = prism_chart_series_find (curve->series,
                                               prism_chart_layout_get_step (layout, x));
      guint64 end = prism_chart_series_find (curve->series, last);

      if (end > first)
        add_point (paint->cr, MIN (x + MEDIAN_WIDTH / 2, right),
                   get_y (layout, side, compute_median (curve, first, end)), &drawing);
    }
  cairo_stroke (paint->cr);
}

/* Adds a piece of the curve without gaps to the path: along the highest values of its columns and
 * back along the lowest; what goes up and down in a column is as wide as that. */
static void
close_piece (cairo_t *cr,
             GArray *columns)
{
  const cairo_rectangle_t *column = (const cairo_rectangle_t *) columns->data;
  const guint n = columns->len;

  cairo_new_sub_path (cr);
  for (guint i = 0; i < 2 * n; i++)
    {
      const cairo_rectangle_t *at = &column[i < n ? i : 2 * n - 1 - i];
      const double y = i < n ? at->y : at->y + at->height;
      const double half = n == 1 || at->height > SHARP_TURN ? at->width / 2 : 0;

      cairo_line_to (cr, at->x + (i < n ? -half : half), y);
      if (half > 0)
        cairo_line_to (cr, at->x + (i < n ? half : -half), y);
    }
  if (n > 0)
    cairo_close_path (cr);
  g_array_set_size (columns, 0);
}

/* The area between the lowest and the highest values of each column of pixels: stroking each to
 * and fro takes ten times as long and shows no more. Where nearly everything is to and fro this
 * would be one block: it is faint then, with the median in it. */
static void
fill_columns (PrismPaint *paint,
              const Curve *curve,
              guint index,
              gboolean faint)
{
  const PrismChartLayout *layout = curve->layout;
  const PrismChartSide side = curve->series->side;
  const double right = layout->left + layout->width, width = cairo_get_line_width (paint->cr);
  g_autoptr (GArray) columns = g_array_new (FALSE, FALSE, sizeof (cairo_rectangle_t));
  guint64 first = prism_chart_series_find (curve->series, layout->first), next;
  double area = 0;
  guint n_tall = 0;

  for (double x = layout->left; x < right; first = next, x++)
    {
      const double step = prism_chart_layout_get_step (layout, x + 1);
      const double enters = get_line_y (curve, first, x);
      PrismChartExtremes values = PRISM_CHART_NO_EXTREMES;
      double leaves, top, bottom;

      next = prism_chart_series_find (curve->series,
                                      x + 1 < right ? step : nextafter (layout->last, INFINITY));
      leaves = get_line_y (curve, next, x + 1);
      prism_chart_series_add_extremes (curve->series, first, next, curve->smooth, &values);
      top = fmin (enters, leaves);
      bottom = fmax (enters, leaves);
      if (values.minimum <= values.maximum)
        {
          top = fmin (top, get_y (layout, side, values.maximum));
          bottom = fmax (bottom, get_y (layout, side, values.minimum));
        }
      if (isnan (enters))
        close_piece (paint->cr, columns);
      if (!isnan (top))
        {
          const cairo_rectangle_t column = { x + 0.5, top - width / 2, 1, bottom - top + width };

          g_array_append_val (columns, column);
        }
      if (isnan (leaves))
        close_piece (paint->cr, columns);
      n_tall += bottom - top > SHARP_TURN;
      area += bottom - top > SHARP_TURN ? bottom - top : 0;
    }
  close_piece (paint->cr, columns);
  if (faint || 2 * n_tall <= layout->width || area <= BLOCK_HEIGHT * n_tall)
    {
      cairo_fill (paint->cr);
      return;
    }
  set_series_color (paint, index, FAINT_ALPHA);
  cairo_fill (paint->cr);
  set_series_color (paint, index, 1);
  stroke_median (paint, curve);
}

static gboolean
get_visible_points (const PrismChartLayout *layout,
                    PrismChartSeries *series,
                    guint64 *first,
                    guint64 *end)
{
  guint64 n = prism_chart_series_get_n_points (series);

  /* One more on either side: the lines that leave the plot. */
  *first = prism_chart_series_find (series, layout->first);
  *first -= *first > 0;
  *end = prism_chart_series_find (series, nextafter (layout->last, INFINITY));
  *end += *end < n;
  return *first < *end;
}

static void
stroke (PrismPaint *paint,
        const PrismChartLayout *layout,
        PrismChartSeries *series,
        guint index,
        gboolean smooth,
        double alpha)
{
  gboolean faint = alpha < 1, drawing = FALSE, dense;
  guint64 first, end;

  if (!get_visible_points (layout, series, &first, &end))
    return;
  dense = end - first > layout->width;
  cairo_new_path (paint->cr);
  cairo_set_dash (paint->cr, NULL, 0, 0);
  /* Dashes are lost in a curve that fills whole columns; its symbols still tell it apart. */
  if (!faint && (smooth || !dense))
    set_dashes (paint, index);
  cairo_set_line_width (paint->cr, alpha > FAINT_ALPHA ? LINE_WIDTH : 1);
  cairo_set_line_join (paint->cr, CAIRO_LINE_JOIN_ROUND);
  cairo_set_line_cap (paint->cr, CAIRO_LINE_CAP_BUTT);
  set_series_color (paint, index, alpha);
  if (dense)
    fill_columns (paint, &(const Curve) { series, layout, smooth }, index, faint);
  else
    {
      for (guint64 i = first; i < end; i++)
        add_point (paint->cr,
                   prism_chart_layout_get_x (layout, prism_chart_series_get_x (series, i)),
                   get_y (layout, series->side, prism_chart_series_get_y (series, i, smooth)),
                   &drawing);
      cairo_stroke (paint->cr);
    }
}

/* Offset from series to series, so that symbols of near curves do not cover each other. */
static void
draw_symbols (PrismPaint *paint,
              const PrismChartLayout *layout,
              PrismChartSeries *series,
              guint index,
              gboolean smooth)
{
  double offset = SYMBOL_SPACING * (0.3 + 0.23 * (index % N_STYLES));
  guint64 previous = G_MAXUINT64;

  for (double at = layout->left + offset; at < layout->left + layout->width; at += SYMBOL_SPACING)
    {
      double step = prism_chart_layout_get_step (layout, at);
      guint64 i;
      double x;
      double y;

      if (!prism_chart_series_get_nearest (series, step, &i) || i == previous)
        continue;
      previous = i;
      x = prism_chart_layout_get_x (layout, prism_chart_series_get_x (series, i));
      y = prism_chart_layout_get_y (layout, series->side,
                                    prism_chart_series_get_y (series, i, smooth));
      if (!isnan (y) && fabs (at - x) < SYMBOL_SPACING / 2
          && x > layout->left && x < layout->left + layout->width)
        draw_symbol (paint, index, x, y);
    }
}

/* The symbol at each visible value that no line goes to: between two gaps, or the first one of a
 * run. Not clipped to the plot: at its edge dots would be cut in half. */
static void
draw_dots (PrismPaint *paint,
           const PrismChartLayout *layout,
           PrismChartSeries *series,
           guint index,
           gboolean smooth,
           double alpha)
{
  PrismChartSide side = series->side;
  guint64 first, end;

  if (!(series->broken || series->x->len == 1)
      || !get_visible_points (layout, series, &first, &end))
    return;
  cairo_new_path (paint->cr);
  for (guint64 i = first; i < end; i++)
    {
      double step = prism_chart_series_get_x (series, i);
      double y;

      if (!prism_chart_series_is_alone (series, i) || step < layout->first || step > layout->last)
        continue;
      y = get_y (layout, side, prism_chart_series_get_y (series, i, smooth));
      if (y >= layout->top - 1 && y <= layout->top + layout->height + 1)
        add_symbol (paint, index, prism_chart_layout_get_x (layout, step), y);
    }
  set_series_color (paint, index, alpha);
  cairo_fill (paint->cr);
}

/**
 * prism_chart_curve_draw_faint:
 * @series: what to show
 * @index: of the series in its chart, which gives it its colour
 * @paint: where
 * @layout: of the chart
 *
 * Paints the values themselves, behind their moving average.
 */
void
prism_chart_curve_draw_faint (PrismChartSeries *series,
                              guint index,
                              PrismPaint *paint,
                              const PrismChartLayout *layout)
{
  stroke (paint, layout, series, index, FALSE, FAINT_ALPHA);
}

/**
 * prism_chart_curves_draw:
 * @data: whose curves
 * @paint: where
 * @layout: of the chart
 *
 * Paints the visible part of all curves with their symbols: behind them those of another run, and
 * the values of which they are moving averages. Any thread that @paint belongs to.
 */
void
prism_chart_curves_draw (PrismChartData *data,
                         PrismPaint *paint,
                         const PrismChartLayout *layout)
{
  const gboolean smooth = data->smoothing > 0;

  cairo_save (paint->cr);
  cairo_rectangle (paint->cr, layout->left - 1, layout->top - 2, layout->width + 2,
                   layout->height + 4);
  cairo_clip (paint->cr);
  for (int turn = 0; turn < 4; turn++)
    {
      if (turn == 3)
        cairo_restore (paint->cr);
      for (guint i = 0; i < data->series->len; i++)
        {
          PrismChartSeries *series = prism_chart_data_get_series (data, i);
          PrismChartSeries *ghost = i < data->ghosts->len ? data->ghosts->pdata[i] : NULL;

          if (series->hidden)
            continue;
          if (turn == 0 && ghost != NULL)
            stroke (paint, layout, ghost, i, smooth, GHOST_ALPHA);
          else if (turn == 1 && smooth)
            prism_chart_curve_draw_faint (series, i, paint, layout);
          else if (turn == 2)
            {
              stroke (paint, layout, series, i, smooth, 1);
              draw_symbols (paint, layout, series, i, smooth);
            }
          else if (turn == 3 && ghost != NULL)
            draw_dots (paint, layout, ghost, i, smooth, GHOST_ALPHA);
          if (turn == 3)
            draw_dots (paint, layout, series, i, smooth, 1);
        }
    }
}

/**
 * prism_chart_curve_draw_sample:
 * @paint: where
 * @series: index of the series
 * @x: left edge
 * @y: middle
 * @width: of the line
 *
 * Paints line and symbol of a series, for a legend.
 */
void
prism_chart_curve_draw_sample (PrismPaint *paint,
                               guint series,
                               double x,
                               double y,
                               double width)
{
  set_dashes (paint, series);
  set_series_color (paint, series, 1);
  cairo_set_line_width (paint->cr, LINE_WIDTH);
  cairo_move_to (paint->cr, x, y);
  cairo_rel_line_to (paint->cr, width, 0);
  cairo_stroke (paint->cr);
  draw_symbol (paint, series, x + width / 2, y);
}
