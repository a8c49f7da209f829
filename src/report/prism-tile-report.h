/* prism-tile-report: what the tiles of a picture have come to: the picture, tables, a page of HTML.
 * Thread: any. */
#pragma once

#include "tiles/prism-tile-blend.h"

G_BEGIN_DECLS

#define PRISM_TILE_REPORT_PICTURE "picture.tif"

PrismTileBlend *prism_tile_report_save_all (const PrismTilePlan  *plan,
                                            const PrismTileTable *table,
                                            const char           *directory,
                                            const char           *picture,
                                            GError              **error);

G_END_DECLS
