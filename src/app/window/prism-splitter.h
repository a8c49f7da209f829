/* prism-splitter: the gap between two rows or columns of panels, which can be dragged, or moved by
 * the arrow keys. Signals: “moved” (int px, where its left or upper edge should be in its parent),
 * “reset” for a double click or Delete. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define PRISM_TYPE_SPLITTER (prism_splitter_get_type ())

G_DECLARE_FINAL_TYPE (PrismSplitter, prism_splitter, PRISM, SPLITTER, GtkWidget)

GtkWidget *prism_splitter_new (GtkOrientation orientation,
                               int            number);

G_END_DECLS
