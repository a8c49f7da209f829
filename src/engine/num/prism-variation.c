#include "config.h"

#include "num/prism-variation.h"

#include "base/prism-arena.h"
#include "base/prism-each.h"
#include "base/prism-isa.h"
#include "num/prism-tuning.h"
#include "num/prism-variation-kernels.h"

/* An iteration makes an image of the dual field, row by row, and moves the field along the
 * differences of that image. A row of the field is moved as soon as the two rows of the image that
 * it needs are there, so that only these are kept. The bands of rows that the threads have meet in
 * one row of the image, which is made before any band begins.
 *
 * Dimensions of this file: m = size. */

#define INVERSE_STEP 8.0f /* |∇|² is at most 8 */
#define BANDS_PER_THREAD 2
#define MIN_PIXELS 32768 /* of a band: a few microseconds, what handing it over may take */

struct _PrismVariation
{
  int size;
  PrismPool *pool; /* (nullable) */
  const PrismVariationKernels *kernels;
  int n_bands;
  gsize stride;  /* floats from row to row of edges and rows */
  float *edges;  /* [n_bands] the first row of each band of the image */
  float *rows;   /* [n_bands][2] rows of the image that are on their way */
  float *across; /* [m][m] dual field of the differences along rows, of the call under way */
  float *down;   /* [m][m] along columns */
  float *image;  /* [m][m] */
  float strength;
  void (*visit) (PrismVariation *self, int band);
};

static const PrismVariationKernels *const all_kernels[PRISM_N_ISAS]
    = PRISM_ISA_TABLE (prism_variation_kernels);

/**
 * prism_variation_new:
 * @size: m
 * @pool: (nullable): threads that share the work, which must outlive it; NULL: the caller's alone
 *
 * Makes room for images of one size.
 *
 * Errors: PRISM_ERROR_MEMORY.
 * Source: numerics.md, “Total variation”.
 *
 * Returns: (transfer full) (nullable): a total variation
 */
PrismVariation *
prism_variation_new (int size,
                     PrismPool *pool,
                     GError **error)
{
  const gsize lanes = PRISM_ALIGNMENT / sizeof (float);
  g_autoptr (PrismVariation) self = g_new0 (PrismVariation, 1);
  int n_threads;

  self->size = size;
  self->pool = pool;
  self->kernels = all_kernels[prism_isa_get ()];
  n_threads = pool != NULL ? prism_pool_get_n_threads (pool) : 1;
  self->n_bands
      = n_threads > 1 ? CLAMP (size * size / MIN_PIXELS, 1, BANDS_PER_THREAD * n_threads) : 1;
  self->stride = (size + lanes - 1) / lanes * lanes;
  self->edges = prism_arena_new_array (3 * self->n_bands * self->stride * sizeof (float),
                                       "the total variation", error);
  self->rows = self->edges + self->n_bands * self->stride;
  return self->edges != NULL ? g_steal_pointer (&self) : NULL;
}

/**
 * prism_variation_free:
 * @self: (nullable): a total variation
 */
PRISM_FREE_FOR_ALL (PrismVariation, prism_variation_free, prism_arena_free_array, edges)

/**
 * prism_variation_get_size:
 *
 * Returns: m
 */
int
prism_variation_get_size (PrismVariation *self)
{
  return self->size;
}

static int
get_first_row (PrismVariation *self,
               int band)
{
  return (int) ((gint64) self->size * band / self->n_bands);
}

/* A row of the image that the dual field makes; to may be that row itself. */
static void
make_row (PrismVariation *self,
          int y,
          float *to)
{
  gsize row = (gsize) y * self->size;

  self->kernels->add_divergence (to, self->image + row, self->across + row, self->down + row,
                                 y > 0 ? self->down + row - self->size : NULL, self->strength,
                                 self->size);
}

static void
make_edge (PrismVariation *self,
           int band)
{
  make_row (self, get_first_row (self, band), self->edges + band * self->stride);
}

/* One step of projected gradient ascent of the dual problem (Chambolle, 2004; Beck and Teboulle,
 * 2009). */
static void
step_band (PrismVariation *self,
           int band)
{
  const int end = get_first_row (self, band + 1);
  const float *row = self->edges + band * self->stride, *next = row + self->stride;
  const float step = 1.0f / (INVERSE_STEP * self->strength);

  for (int y = get_first_row (self, band); y < end; y++)
    {
      float *to = self->rows + (2 * band + (y & 1)) * self->stride;
      const float *below = to;

      if (y + 1 < end)
        make_row (self, y + 1, to);
      else
        below = end < self->size ? next : row;
      self->kernels->step_dual (self->across + (gsize) y * self->size,
                                self->down + (gsize) y * self->size, row, below, step,
                                self->size);
      row = below;
    }
}

static void
finish_band (PrismVariation *self,
             int band)
{
  const int end = get_first_row (self, band + 1);

  for (int y = get_first_row (self, band); y < end; y++)
    make_row (self, y, self->image + (gsize) y * self->size);
}

/* Lengths that are cut to 1 again and again let the other component sink into the denormals. */
static void
run_band (gpointer data,
          guint chunk,
          guint worker)
{
  PrismVariation *self = data;
  guint64 state = prism_pool_keep_denormals ();

  self->visit (self, chunk);
  prism_pool_restore_denormals (state);
}

static void
run (PrismVariation *self,
     void (*visit) (PrismVariation *self, int band))
{
  self->visit = visit;
  if (self->pool != NULL)
    prism_pool_run (self->pool, self->n_bands, run_band, self);
  else
    run_band (self, 0, 0);
}

/**
 * prism_variation_lower:
 * @strength: μ, at least 0
 * @across: (inout) (array): dual field of the differences along rows; 0 for an image that has
 * nothing to do with the one before
 * @down: (inout) (array): along columns
 * @image: (inout) (array): b
 *
 * Replaces an image b by the a in [0, 1] for which ½·Σ(a − b)² + μ·Σ|∇a| is least, by some
 * iterations that go on from the dual field of the call before. With μ = 0 it is only kept in
 * [0, 1]. The bits do not depend on the number of threads, nor on the processor.
 *
 * Shape: @across, @down and @image [m][m].
 * Thread: any, one at a time; with a pool the one that runs it.
 * Source: numerics.md, “Total variation”.
 */
void
prism_variation_lower (PrismVariation *self,
                       float strength,
                       float *across,
                       float *down,
                       float *image)
{
  const guint n_iterations = prism_tuning_get_count (PRISM_TUNING_VARIATION_ITERATIONS);

  self->across = across;
  self->down = down;
  self->image = image;
  self->strength = strength;
  if (strength > 0.0f)
    for (guint i = 0; i < n_iterations; i++)
      {
        run (self, make_edge);
        run (self, step_band);
      }
  run (self, finish_band);
}

/**
 * prism_variation_get_mean:
 * @size: m
 * @image: (array): an image
 *
 * Shape: @image [m][m].
 *
 * Returns: Σ|∇a|/m², the mean absolute difference of neighbours
 */
double
prism_variation_get_mean (int size,
                          const float *image)
{
  const PrismVariationKernels *kernels = all_kernels[prism_isa_get ()];
  g_autofree double *lengths = g_new (double, size);
  gsize m = size;
  double sum = 0.0;

  for (gsize y = 0; y < m; y++)
    {
      const float *row = image + y * m;

      kernels->measure (lengths, row, y + 1 < m ? row + m : row, size);
      for (gsize x = 0; x < m; x++)
        sum += lengths[x];
    }
  return sum / ((double) m * m);
}

/**
 * prism_variation_cool:
 * @first: factor of the first pass, at least 1
 * @pass: from 0
 * @n_passes: of all, at least 1
 *
 * More total variation at first brings sooner what was not measured; what it takes from the data
 * comes back while it is lowered.
 *
 * Returns: the factor of a pass, which falls evenly in its logarithm to 1 after three quarters
 */
double
prism_variation_cool (double first,
                      guint pass,
                      guint n_passes)
{
  double cooling = prism_tuning_get (PRISM_TUNING_VARIATION_COOLING);

  return pow (first, MAX (0.0, 1.0 - pass / (cooling * n_passes)));
}
