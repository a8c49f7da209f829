/* prism-cuda-clip: the norm of the gradient of all parameters, and by how much it is too long.
 * Capturable. */
#pragma once

#include "prism-cuda-control.h"

PRISM_CUDA_BEGIN_DECLS

#define PRISM_CUDA_CLIP_N_PARTIALS 256

/* P = n_values. */
typedef struct
{
  const float *gradient; /* [P], 16-byte aligned */
  float *map_gradient;   /* [n_map]: of the first layer, multiplied by control->shorten */
  double *partials;      /* [PRISM_CUDA_CLIP_N_PARTIALS] to work in */
  size_t n_values;
  int n_map;
  PrismCudaControl *control;
  const int32_t *stop; /* nullable: nothing is done while it is not 0 */
} PrismCudaClip;

/* control->shorten from the gradient and the clip_norm of the step under way. */
cudaError_t prism_cuda_clip_shorten (const PrismCudaClip *self,
                                     cudaStream_t         stream);

PRISM_CUDA_END_DECLS
