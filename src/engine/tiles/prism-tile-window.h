/* prism-tile-window: where tiles lie along one side of a picture, and how much each counts there.
 *
 * m = side of a tile. Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

int  prism_tile_window_count      (int length,
                                   int side,
                                   int overlap);
int  prism_tile_window_get_origin (int length,
                                   int side,
                                   int n,
                                   int i);
void prism_tile_window_fill       (float *weights,
                                   int    side,
                                   int    overlap);

G_END_DECLS
