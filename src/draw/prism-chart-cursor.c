#include "config.h"

#include "base/prism-each.h"
#include "prism-chart-draw.h"

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
  PRISM_FOR_EACH_POINTER (PrismChartSeries, series, data->series)
    {
      guint64 nearest;

      if (series->hidden
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

/* What a visible curve has at a step. */
typedef struct
{
  guint series;
  const char *label;
  char *text; /* its value, of a moving average with the value itself */
  double x;
  double value;
} Reading;

static void
clear_reading (gpointer data)
{
  g_free (((Reading *) data)->text);
}

static GArray *
read_all (PrismChartData *data,
          double step)
{
  GArray *readings = g_array_new (FALSE, FALSE, sizeof (Reading));
  const gboolean smooth = data->smoothing > 0;

  g_array_set_clear_func (readings, clear_reading);
  for (guint i = 0; i < data->series->len; i++)
    {
      PrismChartSeries *series = prism_chart_data_get_series (data, i);
      Reading reading = { .series = i, .label = series->label };
      g_autofree char *raw = NULL, *smoothed = NULL;

      /* A curve that is not there now has no name either. */
      if (series->hidden || prism_chart_series_get_n_points (series) == 0)
        continue;
      raw = prism_ticks_dup_value (get_value (series, step, FALSE, &reading.x));
      reading.value = get_value (series, step, smooth, &reading.x);
      smoothed = prism_ticks_dup_value (reading.value);
      reading.text = smooth ? g_strdup_printf ("%s  (%s)", smoothed, raw) : g_steal_pointer (&raw);
      g_array_append_val (readings, reading);
    }
  return readings;
}

static const char *
get_mark_label (PrismChartData *data,
                double step)
{
  const char *label = NULL;

  PRISM_FOR_EACH (const PrismChartMark, mark, data->marks)
    {
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
  const char *phase = data->passes ? NULL : get_mark_label (data, step);
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
  g_autoptr (GArray) readings = read_all (data, step);
  g_autofree char *head = dup_head (data, step);
  GString *text = g_string_new (head);

  for (guint i = 0; i < readings->len; i++)
    {
      const Reading *reading = &g_array_index (readings, Reading, i);

      g_string_append_printf (text, "%s%s %s", i == 0 ? ": " : ", ", reading->label,
                              reading->text);
    }
  return g_string_free (text, FALSE);
}

/* Beside the cursor, on the side that has room. */
static void
draw_box (PrismPaint *paint,
          const PrismChartLayout *layout,
          const GArray *readings,
          const char *head,
          double x)
{
  const double row = round (1.25 * paint->line_height), shade = paint->dark ? 0.16 : 1;
  double y = layout->top + 4.5, labels = 0, values = 0, width, part;

  prism_paint_measure (paint, head, &width, NULL);
  PRISM_FOR_EACH (const Reading, reading, readings)
    {
      prism_paint_measure (paint, reading->label, &part, NULL);
      labels = MAX (labels, part);
      prism_paint_measure (paint, reading->text, &part, NULL);
      values = MAX (values, part);
    }
  width = floor (MAX (width, SAMPLE_WIDTH + labels + 4 * GAP + values) + 2 * PADDING);
  x = x + 12 + width > layout->left + layout->width ? MAX (2, x - 12 - width) : x + 12;
  x = prism_paint_snap (x);
  prism_paint_add_round (paint, x, y, width, row * (readings->len + 1) + 2 * PADDING - 2, 6);
  cairo_set_source_rgba (paint->cr, shade, shade, shade + (paint->dark ? 0.02 : 0), 0.95);
  cairo_fill_preserve (paint->cr);
  prism_paint_stroke (paint, &paint->foreground, 0.25, 1);
  x += PADDING;
  y += PADDING;
  prism_paint_set_alpha (paint, 0.65);
  prism_paint_draw_text (paint, head, x, y, 0, 0);
  PRISM_FOR_EACH (const Reading, reading, readings)
    {
      y += row;
      prism_chart_curve_draw_sample (paint, reading->series, x, y + paint->line_height / 2,
                                     SAMPLE_WIDTH);
      prism_paint_set_alpha (paint, 0.9);
      prism_paint_draw_text (paint, reading->label, x + SAMPLE_WIDTH + GAP, y, 0, 0);
      prism_paint_set_alpha (paint, 1);
      prism_paint_draw_text (paint, reading->text, x + width - 2 * PADDING, y, 1, 0);
    }
}

/* One line above the plot, in place of the titles of the axes or beside that of the only one. */
static void
draw_values (PrismChartData *data,
             PrismPaint *paint,
             const PrismChartLayout *layout,
             const GArray *readings)
{
  const char *title = data->axes[PRISM_CHART_LEFT].title;
  double x = layout->left + layout->width, limit = 0, width;

  if (!layout->untitled && layout->scales[PRISM_CHART_LEFT].shown && title != NULL)
    {
      prism_paint_measure (paint, title, &width, NULL);
      limit = layout->left + width;
    }
  for (guint i = readings->len; i-- > 0;)
    {
      const Reading *reading = &g_array_index (readings, Reading, i);
      g_autofree char *text = prism_ticks_dup_value (reading->value);

      prism_paint_measure (paint, text, &width, NULL);
      x -= width + 2 * GAP + 4;
      if (x < limit)
        return;
      prism_chart_curve_draw_sample (paint, reading->series, x + 4, paint->line_height / 2, 0);
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
  const double x = prism_paint_snap (prism_chart_layout_get_x (layout, step));
  g_autoptr (GArray) readings = read_all (data, step);
  g_autofree char *head = dup_head (data, step);

  if (step < layout->first || step > layout->last)
    return;
  cairo_set_dash (paint->cr, NULL, 0, 0);
  prism_paint_draw_line (paint, x, layout->top, 0, layout->height, 0.5);
  if (data->items->len > 0)
    return;
  PRISM_FOR_EACH (const Reading, reading, readings)
    {
      PrismChartSeries *series = prism_chart_data_get_series (data, reading->series);
      const double y = prism_chart_layout_get_y (layout, series->side,
                                                 reading->value);

      if (reading->x >= layout->first && y >= layout->top - 1
          && y <= layout->top + layout->height + 1)
        prism_chart_curve_draw_sample (paint, reading->series,
                                       prism_chart_layout_get_x (layout, reading->x), y, 0);
    }
  if (boxed)
    draw_box (paint, layout, readings, head, x);
  else
    draw_values (data, paint, layout, readings);
}
