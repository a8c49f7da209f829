#include "config.h"

#include "prism-chart-draw.h"

#include <glib/gi18n.h>
#include <math.h>

#define LINE_WIDTH 1.6
#define FAINT_ALPHA 0.28
/* Logical pixels between the symbols on a curve. */
#define SYMBOL_SPACING 84.0
#define SYMBOL_SIZE 3.2
/* When marks come nearer to each other than this, only those with a label are painted. */
#define MARK_SPACING 7.0
#define N_STYLES 8
/* Lower decades have no lines between their powers of ten: they would run into each other. */
#define DECADE_HEIGHT 32.0

typedef struct
{
  PrismColor light; /* on a light page */
  PrismColor dark;  /* on a dark page */
  double dashes[4];
  int n_dashes;
} Style;

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

static void
set_series_color (PrismPaint *paint,
                  guint series,
                  double alpha)
{
  const Style *style = &styles[series % N_STYLES];
  const PrismColor *color = paint->dark ? &style->dark : &style->light;

  cairo_set_source_rgba (paint->cr, color->red, color->green, color->blue, alpha);
}

static void
set_dashes (PrismPaint *paint,
            guint series)
{
  const Style *style = &styles[series % N_STYLES];

  cairo_set_dash (paint->cr, style->dashes, style->n_dashes, 0);
}

static void
add_symbol (cairo_t *cr,
            guint series,
            double x,
            double y,
            double size)
{
  switch (series % N_STYLES)
    {
    case 0:
      cairo_new_sub_path (cr);
      cairo_arc (cr, x, y, size, 0, 2 * G_PI);
      break;
    case 1:
      cairo_rectangle (cr, x - 0.9 * size, y - 0.9 * size, 1.8 * size, 1.8 * size);
      break;
    case 2:
      cairo_move_to (cr, x, y - 1.2 * size);
      cairo_line_to (cr, x + 1.15 * size, y + 0.85 * size);
      cairo_line_to (cr, x - 1.15 * size, y + 0.85 * size);
      cairo_close_path (cr);
      break;
    case 3:
      cairo_move_to (cr, x, y - 1.35 * size);
      cairo_line_to (cr, x + 1.35 * size, y);
      cairo_line_to (cr, x, y + 1.35 * size);
      cairo_line_to (cr, x - 1.35 * size, y);
      cairo_close_path (cr);
      break;
    case 4:
      cairo_move_to (cr, x, y + 1.2 * size);
      cairo_line_to (cr, x + 1.15 * size, y - 0.85 * size);
      cairo_line_to (cr, x - 1.15 * size, y - 0.85 * size);
      cairo_close_path (cr);
      break;
    case 5:
      cairo_rectangle (cr, x - 1.4 * size, y - 0.6 * size, 2.8 * size, 1.2 * size);
      break;
    case 6:
      cairo_rectangle (cr, x - 0.6 * size, y - 1.4 * size, 1.2 * size, 2.8 * size);
      break;
    default:
      for (int corner = 0; corner < 6; corner++)
        cairo_line_to (cr, x + 1.2 * size * cos (corner * G_PI / 3),
                       y + 1.2 * size * sin (corner * G_PI / 3));
      cairo_close_path (cr);
      break;
    }
}

static void
draw_symbol (PrismPaint *paint,
             guint series,
             double x,
             double y,
             double size)
{
  cairo_new_path (paint->cr);
  add_symbol (paint->cr, series, x, y, size);
  set_series_color (paint, series, 1);
  cairo_fill_preserve (paint->cr);
  cairo_set_dash (paint->cr, NULL, 0, 0);
  cairo_set_line_width (paint->cr, 1);
  cairo_set_source_rgba (paint->cr, paint->dark ? 0.1 : 1, paint->dark ? 0.1 : 1,
                         paint->dark ? 0.1 : 1, 0.9);
  cairo_stroke (paint->cr);
}

static double
snap (double x)
{
  return floor (x) + 0.5;
}

static gboolean
has_minor_lines (const PrismChartLayout *layout,
                 const PrismChartScale *scale)
{
  return scale->logarithmic && layout->height >= DECADE_HEIGHT * log10 (scale->high / scale->low);
}

static void
draw_grid (PrismPaint *paint,
           const PrismChartLayout *layout)
{
  PrismChartSide side = layout->scales[PRISM_CHART_LEFT].shown
                            ? PRISM_CHART_LEFT
                            : PRISM_CHART_RIGHT;
  const PrismTicks *ticks = &layout->scales[side].ticks;
  int n_minor = has_minor_lines (layout, &layout->scales[side]) ? ticks->n_minor : 0;

  cairo_set_line_width (paint->cr, 1);
  for (int i = 0; i < n_minor; i++)
    {
      double y = snap (prism_chart_layout_get_y (layout, side, ticks->minor[i]));
      cairo_move_to (paint->cr, layout->left, y);
      cairo_rel_line_to (paint->cr, layout->width, 0);
    }
  prism_paint_set_alpha (paint, 0.045);
  cairo_stroke (paint->cr);

  for (int i = 0; i < ticks->n_major; i++)
    {
      double y = snap (prism_chart_layout_get_y (layout, side, ticks->major[i]));
      cairo_move_to (paint->cr, layout->left, y);
      cairo_rel_line_to (paint->cr, layout->width, 0);
    }
  prism_paint_set_alpha (paint, 0.12);
  cairo_stroke (paint->cr);
}

static void
draw_y_axis (PrismChartData *data,
             PrismPaint *paint,
             const PrismChartLayout *layout,
             PrismChartSide side)
{
  const PrismChartScale *scale = &layout->scales[side];
  gboolean right = side == PRISM_CHART_RIGHT;
  double edge = right ? layout->left + layout->width : layout->left;

  if (!scale->shown)
    return;
  prism_paint_set_alpha (paint, 0.75);
  /* Where nothing is shown, numbers would be made up. */
  for (int i = 0; i < scale->ticks.n_major && !layout->empty; i++)
    {
      g_autofree char *label = prism_ticks_dup_label (&scale->ticks, i);
      prism_paint_draw_text (paint, label, edge + (right ? 5 : -5),
                             prism_chart_layout_get_y (layout, side, scale->ticks.major[i]),
                             right ? 0 : 1, 0.5);
    }
  if (data->axes[side].title == NULL)
    return;
  prism_paint_set_alpha (paint, 0.55);
  prism_paint_draw_text (paint, data->axes[side].title,
                         right ? edge + 5 : MAX (0, edge - 5), 0, right ? 1 : 0, 0);
}

/* What the second scale counts, below it; returns where the room for the first one's title ends. */
static double
draw_polish_title (PrismPaint *paint,
                   const PrismChartLayout *layout,
                   double y)
{
  double end = layout->left + layout->width;
  double width;

  if (!(layout->bend < layout->last))
    return end;
  prism_paint_measure (paint, _ ("Polish"), &width, NULL);
  prism_paint_set_alpha (paint, 0.55);
  prism_paint_draw_text (paint, _ ("Polish"), end, y, 1, 0);
  return MIN (layout->left + layout->bend_width, end - width - 8);
}

/* The title stands at the right end and takes the place of numbers that would touch it. */
static void
draw_x_axis (PrismChartData *data,
             PrismPaint *paint,
             const PrismChartLayout *layout)
{
  double bottom = layout->top + layout->height;
  double end = layout->left + layout->width;
  double limit = end + 8;
  double title_end = draw_polish_title (paint, layout, bottom + 4);
  double title_width;

  cairo_move_to (paint->cr, layout->left, snap (bottom));
  cairo_rel_line_to (paint->cr, layout->width, 0);
  for (int i = 0; i < layout->x_ticks.n_major; i++)
    {
      cairo_move_to (paint->cr, snap (prism_chart_layout_get_x (layout, layout->x_ticks.major[i])),
                     bottom);
      cairo_rel_line_to (paint->cr, 0, 3);
    }
  cairo_set_line_width (paint->cr, 1);
  prism_paint_set_alpha (paint, 0.4);
  cairo_stroke (paint->cr);

  if (data->x_title[0] != '\0')
    {
      prism_paint_measure (paint, data->x_title, &title_width, NULL);
      prism_paint_set_alpha (paint, 0.55);
      prism_paint_draw_text (paint, data->x_title, title_end, bottom + 4, 1, 0);
      limit = title_end - title_width - 8;
    }
  prism_paint_set_alpha (paint, 0.75);
  for (int i = 0; i < layout->x_ticks.n_major && !layout->empty; i++)
    {
      double x = prism_chart_layout_get_x (layout, layout->x_ticks.major[i]);
      g_autofree char *label = prism_ticks_dup_label (&layout->x_ticks, i);
      double width;

      prism_paint_measure (paint, label, &width, NULL);
      if (x + width / 2 < limit)
        prism_paint_draw_text (paint, label, x, bottom + 4, 0.5, 0);
    }
}

static guint
count_visible_marks (PrismChartData *data,
                     const PrismChartLayout *layout)
{
  guint n = 0;

  for (guint i = 0; i < data->marks->len; i++)
    {
      double x = g_array_index (data->marks, PrismChartMark, i).x;
      n += x >= layout->first && x <= layout->last;
    }
  return n;
}

static void
draw_mark_label (PrismPaint *paint,
                 const PrismChartLayout *layout,
                 const char *label,
                 double x,
                 double *occupied)
{
  double width;

  prism_paint_measure (paint, label, &width, NULL);
  if (x < *occupied || x + width + 4 > layout->left + layout->width)
    return;
  *occupied = x + width + 8;
  prism_paint_set_alpha (paint, 0.55);
  prism_paint_draw_text (paint, label, x + 4, layout->top + 1, 0, 0);
}

static void
draw_marks (PrismChartData *data,
            PrismPaint *paint,
            const PrismChartLayout *layout)
{
  static const double dashes[] = { 2, 3 };
  gboolean crowded = count_visible_marks (data, layout) * MARK_SPACING > layout->width;
  double occupied = -G_MAXDOUBLE;

  for (guint i = 0; i < data->marks->len; i++)
    {
      const PrismChartMark *mark = &g_array_index (data->marks, PrismChartMark, i);
      double x = floor (prism_chart_layout_get_x (layout, mark->x)) + 0.5;

      if (mark->x < layout->first || mark->x > layout->last || (mark->label == NULL && crowded))
        continue;
      cairo_move_to (paint->cr, x, layout->top);
      cairo_rel_line_to (paint->cr, 0, layout->height);
      cairo_set_line_width (paint->cr, 1);
      cairo_set_dash (paint->cr, dashes, G_N_ELEMENTS (dashes), 0);
      prism_paint_set_alpha (paint, mark->label == NULL ? 0.10 : 0.35);
      cairo_stroke (paint->cr);
      cairo_set_dash (paint->cr, NULL, 0, 0);
      if (mark->label != NULL)
        draw_mark_label (paint, layout, mark->label, x, &occupied);
    }
}

/* Where the horizontal scale is another one, which must be seen. */
static void
draw_polish (PrismPaint *paint,
             const PrismChartLayout *layout)
{
  double x = snap (layout->left + layout->bend_width);

  if (!(layout->bend < layout->last))
    return;
  cairo_rectangle (paint->cr, x, layout->top, layout->left + layout->width - x, layout->height);
  prism_paint_set_alpha (paint, 0.06);
  cairo_fill (paint->cr);
  cairo_move_to (paint->cr, x, layout->top);
  cairo_rel_line_to (paint->cr, 0, layout->height);
  cairo_set_line_width (paint->cr, 1);
  prism_paint_set_alpha (paint, 0.2);
  cairo_stroke (paint->cr);
}

/* Adds a point to the path; an absent one ends the line. */
static void
add_point (cairo_t *cr,
           const PrismChartLayout *layout,
           PrismChartSide side,
           double x,
           double value,
           gboolean *drawing)
{
  double y = prism_chart_layout_get_y (layout, side, value);

  if (isnan (y))
    {
      *drawing = FALSE;
      return;
    }
  /* Far outside the plot cairo's fixed-point numbers would overflow. */
  y = CLAMP (y, layout->top - 4 * layout->height, layout->top + 5 * layout->height);
  if (*drawing)
    cairo_line_to (cr, x, y);
  else
    cairo_move_to (cr, x, y);
  *drawing = TRUE;
}

static void
add_points (cairo_t *cr,
            const PrismChartLayout *layout,
            PrismChartSeries *series,
            guint64 first,
            guint64 end,
            gboolean smooth)
{
  PrismChartSide side = prism_chart_series_get_side (series);
  gboolean drawing = FALSE;

  for (guint64 i = first; i < end; i++)
    {
      double x = prism_chart_layout_get_x (layout, prism_chart_series_get_x (series, i));
      double y = prism_chart_series_get_y (series, i, smooth);

      add_point (cr, layout, side, x, y, &drawing);
      /* A point between two gaps would be no line at all: it becomes a dot. */
      if (drawing && isnan (y) == FALSE
          && (i == first || isnan (prism_chart_series_get_y (series, i - 1, smooth)))
          && (i + 1 == end || isnan (prism_chart_series_get_y (series, i + 1, smooth))))
        cairo_rel_line_to (cr, 0.01, 0);
    }
}

/* One column of pixels after the other: in at the first value, over both extremes, out at the
 * last. */
static void
add_columns (cairo_t *cr,
             const PrismChartLayout *layout,
             PrismChartSeries *series,
             guint64 first,
             guint64 end,
             gboolean smooth)
{
  PrismChartSide side = prism_chart_series_get_side (series);
  gboolean drawing = FALSE;

  for (double x = layout->left; x < layout->left + layout->width && first < end; x++)
    {
      guint64 next = prism_chart_series_find (series, prism_chart_layout_get_step (layout, x + 1));
      PrismChartColumn column;

      next = MIN (next, end);
      if (next <= first)
        continue;
      prism_chart_series_compute_column (series, first, next, smooth, &column);
      first = next;
      if (column.maximum < column.minimum)
        {
          drawing = FALSE;
          continue;
        }
      if (!isnan (column.first))
        add_point (cr, layout, side, x + 0.5, column.first, &drawing);
      if (column.maximum > column.minimum)
        {
          double low = layout->scales[side].logarithmic
                           ? MIN (column.positive, column.maximum)
                           : column.minimum;
          add_point (cr, layout, side, x + 0.5, low, &drawing);
          add_point (cr, layout, side, x + 0.5, column.maximum, &drawing);
        }
      if (!isnan (column.last))
        add_point (cr, layout, side, x + 0.5, column.last, &drawing);
    }
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

static gboolean
is_dense (const PrismChartLayout *layout,
          guint64 n_points)
{
  return n_points > 2 * layout->width;
}

static void
stroke_series (PrismPaint *paint,
               const PrismChartLayout *layout,
               PrismChartSeries *series,
               guint index,
               gboolean smooth,
               gboolean faint)
{
  guint64 first;
  guint64 end;

  if (!get_visible_points (layout, series, &first, &end))
    return;
  cairo_new_path (paint->cr);
  cairo_set_dash (paint->cr, NULL, 0, 0);
  if (is_dense (layout, end - first))
    add_columns (paint->cr, layout, series, first, end, smooth);
  else
    add_points (paint->cr, layout, series, first, end, smooth);
  /* Dashes are lost in a curve that fills whole columns; its symbols still tell it apart. */
  if (!faint && (smooth || !is_dense (layout, end - first)))
    set_dashes (paint, index);
  cairo_set_line_width (paint->cr, faint ? 1 : LINE_WIDTH);
  cairo_set_line_join (paint->cr, CAIRO_LINE_JOIN_ROUND);
  cairo_set_line_cap (paint->cr, CAIRO_LINE_CAP_BUTT);
  set_series_color (paint, index, faint ? FAINT_ALPHA : 1);
  cairo_stroke (paint->cr);
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
      y = prism_chart_layout_get_y (layout, prism_chart_series_get_side (series),
                                    prism_chart_series_get_y (series, i, smooth));
      if (!isnan (y) && fabs (at - x) < SYMBOL_SPACING / 2
          && x > layout->left && x < layout->left + layout->width)
        draw_symbol (paint, index, x, y, SYMBOL_SIZE);
    }
}

static void
draw_curves (PrismChartData *data,
             PrismPaint *paint,
             const PrismChartLayout *layout)
{
  gboolean smooth = data->smoothing > 0;

  cairo_save (paint->cr);
  cairo_rectangle (paint->cr, layout->left - 1, layout->top - 2, layout->width + 2,
                   layout->height + 4);
  cairo_clip (paint->cr);
  for (guint i = 0; i < data->series->len && smooth; i++)
    if (prism_chart_series_is_visible (prism_chart_data_get_series (data, i)))
      stroke_series (paint, layout, prism_chart_data_get_series (data, i), i, FALSE, TRUE);
  for (guint i = 0; i < data->series->len; i++)
    {
      PrismChartSeries *series = prism_chart_data_get_series (data, i);

      if (!prism_chart_series_is_visible (series))
        continue;
      stroke_series (paint, layout, series, i, smooth, FALSE);
      draw_symbols (paint, layout, series, i, smooth);
    }
  cairo_restore (paint->cr);
}

static void
draw_limit (PrismChartData *data,
            PrismPaint *paint,
            const PrismChartLayout *layout)
{
  static const double dashes[] = { 6, 3 };
  double end = layout->left + layout->width;
  double y = snap (prism_chart_layout_get_y (layout, PRISM_CHART_LEFT, data->limit));

  if (data->note != NULL && !layout->scales[PRISM_CHART_RIGHT].shown)
    {
      prism_paint_set_alpha (paint, 0.55);
      prism_paint_draw_text (paint, data->note, end, 0, 1, 0);
    }
  if (!(data->limit <= layout->scales[PRISM_CHART_LEFT].high))
    return;
  cairo_new_path (paint->cr); /* text leaves a current point */
  cairo_move_to (paint->cr, layout->left, y);
  cairo_rel_line_to (paint->cr, layout->width, 0);
  cairo_set_dash (paint->cr, dashes, G_N_ELEMENTS (dashes), 0);
  cairo_set_line_width (paint->cr, 1);
  prism_paint_set_alpha (paint, 0.6);
  cairo_stroke (paint->cr);
  cairo_set_dash (paint->cr, NULL, 0, 0);
}

/**
 * prism_chart_draw:
 * @data: what to show
 * @paint: where
 * @layout: of the same data
 *
 * Paints grid, axes, marks and curves.
 */
void
prism_chart_draw (PrismChartData *data,
                  PrismPaint *paint,
                  const PrismChartLayout *layout)
{
  if (!layout->empty)
    draw_grid (paint, layout);
  draw_y_axis (data, paint, layout, PRISM_CHART_LEFT);
  draw_y_axis (data, paint, layout, PRISM_CHART_RIGHT);
  draw_x_axis (data, paint, layout);
  draw_polish (paint, layout);
  draw_limit (data, paint, layout);
  if (data->show_marks)
    draw_marks (data, paint, layout);
  if (!layout->empty)
    draw_curves (data, paint, layout);
}

/**
 * prism_chart_draw_sample:
 * @paint: where
 * @series: index of the series
 * @x: left edge
 * @y: middle
 * @width: of the line
 *
 * Paints line and symbol of a series, for a legend.
 */
void
prism_chart_draw_sample (PrismPaint *paint,
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
  draw_symbol (paint, series, x + width / 2, y, SYMBOL_SIZE);
}

/**
 * prism_chart_draw_legend:
 * @data: whose series
 * @paint: where
 * @x: left edge
 * @y: top edge
 * @width: room to the right
 *
 * Paints the visible series side by side, in as many lines as needed.
 *
 * Returns: the height
 */
double
prism_chart_draw_legend (PrismChartData *data,
                         PrismPaint *paint,
                         double x,
                         double y,
                         double width)
{
  const double sample = 26;
  double at = x;
  double top = y;

  for (guint i = 0; i < data->series->len; i++)
    {
      PrismChartSeries *series = prism_chart_data_get_series (data, i);
      const char *label = prism_chart_series_get_label (series);
      double label_width;

      if (!prism_chart_series_is_visible (series))
        continue;
      prism_paint_measure (paint, label, &label_width, NULL);
      if (at > x && at + sample + 6 + label_width > x + width)
        {
          at = x;
          y += 1.3 * paint->line_height;
        }
      prism_chart_draw_sample (paint, i, at, y + paint->line_height / 2, sample);
      prism_paint_set_alpha (paint, 0.9);
      prism_paint_draw_text (paint, label, at + sample + 6, y, 0, 0);
      at += sample + 6 + label_width + 18;
    }
  return y + 1.3 * paint->line_height - top;
}
