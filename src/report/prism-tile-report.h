/* prism-tile-report: what the tiles of a picture have come to, as a page of HTML. Thread: any. */
#pragma once

#include "tiles/prism-tile-blend.h"

G_BEGIN_DECLS

gboolean prism_tile_report_save (const PrismTileBlend *blend,
                                 const PrismTilePlan  *plan,
                                 const PrismTileTable *table,
                                 const char           *path,
                                 GError              **error);

G_END_DECLS
