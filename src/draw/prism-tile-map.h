/* prism-tile-map: what the tiles of a picture have come to, as a map. */
#pragma once

#include "prism-paint.h"
#include "tiles/prism-tile-table.h"

G_BEGIN_DECLS

typedef enum
{
  PRISM_TILE_MAP_VERDICT,
  PRISM_TILE_MAP_MISFIT,
  PRISM_TILE_MAP_SECONDS,
  PRISM_TILE_MAP_N_KINDS,
} PrismTileMapKind;

typedef struct
{
  const PrismTilePlan *plan;
  const PrismTileTable *table;
  PrismTileMapKind kind;
} PrismTileMap;

const char *prism_tile_map_get_title (PrismTileMapKind kind);
char       *prism_tile_map_dup_range (const PrismTileMap *self);
void        prism_tile_map_draw      (const PrismTileMap *self,
                                      PrismPaint         *paint,
                                      double              width,
                                      double              height);
gboolean    prism_tile_map_save_png  (const PrismTilePlan  *plan,
                                      const PrismTileTable *table,
                                      const char           *path,
                                      GError              **error);

G_END_DECLS
