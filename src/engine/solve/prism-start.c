#include "config.h"

#include "solve/prism-start.h"

#include "num/prism-tuning.h"

#include <math.h>

/* Dimensions of this file: n = image_size, m = object_size. */

/* Adds the object's window of a detector image [n][n] to image [m][m]. */
static void
accumulate_window (PrismImage *image,
                   const PrismImage *detector)
{
  int m = image->height, n = detector->height, first = (n - m) / 2;

  for (int y = 0; y < m; y++)
    for (int x = 0; x < m; x++)
      image->pixels[y * m + x] += detector->pixels[(gsize) (first + y) * n + first + x];
}

static void
apply_maximum (PrismImage *image)
{
  gsize n_pixels = (gsize) image->height * image->width;
  float maximum = 0.0f;

  for (gsize i = 0; i < n_pixels; i++)
    maximum = MAX (maximum, image->pixels[i]);
  for (gsize i = 0; i < n_pixels && maximum > 0.0f; i++)
    image->pixels[i] /= maximum;
}

static void
draw_disk (PrismImage *image)
{
  int m = image->height;
  float fraction = (float) prism_tuning_get (PRISM_TUNING_START_DISK);
  float radius = 0.5f * fraction * m, middle = 0.5f * (m - 1);

  for (int y = 0; y < m; y++)
    for (int x = 0; x < m; x++)
      image->pixels[y * m + x] = hypotf (y - middle, x - middle) <= radius ? 1.0f : 0.0f;
}

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
  g_autoptr (PrismImage) image = prism_image_new (config->object_size, config->object_size, error);
  guint n = config->start_target == PRISM_START_SYNTHETIC ? prism_measurements_get_n (measurements)
                                                          : 1;

  if (image == NULL)
    return NULL;
  if (config->start_target == PRISM_START_DISK)
    {
      draw_disk (image);
      return g_steal_pointer (&image);
    }

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (PrismImage) detector = prism_measurements_dup_image (measurements, i, error);

      if (detector == NULL)
        return NULL;
      accumulate_window (image, detector);
    }
  apply_maximum (image);
  return g_steal_pointer (&image);
}
