/* prism-fold: a trained decoder, prepared to compute its image and nothing else: what its latent
 * vector makes of the first layer is a map, and every norm is part of the weights before it.
 * Immutable and reference counted. Thread: any. */
#pragma once

#include "model/prism-decoder.h"

G_BEGIN_DECLS

typedef struct
{
  gatomicrefcount ref_count;
  PrismDecoderPlan plan;                /* without norm; its latent vector is one 1 */
  float *parameters;                    /* [plan.n_parameters] */
  gsize n_parameters_before;
  guint64 n_bytes_before;               /* of the decoder that was trained, on a processor */
  guint64 n_bytes;                      /* of this one */
  double milliseconds_before;           /* of a forward pass, the best of some */
  double milliseconds;
  double difference;                    /* largest of a pixel of the two images */
} PrismFold;

PrismFold *prism_fold_new   (const PrismDecoderPlan  *plan,
                             GError                 **error);
PrismFold *prism_fold_ref   (PrismFold *self);
void       prism_fold_unref (PrismFold *self);
gboolean   prism_fold_save  (const PrismFold  *self,
                             const char       *path,
                             GError          **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismFold, prism_fold_unref)

G_END_DECLS
