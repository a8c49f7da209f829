/* prism-viewport: zoom, position and cursor that linked views share, in coordinates of the image
 * divided by its size, so that images of different size can be linked. */
#pragma once

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

G_END_DECLS
