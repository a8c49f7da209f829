#include "config.h"

#include "measure/prism-measurements.h"

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
  PrismBuffer *buffer;

  if (!prism_measurements_acquire_points (self, i, error))
    return NULL;
  buffer = prism_measurements_get_points (self, i);
  if (buffer == NULL)
    {
      image = prism_measurements_dup_image (self, i, error);
      return image != NULL ? pick_points (image, step, error) : NULL;
    }
  image = prism_image_new (side, side, error);
  if (image != NULL)
    backend->ops->read_buffer (backend, buffer, prism_measurements_get_mask (self, i),
                               image->pixels);
  return g_steal_pointer (&image);
}
