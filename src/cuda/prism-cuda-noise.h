/* prism-cuda-noise: the camera's shot and read noise, with the random numbers of prism-noise.
 *
 * n = image_size. Plain C. */
#pragma once

#include "prism-cuda-types.h"

PRISM_CUDA_BEGIN_DECLS

#define PRISM_CUDA_NOISE_N_PARTIALS 512

/* What the camera adds, as numbers of one run and one measurement. */
typedef struct
{
  double power;                         /* shot noise over signal, 10^(-SNR/10); 0 = none */
  double photon;                        /* one photon's energy: takes its place when above 0 */
  double read_power;                    /* read noise over signal; 0 = none */
  uint64_t seed;
  uint32_t sample;
} PrismCudaNoise;

/* target ← √max(0, clean² + noise), both [n][n] with the origin at [0][0]; may be the same.
 * partials [PRISM_CUDA_NOISE_N_PARTIALS]. */
cudaError_t prism_cuda_noise_expose (const PrismCudaNoise *self,
                                     float                *target,
                                     const float          *clean,
                                     double               *partials,
                                     int                   image_size,
                                     cudaStream_t          stream);

PRISM_CUDA_END_DECLS
