/* prism-resample: another number of pixels for the same image, without aliasing. Thread: any. */
#pragma once

#include "formats/prism-image.h"

G_BEGIN_DECLS

PrismImage *prism_resample (const PrismImage  *image,
                            int                height,
                            int                width,
                            GError           **error);

G_END_DECLS
