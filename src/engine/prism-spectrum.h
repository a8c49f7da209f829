/* prism-spectrum: the object's spectrum as a picture. */
#pragma once

#include "prism-image.h"

G_BEGIN_DECLS

PrismImage *prism_spectrum_new_image (const PrismImage  *object,
                                      int                image_size,
                                      GError           **error);

G_END_DECLS
