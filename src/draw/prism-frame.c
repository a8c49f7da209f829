#include "config.h"

#include "prism-frame.h"

#include <math.h>

/**
 * prism_frame_init:
 * @self: (out caller-allocates): a frame
 * @area_width: of the view
 * @area_height: of the view
 * @image_width: of the image
 * @image_height: of the image
 *
 * Fits the whole image into the middle of the area.
 *
 * Units: logical pixels for the area, pixels for the image.
 */
void
prism_frame_init (PrismFrame *self,
                  double area_width,
                  double area_height,
                  int image_width,
                  int image_height)
{
  *self = (PrismFrame) {
    .area_width = area_width,
    .area_height = area_height,
    .image_width = MAX (image_width, 1),
    .image_height = MAX (image_height, 1),
  };
  self->fit = MAX (MIN (area_width / self->image_width, area_height / self->image_height), 1e-6);
  prism_frame_set_view (self, 1, 0.5, 0.5, 1);
}

/* An image smaller than the area is centred, a larger one leaves no gap at its edges. */
static double
place_axis (double area,
            double length,
            double center,
            double device_scale)
{
  double start = length <= area
                     ? (area - length) / 2
                     : CLAMP (area / 2 - center * length, area - length, 0.0);

  return round (start * device_scale) / device_scale;
}

/**
 * prism_frame_set_view:
 * @self: a frame
 * @zoom: scale in units of the one that fits
 * @center_x: column in the middle of the area, divided by the width of the image
 * @center_y: row in the middle of the area, divided by the height of the image
 * @device_scale: device pixels per logical pixel
 *
 * Places the image; its corner falls on a device pixel.
 */
void
prism_frame_set_view (PrismFrame *self,
                      double zoom,
                      double center_x,
                      double center_y,
                      double device_scale)
{
  self->device_scale = device_scale;
  self->scale = self->fit * zoom;
  self->x0 = place_axis (self->area_width, self->scale * self->image_width, center_x, device_scale);
  self->y0 = place_axis (self->area_height, self->scale * self->image_height, center_y,
                         device_scale);
}

/**
 * prism_frame_get_pixel:
 * @self: a frame
 * @area_x: position in the area
 * @area_y: position in the area
 * @x: (out): column of the image
 * @y: (out): row of the image
 *
 * Finds the pixel below a point.
 *
 * Returns: whether the point lies on the image
 */
gboolean
prism_frame_get_pixel (const PrismFrame *self,
                       double area_x,
                       double area_y,
                       int *x,
                       int *y)
{
  *x = (int) floor ((area_x - self->x0) / self->scale);
  *y = (int) floor ((area_y - self->y0) / self->scale);
  return *x >= 0 && *y >= 0 && *x < self->image_width && *y < self->image_height;
}
