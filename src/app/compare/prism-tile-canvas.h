/* prism-tile-canvas: the tiles of a large picture as they are finished, to zoom into; never more
 * pixels than the screen has. */
#pragma once

#include <gtk/gtk.h>

#include "prism-tile-map.h"

G_BEGIN_DECLS

/* Beside the kinds of maps: the images themselves. */
#define PRISM_TILE_CANVAS_IMAGES PRISM_TILE_MAP_N_KINDS

#define PRISM_TYPE_TILE_CANVAS (prism_tile_canvas_get_type ())

G_DECLARE_FINAL_TYPE (PrismTileCanvas, prism_tile_canvas, PRISM, TILE_CANVAS, GtkDrawingArea)

typedef gboolean (*PrismTileRunningFunc) (guint    tile,
                                          gpointer data);

void prism_tile_canvas_set_tiles    (PrismTileCanvas       *self,
                                     const PrismTilePlan   *plan,
                                     const PrismTileTable  *table,
                                     const char            *directory);
void prism_tile_canvas_set_running  (PrismTileCanvas      *self,
                                     PrismTileRunningFunc  func,
                                     gpointer              data);
void prism_tile_canvas_set_kind     (PrismTileCanvas *self,
                                     guint            kind);
void prism_tile_canvas_select       (PrismTileCanvas *self,
                                     guint            tile);
guint prism_tile_canvas_get_selected (PrismTileCanvas *self);
void prism_tile_canvas_fit          (PrismTileCanvas *self);

G_END_DECLS
