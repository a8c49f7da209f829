#include "config.h"

#include "measure/prism-measurements.h"

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
