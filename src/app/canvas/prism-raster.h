/* prism-raster: turns the newest image into a picture on another thread. */
#pragma once

#include "prism-picture.h"

#include <gio/gio.h>

G_BEGIN_DECLS

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
