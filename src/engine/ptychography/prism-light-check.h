/* prism-light-check: which lights of an instrument are not as they are said to be. Thread: the
 * solver's. */
#pragma once

#include "ptychography/prism-finding.h"

G_BEGIN_DECLS

GPtrArray *prism_light_check_find (PrismPtychography       *solver,
                                   const PrismFindingFrame *frames);

/* What a solver has found by now. Thread: the solver's. */

PrismFinding *prism_finding_new (PrismPtychography *solver,
                                 const GArray      *progress,
                                 const char        *source,
                                 double             seconds);

PrismFindingFrame *prism_finding_frame_dup_all (PrismPtychography *solver,
                                                PrismPrediction   *held_out,
                                                PrismPrediction   *used);

G_END_DECLS
