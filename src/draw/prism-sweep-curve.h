/* prism-sweep-curve: what a sweep over one parameter has come to, as a curve with the spread of its
 * runs. */
#pragma once

#include "prism-paint.h"
#include "prism-sweep-grid.h"

G_BEGIN_DECLS

void prism_sweep_curve_draw (PrismSweepGrid *grid,
                             PrismPaint     *paint,
                             double          width,
                             double          height);

G_END_DECLS
