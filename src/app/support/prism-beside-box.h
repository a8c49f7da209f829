/* prism-beside-box: two widgets, the second below the first one, or beside it where that is low. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define PRISM_TYPE_BESIDE_BOX (prism_beside_box_get_type ())

G_DECLARE_FINAL_TYPE (PrismBesideBox, prism_beside_box, PRISM, BESIDE_BOX, GtkWidget)

G_END_DECLS
