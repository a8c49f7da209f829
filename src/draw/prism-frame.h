/* prism-frame: where an image lies in the area of a view. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Lengths of the area are logical pixels, of the image its own pixels. */
typedef struct
{
  double area_width;
  double area_height;
  int image_width;
  int image_height;
  double fit;                           /* scale that shows the whole image */
  double scale;                         /* logical pixels per pixel of the image */
  double x0;                            /* left edge of the image in the area */
  double y0;                            /* top edge of the image in the area */
  double device_scale;                  /* device pixels per logical pixel */
} PrismFrame;

void     prism_frame_init         (PrismFrame *self,
                                   double      area_width,
                                   double      area_height,
                                   int         image_width,
                                   int         image_height);
void     prism_frame_set_view     (PrismFrame *self,
                                   double      zoom,
                                   double      center_x,
                                   double      center_y,
                                   double      device_scale);
gboolean prism_frame_get_pixel    (const PrismFrame *self,
                                   double            area_x,
                                   double            area_y,
                                   int              *x,
                                   int              *y);

G_END_DECLS
