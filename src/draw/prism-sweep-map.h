/* prism-sweep-map: what a sweep over two parameters has come to, as cells in colours. */
#pragma once

#include "prism-paint.h"
#include "prism-sweep-grid.h"

G_BEGIN_DECLS

void prism_sweep_map_draw (PrismSweepGrid *grid,
                           PrismPaint     *paint,
                           double          width,
                           double          height);

G_END_DECLS
