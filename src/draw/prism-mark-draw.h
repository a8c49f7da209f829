/* prism-mark-draw: marks over a picture in cairo, the same on the screen and in figures. */
#pragma once

#include "model/prism-mark.h"
#include "prism-frame.h"
#include "prism-paint.h"

G_BEGIN_DECLS

void prism_mark_draw_list (PrismPaint       *paint,
                           const PrismFrame *frame,
                           const GArray     *marks,
                           gboolean          camera,
                           int               selected,
                           double            metres);

G_END_DECLS
