#include "config.h"

#include "prism-scale-bar.h"

#include "config/prism-units.h"

#include <glib/gi18n.h>
#include <math.h>

#define THICKNESS 2.5
/* Of an image, in logical pixels; below that a bar is in the way. */
#define SMALLEST 180

/* 1, 2 or 5 times a power of ten, up to what is wanted. */
static double
get_round_length (double wanted)
{
  double power = pow (10, floor (log10 (wanted)));

  return wanted >= 5 * power ? 5 * power : wanted >= 2 * power ? 2 * power
                                                               : power;
}

/**
 * prism_scale_bar_choose:
 * @visible: width of the part of an image that is in sight, px
 * @metres: of a pixel; 0 when it is not known
 * @length: (out): of a bar, px
 *
 * Chooses a round length, in metres where they are known, of a quarter of that or less.
 *
 * Returns: (transfer full): what the bar says, such as "50 µm"
 */
char *
prism_scale_bar_choose (double visible,
                        double metres,
                        double *length)
{
  const double unit = metres > 0 ? metres : 1, round = get_round_length (visible / 4 * unit);

  *length = round / unit;
  return metres > 0 ? prism_units_dup_length (round) : g_strdup_printf (_ ("%.10g px"), round);
}

/**
 * prism_scale_bar_draw:
 * @paint: where
 * @scale: units of @paint per pixel of the image
 * @visible: width of the part of the image that is in sight, px
 * @metres: of a pixel; 0 when it is not known
 * @right: right edge of the bar
 * @bottom: bottom edge of the bar
 *
 * Paints the bar of prism_scale_bar_choose() on a dark patch to be seen on any image.
 */
void
prism_scale_bar_draw (PrismPaint *paint,
                      double scale,
                      double visible,
                      double metres,
                      double right,
                      double bottom)
{
  double length;
  g_autofree char *label = prism_scale_bar_choose (visible, metres, &length);
  double width = length * scale;
  double x = right - width;
  double y = bottom - THICKNESS;
  double label_width;
  double label_height;

  prism_paint_measure (paint, label, &label_width, &label_height);
  x -= MAX (0, (label_width - width) / 2);
  prism_paint_draw_patch (paint, x + MIN (0, (width - label_width) / 2) - 5, y - label_height - 4,
                          MAX (width, label_width) + 10, label_height + 11);
  cairo_set_source_rgb (paint->cr, 1, 1, 1);
  cairo_rectangle (paint->cr, x, y, width, THICKNESS);
  cairo_fill (paint->cr);
  prism_paint_draw_text (paint, label, x + width / 2, y - 1.5, 0.5, 1);
}

/**
 * prism_scale_bar_draw_frame:
 * @paint: where
 * @frame: the place of the image
 * @metres: of a pixel; 0 when it is not known, and then there is no bar
 *
 * Paints a bar in the corner of the part of the image that is in sight, where that is large enough.
 */
void
prism_scale_bar_draw_frame (PrismPaint *paint,
                            const PrismFrame *frame,
                            double metres)
{
  double left = MAX (frame->x0, 0);
  double right = MIN (frame->x0 + frame->image_width * frame->scale, frame->area_width);
  double bottom = MIN (frame->y0 + frame->image_height * frame->scale, frame->area_height);

  if (!(metres > 0) || right - left < SMALLEST)
    return;
  prism_paint_set_font (paint, 0.85, FALSE);
  prism_scale_bar_draw (paint, frame->scale, (right - left) / frame->scale, metres, right - 10,
                        bottom - 9);
}

/**
 * prism_scale_bar_dup_place:
 * @dx: columns from the middle of the image
 * @dy: rows from there
 * @metres: of a pixel; 0 when it is not known
 * @seconds: of arc, of a pixel; 0 where there is no sky
 *
 * Says how far a pixel is from the middle, on a line of its own.
 *
 * Returns: (transfer full): an end of line and the text; empty when the scale is not known
 */
char *
prism_scale_bar_dup_place (int dx,
                           int dy,
                           double metres,
                           double seconds)
{
  double distance = hypot (dx, dy);
  g_autofree char *length = prism_units_dup_length (distance * metres);
  g_autofree char *angle = prism_units_dup_angle (distance * seconds);

  if (!(metres > 0))
    return g_strdup ("");
  if (!(seconds > 0))
    return g_strdup_printf (_ ("\n%s from the middle"), length);
  return g_strdup_printf (_ ("\n%s (%s) off axis"), length, angle);
}
