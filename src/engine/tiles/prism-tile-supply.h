/* prism-tile-supply: cuts tiles on a thread of its own, ahead of the runs that want them, so that
 * neither they nor a window wait for strips of the picture.
 *
 * Thread: that of the main context in which it was made. */
#pragma once

#include "tiles/prism-tile-cut.h"

G_BEGIN_DECLS

typedef struct _PrismTileSupply PrismTileSupply;

/* Tiles have come that were asked for. */
typedef void (*PrismTileSupplyFunc) (gpointer data);

PrismTileSupply *prism_tile_supply_new   (const PrismTilePlan  *plan,
                                          const char           *directory,
                                          PrismTileSupplyFunc   func,
                                          gpointer              data,
                                          GError              **error);
void             prism_tile_supply_free  (PrismTileSupply *self);
gboolean         prism_tile_supply_order (PrismTileSupply *self,
                                          guint            tile);
gboolean         prism_tile_supply_take  (PrismTileSupply  *self,
                                          guint             tile,
                                          GError          **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismTileSupply, prism_tile_supply_free)

G_END_DECLS
