/* prism-tile-picture: a tile as it looks in the picture that it is part of: where it overlaps with
 * neighbours, one image fades into the other. */
#pragma once

#include <cairo.h>

#include "tiles/prism-tile-table.h"

G_BEGIN_DECLS

#define PRISM_TILE_PICTURE_MAX_PARTS 9

/* An image that shows a part of the tile. */
typedef struct
{
  guint tile;
  int x;                                /* its first pixel, from the tile's */
  int y;
} PrismTilePart;

/* All that is needed, so that it can be made on another thread. */
typedef struct
{
  char *directory;
  int side;
  int overlap;
  int level;                            /* one pixel of the result for 2^level × 2^level */
  guint n_parts;
  PrismTilePart parts[PRISM_TILE_PICTURE_MAX_PARTS]; /* the tile itself first */
} PrismTilePictureSpec;

void             prism_tile_picture_init  (PrismTilePictureSpec *spec,
                                           const PrismTilePlan  *plan,
                                           const PrismTileTable *table,
                                           const char           *directory,
                                           guint                 tile,
                                           int                   level);
void             prism_tile_picture_clear (PrismTilePictureSpec *spec);
cairo_surface_t *prism_tile_picture_make  (const PrismTilePictureSpec  *spec,
                                           GError                     **error);

G_END_DECLS
