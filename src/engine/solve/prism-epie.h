/* prism-epie: the image by ePIE, or by Mo-PIE where apertures move. */
#pragma once

#include "num/prism-band.h"
#include "solve/prism-measurements.h"
#include "solve/prism-solver.h"

G_BEGIN_DECLS

typedef struct
{
  guint n_passes;                       /* from each start */
  double step_size;                     /* s of numerics.md § 10 */
  PrismBand band;                       /* what the start image is held to */
  gboolean stop_at_noise;               /* no further than the noise that the SNR predicts */
  const float *live;                    /* (nullable) [m][m] explains the data better than start */
} PrismEpieSpec;

PrismSolver *prism_epie_new (PrismBackend         *backend,
                             PrismMeasurements    *measurements,
                             const PrismEpieSpec  *spec,
                             const float          *start,
                             GError              **error);

G_END_DECLS
