#include "config.h"

#include "tiles/prism-tile-blend.h"

#include "base/prism-arena.h"
#include "base/prism-each.h"
#include "formats/prism-strip-writer.h"
#include "num/prism-linear.h"
#include "tiles/prism-tile-window.h"

/* One row of tiles. */
typedef PrismImage **TileRow; /* [n_columns], NULL where there is none */

typedef struct
{
  const PrismTilePlan *plan;
  const PrismTileTable *table;
  const char *directory;
  PrismTileBlend *blend;
  float *window;  /* [m] */
  float *sum;     /* [m][width] */
  float *weights; /* [m][width] */
  float *row;     /* [width] */
  int first;      /* row of the picture at which sum begins */
  PrismStripWriter *writer;
  PrismStrips *strips; /* (nullable): what it should look like */
  double error;        /* sum of squares */
} Blending;

static TileRow
load_row (const Blending *self,
          int row)
{
  const PrismTilePlan *plan = self->plan;
  TileRow images = g_new0 (PrismImage *, plan->n_columns);

  for (int column = 0; column < plan->n_columns; column++)
    {
      guint tile = (guint) (row * plan->n_columns + column);
      g_autofree char *folder = prism_tile_plan_dup_path (self->directory, tile, "");

      if (self->table->states[tile] < PRISM_TILE_DARK)
        continue;
      images[column] = prism_sweep_row_load_image (folder, "reconstruction.npy");
      if (images[column] != NULL
          && (images[column]->height != plan->side || images[column]->width != plan->side))
        g_clear_pointer (&images[column], prism_image_unref);
    }
  return images;
}

static void
free_row (const Blending *self,
          TileRow images)
{
  for (int column = 0; images != NULL && column < self->plan->n_columns; column++)
    g_clear_pointer (&images[column], prism_image_unref);
  g_free (images);
}

/* Where a tile and the next one beside or below it overlap. */
static void
compare (const Blending *self,
         PrismTileMatch *match,
         guint a,
         guint b,
         const PrismImage *one,
         const PrismImage *other)
{
  const int side = self->plan->side;
  PrismTilePlace from, to;
  int x, y;

  if (one == NULL || other == NULL)
    return;
  prism_tile_plan_get_place (self->plan, a, &from);
  prism_tile_plan_get_place (self->plan, b, &to);
  x = to.x - from.x;
  y = to.y - from.y;
  prism_tile_match_add (match, a, b, one->pixels + (gsize) y * (gsize) side + x, other->pixels,
                        side - y, side - x, side);
}

/* First look: what gain and offset make neighbours agree. */
static void
match_tiles (Blending *self)
{
  const PrismTilePlan *plan = self->plan;
  const guint n = (guint) plan->n_columns;
  g_autoptr (PrismTileMatch) match = prism_tile_match_new (plan->n_tiles);
  TileRow above = NULL;

  for (guint row = 0; row < (guint) plan->n_rows && plan->overlap > 0; row++)
    {
      TileRow images = load_row (self, row);

      for (guint column = 1; column < n; column++)
        compare (self, match, row * n + column - 1, row * n + column, images[column - 1],
                 images[column]);
      for (guint column = 0; above != NULL && column < n; column++)
        compare (self, match, (row - 1) * n + column, row * n + column, above[column],
                 images[column]);
      free_row (self, above);
      above = images;
    }
  free_row (self, above);
  for (guint i = 0; i < plan->n_tiles; i++)
    if (self->table->states[i] == PRISM_TILE_DARK)
      match->anchors[i] = PRISM_TILE_MATCH_FIXED;
  prism_tile_match_solve (match);
  self->blend->gains = g_steal_pointer (&match->gains);
  self->blend->offsets = g_steal_pointer (&match->offsets);
}

static void
add_tile (Blending *self,
          guint tile,
          const PrismImage *image)
{
  const PrismTilePlan *plan = self->plan;
  const float gain = self->blend->gains[tile];
  const float offset = self->blend->offsets[tile];
  PrismTilePlace place;

  prism_tile_plan_get_place (plan, tile, &place);
  for (int y = 0; y < plan->side; y++)
    {
      const float *pixels = image->pixels + (gsize) y * (gsize) plan->side;
      gsize start = (gsize) (place.y + y - self->first) * (gsize) plan->width + (gsize) place.x;
      int n = MIN (plan->side, plan->width - place.x);

      for (int x = 0; x < n; x++)
        {
          float weight = self->window[y] * self->window[x];

          self->sum[start + (gsize) x] += weight * (gain * pixels[x] + offset);
          self->weights[start + (gsize) x] += weight;
        }
    }
}

static gboolean
compare_row (Blending *self,
             const float *weights,
             GError **error)
{
  prism_autofree_array float *target = NULL;

  if (self->strips == NULL)
    return TRUE;
  target = prism_arena_new_array ((gsize) self->plan->width * sizeof *target, "a row", error);
  if (target == NULL || !prism_strips_read (self->strips, 1, target, error))
    return FALSE;
  for (int x = 0; x < self->plan->width; x++)
    if (weights[x] > 0.0f)
      {
        double d = self->row[x] - prism_tile_plan_to_amplitude (self->plan, target[x]);
        self->error += d * d;
      }
  return TRUE;
}

/* Rows that no later tile adds to are divided by the sum of their weights and written. */
static gboolean
finish_rows (Blending *self,
             int n,
             GError **error)
{
  const PrismTilePlan *plan = self->plan;
  const gsize width = (gsize) plan->width;

  for (int y = 0; y < n && self->first + y < plan->height; y++)
    {
      const float *sum = self->sum + (gsize) y * width;
      const float *weights = self->weights + (gsize) y * width;

      for (gsize x = 0; x < width; x++)
        {
          float value = weights[x] > 0.0f ? sum[x] / weights[x] : 0.0f;

          self->row[x] = CLAMP (value, 0.0f, 1.0f);
          self->blend->n_pixels += weights[x] > 0.0f ? 1 : 0;
          self->blend->n_missing += weights[x] > 0.0f ? 0 : 1;
        }
      if (!compare_row (self, weights, error))
        return FALSE;
      for (gsize x = 0; x < width; x++)
        self->row[x] = prism_tile_plan_to_value (plan, self->row[x]);
      if (!prism_strip_writer_add (self->writer, self->row, 1, error))
        return FALSE;
    }
  memmove (self->sum, self->sum + (gsize) n * width,
           (gsize) (plan->side - n) * width * sizeof *self->sum);
  memmove (self->weights, self->weights + (gsize) n * width,
           (gsize) (plan->side - n) * width * sizeof *self->weights);
  memset (self->sum + (gsize) (plan->side - n) * width, 0, (gsize) n * width * sizeof *self->sum);
  memset (self->weights + (gsize) (plan->side - n) * width, 0,
          (gsize) n * width * sizeof *self->weights);
  self->first += n;
  return TRUE;
}

/* Second look: every image with its weight. */
static gboolean
add_tiles (Blending *self,
           GError **error)
{
  const PrismTilePlan *plan = self->plan;

  for (int row = 0; row < plan->n_rows; row++)
    {
      TileRow images = load_row (self, row);
      int next = row + 1 < plan->n_rows
                     ? prism_tile_window_get_origin (plan->height, plan->side, plan->n_rows,
                                                     row + 1)
                     : self->first + plan->side;

      for (int column = 0; column < plan->n_columns; column++)
        if (images[column] != NULL)
          add_tile (self, (guint) (row * plan->n_columns + column), images[column]);
      free_row (self, images);
      if (!finish_rows (self, next - self->first, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
allocate (Blending *self,
          GError **error)
{
  const gsize side = (gsize) self->plan->side, width = (gsize) self->plan->width;
  const gsize bytes = side * width * sizeof *self->sum;

  self->window = g_new (float, side);
  prism_tile_window_fill (self->window, self->plan->side, self->plan->overlap);
  self->sum = prism_arena_new_array (bytes, "a row of tiles", error);
  if (self->sum == NULL)
    return FALSE;
  self->weights = prism_arena_new_array (bytes, "the weights of a row of tiles", error);
  if (self->weights == NULL)
    return FALSE;
  self->row = prism_arena_new_array (width * sizeof *self->row, "a row of the picture", error);
  if (self->row == NULL)
    return FALSE;
  memset (self->sum, 0, bytes);
  memset (self->weights, 0, bytes);
  return TRUE;
}

static gboolean
run (Blending *self,
     const char *path,
     GError **error)
{
  const PrismTilePlan *plan = self->plan;
  gboolean parts = !plan->amplitude && !plan->real;
  PrismTileBlend *blend = self->blend;

  if (!allocate (self, error))
    return FALSE;
  self->writer
      = prism_strip_writer_new (path, plan->height, plan->width, 0,
                                parts || plan->amplitude ? 0.0f : plan->low,
                                parts || plan->amplitude ? 1.0f : plan->high, error);
  if (self->writer == NULL)
    return FALSE;
  /* The picture may be gone by now: the result is no worse for that. */
  self->strips = prism_strips_open (self->plan->picture, NULL);
  if (self->strips != NULL
      && (self->strips->height != self->plan->height
          || self->strips->width != self->plan->width))
    g_clear_pointer (&self->strips, prism_strips_free);
  if (self->strips != NULL)
    prism_strip_writer_set_world (self->writer, self->strips->world);
  match_tiles (self);
  if (!add_tiles (self, error) || !prism_strip_writer_save (self->writer, error))
    return FALSE;
  blend->psnr = NAN;
  if (self->strips != NULL && blend->n_pixels > 0)
    blend->psnr = 10.0 * log10 (blend->n_pixels / MAX (self->error, 1e-30));
  return TRUE;
}

/**
 * prism_tile_blend_run:
 * @plan: of the tiles
 * @table: what they have come to
 * @directory: where they are
 * @path: of the picture that is written; its ending says the format
 *
 * Puts together what is there. Gains and offsets are matched first; then each pixel is the mean of
 * its tiles, weighted with raised cosines, and divided by their sum in place. What no finished tile
 * shows is dark.
 *
 * Errors: PRISM_ERROR_CONFIG, PRISM_ERROR_IO, PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): what it has come to
 */
PrismTileBlend *
prism_tile_blend_run (const PrismTilePlan *plan,
                      const PrismTileTable *table,
                      const char *directory,
                      const char *path,
                      GError **error)
{
  g_autoptr (PrismTileBlend) blend = g_new0 (PrismTileBlend, 1);
  Blending self = { .plan = plan, .table = table, .directory = directory, .blend = blend };
  const gint64 begun = g_get_monotonic_time ();
  gboolean ok;

  ok = run (&self, path, error);
  g_free (self.window);
  prism_arena_free_array (self.sum);
  prism_arena_free_array (self.weights);
  prism_arena_free_array (self.row);
  prism_strip_writer_free (self.writer);
  prism_strips_free (self.strips);
  blend->seconds = (double) (g_get_monotonic_time () - begun) / G_USEC_PER_SEC;
  return ok ? g_steal_pointer (&blend) : NULL;
}

/**
 * prism_tile_blend_free:
 * @self: (nullable): what a picture has come to
 */
PRISM_FREE_FOR_ALL (PrismTileBlend, prism_tile_blend_free, g_free, gains, g_free, offsets)

/* How much a tile is held to its own brightness beside what its neighbours say: without it errors
 * would add up from one side of a large picture to the other. */
#define ANCHOR 0.05
/* Overlaps that look less alike than that say nothing of gains. */
#define MIN_CORRELATION 0.7
#define MAX_LOG_GAIN 0.7
/* Rows or columns at the edge of a tile, where its image is worst. */
#define MARGIN 1

/**
 * prism_tile_match_new:
 * @n_tiles: how many there are
 *
 * Returns: (transfer full): a match in which every tile stays as it is
 */
PrismTileMatch *
prism_tile_match_new (guint n_tiles)
{
  PrismTileMatch *self = g_new0 (PrismTileMatch, 1);

  self->n_tiles = n_tiles;
  self->seams = g_array_new (FALSE, FALSE, sizeof (PrismTileSeam));
  self->gains = g_new (double, n_tiles);
  self->offsets = g_new0 (double, n_tiles);
  self->anchors = g_new (double, n_tiles);
  for (guint i = 0; i < n_tiles; i++)
    {
      self->gains[i] = 1.0;
      self->anchors[i] = ANCHOR;
    }
  return self;
}

/**
 * prism_tile_match_free:
 * @self: (nullable): a match
 */
PRISM_FREE_FOR_ALL (PrismTileMatch,
                    prism_tile_match_free,
                    g_array_unref,
                    seams,
                    g_free,
                    gains,
                    g_free,
                    offsets,
                    g_free,
                    anchors)

/**
 * prism_tile_match_add:
 * @a: number of a tile
 * @b: number of its neighbour
 * @rows_a: first pixel that they share, in the image of @a
 * @rows_b: the same pixel in the image of @b
 * @height: of what they share, px
 * @width: of what they share, px
 * @stride: from a row to the next in both images, px
 *
 * Looks at the overlap of two tiles.
 */
void
prism_tile_match_add (PrismTileMatch *self,
                      guint a,
                      guint b,
                      const float *rows_a,
                      const float *rows_b,
                      int height,
                      int width,
                      int stride)
{
  PrismTileSeam seam = { .a = a, .b = b };

  for (int y = MARGIN; y < height - MARGIN; y++)
    for (int x = MARGIN; x < width - MARGIN; x++)
      {
        double va = rows_a[(gsize) y * stride + x], vb = rows_b[(gsize) y * stride + x];

        seam.n += 1.0;
        seam.sum_a += va;
        seam.sum_b += vb;
        seam.square_a += va * va;
        seam.square_b += vb * vb;
        seam.product += va * vb;
      }
  if (seam.n >= 16.0)
    g_array_append_val (self->seams, seam);
}

static double
get_deviation (double n,
               double sum,
               double square)
{
  return sqrt (MAX (square / n - sum / n * (sum / n), 0.0));
}

/* Contrast of b over that of a, from both alike: a regression of one on the other would make noisy
 * images darker with every step. */
static void
compare_gains (PrismTileMatch *self,
               PrismDifference *told)
{
  PRISM_FOR_EACH (const PrismTileSeam, seam, self->seams)
    {
      double a = get_deviation (seam->n, seam->sum_a, seam->square_a);
      double b = get_deviation (seam->n, seam->sum_b, seam->square_b);
      double covariance
          = seam->product / seam->n - seam->sum_a / seam->n * (seam->sum_b / seam->n);
      double correlation = a > 1e-6 && b > 1e-6 ? covariance / (a * b) : 0.0;

      *told = (PrismDifference) { seam->a, seam->b };
      if (correlation > MIN_CORRELATION)
        {
          told->weight = (correlation - MIN_CORRELATION) / (1.0 - MIN_CORRELATION);
          /* The gain of a that makes them agree, less that of b. */
          told->value = log (b / a);
        }
      told++;
    }
}

static void
compare_offsets (PrismTileMatch *self,
                 PrismDifference *told)
{
  PRISM_FOR_EACH (const PrismTileSeam, seam, self->seams)
    *told++ = (PrismDifference) { seam->a, seam->b, 1.0,
                                  self->gains[seam->b] * seam->sum_b / seam->n
                                      - self->gains[seam->a] * seam->sum_a / seam->n };
}

/**
 * prism_tile_match_solve:
 *
 * Finds gains and offsets of all tiles at once, in the sense of least squares over all overlaps.
 */
void
prism_tile_match_solve (PrismTileMatch *self)
{
  const guint n = self->seams->len;
  g_autofree PrismDifference *told = g_new (PrismDifference, n + 1);

  compare_gains (self, told);
  prism_linear_settle (told, n, self->anchors, self->gains, self->n_tiles);
  for (guint i = 0; i < self->n_tiles; i++)
    self->gains[i] = exp (CLAMP (self->gains[i], -MAX_LOG_GAIN, MAX_LOG_GAIN));
  compare_offsets (self, told);
  prism_linear_settle (told, n, self->anchors, self->offsets, self->n_tiles);
}
