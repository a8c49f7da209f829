/* prism-goodness: holds an image against the measurements of its run. Thread: engine. */
#pragma once

#include "measure/prism-measurements.h"
#include "model/prism-verdict.h"

#include <glib.h>

G_BEGIN_DECLS

gboolean prism_goodness_image (PrismMeasurements  *measurements,
                               PrismScene         *scene,
                               PrismBackend       *backend,
                               const float        *image,
                               PrismVerdict       *verdict,
                               double             *left,
                               GError            **error);

/* Sees whether the passes of a search still move its image. Thread: engine. */

#define PRISM_STILLNESS_PLANE "refine-before.npy" /* in a bundle */

typedef struct
{
  guint n;       /* passes since before */
  double change; /* of the image in the last so many passes, relative to it */
  float *before; /* (nullable) the image some passes ago, of whom it belongs to */
} PrismStillness;

void     prism_stillness_begin (PrismStillness *self,
                                const float    *image,
                                gsize           n_pixels);
gboolean prism_stillness_add   (PrismStillness *self,
                                const float    *image,
                                gsize           n_pixels,
                                double           least);

G_END_DECLS
