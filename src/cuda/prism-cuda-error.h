/* prism-cuda-error: what the CUDA runtime reports, as sentences a user can act on. Thread: any. */
#pragma once

#include "base/prism-error.h"

#include <cuda_runtime_api.h>

G_BEGIN_DECLS

/* The first driver that knows this version of CUDA in all its minor versions. */
#define PRISM_CUDA_MIN_DRIVER (CUDART_VERSION >= 13000 ? 580 : 525)

/* Whether nothing on this device will work again in this process. */
gboolean    prism_cuda_error_is_sticky (cudaError_t status);
/* Whether this device is taken by others, so that another one may still be had. */
gboolean    prism_cuda_error_is_busy    (cudaError_t status);
/* doing: "training", part of the sentence. */
void        prism_cuda_error_set        (GError      **error,
                                         cudaError_t   status,
                                         const char   *doing);
void        prism_cuda_error_set_memory (GError      **error,
                                         guint64       wanted,
                                         const char   *what);
/* What made the device unusable for the rest of the process, NULL while it works. */
const char *prism_cuda_error_get_loss   (void);

G_END_DECLS
