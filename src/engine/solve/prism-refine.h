/* prism-refine: the end of a run: the image that explains all measurements best, found by
 * accelerated descent from the decoder's image and from a blank one.
 *
 * Dimensions: m = object_size. Thread: engine. */
#pragma once

#include "num/prism-band.h"
#include "solve/prism-measurements.h"
#include "solve/prism-solver.h"

G_BEGIN_DECLS

typedef struct
{
  guint n_passes;                       /* of each attempt, at least 1 */
  double smoothness;                    /* factor of the total variation, at least 0 */
  PrismBand band;                       /* what the decoder's image is held to */
  const float *live;                    /* (nullable) [m][m] the live picture */
} PrismRefineSpec;

PrismSolver *prism_refine_new          (PrismBackend           *backend,
                                        PrismMeasurements      *measurements,
                                        const PrismRefineSpec  *spec,
                                        const float            *start,
                                        GError                **error);
guint        prism_refine_count_passes (guint    n_passes,
                                        gboolean has_live);

G_END_DECLS
