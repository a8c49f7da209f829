/* prism-spectrum: the object's spectrum as a picture.
 * Thread: any, unless a function says otherwise. */
#pragma once

#include "formats/prism-image.h"

#include <glib.h>

G_BEGIN_DECLS

/* Half spectrum of an image in the corner of the field, not normalised: float [n][n/2+1][2], zero
 * frequency at [0][0], for prism_arena_free_array(). (transfer full) (nullable) */
float      *prism_spectrum_transform (const PrismImage  *image,
                                      int                image_size,
                                      GError           **error);
PrismImage *prism_spectrum_new_image (const PrismImage  *object,
                                      int                image_size,
                                      GError           **error);

G_END_DECLS
