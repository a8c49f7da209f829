/* prism-judge: holds an image against the measurements of its run. Thread: engine. */
#pragma once

#include "model/prism-verdict.h"
#include "measure/prism-measurements.h"

G_BEGIN_DECLS

gboolean prism_judge_image (PrismMeasurements  *measurements,
                            PrismScene         *scene,
                            PrismBackend       *backend,
                            const float        *image,
                            PrismVerdict       *verdict,
                            GError            **error);

G_END_DECLS
