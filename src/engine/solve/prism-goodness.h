/* prism-goodness: holds an image against the measurements of its run. Thread: engine. */
#pragma once

#include "measure/prism-measurements.h"
#include "model/prism-verdict.h"

G_BEGIN_DECLS

gboolean prism_goodness_image (PrismMeasurements  *measurements,
                               const float        *image,
                               PrismVerdict       *verdict,
                               double             *left,
                               GError            **error);

G_END_DECLS
