/* prism-spotlight: lies over a window and rings the pointer, widely while it moves; nothing is
 * covered. Property: active. Signal: resized. Thread: main. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define PRISM_TYPE_SPOTLIGHT (prism_spotlight_get_type ())

G_DECLARE_FINAL_TYPE (PrismSpotlight, prism_spotlight, PRISM, SPOTLIGHT, GtkWidget)

void     prism_spotlight_move      (PrismSpotlight *self,
                                    double          x,
                                    double          y);
gboolean prism_spotlight_get_point (PrismSpotlight *self,
                                    double         *x,
                                    double         *y,
                                    double         *radius);

G_END_DECLS
