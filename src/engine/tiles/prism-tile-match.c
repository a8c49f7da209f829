#include "config.h"

#include "tiles/prism-tile-match.h"

#include <math.h>
#include <string.h>

/* How much a tile is held to its own brightness beside what its neighbours say: without it errors
 * would add up from one side of a large picture to the other. */
#define ANCHOR 0.05
#define FIXED 1e6
/* Overlaps that look less alike than that say nothing of gains. */
#define MIN_CORRELATION 0.7
#define MAX_LOG_GAIN 0.7
#define MAX_SWEEPS 2000
#define TOLERANCE 1e-9
/* Rows or columns at the edge of a tile, where its image is worst. */
#define MARGIN 1

struct _PrismTileMatch
{
  guint n_tiles;
  GArray *seams;   /* of PrismTileSeam */
  double *gains;   /* [n_tiles] */
  double *offsets; /* [n_tiles] */
  double *anchors; /* [n_tiles] */
};

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
void
prism_tile_match_free (PrismTileMatch *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->seams);
  g_free (self->gains);
  g_free (self->offsets);
  g_free (self->anchors);
  g_free (self);
}

/**
 * prism_tile_match_fix:
 * @tile: number of a tile that is known to be right
 *
 * It stays as it is, and the others follow it.
 */
void
prism_tile_match_fix (PrismTileMatch *self,
                      guint tile)
{
  self->anchors[tile] = FIXED;
}

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

/* One unknown for each tile: differences along the seams, and 0 where nothing says otherwise.
 * Gauss and Seidel's iteration. */
static void
relax (PrismTileMatch *self,
       const double *differences, /* [n_seams] value of b less value of a */
       const double *weights,     /* [n_seams] */
       double *values)            /* [n_tiles] */
{
  const guint n_seams = self->seams->len;
  g_autofree double *sums = g_new (double, self->n_tiles);
  g_autofree double *totals = g_new (double, self->n_tiles);
  double change = 1.0;

  memset (values, 0, self->n_tiles * sizeof *values);
  for (guint sweep = 0; sweep < MAX_SWEEPS && change > TOLERANCE; sweep++)
    {
      for (guint i = 0; i < self->n_tiles; i++)
        {
          sums[i] = 0.0;
          totals[i] = self->anchors[i];
        }
      for (guint i = 0; i < n_seams; i++)
        {
          const PrismTileSeam *seam = &g_array_index (self->seams, PrismTileSeam, i);

          sums[seam->a] += weights[i] * (values[seam->b] - differences[i]);
          sums[seam->b] += weights[i] * (values[seam->a] + differences[i]);
          totals[seam->a] += weights[i];
          totals[seam->b] += weights[i];
        }
      change = 0.0;
      for (guint i = 0; i < self->n_tiles; i++)
        {
          /* Half the way: all at once would swing where tiles lie like the fields of a board. */
          double step = 0.6 * (sums[i] / totals[i] - values[i]);

          values[i] += step;
          change = MAX (change, fabs (step));
        }
    }
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
               double *differences,
               double *weights)
{
  for (guint i = 0; i < self->seams->len; i++)
    {
      const PrismTileSeam *seam = &g_array_index (self->seams, PrismTileSeam, i);
      double a = get_deviation (seam->n, seam->sum_a, seam->square_a);
      double b = get_deviation (seam->n, seam->sum_b, seam->square_b);
      double covariance
          = seam->product / seam->n - seam->sum_a / seam->n * (seam->sum_b / seam->n);
      double correlation = a > 1e-6 && b > 1e-6 ? covariance / (a * b) : 0.0;

      weights[i] = differences[i] = 0.0;
      if (!(correlation > MIN_CORRELATION))
        continue;
      weights[i] = (correlation - MIN_CORRELATION) / (1.0 - MIN_CORRELATION);
      /* The gain of b that makes them agree, less that of a. */
      differences[i] = log (a / b);
    }
}

static void
compare_offsets (PrismTileMatch *self,
                 double *differences,
                 double *weights)
{
  for (guint i = 0; i < self->seams->len; i++)
    {
      const PrismTileSeam *seam = &g_array_index (self->seams, PrismTileSeam, i);

      weights[i] = 1.0;
      differences[i] = self->gains[seam->a] * seam->sum_a / seam->n
                       - self->gains[seam->b] * seam->sum_b / seam->n;
    }
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
  g_autofree double *differences = g_new (double, n + 1);
  g_autofree double *weights = g_new (double, n + 1);

  compare_gains (self, differences, weights);
  relax (self, differences, weights, self->gains);
  for (guint i = 0; i < self->n_tiles; i++)
    self->gains[i] = exp (CLAMP (self->gains[i], -MAX_LOG_GAIN, MAX_LOG_GAIN));
  compare_offsets (self, differences, weights);
  relax (self, differences, weights, self->offsets);
}

/**
 * prism_tile_match_get_gain:
 * @tile: number of a tile
 *
 * Returns: what its amplitudes are multiplied by
 */
double
prism_tile_match_get_gain (PrismTileMatch *self,
                           guint tile)
{
  return self->gains[tile];
}

/**
 * prism_tile_match_get_offset:
 * @tile: number of a tile
 *
 * Returns: what is added to its amplitudes then
 */
double
prism_tile_match_get_offset (PrismTileMatch *self,
                             guint tile)
{
  return self->offsets[tile];
}
