/* prism-cuda-pool: device memory that comes and goes during a run: detector images and masks. What
 * is given back is kept for the next, so that a long run stands still. Thread: engine. */
#pragma once

#include "prism-cuda-context.h"

G_BEGIN_DECLS

typedef struct _PrismCudaPool PrismCudaPool;

PrismCudaPool *prism_cuda_pool_new      (PrismCudaContext  *context);
void           prism_cuda_pool_free     (PrismCudaPool     *self);
/* Uninitialised. what: as for prism_cuda_error_set_memory(). */
void          *prism_cuda_pool_take     (PrismCudaPool     *self,
                                         gsize              n_bytes,
                                         const char        *what,
                                         GError           **error);
/* May still be read by work on the main stream; NULL is allowed. */
void           prism_cuda_pool_give     (PrismCudaPool     *self,
                                         void              *memory);
guint64        prism_cuda_pool_get_used (PrismCudaPool     *self);
guint64        prism_cuda_pool_get_peak (PrismCudaPool     *self);

G_END_DECLS
