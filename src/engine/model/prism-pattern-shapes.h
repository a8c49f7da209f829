/* prism-pattern-shapes: the formulas of the sampling patterns: where the points of each lie.
 * Thread: any. */
#pragma once

#include "config/prism-config.h"
#include "model/prism-point.h"

G_BEGIN_DECLS

void prism_pattern_shapes_fill (PrismPoint        *points,
                                guint              n_points,
                                double             extent,
                                const PrismConfig *config);

G_END_DECLS
