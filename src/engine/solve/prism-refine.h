/* prism-refine: the end of a run: the image that explains all measurements best, found by
 * accelerated descent from the decoder's image and from a blank one. It wants a start image.
 * Source: numerics.md, “Refinement”. */
#pragma once

#include "solve/prism-solver.h"

G_BEGIN_DECLS

extern const PrismSolverKind prism_refine_kind;

G_END_DECLS
