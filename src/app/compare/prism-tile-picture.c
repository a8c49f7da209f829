#include "config.h"

#include "compare/prism-tiles-parts.h"

#include "base/prism-arena.h"
#include "tiles/prism-tile-window.h"

/* From this level on the overlap of neighbours is a few pixels: a tile is shown without them. */
#define ALONE_LEVEL 2
/* From this one on some rows stand for all: thousands of tiles are on the screen then. */
#define SPARSE_LEVEL 3
#define N_ROWS_READ 4 /* of those that a pixel stands for */

/**
 * prism_tile_picture_init:
 * @spec: (out caller-allocates): clear it with prism_tile_picture_clear()
 * @plan: of the tiles
 * @table: which of them are there
 * @directory: where they are
 * @tile: number of a tile that is there
 * @level: how much smaller; from 4 times on neighbours are left out
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

        if (next == tile || table->states[next] < PRISM_TILE_DARK || plan->overlap == 0
            || level >= ALONE_LEVEL)
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

static cairo_surface_t *
new_surface (const PrismTilePictureSpec *spec)
{
  const int side = MAX (spec->side >> spec->level, 1);

  return cairo_image_surface_create (CAIRO_FORMAT_RGB24, side, side);
}

static void
set_grey (cairo_surface_t *surface,
          int x,
          int y,
          float mean)
{
  guint32 *row = (guint32 *) (cairo_image_surface_get_data (surface)
                              + y * cairo_image_surface_get_stride (surface));
  guint32 level = (guint32) CLAMP (lroundf (255.0f * mean), 0, 255);

  row[x] = level << 16 | level << 8 | level;
}

/* The tile's image; %NULL where there is none of the right size. */
static PrismStrips *
open_image (const PrismTilePictureSpec *spec)
{
  g_autofree char *path
      = prism_tile_plan_dup_path (spec->directory, spec->parts[0].tile, "/reconstruction.npy");
  g_autoptr (PrismStrips) strips = prism_strips_open (path, NULL);

  return strips != NULL && strips->height == spec->side && strips->width == spec->side
             ? g_steal_pointer (&strips)
             : NULL;
}

/* Means of squares of 2^level pixels, of each a few rows. */
static gboolean
draw_sparse (const PrismTilePictureSpec *spec,
             PrismStrips *strips,
             cairo_surface_t *surface)
{
  const int step = 1 << spec->level, side = cairo_image_surface_get_width (surface);
  g_autofree float *row = g_new (float, strips->width);
  g_autofree float *sums = g_new (float, side);

  for (int y = 0; y < side; y++)
    {
      memset (sums, 0, (gsize) side * sizeof *sums);
      for (int i = 0; i < N_ROWS_READ; i++)
        {
          /* Spread over all rows of the pixel, with their middle. */
          const int half = (2 * MIN (i, N_ROWS_READ - 1 - i) + 1) * step / (2 * N_ROWS_READ);
          const int at = i < N_ROWS_READ / 2 ? half : step - 1 - half;

          strips->next = MIN (y * step + at, spec->side - 1);
          if (!prism_strips_read (strips, 1, row, NULL))
            return FALSE;
          for (int x = 0; x < side * step; x++)
            sums[x / step] += row[MIN (x, spec->side - 1)];
        }
      for (int x = 0; x < side; x++)
        set_grey (surface, x, y, sums[x] / (float) (N_ROWS_READ * step));
    }
  return TRUE;
}

static cairo_surface_t *
make_sparse (const PrismTilePictureSpec *spec)
{
  g_autoptr (PrismStrips) strips = open_image (spec);
  cairo_surface_t *surface = strips != NULL ? new_surface (spec) : NULL;

  if (surface != NULL
      && (cairo_image_surface_get_data (surface) == NULL
          || !draw_sparse (spec, strips, surface)))
    g_clear_pointer (&surface, cairo_surface_destroy);
  if (surface != NULL)
    cairo_surface_mark_dirty (surface);
  return surface;
}

/* Means of squares of 2^level pixels, as grey. */
static cairo_surface_t *
make_surface (const PrismTilePictureSpec *spec,
              const float *sum,
              const float *weights)
{
  const int step = 1 << spec->level;
  cairo_surface_t *surface = new_surface (spec);
  const int side = cairo_image_surface_get_width (surface);

  if (cairo_image_surface_get_data (surface) == NULL)
    return surface;
  for (int y = 0; y < side; y++)
    for (int x = 0; x < side; x++)
      {
        float mean = 0.0f;

        for (int j = 0; j < step; j++)
          for (int i = 0; i < step; i++)
            {
              gsize at = (gsize) MIN (y * step + j, spec->side - 1) * spec->side
                         + MIN (x * step + i, spec->side - 1);
              mean += sum[at] / weights[at];
            }
        set_grey (surface, x, y, mean / (float) (step * step));
      }
  cairo_surface_mark_dirty (surface);
  return surface;
}

/**
 * prism_tile_picture_make:
 * @spec: what
 *
 * Weighs images as the picture does that is put together at the end, without its gains and offsets.
 * From 8 times smaller on a few rows stand for all.
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
  prism_autofree_array float *sum = NULL;
  prism_autofree_array float *weights = NULL;

  if (spec->level >= SPARSE_LEVEL)
    {
      cairo_surface_t *surface = make_sparse (spec);

      if (surface == NULL)
        g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "no image");
      return surface;
    }
  sum = prism_arena_new_array (bytes, "the picture of a tile", error);
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
