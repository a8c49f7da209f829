/* prism-refinement: the table of the methods that end a run, or are all of it. */
#pragma once

#include "config/prism-config.h"
#include "solve/prism-solver.h"

G_BEGIN_DECLS

const PrismSolverKind *
         prism_refinement_choose    (const PrismConfig     *config,
                                     const PrismBackendOps *ops);
gboolean prism_refinement_save      (PrismSolver  *solver,
                                     PrismBundle  *bundle,
                                     GError      **error);
gboolean prism_refinement_load_spec (PrismSolverSpec        *spec,
                                     const PrismSolverKind **kind,
                                     PrismBundle            *bundle,
                                     GError                **error);

G_END_DECLS
