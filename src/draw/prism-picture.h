/* prism-picture: an image in colours, ready to be painted at any scale; immutable. */
#pragma once

#include "formats/prism-image.h"
#include "prism-mapping.h"
#include "prism-paint.h"

#include <cairo.h>

G_BEGIN_DECLS

#define PRISM_PICTURE_MAX_LEVELS 8

typedef struct
{
  PrismMapping mapping;                 /* with the levels that were found */
  cairo_surface_t *surface;             /* in the size of the image */
  int n_levels;
  PrismImage *levels[PRISM_PICTURE_MAX_LEVELS]; /* values; [0] has the size of the image */
} PrismPicture;

PrismPicture       *prism_picture_new         (PrismImage         *image,
                                               PrismImage         *reference,
                                               const PrismMapping *mapping,
                                               GError            **error);
void                prism_picture_free        (PrismPicture *self);
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
