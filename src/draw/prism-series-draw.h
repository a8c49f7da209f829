/* prism-series-draw: what sizes take, a bar for each value; the best one stands out. */
#pragma once

#include "benchmark/prism-performance.h"
#include "prism-paint.h"

G_BEGIN_DECLS

void prism_series_draw (PrismPaint        *paint,
                        const PrismSeries *series,
                        double             width,
                        double             height);

G_END_DECLS
