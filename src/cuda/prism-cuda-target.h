/* prism-cuda-target: detector images as they lie on the device: their order and their sums.
 *
 * n = image_size. Plain C. */
#pragma once

#include "prism-cuda-types.h"

PRISM_CUDA_BEGIN_DECLS

#define PRISM_CUDA_TARGET_N_PARTIALS 768

/* to[y + n/2][x + n/2] ← from[y][x], modulo n: between natural order, origin at [n/2][n/2], and
 * target order, origin at [0][0]. Not in place. */
cudaError_t prism_cuda_target_roll (float        *to,
                                    const float  *from,
                                    int           image_size,
                                    cudaStream_t  stream);
/* sums [3] ← Σt, Σt², Σt⁴ of target [n][n]; partials [PRISM_CUDA_TARGET_N_PARTIALS]. */
cudaError_t prism_cuda_target_sum  (double       *sums,
                                    double       *partials,
                                    const float  *target,
                                    int           image_size,
                                    cudaStream_t  stream);

PRISM_CUDA_END_DECLS
