/* prism-histogram: how often values occur in an image.
 *
 * h, w: rows and columns of the image. Thread: any. */
#pragma once

#include "formats/prism-image.h"

G_BEGIN_DECLS

#define PRISM_HISTOGRAM_N_BINS 128

typedef struct
{
  guint64 count;                        /* of the finite values; without any, all is 0 */
  float minimum;
  float maximum;
  guint bins[PRISM_HISTOGRAM_N_BINS];   /* of equal width from minimum to maximum */
  guint largest;                        /* of the bins */
} PrismHistogram;

void prism_histogram_compute (PrismHistogram   *self,
                              const PrismImage *image,
                              const PrismImage *reference);

G_END_DECLS
