/* prism-variation: total variation of an image, and the map that lowers it.
 * Thread: any, unless a function says otherwise. */
#pragma once

#include "base/prism-pool.h"

G_BEGIN_DECLS

typedef struct _PrismVariation PrismVariation;

PrismVariation *prism_variation_new      (int         size,
                                          PrismPool  *pool,
                                          GError    **error);
void            prism_variation_free     (PrismVariation *self);
int             prism_variation_get_size (PrismVariation *self);
void            prism_variation_lower    (PrismVariation *self,
                                          float           strength,
                                          float          *across,
                                          float          *down,
                                          float          *image);
double          prism_variation_get_mean (int          size,
                                          const float *image);
double          prism_variation_cool     (double first,
                                          guint  pass,
                                          guint  n_passes);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismVariation, prism_variation_free)

G_END_DECLS
