#include "config.h"

#include "num/prism-ssim.h"

#include "base/prism-isa.h"

#define WINDOW PRISM_SSIM_WINDOW
#define HALO PRISM_SSIM_HALO
#define N_MAPS PRISM_SSIM_N_MAPS
#define N_SLOPES PRISM_SSIM_N_SLOPES
static const double sigma = 1.5;

static const PrismSsimKernels *const all_kernels[PRISM_N_ISAS]
    = PRISM_ISA_TABLE (prism_ssim_kernels);

/**
 * prism_ssim_band_plan:
 * @self: (out caller-allocates): working memory
 * @arena: an arena that is not allocated yet
 * @width: of the widest image
 *
 * Plans the working memory of one thread in an arena.
 */
void
prism_ssim_band_plan (PrismSsimBand *self,
                      PrismArena *arena,
                      int width)
{
  const gsize row = width * sizeof (float);
  double sum = 0.0;

  self->kernels = all_kernels[prism_isa_get ()];
  for (int i = -HALO; i <= HALO; i++)
    sum += exp (-i * i / (2.0 * sigma * sigma));
  for (int i = -HALO; i <= HALO; i++)
    self->weights[HALO + i] = exp (-i * i / (2.0 * sigma * sigma)) / sum;
  prism_arena_add_array (arena, (gpointer *) &self->padded, row + 4 * HALO * sizeof (float));
  prism_arena_add_array (arena, (gpointer *) &self->wide, row + 2 * HALO * sizeof (float));
  prism_arena_add_array (arena, (gpointer *) &self->pixels, WINDOW * 2 * row);
  prism_arena_add_array (arena, (gpointer *) &self->rows, WINDOW * N_MAPS * row);
  prism_arena_add_array (arena, (gpointer *) &self->maps, N_MAPS * row);
  prism_arena_add_array (arena, (gpointer *) &self->values, row);
  prism_arena_add_array (arena, (gpointer *) &self->slopes, N_SLOPES * row);
  prism_arena_add_array (arena, (gpointer *) &self->spread, WINDOW * N_SLOPES * row);
}

static float *
get_pixels (PrismSsimBand *self,
            int y,
            int width)
{
  return self->pixels + (gsize) (y % WINDOW) * 2 * width;
}

/* One map of one row: a, or a·b where b is given, blurred along x. */
static void
blur_row (PrismSsimBand *self,
          float *blurred,
          const float *a,
          const float *b,
          int width)
{
  float *middle = self->padded + HALO;

  for (int x = 0; x < width; x++)
    middle[x] = b == NULL ? a[x] : a[x] * b[x];
  for (int i = 1; i <= HALO; i++)
    {
      middle[-i] = middle[i];
      middle[width - 1 + i] = middle[width - 1 - i];
    }
  self->kernels->blur (blurred, self->padded, self->weights, width);
}

static void
prepare_row (PrismSsimBand *self,
             const PrismSsimTask *task,
             int y)
{
  const gsize width = task->width;
  float *row = self->rows + y % WINDOW * N_MAPS * width;
  float *a = get_pixels (self, y, task->width), *b = a + width;

  task->load_row (task->data, y, a, b);
  blur_row (self, row + PRISM_SSIM_A * width, a, NULL, task->width);
  blur_row (self, row + PRISM_SSIM_B * width, b, NULL, task->width);
  blur_row (self, row + PRISM_SSIM_AA * width, a, a, task->width);
  blur_row (self, row + PRISM_SSIM_BB * width, b, b, task->width);
  blur_row (self, row + PRISM_SSIM_AB * width, a, b, task->width);
}

/* In eight sums, because one would wait for itself at each addition. */
static double
sum_values (const float *values,
            int n_values)
{
  double sums[8] = { 0.0 }, sum = 0.0;
  int i = 0;

  for (; i + 8 <= n_values; i += 8)
    for (int j = 0; j < 8; j++)
      sums[j] += values[i + j];
  for (; i < n_values; i++)
    sum += values[i];
  for (int j = 0; j < 8; j++)
    sum += sums[j];
  return sum;
}

/* Values of row y, and slopes if they are wanted; rows y - HALO … y + HALO have been prepared. */
static double
compare_row (PrismSsimBand *self,
             const PrismSsimTask *task,
             int y)
{
  const int n = N_MAPS * task->width;
  const float *rows[WINDOW];

  for (int t = 0; t < WINDOW; t++)
    {
      /* The border is reflected about the outermost pixels, which are not repeated. */
      const int row = abs (y - HALO + t);
      const int seen = row < task->height ? row : 2 * (task->height - 1) - row;

      rows[t] = self->rows + (gsize) (seen % WINDOW) * n;
    }
  self->kernels->add_rows (self->maps, rows, self->weights, WINDOW, n);
  self->kernels->compare (self->values, task->store_row == NULL ? NULL : self->slopes, self->maps,
                          task->width, task->luminance);
  return sum_values (self->values, task->width);
}

/* The adjoint of blur_row(): what falls beyond the border goes back to where it was reflected
 * from. */
static void
spread_row (PrismSsimBand *self,
            int y,
            int width)
{
  float *spread = self->spread + (gsize) (y % WINDOW) * N_SLOPES * width;
  const float *middle = self->wide + HALO;

  memset (self->padded, 0, (width + 4 * HALO) * sizeof (float));
  for (int i = 0; i < N_SLOPES; i++, spread += width)
    {
      memcpy (self->padded + 2 * HALO, self->slopes + (gsize) i * width, width * sizeof (float));
      self->kernels->blur (self->wide, self->padded, self->weights, width + 2 * HALO);
      memcpy (spread, middle, width * sizeof (float));
      for (int j = 1; j <= HALO; j++)
        {
          spread[j] += middle[-j];
          spread[width - 1 - j] += middle[width - 1 + j];
        }
    }
}

/* How much row r of the slopes counts for row y, directly and by reflection. */
static float
get_adjoint_weight (const PrismSsimBand *self,
                    int y,
                    int r,
                    int height)
{
  const int above = y + r, below = 2 * (height - 1) - y - r;
  float weight = self->weights[HALO + r - y];

  if (y > 0 && above <= HALO)
    weight += self->weights[HALO + above];
  if (y < height - 1 && below <= HALO)
    weight += self->weights[HALO + below];
  return weight;
}

/* Gradient of row y; rows y - HALO … y + HALO have been spread. */
static void
finish_row (PrismSsimBand *self,
            const PrismSsimTask *task,
            int y)
{
  const int first = MAX (y - HALO, 0), last = MIN (y + HALO, task->height - 1);
  const int n = N_SLOPES * task->width;
  const float *a = get_pixels (self, y, task->width);
  const float *rows[WINDOW];
  float weights[WINDOW];

  for (int r = first; r <= last; r++)
    {
      rows[r - first] = self->spread + (gsize) (r % WINDOW) * n;
      weights[r - first] = get_adjoint_weight (self, y, r, task->height);
    }
  self->kernels->add_rows (self->slopes, rows, weights, last - first + 1, n);
  self->kernels->chain (self->values, self->slopes, a, a + task->width, task->width);
  task->store_row (task->data, y, self->values);
}

/**
 * prism_ssim_band_sum:
 * @task: images, at least 6 pixels high and wide
 * @first: first row
 * @end: row after the last
 *
 * Adds up the structural similarity of the pixels of some rows: 11×11 Gaussian window of σ 1.5,
 * reflected border, population covariance, range of the values 1. With store_row the gradient of
 * the sum over all rows of the image is computed for the same rows; what neighbours contribute is
 * computed again, so that bands are independent of each other.
 *
 * Thread: any, with working memory of its own.
 * Source: Wang, Bovik, Sheikh and Simoncelli, "Image quality assessment", 2004; numerics.md § 7.
 *
 * Returns: the sum
 */
double
prism_ssim_band_sum (PrismSsimBand *self,
                     const PrismSsimTask *task,
                     int first,
                     int end)
{
  const int halo = task->store_row == NULL ? 0 : HALO, height = task->height;
  const int start = MAX (first - halo, 0), stop = MIN (end + halo, height);
  int prepared = MAX (start - HALO, 0), finished = first;
  double sum = 0.0;

  for (int y = start; y < stop; y++)
    {
      double row;

      for (; prepared <= MIN (y + HALO, height - 1); prepared++)
        prepare_row (self, task, prepared);
      row = compare_row (self, task, y);
      if (y >= first && y < end)
        sum += row;
      if (task->store_row == NULL)
        continue;
      spread_row (self, y, task->width);
      for (; finished < end && MIN (finished + HALO, height - 1) <= y; finished++)
        finish_row (self, task, finished);
    }
  return sum;
}

/**
 * prism_ssim_get_n_scales:
 * @height: h
 * @width: w
 *
 * Returns: how many scales of MS-SSIM an image has, 1 to 5: it stops where the next, half as large,
 *   would be smaller than the window
 */
int
prism_ssim_get_n_scales (int height,
                         int width)
{
  int n_scales = 1;

  while (n_scales < PRISM_SSIM_MAX_SCALES && MIN (height, width) >> n_scales >= WINDOW)
    n_scales++;
  return n_scales;
}

/**
 * prism_ssim_combine_scales:
 * @terms: (array length=n_scales): mean contrast of each scale, of scale 5 the mean similarity
 * @n_scales: number of scales
 * @slopes: (array length=n_scales) (out caller-allocates) (nullable): derivatives for the terms
 *
 * The product of the terms, each to the power of its weight. The five published weights add up to
 * 1.0001 and are taken as they are; fewer are renormalised. Terms are clamped to 1e-10 … 1.
 *
 * Source: Wang, Simoncelli and Bovik, "Multi-scale structural similarity", 2003; numerics.md § 7.
 *
 * Returns: the multi-scale structural similarity
 */
double
prism_ssim_combine_scales (const double *terms,
                           int n_scales,
                           double *slopes)
{
  static const double weights[PRISM_SSIM_MAX_SCALES] = { 0.0448, 0.2856, 0.3001, 0.2363, 0.1333 };
  double sum = 0.0, norm = 0.0, similarity;

  for (int i = 0; i < n_scales; i++)
    {
      sum += weights[i] * log (CLAMP (terms[i], 1e-10, 1.0));
      norm += weights[i];
    }
  if (n_scales == PRISM_SSIM_MAX_SCALES)
    norm = 1.0;
  similarity = exp (sum / norm);
  for (int i = 0; slopes != NULL && i < n_scales; i++)
    {
      gboolean inside = terms[i] >= 1e-10 && terms[i] <= 1.0;

      slopes[i] = inside ? similarity * weights[i] / (norm * terms[i]) : 0.0;
    }
  return similarity;
}
