/* prism-cholesky: large systems of linear equations with a positive definite matrix.
 *
 * f = unknowns. Thread: one at a time; a pool's threads help. */
#pragma once

#include "base/prism-pool.h"

G_BEGIN_DECLS

typedef struct _PrismCholesky PrismCholesky;

gsize          prism_cholesky_get_bytes (gsize size);
PrismCholesky *prism_cholesky_new       (gsize    size,
                                         GError **error);
void           prism_cholesky_free      (PrismCholesky *self);
gsize          prism_cholesky_get_size  (PrismCholesky *self);
double        *prism_cholesky_get_row   (PrismCholesky *self,
                                         gsize          row);
gboolean       prism_cholesky_factor    (PrismCholesky *self,
                                         PrismPool     *pool);
gboolean       prism_cholesky_is_done   (PrismCholesky *self);
void           prism_cholesky_solve     (PrismCholesky *self,
                                         double        *values);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismCholesky, prism_cholesky_free)

G_END_DECLS
