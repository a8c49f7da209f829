/* prism-cuda-metrics: how close an image is to the object: the sums of prism-metrics.
 *
 * m = size of both images. Plain C. */
#pragma once

#include "prism-cuda-control.h"

PRISM_CUDA_BEGIN_DECLS

/* Doubles that compute needs to work in. */
size_t      prism_cuda_metrics_get_n_partials (int size);
/* Into control->sums; image and object [m][m]. */
cudaError_t prism_cuda_metrics_compute        (PrismCudaControl *control,
                                               double           *partials,
                                               const float      *image,
                                               const float      *object,
                                               int               size,
                                               int               forced,
                                               cudaStream_t      stream);

PRISM_CUDA_END_DECLS
