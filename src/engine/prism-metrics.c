#include "config.h"

#include "prism-metrics.h"

#include "prism-arena.h"
#include "prism-error.h"

#include <math.h>
#include <string.h>

/* h = height, w = width of the images. */

#define WINDOW 11
#define HALO (WINDOW / 2)
#define SIGMA 1.5
#define C1 (0.01f * 0.01f)
#define C2 (0.03f * 0.03f)
#define N_SCALES 5

enum
{
  MAP_A,
  MAP_B,
  MAP_AA,
  MAP_BB,
  MAP_AB,
  N_MAPS,
};

/* Working memory for the images' rows: the blur is separable and only WINDOW rows are alive. */
typedef struct
{
  float weights[WINDOW];
  float *padded;  /* [w + 2·HALO] */
  float *rows;    /* [WINDOW][N_MAPS][w]: blurred along x; row y at y modulo WINDOW */
  float *blurred; /* [N_MAPS][w]: blurred along x and y */
} PrismSsimRows;

typedef struct
{
  double ssim;     /* mean of luminance · contrast */
  double contrast; /* mean of contrast · structure */
} PrismSsimMeans;

static void
init_weights (float weights[WINDOW])
{
  double sum = 0.0;

  for (int i = 0; i < WINDOW; i++)
    sum += exp (-(i - HALO) * (i - HALO) / (2.0 * SIGMA * SIGMA));
  for (int i = 0; i < WINDOW; i++)
    weights[i] = (float) (exp (-(i - HALO) * (i - HALO) / (2.0 * SIGMA * SIGMA)) / sum);
}

static void
add_rows (PrismSsimRows *self,
          PrismArena *arena,
          int width)
{
  const gsize row = (gsize) width * sizeof (float);

  init_weights (self->weights);
  prism_arena_add_array (arena, (gpointer *) &self->padded, row + 2 * HALO * sizeof (float));
  prism_arena_add_array (arena, (gpointer *) &self->rows, WINDOW * N_MAPS * row);
  prism_arena_add_array (arena, (gpointer *) &self->blurred, N_MAPS * row);
}

/* The border is reflected about the outermost pixels, which are not repeated. */
static int
reflect (int i,
         int n)
{
  if (i < 0)
    return -i;
  return i < n ? i : 2 * (n - 1) - i;
}

static void
fill_product (float *product,
              const float *a,
              const float *b,
              int width)
{
  if (b == NULL)
    memcpy (product, a, width * sizeof *product);
  else
    for (int x = 0; x < width; x++)
      product[x] = a[x] * b[x];
}

/* One map of one row: a, or a·b where b is given, blurred along x. */
static void
blur_row (PrismSsimRows *self,
          float *blurred,
          const float *a,
          const float *b,
          int width)
{
  float *padded = self->padded;

  fill_product (padded + HALO, a, b, width);
  for (int i = 1; i <= HALO; i++)
    {
      padded[HALO - i] = padded[HALO + i];
      padded[HALO + width - 1 + i] = padded[HALO + width - 1 - i];
    }
  for (int x = 0; x < width; x++)
    {
      float sum = 0.0f;

      for (int t = 0; t < WINDOW; t++)
        sum += self->weights[t] * padded[x + t];
      blurred[x] = sum;
    }
}

static void
prepare_row (PrismSsimRows *self,
             const float *a,
             const float *b,
             int y,
             int width)
{
  float *row = self->rows + (gsize) (y % WINDOW) * N_MAPS * width;

  a += (gsize) y * width;
  b += (gsize) y * width;
  blur_row (self, row + (gsize) MAP_A * width, a, NULL, width);
  blur_row (self, row + (gsize) MAP_B * width, b, NULL, width);
  blur_row (self, row + (gsize) MAP_AA * width, a, a, width);
  blur_row (self, row + (gsize) MAP_BB * width, b, b, width);
  blur_row (self, row + (gsize) MAP_AB * width, a, b, width);
}

/* All maps of row y, blurred along y too; rows y - HALO … y + HALO have been prepared. */
static void
blur_columns (PrismSsimRows *self,
              int y,
              int height,
              int width)
{
  const gsize n = (gsize) N_MAPS * width;

  memset (self->blurred, 0, n * sizeof (float));
  for (int t = 0; t < WINDOW; t++)
    {
      const float *row = self->rows + reflect (y - HALO + t, height) % WINDOW * n;
      const float weight = self->weights[t];

      for (gsize i = 0; i < n; i++)
        self->blurred[i] += weight * row[i];
    }
}

static void
add_ssim_of_row (const PrismSsimRows *self,
                 int width,
                 PrismSsimMeans *sums)
{
  const float *mean_a = self->blurred + (gsize) MAP_A * width;
  const float *mean_b = self->blurred + (gsize) MAP_B * width;
  const float *square_a = self->blurred + (gsize) MAP_AA * width;
  const float *square_b = self->blurred + (gsize) MAP_BB * width;
  const float *product = self->blurred + (gsize) MAP_AB * width;

  for (int x = 0; x < width; x++)
    {
      float aa = mean_a[x] * mean_a[x], bb = mean_b[x] * mean_b[x], ab = mean_a[x] * mean_b[x];
      float variances = square_a[x] - aa + square_b[x] - bb;
      float contrast = (2.0f * (product[x] - ab) + C2) / (variances + C2);
      float luminance = (2.0f * ab + C1) / (aa + bb + C1);

      sums->contrast += contrast;
      sums->ssim += luminance * contrast;
    }
}

static PrismSsimMeans
compute_means (PrismSsimRows *self,
               const float *a,
               const float *b,
               int height,
               int width)
{
  PrismSsimMeans means = { 0.0, 0.0 };
  int n_prepared = 0;

  for (int y = 0; y < height; y++)
    {
      while (n_prepared <= MIN (y + HALO, height - 1))
        prepare_row (self, a, b, n_prepared++, width);
      blur_columns (self, y, height, width);
      add_ssim_of_row (self, width, &means);
    }
  means.ssim /= (double) height * width;
  means.contrast /= (double) height * width;
  return means;
}

/* 2×2 means of an image; an odd last row or column is left out. May work in place. */
static void
pool (float *pooled,
      const float *image,
      int height,
      int width)
{
  for (int y = 0; y < height / 2; y++)
    {
      const float *upper = image + 2 * (gsize) y * width;
      const float *lower = upper + width;
      float *out = pooled + (gsize) y * (width / 2);

      for (int x = 0; x < width / 2; x++)
        out[x] = 0.25f * (upper[2 * x] + upper[2 * x + 1] + lower[2 * x] + lower[2 * x + 1]);
    }
}

static gboolean
check_size (int height,
            int width,
            GError **error)
{
  if (MIN (height, width) > HALO)
    return TRUE;
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
               "The structural similarity needs images of at least %d × %d pixels, not %d × %d. "
               "Choose a larger object size.",
               HALO + 1, HALO + 1, width, height);
  return FALSE;
}

/**
 * prism_metrics_compute:
 * @metrics: (out caller-allocates): result
 * @image: (array): reconstruction
 * @object: (array): truth
 * @height: h
 * @width: w
 * @error: return location
 *
 * Compares a reconstruction with the object. Equal images have an infinite PSNR.
 *
 * Shape: both [h][w].
 * Units: range of the values 1; @metrics in dB, 1 and percent.
 * Errors: PRISM_ERROR_CONFIG for images under 6 pixels, PRISM_ERROR_MEMORY.
 * Thread: any.
 * Source: numerics.md § 10.
 *
 * Returns: whether @metrics are valid
 */
gboolean
prism_metrics_compute (PrismMetrics *metrics,
                       const float *image,
                       const float *object,
                       int height,
                       int width,
                       GError **error)
{
  const gsize n_pixels = (gsize) height * width;
  double difference = 0.0, power = 0.0;

  for (gsize i = 0; i < n_pixels; i++)
    {
      double d = (double) image[i] - object[i];

      difference += d * d;
      power += (double) object[i] * object[i];
    }
  metrics->psnr = -10.0 * log10 (difference / n_pixels);
  metrics->rmse = difference > 0.0 ? 100.0 * sqrt (difference / power) : 0.0;
  return prism_metrics_compute_ssim (&metrics->ssim, image, object, height, width, error);
}

/**
 * prism_metrics_compute_ssim:
 * @ssim: (out): structural similarity, -1…1
 * @a: (array): image
 * @b: (array): image
 * @height: h
 * @width: w
 * @error: return location
 *
 * Mean structural similarity: 11×11 Gaussian window of σ 1.5, reflected border, population
 * covariance.
 *
 * Shape: both [h][w].
 * Units: range of the values 1.
 * Errors: PRISM_ERROR_CONFIG for images under 6 pixels, PRISM_ERROR_MEMORY.
 * Thread: any.
 * Source: Wang, Bovik, Sheikh and Simoncelli, "Image quality assessment", 2004; numerics.md § 7.
 *
 * Returns: whether @ssim is valid
 */
gboolean
prism_metrics_compute_ssim (double *ssim,
                            const float *a,
                            const float *b,
                            int height,
                            int width,
                            GError **error)
{
  g_autoptr (PrismArena) arena = prism_arena_new ();
  PrismSsimRows rows;

  if (!check_size (height, width, error))
    return FALSE;
  add_rows (&rows, arena, width);
  if (!prism_arena_allocate (arena, "the structural similarity", error))
    return FALSE;

  *ssim = compute_means (&rows, a, b, height, width).ssim;
  return TRUE;
}

/**
 * prism_metrics_compute_ms_ssim:
 * @ms_ssim: (out): multi-scale structural similarity, 0…1
 * @a: (array): image
 * @b: (array): image
 * @height: h
 * @width: w
 * @error: return location
 *
 * Structural similarity over up to five scales. It stops early, with the weights renormalised,
 * where the next scale would be smaller than the window.
 *
 * Shape: both [h][w].
 * Units: range of the values 1.
 * Errors: PRISM_ERROR_CONFIG for images under 6 pixels, PRISM_ERROR_MEMORY.
 * Thread: any.
 * Source: Wang, Simoncelli and Bovik, "Multi-scale structural similarity", 2003; numerics.md § 7.
 *
 * Returns: whether @ms_ssim is valid
 */
gboolean
prism_metrics_compute_ms_ssim (double *ms_ssim,
                               const float *a,
                               const float *b,
                               int height,
                               int width,
                               GError **error)
{
  static const double weights[N_SCALES] = { 0.0448, 0.2856, 0.3001, 0.2363, 0.1333 };
  const gsize n_bytes = (gsize) (height / 2) * (width / 2) * sizeof (float);
  g_autoptr (PrismArena) arena = prism_arena_new ();
  PrismSsimRows rows;
  float *pooled_a = NULL, *pooled_b = NULL;
  double sum = 0.0, sum_of_weights = 0.0;
  int n_scales = 0;

  if (!check_size (height, width, error))
    return FALSE;
  add_rows (&rows, arena, width);
  prism_arena_add_array (arena, (gpointer *) &pooled_a, n_bytes);
  prism_arena_add_array (arena, (gpointer *) &pooled_b, n_bytes);
  if (!prism_arena_allocate (arena, "the structural similarity", error))
    return FALSE;

  for (; n_scales < N_SCALES && (n_scales == 0 || MIN (height, width) >= WINDOW); n_scales++)
    {
      PrismSsimMeans means = compute_means (&rows, a, b, height, width);
      double term = n_scales == N_SCALES - 1 ? means.ssim : means.contrast;

      sum += weights[n_scales] * log (CLAMP (term, 1e-10, 1.0));
      sum_of_weights += weights[n_scales];

      pool (pooled_a, a, height, width);
      pool (pooled_b, b, height, width);
      a = pooled_a;
      b = pooled_b;
      height /= 2;
      width /= 2;
    }
  /* The five published weights add up to 1.0001 and are taken as they are. */
  *ms_ssim = exp (n_scales == N_SCALES ? sum : sum / sum_of_weights);
  return TRUE;
}
