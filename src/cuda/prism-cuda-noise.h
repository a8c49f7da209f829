/* prism-cuda-noise: the camera's shot noise, with the random numbers of prism-noise.
 *
 * n = image_size. Plain C. */
#pragma once

#include "prism-cuda-types.h"

PRISM_CUDA_BEGIN_DECLS

#define PRISM_CUDA_NOISE_N_PARTIALS 512

/* target ← √max(0, clean² + noise), both [n][n] with the origin at [0][0]; may be the same. power:
 * of noise over signal, 10^(-SNR/10); photon: one photon's energy, which takes its place when above
 * 0. partials [PRISM_CUDA_NOISE_N_PARTIALS]. */
cudaError_t prism_cuda_noise_expose (float        *target,
                                     const float  *clean,
                                     double       *partials,
                                     double        power,
                                     double        photon,
                                     uint64_t      seed,
                                     uint32_t      sample,
                                     int           image_size,
                                     cudaStream_t  stream);

PRISM_CUDA_END_DECLS
