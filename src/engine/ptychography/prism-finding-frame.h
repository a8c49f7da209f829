/* prism-finding-frame: what is known of a recorded frame and its light at one moment. */
#pragma once

#include "ptychography/prism-ptychography.h"

G_BEGIN_DECLS

/* NAN where nothing is known. */
typedef struct
{
  gboolean held;                        /* it was never used: it is compared with its prediction */
  gboolean left_out;                    /* it was never used, nor compared */
  double light;                         /* mean intensity */
  double recorded[2];                   /* (column, row) of its pupil, px of q from the centre */
  double found[2];
  double gain;
  double misfit;
  double correlation;
} PrismFindingFrame;

PrismFindingFrame *prism_finding_frame_dup_all (PrismPtychography *solver,
                                                const double      *misfits,
                                                const double      *correlations);

G_END_DECLS
