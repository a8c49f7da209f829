/* prism-tiles-work: what the window of tiles has done on another thread: planning, which reads all
 * of the picture, and putting together. */
#pragma once

#include "config/prism-config.h"
#include "tiles/prism-tile-blend.h"

#include <gio/gio.h>
#include <gtk/gtk.h>

G_BEGIN_DECLS

typedef void (*PrismTilesPlanned) (gpointer       data,
                                   PrismTilePlan *plan,     /* (transfer full) (nullable) */
                                   const char    *directory,
                                   const GError  *error);
typedef void (*PrismTilesMerged)  (gpointer       data,
                                   const char    *sentence, /* (nullable): what it has come to */
                                   const GError  *error);

void prism_tiles_work_plan  (const PrismConfig *config,
                             const char        *directory,
                             const char        *otherwise,
                             PrismTilesPlanned  done,
                             GObject           *data);
void prism_tiles_work_merge (const char        *directory,
                             PrismTilesMerged   done,
                             GObject           *data);

/* How many tiles a picture will be, and how long they take, before they run. */

void prism_tile_time_tell   (GtkLabel          *label,
                             const PrismConfig *config,
                             const char        *directory,
                             gboolean           keeps);
void prism_tile_time_forget (GtkLabel *label);

G_END_DECLS
