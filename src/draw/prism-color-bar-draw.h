/* prism-color-bar-draw: the scale from colours to values in cairo, the same on the screen and in
 * figures. */
#pragma once

#include "prism-mapping.h"
#include "prism-paint.h"

G_BEGIN_DECLS

double prism_color_bar_get_room (const PrismMapping *mapping,
                                 double              usual);
void   prism_color_bar_draw     (PrismPaint         *paint,
                                 const PrismMapping *mapping,
                                 double              x,
                                 double              y,
                                 double              width,
                                 double              height);

G_END_DECLS
