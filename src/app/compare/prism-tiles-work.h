/* prism-tiles-work: what the window of tiles tells of them before they run. */
#pragma once

#include "config/prism-config.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

void prism_tile_time_tell   (GtkLabel          *label,
                             const PrismConfig *config,
                             const char        *directory,
                             gboolean           keeps);
void prism_tile_time_forget (GtkLabel *label);

G_END_DECLS
