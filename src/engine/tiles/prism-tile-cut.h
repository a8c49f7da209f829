/* prism-tile-cut: the objects of tiles, cut from a picture that is read once in strips, with one
 * row of tiles in memory. Thread: any one. */
#pragma once

#include "tiles/prism-tile-plan.h"

G_BEGIN_DECLS

typedef struct _PrismTileCut PrismTileCut;

PrismTileCut *prism_tile_cut_new     (const PrismTilePlan  *plan,
                                      const char           *directory,
                                      GError              **error);
void          prism_tile_cut_free    (PrismTileCut *self);
gboolean      prism_tile_cut_prepare (PrismTileCut  *self,
                                      guint          tile,
                                      GError       **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismTileCut, prism_tile_cut_free)

G_END_DECLS
