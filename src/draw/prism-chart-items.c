#include "config.h"

#include "prism-chart-draw.h"
#include "prism-picture.h"

#define GAP 6.0
#define FAINT 0.35
#define CAP 4.0 /* half the bar at the end of a spread */
#define MARK_WIDTH 3.0
#define BAR_WIDTH 14.0
#define LEAST_GAP 8.0 /* px of cells that have one between them */
#define TURN 0.381966 /* of the circle of hues, from one to the next */

static gboolean
has_colors (const PrismChartData *data)
{
  return data->mapping.white > data->mapping.black;
}

/* Only places along x tell such items apart. */
static gboolean
is_flat (const PrismChartData *data)
{
  return data->shape == PRISM_CHART_BARS || (data->shape == PRISM_CHART_POINTS && !data->equal);
}

/* Where an item lies; a point has no extent. */
static cairo_rectangle_t
get_box (const PrismChartData *data,
         const PrismChartLayout *layout,
         guint i)
{
  const PrismChartItem *item = prism_chart_data_get_item (data, i);
  double x0 = prism_chart_layout_get_x (layout, item->x[0]);
  double x1 = prism_chart_layout_get_x (layout, item->x[1]);
  double y0 = prism_chart_layout_get_y (layout, PRISM_CHART_LEFT, item->y[0]);
  double y1 = prism_chart_layout_get_y (layout, PRISM_CHART_LEFT, item->y[1]);

  return (cairo_rectangle_t) { x0, MIN (y0, y1), x1 - x0, fabs (y1 - y0) };
}

/* As much of it as is seen: its width is negative where that is nothing. */
static cairo_rectangle_t
get_seen (const PrismChartData *data,
          const PrismChartLayout *layout,
          guint i)
{
  cairo_rectangle_t box = get_box (data, layout, i);
  const double end = MIN (box.x + box.width, layout->left + layout->width);

  if (data->shape == PRISM_CHART_LANES)
    {
      box.x = MAX (box.x, layout->left);
      box.width = end - box.x;
    }
  return box;
}

/* Each kind of what lies in lanes has its hue, on every page. */
static PrismColor
get_hue (const PrismPaint *paint,
         double kind)
{
  const double pale = paint->dark ? 0.25 : 0.55, all = paint->dark ? 0.6 : 0.95;
  double parts[3];

  for (int k = 0; k < 3; k++)
    {
      const double x = fabs (fmod (TURN * kind + (3 - k) % 3 / 3.0, 1.0) * 6.0 - 3.0) - 1.0;

      parts[k] = all * (pale + (1.0 - pale) * CLAMP (x, 0.0, 1.0));
    }
  return (PrismColor) { (float) parts[0], (float) parts[1], (float) parts[2], 1 };
}

static PrismColor
get_color (const PrismChartData *data,
           const PrismPaint *paint,
           const PrismChartItem *item)
{
  const float value = (float) item->value;
  PrismColor color = item->color != NULL ? *item->color : paint->accent;
  guint32 pixel = 0;

  if (!isnan (value) && data->shape == PRISM_CHART_LANES)
    return get_hue (paint, item->value);
  if (!isnan (value) && has_colors (data))
    {
      prism_mapping_apply (&data->mapping, &value, NULL, &pixel, 1);
      return prism_color_unpack (pixel);
    }
  if (data->shape == PRISM_CHART_BARS && !item->bold)
    color.alpha *= FAINT;
  return color;
}

/* What has no room for its text, has none. */
static void
draw_text (const PrismChartData *data,
           PrismPaint *paint,
           const PrismChartItem *item,
           const cairo_rectangle_t *box,
           const PrismColor *color)
{
  const gboolean bars = data->shape == PRISM_CHART_BARS;
  const double middle = box->x + box->width / 2, center = box->y + box->height / 2;
  g_auto (GStrv) lines = NULL;
  double width;
  guint n = 1;

  if (item->text == NULL || box->width < 2 * GAP)
    return;
  prism_paint_set_alpha (paint, bars && !item->bold ? 0.75 : 1);
  if (bars)
    prism_paint_set_font (paint, 0.85, item->bold);
  prism_paint_measure (paint, item->text, &width, NULL);
  if (bars && width <= box->width + 2 * GAP)
    prism_paint_draw_text (paint, item->text, middle, box->y - 1, 0.5, 1);
  else if (data->shape == PRISM_CHART_LANES && width + 2 * GAP <= box->width)
    prism_paint_draw_text (paint, item->text, box->x + GAP, center, 0, 0.5);
  else if (data->shape == PRISM_CHART_CELLS)
    {
      const double grey = prism_color_get_luminance (color) > 0.5 ? 0.05 : 0.98;

      /* A number, and below it its spread. */
      lines = g_strsplit (item->text, "\n", 2);
      prism_paint_measure (paint, lines[0], &width, NULL);
      n = lines[1] != NULL && 2 * paint->line_height < box->height ? 2 : 1;
      cairo_set_source_rgb (paint->cr, grey, grey, grey);
      for (guint i = 0; i < n && width < box->width - 2 && paint->line_height < box->height; i++)
        prism_paint_draw_text (paint, lines[i], middle,
                               center + (i - (n - 1) / 2.0) * paint->line_height, 0.5, 0.5);
    }
  prism_paint_set_font (paint, 1, FALSE);
}

/* How far the values of several runs lie apart: a line with bars at its ends, the extremes as
 * ticks on it. */
static void
draw_spread (const PrismChartData *data,
             PrismPaint *paint,
             const PrismChartLayout *layout,
             const PrismChartItem *item,
             const cairo_rectangle_t *box)
{
  const gboolean along_x = data->shape == PRISM_CHART_LANES;
  double ends[4];

  for (int k = 0; k < 4; k++)
    {
      const double half = k < 2 ? CAP : CAP / 2;
      const double x = box->x + box->width / 2, y = box->y + box->height / 2;

      ends[k] = along_x ? prism_chart_layout_get_x (layout, item->spread[k])
                        : prism_chart_layout_get_y (layout, PRISM_CHART_LEFT, item->spread[k]);
      if (isnan (item->spread[k]))
        continue;
      cairo_move_to (paint->cr, along_x ? ends[k] : x - half, along_x ? y - half : ends[k]);
      cairo_line_to (paint->cr, along_x ? ends[k] : x + half, along_x ? y + half : ends[k]);
      if (k != 1)
        continue;
      cairo_move_to (paint->cr, along_x ? ends[0] : x, along_x ? y : ends[0]);
      cairo_line_to (paint->cr, along_x ? ends[1] : x, along_x ? y : ends[1]);
    }
  prism_paint_stroke (paint, along_x ? &paint->foreground : &paint->accent, along_x ? 0.9 : 0.55,
                      1.4);
}

/* As large as it fits above its text. */
static void
draw_picture (PrismPaint *paint,
              const PrismChartItem *item,
              const cairo_rectangle_t *box)
{
  const double side = MIN (box->width - 2 * GAP, box->height - 1.3 * paint->line_height - GAP);
  const double x = box->x + (box->width - side) / 2, y = box->y + 1;
  PrismMapping mapping;
  PrismFrame frame;

  prism_mapping_init (&mapping);
  mapping.levels = PRISM_LEVELS_MANUAL;
  if (side <= 0)
    return;
  if (item->image != NULL)
    {
      prism_frame_init (&frame, side, side, item->image->width, item->image->height);
      cairo_save (paint->cr);
      cairo_translate (paint->cr, x, y);
      prism_picture_draw_image (paint->cr, item->image, NULL, &mapping, &frame, NULL);
      cairo_restore (paint->cr);
    }
  cairo_rectangle (paint->cr, x - 0.5, y - 0.5, side + 1, side + 1);
  prism_paint_stroke (paint, &paint->foreground, 0.35, 1);
  prism_paint_set_alpha (paint, 0.8);
  prism_paint_draw_text_within (paint, item->text, box->x + box->width / 2, y + side + 2, 0.5,
                                box->width);
}

/* Of a map: its rim says what kind it is, and a line where it comes from. */
static void
draw_point (const PrismChartData *data,
            PrismPaint *paint,
            const PrismChartLayout *layout,
            const PrismChartItem *item,
            const cairo_rectangle_t *box)
{
  cairo_t *cr = paint->cr;

  cairo_new_path (cr);
  cairo_arc (cr, box->x, box->y, layout->dot, 0, 2 * G_PI);
  if (!has_colors (data) || !isnan (item->value))
    cairo_fill_preserve (cr);
  if (has_colors (data))
    {
      prism_paint_stroke (paint, &paint->foreground, item->bold ? 0.9 : 0.4, item->bold ? 2 : 0.5);
    }
  cairo_new_path (cr);
  if (isnan (item->from[0]))
    return;
  cairo_move_to (cr, prism_chart_layout_get_x (layout, item->from[0]),
                 prism_chart_layout_get_y (layout, PRISM_CHART_LEFT, item->from[1]));
  cairo_line_to (cr, box->x, box->y);
  cairo_set_line_width (cr, 1.5);
  cairo_set_source_rgb (cr, 1, 0.45, 0.1);
  cairo_stroke (cr);
}

/**
 * prism_chart_items_draw:
 * @data: what to show
 * @paint: where
 * @layout: of the same data
 *
 * Paints bars, lanes, cells or points, and the scale of their colours. What is narrower than a
 * pixel is painted once for each.
 */
void
prism_chart_items_draw (const PrismChartData *data,
                        PrismPaint *paint,
                        const PrismChartLayout *layout)
{
  /* How far each line of pixels is filled. */
  g_autofree double *filled = g_new0 (double, (gsize) layout->height + 2);
  double left, top, right, bottom;

  cairo_clip_extents (paint->cr, &left, &top, &right, &bottom);
  for (guint i = 0; i < data->items->len; i++)
    {
      const PrismChartItem *item = prism_chart_data_get_item (data, i);
      cairo_rectangle_t box = get_seen (data, layout, i);
      const PrismColor color = get_color (data, paint, item);
      const double gap
          = data->shape == PRISM_CHART_CELLS && MIN (box.width, box.height) < LEAST_GAP ? 0 : 1;
      double *row;

      if (isnan (box.y) || box.y > bottom || box.y + box.height < top)
        continue;
      if (data->pictures)
        {
          draw_picture (paint, item, &box);
          continue;
        }
      row = &filled[(int) CLAMP (box.y - layout->top, 0, layout->height)];

      if (data->shape == PRISM_CHART_LANES)
        {
          if (box.width < 0 || box.x + box.width < *row)
            continue;
          box.width = MAX (box.width, 1);
          *row = box.x + box.width;
        }
      if (!isnan (item->spread[0]) && data->shape != PRISM_CHART_LANES)
        draw_spread (data, paint, layout, item, &box);
      prism_paint_set_color (paint, &color, 1);
      if (data->shape == PRISM_CHART_POINTS)
        {
          draw_point (data, paint, layout, item, &box);
          continue;
        }
      cairo_rectangle (paint->cr, box.x, box.y,
                       box.width - (data->shape == PRISM_CHART_CELLS ? gap : 0),
                       box.height - (data->shape == PRISM_CHART_BARS ? 0 : gap));
      cairo_fill (paint->cr);
      if (!isnan (item->spread[0]) && data->shape == PRISM_CHART_LANES)
        draw_spread (data, paint, layout, item, &box);
      draw_text (data, paint, item, &box, &color);
      cairo_new_path (paint->cr);
    }
  if (has_colors (data) && !data->bare)
    prism_color_bar_draw (paint, &data->mapping, layout->left + layout->width + 2 * GAP,
                          layout->top, BAR_WIDTH, layout->height);
}

/**
 * prism_chart_items_draw_chosen:
 * @data: what is shown
 * @paint: where
 * @layout: of the same data
 * @item: index, PRISM_CHART_NO_ITEM for none
 *
 * Paints a frame around an item.
 */
void
prism_chart_items_draw_chosen (const PrismChartData *data,
                               PrismPaint *paint,
                               const PrismChartLayout *layout,
                               guint item)
{
  cairo_rectangle_t box;

  if (item >= data->items->len)
    return;
  box = get_seen (data, layout, item);
  if (box.width < 0 || isnan (box.y))
    return;
  cairo_new_path (paint->cr);
  if (data->shape == PRISM_CHART_POINTS)
    cairo_arc (paint->cr, box.x, box.y, layout->dot + MARK_WIDTH, 0, 2 * G_PI);
  else
    cairo_rectangle (paint->cr, box.x + MARK_WIDTH / 2, box.y + MARK_WIDTH / 2,
                     MAX (box.width - MARK_WIDTH - 1, 1), MAX (box.height - MARK_WIDTH - 1, 1));
  prism_paint_stroke (paint, &paint->foreground, 1,
                      data->shape == PRISM_CHART_LANES ? 2 : MARK_WIDTH);
}

/**
 * prism_chart_items_find:
 * @data: what is shown
 * @layout: of the same data
 * @x: a place
 * @y: of it
 *
 * Returns: index of the item there: of cells and lanes with a pixel around them, of points the
 * nearest one, of bars the nearest beside it; PRISM_CHART_NO_ITEM for none
 */
guint
prism_chart_items_find (const PrismChartData *data,
                        const PrismChartLayout *layout,
                        double x,
                        double y)
{
  const gboolean nearest = is_flat (data) || data->shape == PRISM_CHART_POINTS;
  double least = nearest ? INFINITY : 1 + 1e-9;
  guint found = PRISM_CHART_NO_ITEM;

  for (guint i = 0; i < data->items->len; i++)
    {
      const cairo_rectangle_t box = get_box (data, layout, i);
      const double dx = MAX (MAX (box.x - x, x - box.x - box.width), 0);
      const double dy = is_flat (data) ? 0 : MAX (MAX (box.y - y, y - box.y - box.height), 0);

      if (box.width < 0 || !(hypot (dx, dy) < least))
        continue;
      least = hypot (dx, dy);
      found = i;
    }
  return found;
}

/**
 * prism_chart_items_find_next:
 * @data: what is shown
 * @layout: of the same data
 * @from: index of an item, PRISM_CHART_NO_ITEM for none
 * @right: 1 for one to the right, -1 to the left, else 0
 * @down: 1 for one below, -1 above, else 0
 *
 * Returns: index of the next item in a direction, not more than 45° beside it, of lanes in the same
 * row or above and below it; @from where there is none, of none the first
 */
guint
prism_chart_items_find_next (const PrismChartData *data,
                             const PrismChartLayout *layout,
                             guint from,
                             int right,
                             int down)
{
  const gboolean lanes = data->shape == PRISM_CHART_LANES;
  double least = INFINITY;
  cairo_rectangle_t here;
  guint found = from;

  if (from >= data->items->len)
    return data->items->len > 0 ? 0 : PRISM_CHART_NO_ITEM;
  here = get_box (data, layout, from);
  for (guint i = 0; i < data->items->len; i++)
    {
      const cairo_rectangle_t box = get_box (data, layout, i);
      const double dx = box.x + box.width / 2 - here.x - here.width / 2;
      const double dy = box.y + box.height / 2 - here.y - here.height / 2;
      const double along = right * dx + down * dy;
      double across = fabs (right * dy) + fabs (down * dx);

      if (is_flat (data))
        across = 0;
      else if (lanes)
        across -= right != 0 ? (box.height + here.height) / 2 : (box.width + here.width) / 2;
      if (!(along > 1e-9 && across <= (lanes ? 0 : along) && hypot (along, across) < least))
        continue;
      least = hypot (along, across);
      found = i;
    }
  return found;
}
