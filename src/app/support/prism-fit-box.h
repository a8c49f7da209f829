/* prism-fit-box: a row of widgets of which the last ones are left out where there is no room. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define PRISM_TYPE_FIT_BOX (prism_fit_box_get_type ())

G_DECLARE_FINAL_TYPE (PrismFitBox, prism_fit_box, PRISM, FIT_BOX, GtkWidget)

/* Two widgets, the second below the first one, or beside it where that is low. */

#define PRISM_TYPE_BESIDE_BOX (prism_beside_box_get_type ())

G_DECLARE_FINAL_TYPE (PrismBesideBox, prism_beside_box, PRISM, BESIDE_BOX, GtkWidget)

G_END_DECLS
