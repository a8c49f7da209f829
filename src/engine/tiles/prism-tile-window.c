#include "config.h"

#include "tiles/prism-tile-window.h"

/**
 * prism_tile_window_count:
 * @length: of the picture
 * @side: m
 * @overlap: least number of pixels that neighbours share, below @side
 *
 * Units: pixels.
 *
 * Returns: how many tiles cover the length
 */
int
prism_tile_window_count (int length,
                         int side,
                         int overlap)
{
  int step = MAX (side - overlap, 1);

  return length <= side ? 1 : (length - overlap + step - 1) / step;
}

/**
 * prism_tile_window_get_origin:
 * @length: of the picture
 * @side: m
 * @n: of prism_tile_window_count()
 * @i: number of a tile, from 0
 *
 * Tiles are spread evenly: the first begins where the picture begins, the last ends where it ends.
 *
 * Units: pixels.
 *
 * Returns: first pixel of the tile
 */
int
prism_tile_window_get_origin (int length,
                              int side,
                              int n,
                              int i)
{
  return n <= 1 ? 0 : (int) (((gint64) i * (length - side) * 2 + n - 1) / (2 * (n - 1)));
}

/**
 * prism_tile_window_fill:
 * @weights: (out): of the pixels along a side
 * @side: m
 * @overlap: over how many pixels a tile fades in, and out
 *
 * A raised cosine: two tiles that share as many pixels as that weigh 1 together everywhere. It is
 * never 0, so that a pixel of a single tile is that tile's. Without overlap it is 1.
 *
 * Shape: [m].
 */
void
prism_tile_window_fill (float *weights,
                        int side,
                        int overlap)
{
  const int ramp = MIN (overlap, side / 2);

  for (int i = 0; i < side; i++)
    {
      int edge = MIN (i, side - 1 - i);
      double s = edge < ramp ? sin (G_PI_2 * (edge + 0.5) / ramp) : 1.0;

      weights[i] = (float) (s * s);
    }
}
