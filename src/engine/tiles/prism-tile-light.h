/* prism-tile-light: between which values the pixels of each tile of a picture lie, found while the
 * picture is read once, row by row. Thread: any one. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _PrismTileLight PrismTileLight;

PrismTileLight *prism_tile_light_new (int height,
                                      int width,
                                      int side,
                                      int n_rows,
                                      int n_columns);
void prism_tile_light_free (PrismTileLight *self);
void prism_tile_light_add_row (PrismTileLight *self,
                               int y,
                               const float *row);
void prism_tile_light_get_range (PrismTileLight *self,
                                 guint tile,
                                 float *low,
                                 float *high);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismTileLight, prism_tile_light_free)

G_END_DECLS
