/* prism-finding-new: what a solver has found by now. Thread: the solver's. */
#pragma once

#include "ptychography/prism-finding.h"

G_BEGIN_DECLS

PrismFinding *prism_finding_new (PrismPtychography  *solver,
                                 const GArray       *progress,
                                 const char         *source,
                                 double              seconds,
                                 GError            **error);

G_END_DECLS
