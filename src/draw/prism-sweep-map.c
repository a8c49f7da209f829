#include "config.h"

#include "prism-sweep-map.h"

#include "prism-colormap.h"
#include "prism-ticks.h"

#include <math.h>

#define GAP 6.0
#define BAR_WIDTH 14.0
#define MARK_WIDTH 3.0
#define MOST_SIDE 160.0 /* of a cell: few of them do not become a wall */

typedef struct
{
  double low;
  double high;
  gboolean logarithmic;
} Scale;

static double
get_part (const Scale *scale,
          double value)
{
  if (!(scale->high > scale->low))
    return 0.5;
  if (scale->logarithmic)
    return log (value / scale->low) / log (scale->high / scale->low);
  return (value - scale->low) / (scale->high - scale->low);
}

static void
set_color (cairo_t *cr,
           double part,
           double *luminance)
{
  const guint32 *table = prism_colormap_get_table (PRISM_COLORMAP_VIRIDIS);
  guint32 color = table[(int) CLAMP (lround (part * (PRISM_COLORMAP_SIZE - 1)), 0,
                                     PRISM_COLORMAP_SIZE - 1)];
  double red = (color >> 16 & 0xff) / 255.0, green = (color >> 8 & 0xff) / 255.0;
  double blue = (color & 0xff) / 255.0;

  *luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  cairo_set_source_rgb (cr, red, green, blue);
}

static double
measure_longest (PrismPaint *paint,
                 char **labels)
{
  double longest = 0.0;

  for (char **label = labels; *label != NULL; label++)
    {
      double width;

      prism_paint_measure (paint, *label, &width, NULL);
      longest = MAX (longest, width);
    }
  return longest;
}

static void
draw_number (PrismPaint *paint,
             const PrismSweepField *field,
             const PrismSweepCell *cell,
             const PrismSweepArea *area,
             double grey)
{
  g_autofree char *number = prism_sweep_measure_dup_number (field->measure, cell->mean);
  g_autofree char *spread = prism_sweep_measure_dup_number (field->measure, cell->deviation);
  g_autofree char *second = g_strconcat ("± ", spread, NULL);
  const double x = area->x + area->width / 2, y = area->y + area->height / 2;
  double width, second_width;
  gboolean both;

  prism_paint_measure (paint, number, &width, NULL);
  prism_paint_measure (paint, second, &second_width, NULL);
  if (width > area->width - 2 || paint->line_height > area->height)
    return;
  both = cell->n_runs > 1 && second_width < area->width - 2
         && 2 * paint->line_height < area->height;
  cairo_set_source_rgb (paint->cr, grey, grey, grey);
  prism_paint_draw_text (paint, number, x, y, 0.5, both ? 1.0 : 0.5);
  if (both)
    prism_paint_draw_text (paint, second, x, y, 0.5, 0.0);
}

static void
draw_cell (PrismSweepGrid *grid,
           PrismPaint *paint,
           const Scale *scale,
           guint i)
{
  const PrismSweepCell *cell = &grid->field->cells[i];
  const PrismSweepArea *area = &grid->areas[i];
  const double gap = MIN (area->width, area->height) > 8.0 ? 1.0 : 0.0;
  double luminance = 0.0;

  cairo_rectangle (paint->cr, area->x, area->y, area->width - gap, area->height - gap);
  if (cell->n_runs == 0)
    {
      prism_paint_set_alpha (paint, 0.08);
      cairo_fill (paint->cr);
    }
  else
    {
      set_color (paint->cr, get_part (scale, cell->mean), &luminance);
      cairo_fill (paint->cr);
      draw_number (paint, grid->field, cell, area, luminance > 0.5 ? 0.05 : 0.98);
    }
  if (i != grid->marked)
    return;
  prism_paint_set_alpha (paint, 1.0);
  cairo_set_line_width (paint->cr, MARK_WIDTH);
  cairo_rectangle (paint->cr, area->x + MARK_WIDTH / 2, area->y + MARK_WIDTH / 2,
                   area->width - gap - MARK_WIDTH, area->height - gap - MARK_WIDTH);
  cairo_stroke (paint->cr);
}

/* The scale from colours to numbers. */
static void
draw_bar (PrismPaint *paint,
          const Scale *scale,
          double x,
          double y,
          double height)
{
  PrismTicks ticks;

  if (!(scale->high > scale->low))
    return;
  for (int i = 0; i < (int) height; i++)
    {
      double luminance;

      set_color (paint->cr, 1.0 - i / height, &luminance);
      cairo_rectangle (paint->cr, x, y + i, BAR_WIDTH, 1.5);
      cairo_fill (paint->cr);
    }
  if (scale->logarithmic)
    prism_ticks_init_log (&ticks, scale->low, scale->high, (int) (height / 30));
  else
    prism_ticks_init_linear (&ticks, scale->low, scale->high, (int) (height / 30));
  prism_paint_set_alpha (paint, 0.85);
  for (int i = 0; i < ticks.n_major; i++)
    {
      g_autofree char *label = prism_ticks_dup_label (&ticks, i);
      double at = y + height * (1.0 - get_part (scale, ticks.major[i]));

      prism_paint_draw_text (paint, label, x + BAR_WIDTH + 4, at, 0, 0.5);
    }
}

/* Headings that would touch the one before are left out. */
static void
draw_headings (const PrismSweepGrid *grid,
               PrismPaint *paint)
{
  const PrismSweepField *field = grid->field;
  double free_x = -INFINITY, free_y = -INFINITY;

  prism_paint_set_alpha (paint, 0.85);
  for (guint j = 0; j < field->n_columns; j++)
    {
      const PrismSweepArea *area = &grid->areas[j];
      const double x = area->x + area->width / 2;
      double width;

      prism_paint_measure (paint, grid->column_labels[j], &width, NULL);
      if (x - width / 2 < free_x)
        continue;
      prism_paint_draw_text (paint, grid->column_labels[j], x, area->y - GAP / 2, 0.5, 1.0);
      free_x = x + width / 2 + GAP;
    }
  for (guint i = 0; i < field->n_rows; i++)
    {
      const PrismSweepArea *area = &grid->areas[i * field->n_columns];
      const double y = area->y + area->height / 2;

      if (y - paint->line_height / 2 < free_y)
        continue;
      prism_paint_draw_text (paint, grid->row_labels[i], area->x - GAP, y, 1.0, 0.5);
      free_y = y + paint->line_height / 2;
    }
}

static void
lay_out (PrismSweepGrid *grid,
         PrismPaint *paint,
         double width,
         double height)
{
  const PrismSweepField *field = grid->field;
  const double line = paint->line_height;
  const double left = line + 2 * GAP + measure_longest (paint, grid->row_labels);
  const double top = 3 * line + 2 * GAP;
  const double right = BAR_WIDTH + 5 * line + GAP;
  const double w = CLAMP ((width - left - right) / field->n_columns, 2.0, MOST_SIDE);
  const double h = CLAMP ((height - top - GAP) / field->n_rows, 2.0, MOST_SIDE);

  for (guint i = 0; i < field->n_rows * field->n_columns; i++)
    grid->areas[i] = (PrismSweepArea) { left + (i % field->n_columns) * w,
                                        top + (i / field->n_columns) * h, w, h };
}

/**
 * prism_sweep_map_draw:
 * @grid: a map; where its cells lie is noted in it
 * @paint: where; from its origin
 * @width: of all
 * @height: of all
 *
 * Draws a cell for each pair of values, its number in it where there is room, and the scale of its
 * colours.
 */
void
prism_sweep_map_draw (PrismSweepGrid *grid,
                      PrismPaint *paint,
                      double width,
                      double height)
{
  const PrismSweepField *field = grid->field;
  const guint n_cells = field->n_rows * field->n_columns;
  const double line = paint->line_height;
  Scale scale = { INFINITY, -INFINITY, FALSE };
  const PrismSweepArea *last = &grid->areas[n_cells - 1];

  for (guint i = 0; i < n_cells; i++)
    if (field->cells[i].n_runs > 0)
      {
        scale.low = MIN (scale.low, field->cells[i].mean);
        scale.high = MAX (scale.high, field->cells[i].mean);
      }
  scale.logarithmic = prism_sweep_measure_is_logarithmic (field->measure) && scale.low > 0.0;
  lay_out (grid, paint, width, height);
  prism_paint_set_alpha (paint, 1.0);
  prism_paint_set_font (paint, 1.0, TRUE);
  prism_paint_draw_text (paint, grid->title, grid->areas[0].x, 0, 0, 0);
  prism_paint_set_font (paint, 1.0, FALSE);
  prism_paint_draw_text (paint, grid->column_title, grid->areas[0].x, line + GAP / 2, 0, 0);
  prism_paint_draw_text_up (paint, grid->row_title, 0,
                            (grid->areas[0].y + last->y + last->height) / 2);
  draw_headings (grid, paint);
  for (guint i = 0; i < n_cells; i++)
    draw_cell (grid, paint, &scale, i);
  draw_bar (paint, &scale, last->x + last->width + 2 * GAP, grid->areas[0].y,
            last->y + last->height - grid->areas[0].y);
}
