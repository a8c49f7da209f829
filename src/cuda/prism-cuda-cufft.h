/* prism-cuda-cufft: whole transforms by NVIDIA's library, which is looked for when it is first
 * asked for: the module itself runs without it. Thread: engine. */
#pragma once

#include "prism-cuda-types.h"

#include <glib.h>

G_BEGIN_DECLS

typedef struct _PrismCudaCufft PrismCudaCufft;

gboolean        prism_cuda_cufft_load           (GError           **error);
gsize           prism_cuda_cufft_get_work_bytes (int                size);
PrismCudaCufft *prism_cuda_cufft_new            (int                size);
void            prism_cuda_cufft_free           (PrismCudaCufft    *self);
cudaError_t     prism_cuda_cufft_prepare        (PrismCudaCufft    *self,
                                                 void              *work,
                                                 cudaStream_t       stream);
/* field [n][n], in place, unnormalised. */
cudaError_t     prism_cuda_cufft_transform      (PrismCudaCufft    *self,
                                                 PrismCudaComplex  *field,
                                                 gboolean           inverse,
                                                 cudaStream_t       stream);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismCudaCufft, prism_cuda_cufft_free)

G_END_DECLS
