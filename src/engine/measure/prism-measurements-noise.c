#include "config.h"

#include "measure/prism-measurements.h"

/* What noise does to the frames. */

/* Exposes a recorded image once more, with fresh noise, and adds Σ(A' - A)² and ΣA². */
static void
accumulate_noise_misfit (PrismMeasurements *self,
                         guint i,
                         PrismImage *image,
                         double *residual,
                         double *power)
{
  gsize n_pixels = (gsize) image->height * image->width;
  float *pixels = image->pixels;
  g_autoptr (PrismImage) again = prism_image_new (image->height, image->width, NULL);

  if (again == NULL)
    return;
  for (gsize k = 0; k < n_pixels; k++)
    again->pixels[k] = pixels[k] * pixels[k];
  prism_noise_expose (&self->noise, again->pixels, n_pixels, self->seed, TRUE, i);
  for (gsize k = 0; k < n_pixels; k++)
    {
      double difference = sqrt (MAX (again->pixels[k], 0.0f)) - pixels[k];

      *residual += difference * difference;
      *power += (double) pixels[k] * pixels[k];
    }
}

/**
 * prism_measurements_compute_noise_misfit:
 * @self: measurements, all acquired once
 * @misfit: (out): Σ(|φ|-A)²/ΣA² that the noise alone leaves, 0 without noise
 * @error: return location
 *
 * Predicts the misfit of the true object from what the user states about the camera: each recorded
 * image is exposed once more with the same SNR (a parametric bootstrap), so the truth is not
 * needed.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: whether it could be computed
 */
gboolean
prism_measurements_compute_noise_misfit (PrismMeasurements *self,
                                         double *misfit,
                                         GError **error)
{
  double residual = 0.0, power = 0.0;

  *misfit = 0.0;
  if (!prism_measurements_has_noise (self))
    return TRUE;

  for (guint i = 0; i < self->n_measurements; i++)
    {
      g_autoptr (PrismImage) image = prism_measurements_dup_image (self, i, error);

      if (image == NULL)
        return FALSE;
      accumulate_noise_misfit (self, i, image, &residual, &power);
    }
  *misfit = power > 0.0 ? residual / power : 0.0;
  return TRUE;
}

/**
 * prism_measurements_estimate_noise:
 * @self: measurements
 * @i: number of a sample
 * @error: return location
 *
 * See prism_noise_estimate_init(). The energy of the sample is known then, without noise, too.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 *
 * Returns: (transfer none) (nullable): how strong the noise of its image is
 */
const PrismNoiseEstimate *
prism_measurements_estimate_noise (PrismMeasurements *self,
                                   guint i,
                                   GError **error)
{
  PrismMeasurement *measurement = &self->measurements[i];
  g_autoptr (PrismImage) image = NULL;

  if (measurement->estimate.scale > 0.0)
    return &measurement->estimate;
  if (!prism_measurements_has_noise (self))
    return measurement->energy > 0.0 || prism_measurements_acquire_points (self, i, error)
               ? &measurement->estimate
               : NULL;
  image = prism_measurements_dup_image (self, i, error);
  if (image == NULL || !self->backend->ops->finish (self->backend, error))
    return NULL;
  prism_noise_estimate_init (&measurement->estimate, &self->noise, image->pixels,
                             (gsize) image->height * image->width);
  return &measurement->estimate;
}

/**
 * prism_measurements_check:
 * @self: measurements
 * @i: number of the sample
 *
 * Looks at what is bound, which should be what was measured.
 *
 * Returns: whether all of it is finite; also where no whole frame is bound or there is no memory to
 * look
 */
gboolean
prism_measurements_check (PrismMeasurements *self,
                          guint i)
{
  g_autoptr (PrismImage) image = NULL;
  gsize n_pixels;
  float sum = 0.0f;

  if (!prism_measurements_is_bound (self, i))
    return TRUE;
  image = prism_measurements_dup_image (self, i, NULL);
  if (image == NULL)
    return TRUE;
  n_pixels = (gsize) image->height * image->width;
  for (gsize k = 0; k < n_pixels; k++)
    sum += 0.0f * image->pixels[k];
  return sum == 0.0f;
}

/* Some of a frame's pixels, for methods of the host.
 *
 * Dimensions of this file: n = image_size. */

static PrismImage *
pick_points (const PrismImage *image,
             guint step,
             GError **error)
{
  const int side = image->width / (int) step;
  PrismImage *points = prism_image_new (side, side, error);

  for (int y = 0; points != NULL && y < side; y++)
    for (int x = 0; x < side; x++)
      points->pixels[(gsize) y * side + x]
          = image->pixels[((gsize) y * image->width + x) * step];
  return points;
}

/**
 * prism_measurements_dup_points:
 * @self: measurements
 * @backend: the device
 * @i: number of a sample
 * @step: prism_measurements_get_step() where that is above 0, else a divisor of n
 * @error: return location
 *
 * As prism_measurements_dup_image(), but only the pixels whose row and column are multiples of
 * @step.
 *
 * Shape: [n/step][n/step].
 * Errors: as prism_measurements_acquire().
 *
 * Returns: (transfer full) (nullable): the points
 */
PrismImage *
prism_measurements_dup_points (PrismMeasurements *self,
                               PrismBackend *backend,
                               guint i,
                               guint step,
                               GError **error)
{
  const int side = backend->spec.image_size / (int) step;
  g_autoptr (PrismImage) image = NULL;

  if (!prism_measurements_acquire_points (self, i, error))
    return NULL;
  if (!self->measurements[i].has_points)
    {
      image = prism_measurements_dup_image (self, i, error);
      return image != NULL ? pick_points (image, step, error) : NULL;
    }
  image = prism_image_new (side, side, error);
  if (image != NULL)
    backend->ops->read_buffer (backend, self->measurements[i].points,
                               self->measurements[i].mask, image->pixels);
  return g_steal_pointer (&image);
}
