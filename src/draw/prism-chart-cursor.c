#include "config.h"

#include "prism-chart-draw.h"

#include <math.h>

#define PADDING 7.0
#define SAMPLE_WIDTH 18.0
#define GAP 6.0

/**
 * prism_chart_cursor_get_step:
 * @data: a chart's data
 * @wanted: where the pointer is
 * @step: (out): the x of the point nearest to it
 *
 * Finds a step that has values.
 *
 * Returns: whether there is one
 */
gboolean
prism_chart_cursor_get_step (PrismChartData *data,
                             double wanted,
                             double *step)
{
  double distance = INFINITY;

  if (isnan (wanted))
    return FALSE;
  for (guint i = 0; i < data->series->len; i++)
    {
      PrismChartSeries *series = prism_chart_data_get_series (data, i);
      guint64 nearest;

      if (!prism_chart_series_is_visible (series)
          || !prism_chart_series_get_nearest (series, wanted, &nearest))
        continue;
      if (fabs (prism_chart_series_get_x (series, nearest) - wanted) < distance)
        {
          *step = prism_chart_series_get_x (series, nearest);
          distance = fabs (*step - wanted);
        }
    }
  return isfinite (distance);
}

/* A series that is computed at some steps only shows its last value before the step. */
static double
get_value (PrismChartSeries *series,
           double step,
           gboolean smooth,
           double *x)
{
  guint64 i = prism_chart_series_find (series, nextafter (step, INFINITY));

  if (i == 0)
    return NAN;
  *x = prism_chart_series_get_x (series, i - 1);
  return prism_chart_series_get_y (series, i - 1, smooth);
}

static char *
dup_series_text (PrismChartData *data,
                 PrismChartSeries *series,
                 double step)
{
  gboolean smooth = data->smoothing > 0;
  double x;
  g_autofree char *raw = prism_ticks_dup_value (get_value (series, step, FALSE, &x));
  g_autofree char *smoothed = prism_ticks_dup_value (get_value (series, step, TRUE, &x));

  if (!smooth)
    return g_steal_pointer (&raw);
  return g_strdup_printf ("%s  (%s)", smoothed, raw);
}

static const char *
get_mark_label (PrismChartData *data,
                double step)
{
  const char *label = NULL;

  for (guint i = 0; i < data->marks->len; i++)
    {
      const PrismChartMark *mark = &g_array_index (data->marks, PrismChartMark, i);

      if (mark->x > step)
        break;
      if (mark->label != NULL)
        label = mark->label;
    }
  return label;
}

static char *
dup_head (PrismChartData *data,
          double step)
{
  const char *phase = get_mark_label (data, step);
  g_autofree char *place = data->continuous ? prism_ticks_dup_value (step)
                                            : prism_ticks_dup_count ((guint64) step);

  if (phase == NULL)
    return g_strdup_printf ("%s %s", data->x_title, place);
  return g_strdup_printf ("%s %s · %s", data->x_title, place, phase);
}

/**
 * prism_chart_cursor_dup_text:
 * @data: a chart's data
 * @step: a step
 *
 * Says in words what the box at the cursor shows.
 *
 * Returns: (transfer full): a line such as "Step 120: New 0.0123, Old 0.0456"
 */
char *
prism_chart_cursor_dup_text (PrismChartData *data,
                             double step)
{
  g_autofree char *head = dup_head (data, step);
  GString *text = g_string_new (head);
  const char *separator = ": ";

  for (guint i = 0; i < data->series->len; i++)
    {
      PrismChartSeries *series = prism_chart_data_get_series (data, i);
      g_autofree char *value = NULL;

      if (!prism_chart_series_is_visible (series))
        continue;
      value = dup_series_text (data, series, step);
      g_string_append_printf (text, "%s%s %s", separator, prism_chart_series_get_label (series),
                              value);
      separator = ", ";
    }
  return g_string_free (text, FALSE);
}

static void
draw_dots (PrismChartData *data,
           PrismPaint *paint,
           const PrismChartLayout *layout,
           double step)
{
  for (guint i = 0; i < data->series->len; i++)
    {
      PrismChartSeries *series = prism_chart_data_get_series (data, i);
      double x;
      double value = get_value (series, step, data->smoothing > 0, &x);
      double y;

      if (!prism_chart_series_is_visible (series) || isnan (value) || x < layout->first)
        continue;
      y = prism_chart_layout_get_y (layout, prism_chart_series_get_side (series), value);
      if (!isnan (y) && y >= layout->top - 1 && y <= layout->top + layout->height + 1)
        prism_chart_curve_draw_sample (paint, i, prism_chart_layout_get_x (layout, x), y, 0);
    }
}

typedef struct
{
  double label_width;
  double value_width;
  double head_width;
  double row_height;
  int n_rows;
} Box;

static void
measure_box (PrismChartData *data,
             PrismPaint *paint,
             double step,
             Box *box)
{
  g_autofree char *head = dup_head (data, step);

  *box = (Box) { .row_height = round (1.25 * paint->line_height) };
  prism_paint_measure (paint, head, &box->head_width, NULL);
  for (guint i = 0; i < data->series->len; i++)
    {
      PrismChartSeries *series = prism_chart_data_get_series (data, i);
      g_autofree char *value = NULL;
      double width;

      if (!prism_chart_series_is_visible (series))
        continue;
      box->n_rows++;
      prism_paint_measure (paint, prism_chart_series_get_label (series), &width, NULL);
      box->label_width = MAX (box->label_width, width);
      value = dup_series_text (data, series, step);
      prism_paint_measure (paint, value, &width, NULL);
      box->value_width = MAX (box->value_width, width);
    }
}

static void
fill_rounded (PrismPaint *paint,
              double x,
              double y,
              double width,
              double height)
{
  const double radius = 6;
  cairo_t *cr = paint->cr;
  double shade = paint->dark ? 0.16 : 1;

  cairo_new_sub_path (cr);
  cairo_arc (cr, x + width - radius, y + radius, radius, -G_PI / 2, 0);
  cairo_arc (cr, x + width - radius, y + height - radius, radius, 0, G_PI / 2);
  cairo_arc (cr, x + radius, y + height - radius, radius, G_PI / 2, G_PI);
  cairo_arc (cr, x + radius, y + radius, radius, G_PI, 1.5 * G_PI);
  cairo_close_path (cr);
  cairo_set_source_rgba (cr, shade, shade, shade + (paint->dark ? 0.02 : 0), 0.95);
  cairo_fill_preserve (cr);
  prism_paint_set_alpha (paint, 0.25);
  cairo_set_line_width (cr, 1);
  cairo_stroke (cr);
}

static void
draw_box (PrismChartData *data,
          PrismPaint *paint,
          const Box *box,
          double step,
          double x,
          double y,
          double width)
{
  g_autofree char *head = dup_head (data, step);

  fill_rounded (paint, x, y, width, box->row_height * (box->n_rows + 1) + 2 * PADDING - 2);
  x += PADDING;
  y += PADDING;
  prism_paint_set_alpha (paint, 0.65);
  prism_paint_draw_text (paint, head, x, y, 0, 0);
  for (guint i = 0; i < data->series->len; i++)
    {
      PrismChartSeries *series = prism_chart_data_get_series (data, i);
      g_autofree char *value = NULL;

      if (!prism_chart_series_is_visible (series))
        continue;
      y += box->row_height;
      value = dup_series_text (data, series, step);
      prism_chart_curve_draw_sample (paint, i, x, y + paint->line_height / 2, SAMPLE_WIDTH);
      prism_paint_set_alpha (paint, 0.9);
      prism_paint_draw_text (paint, prism_chart_series_get_label (series), x + SAMPLE_WIDTH + GAP,
                             y, 0, 0);
      prism_paint_set_alpha (paint, 1);
      prism_paint_draw_text (paint, value, x + width - 2 * PADDING, y, 1, 0);
    }
}

static void
draw_box_beside (PrismChartData *data,
                 PrismPaint *paint,
                 const PrismChartLayout *layout,
                 double step,
                 double x)
{
  double right = layout->left + layout->width;
  double width;
  Box box;

  measure_box (data, paint, step, &box);
  width = SAMPLE_WIDTH + GAP + box.label_width + 3 * GAP + box.value_width;
  width = floor (MAX (width, box.head_width) + 2 * PADDING);
  x = x + 12 + width > right ? MAX (2, x - 12 - width) : x + 12;
  draw_box (data, paint, &box, step, floor (x) + 0.5, layout->top + 4.5, width);
}

/* One line above the plot, in place of the titles of the axes or beside that of the only one. */
static void
draw_values (PrismChartData *data,
             PrismPaint *paint,
             const PrismChartLayout *layout,
             double step)
{
  double x = layout->left + layout->width;
  double limit = 0;
  double width;

  if (!layout->untitled && layout->scales[PRISM_CHART_LEFT].shown
      && data->axes[PRISM_CHART_LEFT].title != NULL)
    {
      prism_paint_measure (paint, data->axes[PRISM_CHART_LEFT].title, &width, NULL);
      limit = layout->left + width;
    }
  prism_paint_set_alpha (paint, 0.85);
  for (guint i = data->series->len; i-- > 0;)
    {
      PrismChartSeries *series = prism_chart_data_get_series (data, i);
      g_autofree char *text = NULL;
      double at;

      if (!prism_chart_series_is_visible (series))
        continue;
      text = prism_ticks_dup_value (get_value (series, step, data->smoothing > 0, &at));
      prism_paint_measure (paint, text, &width, NULL);
      x -= width + 2 * GAP + 4;
      if (x < limit)
        return;
      prism_chart_curve_draw_sample (paint, i, x + 4, paint->line_height / 2, 0);
      prism_paint_set_alpha (paint, 0.85);
      prism_paint_draw_text (paint, text, x + 4 + GAP, 0, 0, 0);
    }
}

/**
 * prism_chart_cursor_draw:
 * @data: a chart's data
 * @paint: where
 * @layout: of the same data
 * @step: a step
 * @boxed: whether the values stand in a box at the cursor, or else in a line above the plot
 *
 * Paints a vertical line at a step, dots on the curves and their values.
 */
void
prism_chart_cursor_draw (PrismChartData *data,
                         PrismPaint *paint,
                         const PrismChartLayout *layout,
                         double step,
                         gboolean boxed)
{
  double x = floor (prism_chart_layout_get_x (layout, step)) + 0.5;

  if (step < layout->first || step > layout->last)
    return;
  cairo_set_dash (paint->cr, NULL, 0, 0);
  cairo_set_line_width (paint->cr, 1);
  prism_paint_set_alpha (paint, 0.5);
  cairo_move_to (paint->cr, x, layout->top);
  cairo_rel_line_to (paint->cr, 0, layout->height);
  cairo_stroke (paint->cr);
  if (data->items->len > 0)
    return;
  draw_dots (data, paint, layout, step);
  if (boxed)
    draw_box_beside (data, paint, layout, step, x);
  else
    draw_values (data, paint, layout, step);
}
