/* prism-orthogonal: turns a random matrix into one with orthonormal rows, or columns where there
 * are fewer of them. Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

void prism_orthogonal_apply (float *matrix,
                             gsize  n_rows,
                             gsize  n_columns);

G_END_DECLS
