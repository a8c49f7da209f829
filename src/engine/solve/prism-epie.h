/* prism-epie: the image by ePIE, and by Mo-PIE where apertures move: the same passes, in which the
 * device does what its task says of lines. Source: numerics.md § 8 and § 10. */
#pragma once

#include "solve/prism-solver.h"

G_BEGIN_DECLS

extern const PrismSolverKind prism_epie_kind;
extern const PrismSolverKind prism_epie_kind_of_lines;

G_END_DECLS
