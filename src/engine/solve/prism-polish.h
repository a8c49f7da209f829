/* prism-polish: which method ends a run, or is all of it, and how it was begun. */
#pragma once

#include "num/prism-band.h"
#include "solve/prism-measurements.h"
#include "solve/prism-solver.h"

G_BEGIN_DECLS

typedef struct
{
  guint n_passes;                       /* from each start */
  double step_size;                     /* s of numerics.md § 10 */
  double smoothness;                    /* factor of the refinement's total variation */
  PrismBand band;                       /* what the start image is held to */
  gboolean refines;                     /* a start image: not by ePIE, where the device can */
  gboolean stop_at_noise;               /* no further than the noise that the SNR predicts */
  const float *live;                    /* (nullable) [m][m] explains the data better than start */
} PrismPolishSpec;

PrismSolver *prism_polish_new       (PrismBackend           *backend,
                                     PrismMeasurements      *measurements,
                                     const PrismPolishSpec  *spec,
                                     const float            *start,
                                     GError                **error);
void         prism_polish_save_spec (const PrismPolishSpec *spec,
                                     PrismBundle           *bundle);
gboolean     prism_polish_load_spec (PrismPolishSpec  *spec,
                                     PrismBundle      *bundle,
                                     GError          **error);

G_END_DECLS
