/* prism-exposure: what a camera sees of an object through one aperture that stands still.
 * Thread: any. */
#pragma once

#include "formats/prism-image.h"
#include "model/prism-aperture.h"

G_BEGIN_DECLS

PrismImage *prism_exposure_new_image (const PrismImage  *object,
                                      const PrismMask   *mask,
                                      GError           **error);

G_END_DECLS
