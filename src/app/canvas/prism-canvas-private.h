/* prism-canvas-private: what the canvas and its input share: mouse, touch and keyboard, in terms of
 * the viewport. */
#pragma once

#include "canvas/prism-canvas.h"

G_BEGIN_DECLS

void prism_canvas_input_class_init (GtkWidgetClass *klass);
void prism_canvas_input_init       (PrismCanvas *self);

/* Moves the view so that the image's corner comes to x0, y0 at scale. */
void prism_canvas_place            (PrismCanvas *self,
                                    double       scale,
                                    double       x0,
                                    double       y0);
void prism_canvas_popup_menu       (PrismCanvas *self,
                                    double       x,
                                    double       y);

G_END_DECLS
