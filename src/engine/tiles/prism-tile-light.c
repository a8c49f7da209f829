#include "config.h"

#include "tiles/prism-tile-light.h"

#include "tiles/prism-tile-window.h"

#include <math.h>

typedef struct
{
  float low;
  float high;
} Range;

struct _PrismTileLight
{
  int height; /* of the picture */
  int width;
  int side;
  int n_rows;
  int n_columns;
  Range *ranges; /* [n_rows][n_columns] */
};

/**
 * prism_tile_light_new:
 * @height: of the picture
 * @width: of the picture
 * @side: of a tile
 * @n_rows: of tiles
 * @n_columns: of tiles
 *
 * Units: pixels.
 *
 * Returns: (transfer full): what knows no pixel yet
 */
PrismTileLight *
prism_tile_light_new (int height,
                      int width,
                      int side,
                      int n_rows,
                      int n_columns)
{
  PrismTileLight *self = g_new0 (PrismTileLight, 1);
  const gsize n = (gsize) n_rows * (gsize) n_columns;

  self->height = height;
  self->width = width;
  self->side = side;
  self->n_rows = n_rows;
  self->n_columns = n_columns;
  self->ranges = g_new (Range, n);
  for (gsize i = 0; i < n; i++)
    self->ranges[i] = (Range) { INFINITY, -INFINITY };
  return self;
}

/**
 * prism_tile_light_free:
 * @self: (nullable): what knows the pixels
 */
void
prism_tile_light_free (PrismTileLight *self)
{
  if (self == NULL)
    return;
  g_free (self->ranges);
  g_free (self);
}

static void
add_pixels (Range *range,
            const float *pixels,
            int n)
{
  for (int x = 0; x < n; x++)
    {
      const float value = isnan (pixels[x]) ? -INFINITY : pixels[x];

      range->low = MIN (range->low, value);
      range->high = MAX (range->high, value);
    }
}

/**
 * prism_tile_light_add_row:
 * @y: number of the row
 * @row: (array): of the picture; what is no number counts as the lowest
 *
 * Shape: @row [width].
 */
void
prism_tile_light_add_row (PrismTileLight *self,
                          int y,
                          const float *row)
{
  for (int i = 0; i < self->n_rows; i++)
    {
      const int top = prism_tile_window_get_origin (self->height, self->side, self->n_rows, i);

      for (int k = 0; y >= top && y < top + self->side && k < self->n_columns; k++)
        {
          const int x = prism_tile_window_get_origin (self->width, self->side, self->n_columns, k);

          add_pixels (self->ranges + (gsize) i * (gsize) self->n_columns + k, row + x,
                      MIN (self->side, self->width - x));
        }
    }
}

/**
 * prism_tile_light_get_range:
 * @tile: number of a tile, row by row
 * @low: (out): its lowest value
 * @high: (out): its highest value
 */
void
prism_tile_light_get_range (PrismTileLight *self,
                            guint tile,
                            float *low,
                            float *high)
{
  *low = self->ranges[tile].low;
  *high = self->ranges[tile].high;
}
