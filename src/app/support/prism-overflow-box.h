/* prism-overflow-box: a row of widgets of which the last are left out where there is no room. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define PRISM_TYPE_OVERFLOW_BOX (prism_overflow_box_get_type ())

G_DECLARE_FINAL_TYPE (PrismOverflowBox, prism_overflow_box, PRISM, OVERFLOW_BOX, GtkWidget)

/* Two widgets, the second below the first one, or beside it where that is low. */

#define PRISM_TYPE_ADAPTIVE_BOX (prism_adaptive_box_get_type ())

G_DECLARE_FINAL_TYPE (PrismAdaptiveBox, prism_adaptive_box, PRISM, ADAPTIVE_BOX, GtkWidget)

G_END_DECLS
