/* prism-cuda-frame: what the decoder puts out, copied beside the training for somebody to look at.
 * Thread: engine. */
#pragma once

#include "prism-cuda-context.h"

G_BEGIN_DECLS

typedef struct _PrismCudaFrame PrismCudaFrame;

/* n_pixels: m². */
PrismCudaFrame *prism_cuda_frame_new     (PrismCudaContext  *context,
                                          PrismCudaArena    *arena,
                                          gsize              n_pixels);
/* After the arena is allocated. */
gboolean        prism_cuda_frame_prepare (PrismCudaFrame    *self,
                                          GError           **error);
void            prism_cuda_frame_free    (PrismCudaFrame    *self);
gboolean        prism_cuda_frame_is_due  (PrismCudaFrame    *self);
/* image [m][m] and the sums of its metrics on the device, as the main stream leaves them. */
cudaError_t     prism_cuda_frame_request (PrismCudaFrame    *self,
                                          const float       *image,
                                          const double      *sums);
/* Never waits: TRUE once the frame has arrived. */
gboolean        prism_cuda_frame_collect (PrismCudaFrame    *self,
                                          float             *image,
                                          PrismMetrics      *metrics);

G_END_DECLS
