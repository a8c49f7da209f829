/* prism-color-bar: the scale from colours to values beside an image. */
#pragma once

#include "prism-picture.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define PRISM_TYPE_COLOR_BAR (prism_color_bar_get_type ())

G_DECLARE_FINAL_TYPE (PrismColorBar, prism_color_bar, PRISM, COLOR_BAR, GtkWidget)

void       prism_color_bar_set_mapping (PrismColorBar      *self,
                                        const PrismMapping *mapping);
void       prism_color_bar_set_marker  (PrismColorBar *self,
                                        double         value);

/* The numbers of the pixels, when they are large enough to hold them. */

void prism_pixel_labels_draw (PrismPaint       *paint,
                              const PrismFrame *frame,
                              const PrismImage *image,
                              const PrismImage *reference,
                              PrismPicture     *picture);

/* A text over a corner of a picture. */

void prism_readout_show     (GtkLabel   *label,
                             const char *text);
void prism_readout_show_fit (GtkLabel   *label,
                             const char *text,
                             GtkWidget  *picture);

G_END_DECLS
