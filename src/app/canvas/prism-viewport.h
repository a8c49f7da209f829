/* prism-viewport: zoom, position and cursor that linked views share, in coordinates of the image
 * divided by its size, so that images of different size can be linked. */
#pragma once

#include "prism-picture.h"

#include <gio/gio.h>
#include <glib-object.h>

G_BEGIN_DECLS

#define PRISM_TYPE_VIEWPORT (prism_viewport_get_type ())

G_DECLARE_FINAL_TYPE (PrismViewport, prism_viewport, PRISM, VIEWPORT, GObject)

#define PRISM_VIEWPORT_MIN_ZOOM (1.0 / 64)
#define PRISM_VIEWPORT_MAX_ZOOM 1024.0

PrismViewport *prism_viewport_new        (void);
void           prism_viewport_set_view   (PrismViewport *self,
                                          double         zoom,
                                          double         center_x,
                                          double         center_y);
void           prism_viewport_reset      (PrismViewport *self);
double         prism_viewport_get_zoom   (PrismViewport *self);
double         prism_viewport_get_x      (PrismViewport *self);
double         prism_viewport_get_y      (PrismViewport *self);
void           prism_viewport_set_cursor (PrismViewport *self,
                                          double         x,
                                          double         y);
void           prism_viewport_clear_cursor (PrismViewport *self);
gboolean       prism_viewport_get_cursor (PrismViewport *self,
                                          double        *x,
                                          double        *y);

/* Turns the newest image into a picture on another thread. */

#define PRISM_TYPE_RASTER (prism_raster_get_type ())

G_DECLARE_FINAL_TYPE (PrismRaster, prism_raster, PRISM, RASTER, GObject)

PrismRaster  *prism_raster_new         (void);
void          prism_raster_set_image   (PrismRaster *self,
                                        PrismImage  *image,
                                        PrismImage  *reference);
void          prism_raster_set_mapping (PrismRaster        *self,
                                        const PrismMapping *mapping);
PrismImage   *prism_raster_get_image   (PrismRaster *self);
PrismImage   *prism_raster_get_reference (PrismRaster *self);
const PrismMapping *prism_raster_get_mapping (PrismRaster *self);
void          prism_raster_set_active  (PrismRaster *self,
                                        gboolean     active);
PrismPicture *prism_raster_get_picture (PrismRaster *self);
gboolean      prism_raster_is_busy     (PrismRaster *self);

G_END_DECLS
