#include "config.h"

#include "prism-chart-draw.h"

/* Between two texts in one line. */
#define TITLE_GAP 8.0
/* Lower decades have no lines between their powers of ten: they would run into each other. */
#define DECADE_HEIGHT 32.0

/* The line above the plot: at its ends the titles of the axes, or that of the only one and the
 * note. The first one moves over its column of numbers, then it is cut where the other one or the
 * plot's end is; before a note, which says the unit, too, it goes. */
static void
draw_titles (const PrismChartData *data,
             PrismPaint *paint,
             const PrismChartLayout *layout)
{
  const gboolean both = layout->scales[PRISM_CHART_RIGHT].shown;
  const char *title = layout->scales[PRISM_CHART_LEFT].shown ? data->axes[PRISM_CHART_LEFT].title
                                                             : NULL;
  const char *other = !both ? data->note : data->axes[PRISM_CHART_RIGHT].title;
  const double end = layout->left + layout->width + (both ? 5 : 0);
  double place = MAX (0, layout->left - 5), room = end, width;

  if (layout->top < paint->line_height)
    return;
  prism_paint_set_alpha (paint, 0.55);
  if (other != NULL && !(both && layout->untitled))
    {
      prism_paint_draw_text (paint, other, end, 0, 1, 0);
      prism_paint_measure (paint, other, &width, NULL);
      room = end - width - TITLE_GAP;
    }
  if (title == NULL || layout->untitled)
    return;
  prism_paint_measure (paint, title, &width, NULL);
  if (!both && other != NULL && place + width > room)
    return;
  place = CLAMP (room - width, 0, place);
  prism_paint_draw_text_within (paint, title, place, 0, 0, room - place);
}

/* Numbers keep clear of the one at the bottom of a logarithmic axis, which has no place for 0 and
 * below: what is there stands at its lower end. Names of lanes stand above them. */
static void
draw_y_axis (const PrismChartData *data,
             PrismPaint *paint,
             const PrismChartLayout *layout,
             PrismChartSide side)
{
  const PrismChartScale *scale = &layout->scales[side];
  const gboolean right = side == PRISM_CHART_RIGHT, inside = data->shape == PRISM_CHART_LANES;
  const GArray *names = right ? NULL : data->names[1];
  const double x = right ? layout->left + layout->width + 5 : inside ? layout->left
                                                                     : layout->left - 5;
  const double bottom = layout->top + layout->height;
  const PrismTicks *ticks = &scale->ticks;
  double at, free_y = scale->down ? -INFINITY : INFINITY;
  char *label;

  /* Where nothing is shown, numbers would be made up. */
  if (!scale->shown || layout->empty)
    return;
  prism_paint_set_alpha (paint, inside ? 1 : 0.75);
  if (!isnan (scale->floor))
    {
      prism_paint_draw_text (paint, scale->floor < 0 ? "≤ 0" : "0", x, bottom, !right, 0.5);
      free_y = bottom;
    }
  for (guint i = 0; (label = prism_chart_layout_dup_tick (names, ticks, i, &at)) != NULL; i++)
    {
      const double y = prism_chart_layout_get_y (layout, side, at);
      const gboolean clear = scale->down ? y >= free_y + paint->line_height
                                         : y <= free_y - paint->line_height;

      if (clear || inside)
        {
          prism_paint_draw_text (paint, label, x, y, !right && !inside, inside ? 0 : 0.5);
          free_y = y;
        }
      g_free (label);
    }
}

/* Marks without their number would be read as others. Returns where the label ends, or what came
 * before it. */
static double
draw_x_tick (PrismPaint *paint,
             const PrismChartLayout *layout,
             double at,
             const char *label,
             double free_x,
             double limit)
{
  const double bottom = layout->top + layout->height;
  const double x = prism_chart_layout_get_x (layout, at);
  double width;

  prism_paint_measure (paint, label, &width, NULL);
  if (x + width / 2 >= limit || x - width / 2 < free_x)
    return free_x;
  prism_paint_set_alpha (paint, 0.75);
  prism_paint_draw_text (paint, label, x, bottom + 4, 0.5, 0);
  prism_paint_draw_line (paint, prism_paint_snap (x), bottom, 0, 3, 0.4);
  return x + width / 2 + TITLE_GAP / 2;
}

/* The titles stand below the numbers, or, in a low chart, at the right end in place of those that
 * would touch them. That of few steps before many passes begins at the edge of the chart, and is
 * left out where it would meet the other one. */
static void
draw_x_axis (const PrismChartData *data,
             PrismPaint *paint,
             const PrismChartLayout *layout)
{
  const double bottom = layout->top + layout->height, edge = layout->left + layout->width;
  const double y = bottom + 4 + (layout->titled_below ? 1.1 * paint->line_height : 0);
  double end = edge, start = edge, limit = edge + 8, free_x = -INFINITY, width, at;
  char *label;

  prism_paint_draw_line (paint, layout->left, prism_paint_snap (bottom), layout->width, 0, 0.4);
  prism_paint_set_alpha (paint, 0.55);
  if (layout->bend < layout->last)
    {
      prism_paint_measure (paint, _ ("Refinement"), &width, NULL);
      prism_paint_draw_text (paint, _ ("Refinement"), edge, y, 1, 0);
      start = edge - width;
      end = MIN (layout->left + layout->bend_width, start - TITLE_GAP);
    }
  if (data->x_title[0] != '\0')
    {
      prism_paint_measure (paint, data->x_title, &width, NULL);
      width = MAX (end, width) + (end < width ? TITLE_GAP : 0) > start ? 0 : width;
      if (width > 0)
        prism_paint_draw_text (paint, data->x_title, MAX (end, width), y, 1, 0);
      if (!layout->titled_below)
        limit = MAX (end, width) - width - TITLE_GAP;
    }
  for (guint i = 0; !layout->empty; i++)
    {
      label = prism_chart_layout_dup_tick (data->names[0], &layout->x_ticks, i, &at);
      if (label == NULL)
        break;
      free_x = draw_x_tick (paint, layout, at, label, free_x, limit);
      g_free (label);
    }
}

static void
draw_limit (PrismChartData *data,
            PrismPaint *paint,
            const PrismChartLayout *layout)
{
  static const double dashes[] = { 6, 3 };
  double y = prism_paint_snap (prism_chart_layout_get_y (layout, PRISM_CHART_LEFT, data->limit));

  if (!layout->scales[PRISM_CHART_LEFT].shown
      || !(data->limit <= layout->scales[PRISM_CHART_LEFT].high))
    return;
  cairo_set_dash (paint->cr, dashes, G_N_ELEMENTS (dashes), 0);
  prism_paint_draw_line (paint, layout->left, y, layout->width, 0, 0.6);
  cairo_set_dash (paint->cr, NULL, 0, 0);
}

/**
 * prism_chart_draw:
 * @data: what to show
 * @paint: where
 * @layout: of the same data
 *
 * Paints grid, axes, marks and curves, or why there are none.
 */
void
prism_chart_draw (PrismChartData *data,
                  PrismPaint *paint,
                  const PrismChartLayout *layout)
{
  double x;

  if (data->bare || (data->equal && layout->top == 0 && !layout->empty))
    {
      prism_chart_items_draw (data, paint, layout);
      return;
    }
  if (!layout->empty)
    {
      PrismChartSide side = layout->scales[PRISM_CHART_LEFT].shown
                                ? PRISM_CHART_LEFT
                                : PRISM_CHART_RIGHT;
      const PrismChartScale *scale = &layout->scales[side];
      const PrismTicks *ticks = &scale->ticks;
      const gboolean minor = scale->logarithmic
                             && layout->height >= DECADE_HEIGHT * log10 (scale->high / scale->low);

      for (int i = minor ? -ticks->n_minor : 0; i < ticks->n_major; i++)
        {
          const double at = i < 0 ? ticks->minor[-1 - i] : ticks->major[i];

          prism_paint_draw_line (paint, layout->left,
                                 prism_paint_snap (prism_chart_layout_get_y (layout, side, at)),
                                 layout->width, 0, i < 0 ? 0.045 : 0.12);
        }
    }
  draw_titles (data, paint, layout);
  draw_y_axis (data, paint, layout, PRISM_CHART_LEFT);
  draw_y_axis (data, paint, layout, PRISM_CHART_RIGHT);
  draw_x_axis (data, paint, layout);
  /* Where the horizontal scale is another one, which must be seen. */
  x = prism_paint_snap (layout->left + layout->bend_width);
  if (layout->bend < layout->last)
    {
      cairo_rectangle (paint->cr, x, layout->top, layout->left + layout->width - x, layout->height);
      prism_paint_set_alpha (paint, 0.06);
      cairo_fill (paint->cr);
      prism_paint_draw_line (paint, x, layout->top, 0, layout->height, 0.2);
    }
  draw_limit (data, paint, layout);
  if (layout->empty)
    {
      const char *text = data->empty_text != NULL ? data->empty_text : _ ("No values yet");

      prism_paint_set_alpha (paint, 0.45);
      pango_layout_set_alignment (paint->layout, PANGO_ALIGN_CENTER);
      pango_layout_set_wrap (paint->layout, PANGO_WRAP_WORD_CHAR);
      pango_layout_set_width (paint->layout, (int) (MAX (layout->width, 0) * PANGO_SCALE));
      prism_paint_draw_text (paint, text, layout->left, layout->top + layout->height / 2, 0, 0.5);
      pango_layout_set_width (paint->layout, -1);
      pango_layout_set_alignment (paint->layout, PANGO_ALIGN_LEFT);
      return;
    }
  prism_chart_curves_draw (data, paint, layout);
  prism_chart_items_draw (data, paint, layout);
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
      const char *label = series->label;
      double label_width;

      if (series->hidden || label == NULL)
        continue;
      prism_paint_measure (paint, label, &label_width, NULL);
      if (at > x && at + sample + 6 + label_width > x + width)
        {
          at = x;
          y += 1.3 * paint->line_height;
        }
      prism_chart_curve_draw_sample (paint, i, at, y + paint->line_height / 2, sample);
      prism_paint_set_alpha (paint, 0.9);
      prism_paint_draw_text (paint, label, at + sample + 6, y, 0, 0);
      at += sample + 6 + label_width + 18;
    }
  return at > x ? y + 1.3 * paint->line_height - top : 0;
}

/**
 * prism_chart_draw_figure:
 * @data: what
 * @paint: where; the origin is the upper left corner
 * @width: of all
 * @height: of all, title and legend included
 *
 * Paints title, legend, axes, curves and items.
 */
void
prism_chart_draw_figure (PrismChartData *data,
                         PrismPaint *paint,
                         double width,
                         double height)
{
  const gboolean titled = data->title[0] != '\0';
  double y = titled ? PRISM_CHART_TITLE_HEIGHT : 0, legend;
  PrismChartLayout layout;

  prism_paint_set_font (paint, 1.1, TRUE);
  prism_paint_set_alpha (paint, 1);
  if (titled)
    prism_paint_draw_text (paint, data->title, 0, 0, 0, 0);
  prism_paint_set_font (paint, 1, FALSE);
  legend = prism_chart_draw_legend (data, paint, 0, y, width);
  y += legend > 0 ? legend + 2 : 0;
  cairo_save (paint->cr);
  cairo_translate (paint->cr, 0, y);
  prism_chart_layout_init (&layout, data, paint, width, MAX (20, height - y), NAN, NAN);
  prism_chart_draw (data, paint, &layout);
  cairo_restore (paint->cr);
}
