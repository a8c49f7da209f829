/* prism-cuda-start: the loss of the start phase, l1 between the decoder's output and the start
 * image. */
#pragma once

#include "prism-cuda-control.h"

PRISM_CUDA_BEGIN_DECLS

#define PRISM_CUDA_START_MAX_BLOCKS 128

/* Device arrays: image, start, gradient [n_pixels], sums [PRISM_CUDA_START_MAX_BLOCKS][2]. */
cudaError_t prism_cuda_start_compute_gradient (PrismCudaControl *control,
                                               const float      *image,
                                               const float      *start,
                                               int               n_pixels,
                                               double           *sums,
                                               float            *gradient,
                                               cudaStream_t      stream);

PRISM_CUDA_END_DECLS
