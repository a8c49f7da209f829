#include "config.h"

#include "num/prism-metrics.h"

#include "base/prism-arena.h"
#include "base/prism-error.h"
#include "base/prism-pool.h"
#include "num/prism-ssim.h"

/* h = height, w = width of the images. */

#define ROWS 64 /* that are compared in one turn: the sum does not depend on threads */

typedef struct
{
  const float *a; /* [h][w] */
  const float *b;
  int height;
  int width;
  PrismSsimBand *bands; /* one for each turn */
  double *sums;
} Comparison;

static void
load_row (gpointer data,
          int y,
          float *a,
          float *b)
{
  const Comparison *self = data;
  const gsize offset = (gsize) y * self->width;

  memcpy (a, self->a + offset, self->width * sizeof *a);
  memcpy (b, self->b + offset, self->width * sizeof *b);
}

static void
compare_rows (gpointer data,
              guint turn)
{
  Comparison *self = data;
  const int first = turn * ROWS;
  const PrismSsimTask task = {
    .height = self->height,
    .width = self->width,
    .luminance = TRUE,
    .load_row = load_row,
    .data = self,
  };

  self->sums[turn] = prism_ssim_band_sum (&self->bands[turn], &task, first,
                                          MIN (first + ROWS, self->height));
}

static gboolean
check_size (int height,
            int width,
            GError **error)
{
  if (MIN (height, width) > PRISM_SSIM_HALO)
    return TRUE;
  return prism_error_config (error,
                             _ ("The structural similarity needs images of at least %d × %d pixels,"
                                " not %d × %d. "
                                "Choose a larger object size."),
                             PRISM_SSIM_HALO + 1, PRISM_SSIM_HALO + 1, width, height);
}

static void
add_up (PrismMetricsSums *sums,
        const float *image,
        const float *object,
        gsize n_pixels)
{
  *sums = (PrismMetricsSums) { .n_pixels = n_pixels, .similarity = NAN };
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
  const guint n_turns = (height + ROWS - 1) / ROWS;
  g_autoptr (PrismArena) arena = prism_arena_new ();
  g_autofree PrismSsimBand *bands = g_new (PrismSsimBand, n_turns);
  g_autofree double *sums = g_new (double, n_turns);
  Comparison comparison = { a, b, height, width, bands, sums };
  double sum = 0.0;

  if (!check_size (height, width, error))
    return FALSE;
  for (guint i = 0; i < n_turns; i++)
    prism_ssim_band_plan (&bands[i], arena, width);
  if (!prism_arena_allocate (arena, "the structural similarity", error))
    return FALSE;
  prism_parallel_run (n_turns, (gsize) height * width, compare_rows, &comparison);
  for (guint i = 0; i < n_turns; i++)
    sum += sums[i];
  *ssim = MIN (sum / ((double) height * width), 1.0);
  return TRUE;
}
