#include "config.h"

#include "cpu/prism-cpu-telescope-private.h"

#include <math.h>
#include <string.h>

/* An aperture that moves: the detector adds up the intensities |φᵢ|² of N parts, so that no part
 * can be compared with the target by itself. All are seen once for p = √(mean |φᵢ|²), then a factor
 * for each pixel is made of p and the target, and all are seen again to be multiplied by it on
 * their way back. The parts' boxes have one size, hence their pixels one order.
 *
 * Planes are [n][n] in that order. */

typedef struct
{
  PrismCpuTelescope *self;
  float *power; /* Σ|φᵢ|² */
} GatherStage;

typedef struct
{
  PrismCpuTelescope *self;
  const PrismCpuTelescopeComparison *comparison;
  float *power; /* becomes the factor */
} CompareStage;

static gsize
get_block_size (PrismCpuTelescope *self)
{
  return (gsize) self->image_size * self->kernels->lanes;
}

static guint
count_blocks (PrismCpuTelescope *self)
{
  return self->image_size / self->kernels->lanes;
}

/* An aperture that stands still is a line of one part. */
static guint
count_parts (const PrismMask *mask)
{
  return MAX (mask->n_parts, 1);
}

/* One block of rows of all views, one after the other. */
static void
gather_block (gpointer data,
              guint chunk,
              guint worker)
{
  GatherStage *stage = data;
  PrismCpuTelescope *self = stage->self;

  for (guint i = 0; i < self->n_views; i++)
    {
      const PrismCpuTelescopeView *view = &self->views[i];
      PrismPixelStage pixels = {
        .kind = PRISM_PIXEL_ADD_POWER,
        .target = stage->power + chunk * get_block_size (self),
      };

      self->kernels->visit_pixels (view->fft_x, PRISM_CPU_ALL_PARTS,
                                   view->plane + chunk * view->stride, view->mask->width, &pixels,
                                   prism_cpu_telescope_get_work (self, worker));
    }
}

/* Adds views for the parts from first on, as many as fit; returns the end. */
static guint
add_views (PrismCpuTelescope *self,
           const PrismMask *mask,
           guint first,
           const float *factor,
           float gain)
{
  guint end = first;

  prism_cpu_telescope_clear_views (self);
  while (end < count_parts (mask)
         && prism_cpu_telescope_add_view (self, prism_mask_get_part (mask, end), factor,
                                          PRISM_PIXEL_SCALE, gain))
    end++;
  return end;
}

/**
 * prism_cpu_telescope_gather_parts:
 * @mask: that moves
 * @expand: fills the columns of the views, from an image or from ePIE's spectrum
 * @power: (array) (out caller-allocates): Σ|φᵢ|²
 *
 * Adds up what the detector sees.
 *
 * Shape: @power [n][n] in the order for @mask.
 *
 * Returns: whether the columns of all parts are still there, as views
 */
gboolean
prism_cpu_telescope_gather_parts (PrismCpuTelescope *self,
                                  const PrismMask *mask,
                                  PrismCpuTelescopeExpand expand,
                                  float *power)
{
  GatherStage stage = { self, power };
  guint end = 0;
  guint n_batches = 0;

  memset (power, 0, (gsize) self->image_size * self->image_size * sizeof *power);
  for (; end < count_parts (mask); n_batches++)
    {
      end = add_views (self, mask, end, power, 0.0f);
      expand (self);
      prism_pool_run (self->pool, count_blocks (self), gather_block, &stage);
    }
  return n_batches == 1;
}

/* H of numerics.md, “Refinement”, as the kernels have it: the mean of √(I' + v/4) with noise,
 * v > 0, and its derivative. */
static float
expect_amplitude (float amplitude,
                  float noise,
                  float *slope)
{
  float root = sqrtf (noise);
  float s = amplitude / root;
  float base = 1.0f / (1.0f + s * (0.3f + s * (0.2f + s * 0.05f)));
  float fourth = base * base * base * base;

  *slope = 1.0f - 2.0f * fourth * base * (0.3f + s * (0.4f + s * 0.15f));
  return amplitude + 0.5f * root * fourth;
}

/* The derivative of a loss for p, or the target of a projection, and what goes into the sums. */
static float
compare_pixel (const PrismCpuTelescopeComparison *comparison,
               float p,
               float t,
               double sums[2])
{
  float slope = 1.0f, d;

  switch (comparison->kind)
    {
    case PRISM_PIXEL_L1_AMPLITUDE:
    case PRISM_PIXEL_L1_INTENSITY:
      d = comparison->kind == PRISM_PIXEL_L1_AMPLITUDE ? p - t : p * p - t * t;
      sums[0] += fabsf (d);
      return d > 0.0f ? 1.0f : d < 0.0f ? -1.0f
                                        : 0.0f;
    case PRISM_PIXEL_L2_INTENSITY:
      d = p * p - t * t;
      break;
    case PRISM_PIXEL_L2_NOISY:
      d = comparison->expect != NULL
              ? prism_expect_get (comparison->expect, p, &slope)
                    - sqrtf (t * t + prism_expect_get_offset (comparison->expect))
              : expect_amplitude (p, comparison->noise, &slope)
                    - sqrtf (t * t + 0.25f * comparison->noise);
      break;
    case PRISM_PIXEL_PROJECT:
    case PRISM_PIXEL_COMPARE:
      d = p - t;
      sums[1] += (double) t * t;
      break;
    case PRISM_PIXEL_L2_AMPLITUDE:
    case PRISM_PIXEL_MEASURE:
    case PRISM_PIXEL_ADD_POWER:
    case PRISM_PIXEL_SCALE:
    default:
      d = p - t;
      break;
    }
  sums[0] += (double) d * d;
  return comparison->kind == PRISM_PIXEL_PROJECT ? t : d * slope;
}

/* What multiplies φᵢ: losses are derived for it, p = √(Σ|φᵢ|²/N). */
static float
get_divisor (const PrismCpuTelescopeComparison *comparison,
             guint n_parts,
             float p)
{
  if (comparison->kind == PRISM_PIXEL_PROJECT)
    return p;
  if (comparison->kind == PRISM_PIXEL_L1_INTENSITY || comparison->kind == PRISM_PIXEL_L2_INTENSITY)
    return n_parts;
  return p * n_parts;
}

/**
 * prism_cpu_telescope_compare_pixels:
 * @comparison: mask and what is done with the pixels
 * @n_pixels: number of pixels
 * @target: (array length=n_pixels): amplitude that was measured
 * @power: (array length=n_pixels) (inout): Σ|φᵢ|²; becomes what every φᵢ is to be multiplied by
 * @sums: (inout): as a view's; what the pixels leave is added
 *
 * Compares some pixels of the sum of the parts.
 *
 * Thread: any.
 */
void
prism_cpu_telescope_compare_pixels (const PrismCpuTelescopeComparison *comparison,
                                    gsize n_pixels,
                                    const float *target,
                                    float *power,
                                    double sums[2])
{
  const guint n_parts = count_parts (comparison->mask);

  for (gsize i = 0; i < n_pixels; i++)
    {
      float p = sqrtf (power[i] / n_parts);
      float value = compare_pixel (comparison, p, target[i], sums);
      float divisor = get_divisor (comparison, n_parts, p);

      power[i] = divisor > 0.0f ? value / divisor : 0.0f;
    }
}

static void
compare_block (gpointer data,
               guint chunk,
               guint worker)
{
  CompareStage *stage = data;
  PrismCpuTelescope *self = stage->self;
  const gsize size = get_block_size (self);
  double sums[2] = { 0.0, 0.0 };

  prism_cpu_telescope_compare_pixels (stage->comparison, size,
                                      stage->comparison->target + chunk * size,
                                      stage->power + chunk * size, sums);
  self->sums[chunk][0] = sums[0];
  self->sums[chunk][1] = sums[1];
}

/**
 * prism_cpu_telescope_compare_parts:
 * @comparison: mask that moves, target and what is done with the pixels
 * @power: (array) (inout): Σ|φᵢ|²; becomes what every φᵢ is to be multiplied by
 * @sums: (out caller-allocates): as a view's
 *
 * Compares the sum of the parts with a target.
 *
 * Shape: @power [n][n] in the order for the mask.
 */
void
prism_cpu_telescope_compare_parts (PrismCpuTelescope *self,
                                   const PrismCpuTelescopeComparison *comparison,
                                   float *power,
                                   double sums[2])
{
  CompareStage stage = { self, comparison, power };
  guint n_blocks = count_blocks (self);

  prism_pool_run (self->pool, n_blocks, compare_block, &stage);
  sums[0] = sums[1] = 0.0;
  for (guint i = 0; i < n_blocks; i++)
    {
      sums[0] += self->sums[i][0];
      sums[1] += self->sums[i][1];
    }
}

/* gradient += gain·Σᵢ of what φᵢ·factor sends back. */
static void
send_back (PrismCpuTelescope *self,
           const PrismMask *mask,
           const float *factor,
           float gain,
           gboolean complete,
           gboolean accumulate,
           float *gradient)
{
  for (guint end = 0; end < count_parts (mask); accumulate = TRUE)
    {
      if (!complete)
        {
          end = add_views (self, mask, end, factor, gain);
          prism_cpu_telescope_expand_views (self);
        }
      for (guint i = 0; complete && i < self->n_views; i++)
        {
          self->views[i].target = (float *) factor;
          self->views[i].gain = gain;
          end = count_parts (mask);
        }
      prism_cpu_telescope_visit_views (self);
      prism_cpu_telescope_reduce_views (self);
      prism_cpu_telescope_restore_views (self, accumulate, gradient);
    }
}

/**
 * prism_cpu_telescope_see:
 * @self: a telescope, with the half spectrum of an image
 * @mask: aperture
 * @amplitude: (array) (out caller-allocates): |φ|; √(mean |φᵢ|²) while it moves
 *
 * What the detector sees of an image. Where the aperture stands still its view stays.
 *
 * Shape: @amplitude [n][n] in the order for @mask.
 * Source: numerics.md § 4.
 */
void
prism_cpu_telescope_see (PrismCpuTelescope *self,
                         const PrismMask *mask,
                         float *amplitude)
{
  const gsize n_pixels = (gsize) self->image_size * self->image_size;

  prism_cpu_telescope_clear_views (self);
  if (mask->height == 0)
    memset (amplitude, 0, n_pixels * sizeof *amplitude);
  else if (mask->n_parts == 0)
    {
      prism_cpu_telescope_add_view (self, mask, amplitude, PRISM_PIXEL_MEASURE, 0.0f);
      prism_cpu_telescope_expand_views (self);
      prism_cpu_telescope_visit_views (self);
    }
  else
    {
      const float scale = 1.0f / mask->n_parts;

      prism_cpu_telescope_gather_parts (self, mask, prism_cpu_telescope_expand_views, amplitude);
      for (gsize i = 0; i < n_pixels; i++)
        amplitude[i] = sqrtf (scale * amplitude[i]);
    }
}

/**
 * prism_cpu_telescope_return_parts:
 * @self: a telescope, with the half spectrum of an image
 * @mask: that moves
 * @amplitude: (array): of prism_cpu_telescope_see()
 * @slope: (array): derivative of a loss for it; lost
 * @gain: factor of all of it
 * @accumulate: whether to add to @gradient
 * @gradient: (array): derivative for the image
 *
 * The way back of prism_cpu_telescope_see().
 *
 * Shape: @amplitude and @slope [n][n] in the order for @mask, @gradient [m][m].
 */
void
prism_cpu_telescope_return_parts (PrismCpuTelescope *self,
                                  const PrismMask *mask,
                                  const float *amplitude,
                                  float *slope,
                                  float gain,
                                  gboolean accumulate,
                                  float *gradient)
{
  const gsize n_pixels = (gsize) self->image_size * self->image_size;

  for (gsize i = 0; i < n_pixels; i++)
    slope[i] = amplitude[i] > 0.0f ? slope[i] / (mask->n_parts * amplitude[i]) : 0.0f;
  send_back (self, mask, slope, gain, FALSE, accumulate, gradient);
}

/**
 * prism_cpu_telescope_add_parts:
 * @self: a telescope, with the half spectrum of an image
 * @comparison: mask that moves, target and what is done with the pixels
 * @gain: factor of the gradient, as of a view
 * @accumulate: whether to add to @gradient
 * @gradient: (array) (nullable): derivative for the image; NULL for %PRISM_PIXEL_COMPARE
 * @sums: (out caller-allocates): as a view's
 *
 * Compares what the detector sees of an image with a target, and sends the difference back. The
 * views are lost.
 *
 * Shape: @gradient [m][m].
 * Source: numerics.md, “A moving aperture”.
 */
void
prism_cpu_telescope_add_parts (PrismCpuTelescope *self,
                               const PrismCpuTelescopeComparison *comparison,
                               float gain,
                               gboolean accumulate,
                               float *gradient,
                               double sums[2])
{
  float *power = prism_cpu_telescope_get_plane (self);
  gboolean complete = prism_cpu_telescope_gather_parts (self, comparison->mask,
                                                        prism_cpu_telescope_expand_views, power);

  prism_cpu_telescope_compare_parts (self, comparison, power, sums);
  if (gradient != NULL)
    send_back (self, comparison->mask, power, gain, complete, accumulate, gradient);
}
