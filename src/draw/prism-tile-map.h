/* prism-tile-map: what the tiles of a picture have come to, as a map. */
#pragma once

#include "prism-chart-draw.h"
#include "tiles/prism-tile-table.h"

G_BEGIN_DECLS

typedef enum
{
  PRISM_TILE_MAP_VERDICT,
  PRISM_TILE_MAP_MISFIT,
  PRISM_TILE_MAP_SECONDS,
  PRISM_TILE_MAP_N_KINDS,
} PrismTileMapKind;

PrismChartData *prism_tile_map_new      (const PrismTilePlan  *plan,
                                         const PrismTileTable *table,
                                         PrismTileMapKind      kind);
gboolean        prism_tile_map_save_png (const PrismTilePlan  *plan,
                                         const PrismTileTable *table,
                                         const char           *path,
                                         GError              **error);

G_END_DECLS
