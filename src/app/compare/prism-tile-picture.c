#include "config.h"

#include "compare/prism-tile-picture.h"

#include "base/prism-arena.h"
#include "tiles/prism-tile-window.h"

#include <gio/gio.h>
#include <math.h>
#include <string.h>

/**
 * prism_tile_picture_init:
 * @spec: (out caller-allocates): clear it with prism_tile_picture_clear()
 * @plan: of the tiles
 * @table: which of them are there
 * @directory: where they are
 * @tile: number of a tile that is there
 * @level: how much smaller
 */
void
prism_tile_picture_init (PrismTilePictureSpec *spec,
                         const PrismTilePlan *plan,
                         const PrismTileTable *table,
                         const char *directory,
                         guint tile,
                         int level)
{
  PrismTilePlace own;

  prism_tile_plan_get_place (plan, tile, &own);
  *spec = (PrismTilePictureSpec) { .directory = g_strdup (directory),
                                   .side = plan->side,
                                   .overlap = plan->overlap,
                                   .level = level,
                                   .n_parts = 1,
                                   .parts = { { tile, 0, 0 } } };
  for (int row = MAX (own.row - 1, 0); row <= MIN (own.row + 1, plan->n_rows - 1); row++)
    for (int column = MAX (own.column - 1, 0);
         column <= MIN (own.column + 1, plan->n_columns - 1); column++)
      {
        guint next = (guint) (row * plan->n_columns + column);
        PrismTilePlace place;

        if (next == tile || table->states[next] < PRISM_TILE_DARK || plan->overlap == 0)
          continue;
        prism_tile_plan_get_place (plan, next, &place);
        spec->parts[spec->n_parts++]
            = (PrismTilePart) { next, place.x - own.x, place.y - own.y };
      }
}

/**
 * prism_tile_picture_clear:
 * @spec: what is not needed any more
 */
void
prism_tile_picture_clear (PrismTilePictureSpec *spec)
{
  g_clear_pointer (&spec->directory, g_free);
}

/* Adds what an image shows of the tile; FALSE where it is not there. */
static gboolean
add_part (const PrismTilePictureSpec *spec,
          const PrismTilePart *part,
          const float *window,
          float *sum,
          float *weights)
{
  const int side = spec->side;
  g_autofree char *folder = prism_tile_plan_dup_path (spec->directory, part->tile, "");
  g_autoptr (PrismImage) image = prism_sweep_row_load_image (folder, "reconstruction.npy");

  if (image == NULL || image->height != side || image->width != side)
    return FALSE;
  for (int y = MAX (part->y, 0); y < MIN (part->y + side, side); y++)
    for (int x = MAX (part->x, 0); x < MIN (part->x + side, side); x++)
      {
        const float weight = window[y - part->y] * window[x - part->x];

        sum[(gsize) y * side + x]
            += weight * image->pixels[(gsize) (y - part->y) * side + (x - part->x)];
        weights[(gsize) y * side + x] += weight;
      }
  return TRUE;
}

/* Means of squares of 2^level pixels, as grey. */
static cairo_surface_t *
make_surface (const PrismTilePictureSpec *spec,
              const float *sum,
              const float *weights)
{
  const int step = 1 << spec->level;
  const int side = MAX (spec->side / step, 1);
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, side, side);
  guint8 *bytes = cairo_image_surface_get_data (surface);
  const int stride = cairo_image_surface_get_stride (surface);

  if (bytes == NULL)
    return surface;
  for (int y = 0; y < side; y++)
    for (int x = 0; x < side; x++)
      {
        float mean = 0.0f;
        guint32 level;

        for (int j = 0; j < step; j++)
          for (int i = 0; i < step; i++)
            {
              gsize at = (gsize) MIN (y * step + j, spec->side - 1) * spec->side
                         + MIN (x * step + i, spec->side - 1);
              mean += sum[at] / weights[at];
            }
        level = (guint32) CLAMP (lroundf (255.0f * mean / (float) (step * step)), 0, 255);
        ((guint32 *) (bytes + y * stride))[x] = level << 16 | level << 8 | level;
      }
  cairo_surface_mark_dirty (surface);
  return surface;
}

/**
 * prism_tile_picture_make:
 * @spec: what
 *
 * Weighs images as the picture does that is put together at the end, without its gains and offsets.
 *
 * Errors: PRISM_ERROR_MEMORY, G_IO_ERROR where the tile has no image.
 * Thread: any.
 *
 * Returns: (transfer full) (nullable): amplitudes as grey, 0 black and 1 white
 */
cairo_surface_t *
prism_tile_picture_make (const PrismTilePictureSpec *spec,
                         GError **error)
{
  const gsize bytes = (gsize) spec->side * (gsize) spec->side * sizeof (float);
  g_autofree float *window = g_new (float, spec->side);
  prism_autofree_array float *sum = prism_arena_new_array (bytes, "the picture of a tile", error);
  prism_autofree_array float *weights = NULL;

  if (sum == NULL)
    return NULL;
  weights = prism_arena_new_array (bytes, "the weights of a tile", error);
  if (weights == NULL)
    return NULL;
  memset (sum, 0, bytes);
  memset (weights, 0, bytes);
  prism_tile_window_fill (window, spec->side, spec->overlap);
  for (guint i = 0; i < spec->n_parts; i++)
    if (!add_part (spec, &spec->parts[i], window, sum, weights) && i == 0)
      {
        g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "no image");
        return NULL;
      }
  return make_surface (spec, sum, weights);
}
