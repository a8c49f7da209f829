#include "config.h"

#include "solve/prism-start.h"

#include "num/prism-tuning.h"

#include <math.h>

/* Dimensions of this file: n = image_size, m = object_size. */

/**
 * prism_start_new_image:
 * @config: start_target and object_size
 * @measurements: of the run
 * @error: return location
 *
 * The start image: the first measurement, a disk, or the synthetic aperture (all measurements,
 * averaged), cut to the object's window and divided by its maximum.
 *
 * Shape: [m][m].
 * Errors: PRISM_ERROR_MEMORY.
 * Thread: engine.
 * Source: numerics.md § 8.
 *
 * Returns: (transfer full) (nullable): the image
 */
PrismImage *
prism_start_new_image (const PrismConfig *config,
                       PrismMeasurements *measurements,
                       GError **error)
{
  const int m = config->object_size, first = (config->image_size - m) / 2;
  const guint n_frames = config->start_target == PRISM_START_DISK ? 0
                         : config->start_target == PRISM_START_SYNTHETIC
                             ? prism_measurements_get_n (measurements)
                             : 1;
  const float radius = 0.5f * (float) prism_tuning_get (PRISM_TUNING_START_DISK) * m;
  g_autoptr (PrismImage) image = prism_image_new (m, m, error);
  float maximum = 0.0f;

  if (image == NULL)
    return NULL;
  for (int y = 0; y < m && n_frames == 0; y++)
    for (int x = 0; x < m; x++)
      image->pixels[y * m + x]
          = hypotf (y - 0.5f * (m - 1), x - 0.5f * (m - 1)) <= radius ? 1.0f : 0.0f;
  for (guint i = 0; i < n_frames; i++)
    {
      g_autoptr (PrismImage) frame = prism_measurements_dup_image (measurements, i, error);

      if (frame == NULL)
        return NULL;
      for (int y = 0; y < m; y++)
        for (int x = 0; x < m; x++)
          image->pixels[y * m + x]
              += frame->pixels[(gsize) (first + y) * frame->height + first + x];
    }
  for (gsize i = 0; i < (gsize) m * m; i++)
    maximum = MAX (maximum, image->pixels[i]);
  for (gsize i = 0; i < (gsize) m * m && maximum > 0.0f; i++)
    image->pixels[i] /= maximum;
  return g_steal_pointer (&image);
}
