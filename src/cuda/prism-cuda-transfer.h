/* prism-cuda-transfer: every copy between host and device goes through here and is counted by what
 * it is for. Thread: engine. */
#pragma once

#include "backend/prism-backend.h"
#include "prism-cuda-context.h"

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

/* How long copies between the host's memory and the device's take, for bench.
 * Thread: engine. */

gboolean prism_cuda_copy_time (PrismCopyKind   kind,
                               gsize           n_bytes,
                               guint           n_times,
                               double         *seconds,
                               char          **device,
                               GError        **error);

G_END_DECLS
