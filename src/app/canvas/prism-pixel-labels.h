/* prism-pixel-labels: the numbers of the pixels, when they are large enough to hold them. */
#pragma once

#include "formats/prism-image.h"
#include "prism-paint.h"
#include "prism-picture.h"

G_BEGIN_DECLS

void prism_pixel_labels_draw (PrismPaint       *paint,
                              const PrismFrame *frame,
                              const PrismImage *image,
                              const PrismImage *reference,
                              PrismPicture     *picture);

G_END_DECLS
