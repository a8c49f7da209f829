/* prism-cpu-fold: folds a trained decoder, runs it before and after, and compares the two.
 * Thread: any. */
#pragma once

#include "model/prism-decoder.h"

G_BEGIN_DECLS

PrismFold *prism_cpu_fold_new (const PrismDecoderPlan  *plan,
                               const float             *parameters,
                               GError                 **error);

G_END_DECLS
