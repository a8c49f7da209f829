/* prism-linear: small dense systems: Cholesky's solution, orthogonal columns. Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Small systems of linear equations. Thread: any. */

void prism_linear_solve (double *matrix,
                         int     n);

/* Turns a random matrix into one with orthonormal rows, or columns where there
 * are fewer of them. Thread: any. */

void prism_orthogonal_apply (float *matrix,
                             gsize  n_rows,
                             gsize  n_columns);

G_END_DECLS
