#include "config.h"

#include "num/prism-histogram.h"

#include <math.h>

static inline float
get_value (const PrismImage *image,
           const PrismImage *reference,
           gsize i)
{
  return reference == NULL ? image->pixels[i] : image->pixels[i] - reference->pixels[i];
}

/**
 * prism_histogram_compute:
 * @self: (out caller-allocates): a histogram
 * @image: an image
 * @reference: (nullable): of the same shape, subtracted from it
 *
 * Counts the finite values. All of a flat image are in the first bin.
 *
 * Shape: images [h][w].
 * Thread: any.
 */
void
prism_histogram_compute (PrismHistogram *self,
                         const PrismImage *image,
                         const PrismImage *reference)
{
  gsize n = (gsize) image->height * image->width;
  float scale;

  *self = (PrismHistogram) { .minimum = INFINITY, .maximum = -INFINITY };
  for (gsize i = 0; i < n; i++)
    {
      float value = get_value (image, reference, i);

      if (!isfinite (value))
        continue;
      self->count++;
      self->minimum = MIN (self->minimum, value);
      self->maximum = MAX (self->maximum, value);
    }
  if (self->count == 0)
    {
      self->minimum = self->maximum = 0;
      return;
    }
  scale = self->maximum > self->minimum
              ? PRISM_HISTOGRAM_N_BINS / (self->maximum - self->minimum)
              : 0;
  for (gsize i = 0; i < n; i++)
    {
      float value = get_value (image, reference, i);

      if (isfinite (value))
        self->bins[MIN ((int) ((value - self->minimum) * scale), PRISM_HISTOGRAM_N_BINS - 1)]++;
    }
  for (guint bin = 0; bin < PRISM_HISTOGRAM_N_BINS; bin++)
    self->largest = MAX (self->largest, self->bins[bin]);
}
