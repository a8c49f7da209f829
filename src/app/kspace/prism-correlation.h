/* prism-correlation: how well the reconstruction on the screen agrees with the object at each
 * spatial frequency, computed beside the run. */
#pragma once

#include <glib-object.h>

#include "results/prism-frc.h"

G_BEGIN_DECLS

#define PRISM_TYPE_CORRELATION (prism_correlation_get_type ())

G_DECLARE_FINAL_TYPE (PrismCorrelation, prism_correlation, PRISM, CORRELATION, GObject)

void              prism_correlation_set_snapshot (PrismCorrelation *self,
                                                  PrismSnapshot    *snapshot);
const PrismFrc   *prism_correlation_get_frc      (PrismCorrelation *self);
PrismImage       *prism_correlation_get_map      (PrismCorrelation *self);

G_END_DECLS
