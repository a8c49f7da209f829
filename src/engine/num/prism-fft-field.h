/* prism-fft-field: transforms of a large real field and back, by the threads of a pool.
 * Thread: one at a time. */
#pragma once

#include "base/prism-pool.h"

G_BEGIN_DECLS

typedef struct _PrismFftField PrismFftField;

PrismFftField *prism_fft_field_new      (int        size,
                                         PrismPool *pool);
void           prism_fft_field_free     (PrismFftField *self);
void           prism_fft_field_forward  (PrismFftField *self,
                                         float         *field,
                                         float         *half,
                                         int            near);
void           prism_fft_field_backward (PrismFftField *self,
                                         float         *half,
                                         float         *field,
                                         int            near);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismFftField, prism_fft_field_free)

G_END_DECLS
