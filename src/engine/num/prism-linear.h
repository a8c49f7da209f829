/* prism-linear: systems of linear equations: small dense ones, unknowns whose differences are told,
 * orthogonal columns. Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Small systems of linear equations. Thread: any. */

void prism_linear_solve (double *matrix,
                         int     n);

/* x[a] - x[b] should be value. */
typedef struct
{
  guint a;
  guint b;
  double weight;
  double value;
} PrismDifference;

void prism_linear_settle (const PrismDifference *differences,
                          guint                  n_differences,
                          const double          *ties,
                          double                *x,
                          guint                  n);

/* Turns a random matrix into one with orthonormal rows, or columns where there
 * are fewer of them. Thread: any. */

void prism_orthogonal_apply (float *matrix,
                             gsize  n_rows,
                             gsize  n_columns);

G_END_DECLS
