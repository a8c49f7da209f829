#include "config.h"

#include "prism-sweep-curve.h"

#include "prism-ticks.h"

#include <math.h>

#define GAP 6.0
#define SYMBOL 3.5
#define CAP 4.0         /* half the bar at the end of a spread */
#define LEAST_RATIO 8.0 /* of the ends of a logarithmic axis */
#define MARGIN 0.06     /* of the range, above and below */

/* Where a number lies: the inner rectangle and both scales. */
typedef struct
{
  double left;
  double top;
  double right;
  double bottom;
  double low;
  double high;
  gboolean log_y;
  gboolean log_x;
} Frame;

static double
get_y (const Frame *frame,
       double value)
{
  double part = frame->log_y ? log (value / frame->low) / log (frame->high / frame->low)
                             : (value - frame->low) / (frame->high - frame->low);

  return frame->bottom - part * (frame->bottom - frame->top);
}

/* Names stand at equal distances, numbers where they belong. */
static double
get_x (const PrismSweepGrid *grid,
       const Frame *frame,
       guint column)
{
  const guint n = grid->field->n_columns;
  const double *values = grid->column_values;
  const double inset = (frame->right - frame->left) / (2.0 * MAX (n, 4));
  double part = 0.5;

  if (n > 1 && values == NULL)
    part = column / (n - 1.0);
  else if (n > 1 && frame->log_x)
    part = log (values[column] / values[0]) / log (values[n - 1] / values[0]);
  else if (n > 1)
    part = (values[column] - values[0]) / (values[n - 1] - values[0]);
  return frame->left + inset + part * (frame->right - frame->left - 2 * inset);
}

/* Values whose ratios are more alike than their differences. */
static gboolean
is_geometric (const PrismSweepGrid *grid)
{
  const double *values = grid->column_values;
  const guint n = grid->field->n_columns;
  double least = INFINITY, most = 0.0;

  if (values == NULL || n < 3 || values[0] <= 0.0 || values[n - 1] < LEAST_RATIO * values[0])
    return FALSE;
  for (guint i = 1; i < n; i++)
    {
      double ratio = values[i] / values[i - 1];

      least = MIN (least, log (ratio));
      most = MAX (most, log (ratio));
    }
  return most < 2.5 * least;
}

static void
init_range (Frame *frame,
            const PrismSweepField *field)
{
  double low, high, margin;

  if (!prism_sweep_field_get_range (field, &low, &high))
    low = 0.0, high = 1.0;
  frame->log_y = prism_sweep_measure_is_logarithmic (field->measure) && low > 0.0
                 && high > LEAST_RATIO * low;
  if (frame->log_y)
    {
      double factor = pow (high / low, MARGIN);

      frame->low = low / factor;
      frame->high = high * factor;
      return;
    }
  margin = high > low ? MARGIN * (high - low) : MAX (fabs (high) * 0.05, 1e-3);
  frame->low = low - margin;
  frame->high = high + margin;
}

static void
draw_rows (PrismPaint *paint,
           const Frame *frame,
           const PrismTicks *ticks)
{
  cairo_set_line_width (paint->cr, 1);
  for (int i = 0; i < ticks->n_major; i++)
    {
      const double y = round (get_y (frame, ticks->major[i])) + 0.5;
      g_autofree char *label = prism_ticks_dup_label (ticks, i);

      prism_paint_set_alpha (paint, 0.12);
      cairo_move_to (paint->cr, frame->left, y);
      cairo_line_to (paint->cr, frame->right, y);
      cairo_stroke (paint->cr);
      prism_paint_set_alpha (paint, 0.85);
      prism_paint_draw_text (paint, label, frame->left - GAP, y, 1.0, 0.5);
    }
}

static double
measure_ticks (PrismPaint *paint,
               const PrismTicks *ticks)
{
  double longest = 0.0;

  for (int i = 0; i < ticks->n_major; i++)
    {
      g_autofree char *label = prism_ticks_dup_label (ticks, i);
      double width;

      prism_paint_measure (paint, label, &width, NULL);
      longest = MAX (longest, width);
    }
  return longest;
}

/* Every value of the parameter that has room for its name. */
static void
draw_columns (PrismSweepGrid *grid,
              PrismPaint *paint,
              const Frame *frame)
{
  double free_x = -INFINITY;

  for (guint i = 0; i < grid->field->n_columns; i++)
    {
      const double x = get_x (grid, frame, i);
      double width;

      prism_paint_set_alpha (paint, 0.4);
      cairo_move_to (paint->cr, round (x) + 0.5, frame->bottom);
      cairo_line_to (paint->cr, round (x) + 0.5, frame->bottom + 4);
      cairo_stroke (paint->cr);
      prism_paint_measure (paint, grid->column_labels[i], &width, NULL);
      if (x - width / 2 < free_x)
        continue;
      prism_paint_set_alpha (paint, 0.85);
      prism_paint_draw_text (paint, grid->column_labels[i], x, frame->bottom + GAP, 0.5, 0);
      free_x = x + width / 2 + GAP;
    }
}

static void
set_accent (PrismPaint *paint,
            double alpha)
{
  const PrismColor *color = &paint->accent;

  cairo_set_source_rgba (paint->cr, color->red, color->green, color->blue, alpha);
}

static void
draw_spread (PrismPaint *paint,
             const Frame *frame,
             const PrismSweepCell *cell,
             double x)
{
  /* On a logarithmic axis nothing reaches down to 0. */
  const double below = MAX (cell->mean - cell->deviation, frame->low);
  const double above = MIN (cell->mean + cell->deviation, frame->high);
  const double ends[] = { get_y (frame, below), get_y (frame, above) };

  set_accent (paint, 0.55);
  cairo_set_line_width (paint->cr, 1.4);
  cairo_move_to (paint->cr, x, ends[0]);
  cairo_line_to (paint->cr, x, ends[1]);
  for (int i = 0; i < 2; i++)
    {
      cairo_move_to (paint->cr, x - CAP, ends[i]);
      cairo_line_to (paint->cr, x + CAP, ends[i]);
    }
  cairo_stroke (paint->cr);
  /* The extremes as ticks beside it. */
  for (int i = 0; i < 2; i++)
    {
      const double y = get_y (frame, i == 0 ? cell->least : cell->most);

      cairo_move_to (paint->cr, x - CAP / 2, y);
      cairo_line_to (paint->cr, x + CAP / 2, y);
    }
  cairo_stroke (paint->cr);
}

static void
draw_points (PrismSweepGrid *grid,
             PrismPaint *paint,
             const Frame *frame)
{
  const PrismSweepField *field = grid->field;

  for (guint i = 0; i < field->n_columns; i++)
    {
      const PrismSweepCell *cell = &field->cells[i];
      const double x = get_x (grid, frame, i);

      if (cell->n_runs == 0)
        continue;
      if (cell->n_runs > 1)
        draw_spread (paint, frame, cell, x);
      set_accent (paint, 1.0);
      cairo_arc (paint->cr, x, get_y (frame, cell->mean), SYMBOL, 0, 2 * G_PI);
      cairo_fill (paint->cr);
      if (i != grid->marked)
        continue;
      prism_paint_set_alpha (paint, 1.0);
      cairo_set_line_width (paint->cr, 2);
      cairo_arc (paint->cr, x, get_y (frame, cell->mean), 2 * SYMBOL, 0, 2 * G_PI);
      cairo_stroke (paint->cr);
    }
}

/* From mean to mean; what is missing interrupts it, and names have nothing between them. */
static void
draw_line (PrismSweepGrid *grid,
           PrismPaint *paint,
           const Frame *frame)
{
  gboolean begun = FALSE;

  if (grid->column_values == NULL)
    return;
  set_accent (paint, 0.8);
  cairo_set_line_width (paint->cr, 1.6);
  for (guint i = 0; i < grid->field->n_columns; i++)
    {
      const PrismSweepCell *cell = &grid->field->cells[i];

      if (cell->n_runs > 0 && begun)
        cairo_line_to (paint->cr, get_x (grid, frame, i), get_y (frame, cell->mean));
      else if (cell->n_runs > 0)
        cairo_move_to (paint->cr, get_x (grid, frame, i), get_y (frame, cell->mean));
      begun = cell->n_runs > 0;
    }
  cairo_stroke (paint->cr);
}

/* A column of the chart belongs to its value. */
static void
note_areas (PrismSweepGrid *grid,
            const Frame *frame)
{
  const guint n = grid->field->n_columns;

  for (guint i = 0; i < n; i++)
    {
      const double x = get_x (grid, frame, i);
      const double left = i > 0 ? (get_x (grid, frame, i - 1) + x) / 2 : frame->left;
      const double right = i + 1 < n ? (get_x (grid, frame, i + 1) + x) / 2 : frame->right;

      grid->areas[i] = (PrismSweepArea) { left, frame->top, right - left,
                                          frame->bottom - frame->top };
    }
}

/**
 * prism_sweep_curve_draw:
 * @grid: a curve; where its values lie is noted in it
 * @paint: where; from its origin
 * @width: of all
 * @height: of all
 *
 * Draws the mean of each value, with standard deviation and extremes where it has several runs.
 */
void
prism_sweep_curve_draw (PrismSweepGrid *grid,
                        PrismPaint *paint,
                        double width,
                        double height)
{
  const double line = paint->line_height;
  Frame frame = { .top = line + 2 * GAP, .right = width - GAP };
  PrismTicks ticks;

  frame.bottom = MAX (height - 2 * line - 3 * GAP, frame.top + line);
  frame.log_x = is_geometric (grid);
  init_range (&frame, grid->field);
  if (frame.log_y)
    prism_ticks_init_log (&ticks, frame.low, frame.high, (int) ((frame.bottom - frame.top) / 32));
  else
    prism_ticks_init_linear (&ticks, frame.low, frame.high,
                             (int) ((frame.bottom - frame.top) / 32));
  frame.left = measure_ticks (paint, &ticks) + 2 * GAP;
  note_areas (grid, &frame);
  prism_paint_set_alpha (paint, 1.0);
  prism_paint_set_font (paint, 1.0, TRUE);
  prism_paint_draw_text (paint, grid->title, frame.left, 0, 0, 0);
  prism_paint_set_font (paint, 1.0, FALSE);
  draw_rows (paint, &frame, &ticks);
  draw_columns (grid, paint, &frame);
  prism_paint_set_alpha (paint, 0.85);
  prism_paint_draw_text (paint, grid->column_title, (frame.left + frame.right) / 2,
                         frame.bottom + GAP + line, 0.5, 0);
  draw_line (grid, paint, &frame);
  draw_points (grid, paint, &frame);
}
