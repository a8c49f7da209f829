/* prism-cuda-transfer: every copy between host and device goes through here and is counted by what
 * it is for. Thread: engine. */
#pragma once

#include "prism-cuda-memory.h"

G_BEGIN_DECLS

typedef struct _PrismCudaTransfer PrismCudaTransfer;

PrismCudaTransfer *prism_cuda_transfer_new      (PrismCudaContext   *context,
                                                 GError            **error);
void               prism_cuda_transfer_free     (PrismCudaTransfer  *self);

/* Through pinned memory, in the order of the main stream. upload returns as soon as from may be
 * reused, download when to is filled; after a failure to is as it was. */
gboolean           prism_cuda_transfer_upload   (PrismCudaTransfer  *self,
                                                 PrismTransferKind   kind,
                                                 void               *to,
                                                 const void         *from,
                                                 gsize               n_bytes);
gboolean           prism_cuda_transfer_download (PrismCudaTransfer  *self,
                                                 PrismTransferKind   kind,
                                                 void               *to,
                                                 const void         *from,
                                                 gsize               n_bytes);
/* Host memory is pinned and the caller's to look after; nothing is waited for. */
cudaError_t        prism_cuda_transfer_send     (PrismCudaContext   *context,
                                                 PrismTransferKind   kind,
                                                 void               *to,
                                                 const void         *from,
                                                 gsize               n_bytes,
                                                 cudaStream_t        stream);
cudaError_t        prism_cuda_transfer_fetch    (PrismCudaContext   *context,
                                                 PrismTransferKind   kind,
                                                 void               *to,
                                                 const void         *from,
                                                 gsize               n_bytes,
                                                 cudaStream_t        stream);

/* What the decoder puts out, copied beside the training for somebody to look at. */

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

/* How long copies between the host's memory and the device's take, for bench.
 * Thread: engine. */

gboolean prism_cuda_copy_time (PrismCopyKind   kind,
                               gsize           n_bytes,
                               guint           n_times,
                               double         *seconds,
                               char          **device,
                               GError        **error);

G_END_DECLS
