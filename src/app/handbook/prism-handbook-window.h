/* prism-handbook-window: the handbook, with search, and what the program shows right now beside its
 * explanation. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define PRISM_TYPE_HANDBOOK_WINDOW (prism_handbook_window_get_type ())

G_DECLARE_FINAL_TYPE (PrismHandbookWindow, prism_handbook_window, PRISM, HANDBOOK_WINDOW, AdwWindow)

gboolean    prism_handbook_window_show      (PrismHandbookWindow *self,
                                             const char          *page,
                                             const char          *anchor,
                                             GdkPaintable        *picture);

G_END_DECLS
