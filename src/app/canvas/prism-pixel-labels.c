#include "config.h"

#include "canvas/prism-pixel-labels.h"

#include "prism-scale.h"

#include <math.h>

/* Side of a pixel, in logical pixels, from which on a number of four digits fits. */
#define MIN_SCALE 46.0
#define FONT_SIZE 0.75

static gboolean
is_light (PrismPicture *picture,
          int x,
          int y)
{
  cairo_surface_t *surface = prism_picture_get_surface (picture, 0);
  const unsigned char *row = cairo_image_surface_get_data (surface)
                             + (gsize) y * cairo_image_surface_get_stride (surface);
  guint32 pixel = ((const guint32 *) row)[x];

  return 0.299 * (pixel >> 16 & 0xff) + 0.587 * (pixel >> 8 & 0xff) + 0.114 * (pixel & 0xff) > 128;
}

static void
draw_label (PrismPaint *paint,
            const PrismFrame *frame,
            double value,
            gboolean light,
            int x,
            int y)
{
  double shade = light ? 0 : 1;
  g_autofree char *text = prism_ticks_dup_value (value);

  cairo_set_source_rgba (paint->cr, shade, shade, shade, 0.85);
  prism_paint_draw_text (paint, text, frame->x0 + (x + 0.5) * frame->scale,
                         frame->y0 + (y + 0.5) * frame->scale, 0.5, 0.5);
}

/**
 * prism_pixel_labels_draw:
 * @paint: where
 * @frame: the place of the image
 * @image: the values
 * @reference: (nullable): subtracted from them
 * @picture: the colours below the numbers, of the same size
 *
 * Writes the value into each pixel in sight, dark on light and light on dark, once the view is
 * enlarged enough.
 *
 * Shape: @image and @reference [h][w].
 */
void
prism_pixel_labels_draw (PrismPaint *paint,
                         const PrismFrame *frame,
                         const PrismImage *image,
                         const PrismImage *reference,
                         PrismPicture *picture)
{
  cairo_surface_t *surface = prism_picture_get_surface (picture, 0);
  int first_x = MAX (0, (int) floor (-frame->x0 / frame->scale));
  int first_y = MAX (0, (int) floor (-frame->y0 / frame->scale));
  int end_x = MIN (image->width, (int) ceil ((frame->area_width - frame->x0) / frame->scale));
  int end_y = MIN (image->height, (int) ceil ((frame->area_height - frame->y0) / frame->scale));

  /* The picture of an earlier image of another size can still be on the screen. */
  if (frame->scale < MIN_SCALE || cairo_image_surface_get_width (surface) != image->width
      || cairo_image_surface_get_height (surface) != image->height)
    return;

  prism_paint_set_font (paint, FONT_SIZE, FALSE);
  for (int y = first_y; y < end_y; y++)
    for (int x = first_x; x < end_x; x++)
      {
        gsize i = (gsize) y * image->width + x;
        double value = image->pixels[i] - (reference == NULL ? 0 : reference->pixels[i]);

        draw_label (paint, frame, value, is_light (picture, x, y), x, y);
      }
  prism_paint_set_font (paint, 1, FALSE);
}
