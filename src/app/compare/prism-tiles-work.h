/* prism-tiles-work: what the window of tiles has done on another thread: planning, which reads all
 * of the picture, and putting together. */
#pragma once

#include <gio/gio.h>

#include "tiles/prism-tile-blend.h"

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

G_END_DECLS
