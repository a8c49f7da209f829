/* prism-tuning-private: other values, for tests that say how much depends on each */
#pragma once

#include "num/prism-tuning.h"

G_BEGIN_DECLS

void prism_tuning_scale (PrismTuning tuning,
                         double      factor);

G_END_DECLS
