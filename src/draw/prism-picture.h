/* prism-picture: an image in colours, ready to be painted at any scale; immutable. */
#pragma once

#include "formats/prism-image.h"
#include "prism-mapping.h"
#include "prism-paint.h"

#include <cairo.h>

G_BEGIN_DECLS

typedef struct _PrismPicture PrismPicture;

PrismPicture       *prism_picture_new         (PrismImage         *image,
                                               PrismImage         *reference,
                                               const PrismMapping *mapping,
                                               GError            **error);
void                prism_picture_free        (PrismPicture *self);
const PrismMapping *prism_picture_get_mapping (PrismPicture *self);
cairo_surface_t    *prism_picture_get_surface (PrismPicture *self);
void                prism_picture_draw        (PrismPicture     *self,
                                               cairo_t          *cr,
                                               const PrismFrame *frame);

gboolean            prism_picture_draw_image  (cairo_t            *cr,
                                               PrismImage         *image,
                                               PrismImage         *reference,
                                               const PrismMapping *mapping,
                                               const PrismFrame   *frame,
                                               GError            **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismPicture, prism_picture_free)

G_END_DECLS
