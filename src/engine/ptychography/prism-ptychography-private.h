/* prism-ptychography-private: what the files that explain frames share. Thread: one at a time. */
#pragma once

#include "ptychography/prism-ptychography-frame.h"
#include "ptychography/prism-ptychography.h"

G_BEGIN_DECLS

struct _PrismPtychography
{
  PrismPtychogram *frames;
  PrismPtychographySettings settings;
  double defocus_phase;                 /* rad from centre to rim, of one µm */
  PrismIllumination light;
  PrismPool *crew;                      /* of starts that are tried */
  PrismPtychographyFrame *frame;
  guint n_workers;                      /* of the crew */
  PrismPtychographyFrame **frames_of_workers; /* [n_workers], the first one frame */
  PrismPool **pools;                    /* [n_workers]: of their frames */
  double aberrations[PRISM_PUPIL_N_MODES]; /* radians, that the passes began with */
  double rim;                           /* width of the pupil's, pixels */
  guint pass;
};

void prism_ptychography_search (PrismPtychography *self);

G_END_DECLS
