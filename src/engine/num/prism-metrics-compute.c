#include "config.h"

#include "num/prism-metrics.h"

#include "base/prism-arena.h"
#include "base/prism-error.h"
#include "num/prism-ssim.h"

/* h = height, w = width of the images. */

typedef struct
{
  const float *a; /* [h][w] */
  const float *b;
  int width;
} ImagePair;

static void
load_row (gpointer data,
          int y,
          float *a,
          float *b)
{
  const ImagePair *pair = data;
  const gsize offset = (gsize) y * pair->width;

  memcpy (a, pair->a + offset, pair->width * sizeof *a);
  memcpy (b, pair->b + offset, pair->width * sizeof *b);
}

static double
compute_mean (PrismSsimBand *band,
              const float *a,
              const float *b,
              int height,
              int width,
              gboolean luminance)
{
  ImagePair pair = { a, b, width };
  PrismSsimTask task = {
    .height = height,
    .width = width,
    .luminance = luminance,
    .load_row = load_row,
    .data = &pair,
  };

  return prism_ssim_band_sum (band, &task, 0, height) / ((double) height * width);
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
  if (MIN (height, width) > PRISM_SSIM_HALO)
    return TRUE;
  return prism_error_config (error,
                             "The structural similarity needs images of at least %d × %d pixels,"
                             " not %d × %d. "
                             "Choose a larger object size.",
                             PRISM_SSIM_HALO + 1, PRISM_SSIM_HALO + 1, width, height);
}

static void
add_up (PrismMetricsSums *sums,
        const float *image,
        const float *object,
        gsize n_pixels)
{
  *sums = (PrismMetricsSums) { .n_pixels = (double) n_pixels, .similarity = NAN };
  for (gsize i = 0; i < n_pixels; i++)
    {
      double d = (double) image[i] - object[i];
      double a = (double) image[i] - image[0], b = (double) object[i] - object[0];

      sums->difference += d * d;
      sums->power += (double) object[i] * object[i];
      sums->image += a;
      sums->object += b;
      sums->image_square += a * a;
      sums->object_square += b * b;
      sums->product += a * b;
    }
}

/**
 * prism_metrics_compute:
 * @metrics: (out caller-allocates): result
 * @image: (array): reconstruction
 * @object: (array): truth
 * @height: h
 * @width: w
 *
 * Compares a reconstruction with the object. Equal images have an infinite PSNR.
 *
 * Shape: both [h][w].
 * Units: range of the values 1; @metrics as their table says.
 * Errors: PRISM_ERROR_CONFIG for images under 6 pixels, PRISM_ERROR_MEMORY; @metrics are then those
 * of prism_metrics_compute_errors().
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
  PrismMetricsSums sums;
  gboolean ok;

  add_up (&sums, image, object, (gsize) height * width);
  ok = prism_metrics_compute_ssim (&sums.similarity, image, object, height, width, error);
  prism_metrics_finish (metrics, &sums);
  return ok;
}

/**
 * prism_metrics_compute_errors:
 * @metrics: (out caller-allocates): result; its SSIM is NAN
 * @image: (array): reconstruction
 * @object: (array): truth
 * @height: h
 * @width: w
 *
 * The part of prism_metrics_compute() that costs no more than reading both images once.
 *
 * Shape: both [h][w].
 * Units: as the metrics' table says.
 */
void
prism_metrics_compute_errors (PrismMetrics *metrics,
                              const float *image,
                              const float *object,
                              int height,
                              int width)
{
  PrismMetricsSums sums;

  add_up (&sums, image, object, (gsize) height * width);
  prism_metrics_finish (metrics, &sums);
}

/**
 * prism_metrics_compute_ssim:
 * @ssim: (out): structural similarity, -1…1
 * @a: (array): image
 * @b: (array): image
 * @height: h
 * @width: w
 *
 * Mean structural similarity: 11×11 Gaussian window of σ 1.5, reflected border, population
 * covariance.
 *
 * Shape: both [h][w].
 * Units: range of the values 1.
 * Errors: PRISM_ERROR_CONFIG for images under 6 pixels, PRISM_ERROR_MEMORY.
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
  PrismSsimBand band;

  if (!check_size (height, width, error))
    return FALSE;
  prism_ssim_band_plan (&band, arena, width);
  if (!prism_arena_allocate (arena, "the structural similarity", error))
    return FALSE;

  *ssim = MIN (compute_mean (&band, a, b, height, width, TRUE), 1.0);
  return TRUE;
}

/**
 * prism_metrics_compute_ms_ssim:
 * @ms_ssim: (out): multi-scale structural similarity, 0…1
 * @a: (array): image
 * @b: (array): image
 * @height: h
 * @width: w
 *
 * Structural similarity over up to five scales. It stops early, with the weights renormalised,
 * where the next scale would be smaller than the window.
 *
 * Shape: both [h][w].
 * Units: range of the values 1.
 * Errors: PRISM_ERROR_CONFIG for images under 6 pixels, PRISM_ERROR_MEMORY.
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
  const gsize n_bytes = (gsize) (height / 2) * (width / 2) * sizeof (float);
  const int n_scales = prism_ssim_get_n_scales (height, width);
  g_autoptr (PrismArena) arena = prism_arena_new ();
  PrismSsimBand band;
  float *pooled_a = NULL, *pooled_b = NULL;
  double terms[PRISM_SSIM_MAX_SCALES];

  if (!check_size (height, width, error))
    return FALSE;
  prism_ssim_band_plan (&band, arena, width);
  prism_arena_add_array (arena, (gpointer *) &pooled_a, n_bytes);
  prism_arena_add_array (arena, (gpointer *) &pooled_b, n_bytes);
  if (!prism_arena_allocate (arena, "the structural similarity", error))
    return FALSE;

  for (int i = 0; i < n_scales; i++)
    {
      if (i > 0)
        {
          pool (pooled_a, a, height, width);
          pool (pooled_b, b, height, width);
          a = pooled_a;
          b = pooled_b;
          height /= 2;
          width /= 2;
        }
      terms[i] = compute_mean (&band, a, b, height, width, i == PRISM_SSIM_MAX_SCALES - 1);
    }
  *ms_ssim = prism_ssim_combine_scales (terms, n_scales, NULL);
  return TRUE;
}
