/* prism-start: the image that the decoder is fitted to before the first sample. */
#pragma once

#include "measure/prism-measurements.h"

G_BEGIN_DECLS

PrismImage *prism_start_new_image (const PrismConfig  *config,
                                   PrismMeasurements  *measurements,
                                   GError            **error);

G_END_DECLS
