/* prism-tiles-window: reconstructs a large picture in tiles and shows how it gets on. */
#pragma once

#include "support/prism-job-window.h"

G_BEGIN_DECLS

#define PRISM_TYPE_TILES_WINDOW (prism_tiles_window_get_type ())

G_DECLARE_FINAL_TYPE (PrismTilesWindow, prism_tiles_window, PRISM, TILES_WINDOW, PrismJobWindow)

GtkWidget *prism_tiles_window_new         (const PrismConfig *base);
void       prism_tiles_window_set_picture (PrismTilesWindow *self,
                                           const char       *path);
gboolean   prism_tiles_window_open        (PrismTilesWindow  *self,
                                           const char        *directory,
                                           GError           **error);

G_END_DECLS
