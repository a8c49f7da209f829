#include "config.h"

#include "prism-color-bar-draw.h"

#include "prism-ticks.h"

#include <math.h>
#include <string.h>

#define TICK_LENGTH 3
#define GAP 3
/* Of "−0.0005", which has room at every bar. */
#define USUAL_CHARACTERS 7

static void
draw_ramp (cairo_t *cr,
           const PrismMapping *mapping,
           double x,
           double y,
           double width,
           double height)
{
  const guint32 *table = prism_colormap_get_table (mapping->colormap);
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, 1,
                                                         PRISM_COLORMAP_SIZE);
  unsigned char *data = cairo_image_surface_get_data (surface);
  int stride = cairo_image_surface_get_stride (surface);

  if (data != NULL)
    for (int i = 0; i < PRISM_COLORMAP_SIZE; i++)
      *(guint32 *) (data + i * stride) = table[PRISM_COLORMAP_SIZE - 1 - i];
  cairo_surface_mark_dirty (surface);

  cairo_save (cr);
  cairo_rectangle (cr, x, y, width, height);
  cairo_clip (cr);
  cairo_translate (cr, x, y);
  cairo_scale (cr, width, height / PRISM_COLORMAP_SIZE);
  prism_paint_set_pixels (cr, surface, CAIRO_FILTER_NEAREST);
  cairo_paint (cr);
  cairo_restore (cr);
  cairo_surface_destroy (surface);
}

/* The logarithmic stretch is linear at the black end and follows decades above: its ticks are
 * powers of ten where those are apart from each other. */
static void
compute_ticks (const PrismMapping *mapping,
               int max_ticks,
               PrismTicks *ticks)
{
  double range = (double) mapping->white - mapping->black;

  if (mapping->stretch == PRISM_STRETCH_LOG && mapping->black >= 0
      && mapping->black < 0.01 * mapping->white)
    prism_ticks_init_log (ticks, mapping->black + range / mapping->gain, mapping->white, max_ticks);
  else
    prism_ticks_init_linear (ticks, mapping->black, mapping->white, max_ticks);
  ticks->n_minor = 0;
}

/**
 * prism_color_bar_get_room:
 * @mapping: the scale
 * @usual: what "−0.0005" needs
 *
 * Numbers such as "−1.5×10⁻⁴" are longer than others. What they need does not depend on the height,
 * which is seldom known before.
 *
 * Returns: the room for the numbers beside the bar, @usual or more
 */
double
prism_color_bar_get_room (const PrismMapping *mapping,
                          double usual)
{
  static const int counts[] = { 2, 4, 6, 8, 12 };
  glong longest = USUAL_CHARACTERS;

  for (gsize k = 0; k < G_N_ELEMENTS (counts); k++)
    {
      PrismTicks ticks;

      compute_ticks (mapping, counts[k], &ticks);
      for (int i = 0; i < ticks.n_major; i++)
        {
          g_autofree char *label = prism_ticks_dup_label (&ticks, i);

          /* “×” is wider than “.”. */
          longest = MAX (longest, g_utf8_strlen (label, -1) + (strstr (label, "×") != NULL));
        }
    }
  return usual * longest / USUAL_CHARACTERS;
}

/**
 * prism_color_bar_draw:
 * @paint: where
 * @mapping: the scale
 * @x: left edge of the bar
 * @y: top edge
 * @width: of the bar alone; the numbers stand to its right
 * @height: of the bar
 *
 * Paints the bar, white level on top, with numbers that do not overlap.
 */
void
prism_color_bar_draw (PrismPaint *paint,
                      const PrismMapping *mapping,
                      double x,
                      double y,
                      double width,
                      double height)
{
  PrismTicks ticks;
  double previous = G_MAXDOUBLE;
  double spacing = 1.3 * paint->line_height;

  draw_ramp (paint->cr, mapping, x, y, width, height);
  cairo_set_line_width (paint->cr, 1);
  prism_paint_set_alpha (paint, 0.35);
  cairo_rectangle (paint->cr, x - 0.5, y - 0.5, width + 1, height + 1);
  cairo_stroke (paint->cr);

  compute_ticks (mapping, (int) (height / (1.6 * paint->line_height)), &ticks);
  for (int i = 0; i < ticks.n_major; i++)
    {
      double position = prism_mapping_get_position (mapping, ticks.major[i]);
      double tick_y = floor (y + (1 - position) * height) + 0.5;
      g_autofree char *label = prism_ticks_dup_label (&ticks, i);

      if (previous - tick_y < spacing)
        continue;
      previous = tick_y;
      prism_paint_set_alpha (paint, 0.55);
      cairo_move_to (paint->cr, x + width + 0.5, tick_y);
      cairo_rel_line_to (paint->cr, TICK_LENGTH, 0);
      cairo_stroke (paint->cr);
      prism_paint_set_alpha (paint, 0.8);
      prism_paint_draw_text (paint, label, x + width + TICK_LENGTH + GAP,
                             CLAMP (tick_y, y + 0.4 * paint->line_height,
                                    y + height - 0.4 * paint->line_height),
                             0, 0.5);
    }
}
