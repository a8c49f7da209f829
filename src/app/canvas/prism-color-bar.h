/* prism-color-bar: the scale from colours to values beside an image. */
#pragma once

#include "prism-mapping.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define PRISM_TYPE_COLOR_BAR (prism_color_bar_get_type ())

G_DECLARE_FINAL_TYPE (PrismColorBar, prism_color_bar, PRISM, COLOR_BAR, GtkWidget)

void       prism_color_bar_set_mapping (PrismColorBar      *self,
                                        const PrismMapping *mapping);
void       prism_color_bar_set_marker  (PrismColorBar *self,
                                        double         value);

G_END_DECLS
