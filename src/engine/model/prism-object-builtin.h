/* prism-object-builtin: the drawings that come with the program; internal to prism-object.
 * Thread: any. */
#pragma once

#include "config/prism-config.h"
#include "formats/prism-image.h"

G_BEGIN_DECLS

/* Intensity at a point of the frame, which spans -1…1 in both directions, y downwards. */
typedef double (*PrismDrawFunc) (double        y,
                                 double        x,
                                 gconstpointer drawing);

PrismImage *prism_object_draw          (int             object_size,
                                        int             oversampling,
                                        PrismDrawFunc   func,
                                        gconstpointer   drawing,
                                        GError        **error);
PrismImage *prism_object_draw_builtin  (const char         *id,
                                        const PrismConfig  *config,
                                        GError            **error);

PrismImage *prism_object_draw_moon     (const PrismConfig  *config,
                                        GError            **error);
PrismImage *prism_object_draw_ice_moon (const PrismConfig  *config,
                                        GError            **error);
PrismImage *prism_object_draw_usaf1951 (const PrismConfig  *config,
                                        GError            **error);
PrismImage *prism_object_draw_points   (const PrismConfig  *config,
                                        GError            **error);
PrismImage *prism_object_draw_shape    (const PrismConfig  *config,
                                        GError            **error);
PrismImage *prism_object_draw_text     (const PrismConfig  *config,
                                        GError            **error);

G_END_DECLS
