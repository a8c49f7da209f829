/* prism-library-row: a run of the library: small picture, name, what differs, star. Signal:
 * starred, when the star was pressed. */
#pragma once

#include "library/prism-library-item.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define PRISM_TYPE_LIBRARY_ROW (prism_library_row_get_type ())

G_DECLARE_FINAL_TYPE (PrismLibraryRow, prism_library_row, PRISM, LIBRARY_ROW, GtkWidget)

GtkWidget        *prism_library_row_new      (void);
void              prism_library_row_set_item (PrismLibraryRow  *self,
                                              PrismLibraryItem *item,
                                              GdkTexture       *picture);

G_END_DECLS
