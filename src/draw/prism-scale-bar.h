/* prism-scale-bar: a bar that says how long something on an image is. */
#pragma once

#include "prism-frame.h"
#include "prism-paint.h"

G_BEGIN_DECLS

char *prism_scale_bar_choose (double  visible,
                              double  metres,
                              double *length);
void prism_scale_bar_draw (PrismPaint *paint,
                           double      scale,
                           double      visible,
                           double      metres,
                           double      right,
                           double      bottom);
void prism_scale_bar_draw_frame (PrismPaint       *paint,
                                 const PrismFrame *frame,
                                 double            metres);
char *prism_scale_bar_dup_place (int    dx,
                                 int    dy,
                                 double metres,
                                 double seconds);

G_END_DECLS
