/* prism-replay: which earlier measurements a step looks at again. */
#pragma once

#include "config/prism-config.h"
#include "measure/prism-measurements.h"

G_BEGIN_DECLS

guint prism_replay_choose (const PrismConfig *config,
                           guint64            step,
                           guint              n_available,
                           guint             *picks);

/* The image that the decoder is fitted to before the first sample. */

PrismImage *prism_start_new_image (const PrismConfig  *config,
                                   PrismMeasurements  *measurements,
                                   GError            **error);

G_END_DECLS
