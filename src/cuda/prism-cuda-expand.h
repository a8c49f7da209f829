/* prism-cuda-expand: the decoder's first layer, y0 = zᵀW0 with W0 [L][16·C] and latent z [L], and
 * everything about its parameters, in one pass over them. Capturable. */
#pragma once

#include "prism-cuda-map.h"

PRISM_CUDA_BEGIN_DECLS

typedef struct
{
  int latent; /* L */
  int rows_per_block;
  int n_blocks;
  PrismCudaMap out; /* C channels of 4×4 */
  float *values;    /* z [L], its moments likewise */
  float *first;
  float *second;
  float *largest; /* of second so far, for AMSGrad; NULL for Adam */
  float *weight; /* W0 [L][16·C], 16-byte aligned, its moments likewise */
  float *weight_first;
  float *weight_second;
  float *weight_largest;
  float *values_gradient; /* [L] */
  float *weight_gradient; /* [L][16·C] */
  float *partials;        /* [n_blocks][16·C]: zᵀW0 by blocks of rows */
  float *map_gradient;    /* dY0 [16·C], unscaled */
  PrismCudaControl *control;
  const int32_t *stop; /* nullable: nothing is done while it is not 0 */
} PrismCudaExpand;

/* Blocks and rows of each for latent L. */
void prism_cuda_expand_split (PrismCudaExpand *self);
/* partials from the parameters as they are. */
cudaError_t prism_cuda_expand_multiply (const PrismCudaExpand *self,
                                        cudaStream_t stream);
/* out.y and out.moments (one per channel) from partials. */
cudaError_t prism_cuda_expand_merge (const PrismCudaExpand *self,
                                     cudaStream_t stream);
/* map_gradient from out.gradient and out.sums. */
cudaError_t prism_cuda_expand_gradient (const PrismCudaExpand *self,
                                        cudaStream_t stream);
/* Adam of z and W0 with the gradients that map_gradient makes, and partials from what comes out.
 * With control->no_update the same partials as prism_cuda_expand_multiply(), nothing else. */
cudaError_t prism_cuda_expand_sweep (const PrismCudaExpand *self,
                                     cudaStream_t stream);
/* values_gradient and weight_gradient from map_gradient. */
cudaError_t prism_cuda_expand_differentiate (const PrismCudaExpand *self,
                                             cudaStream_t stream);

PRISM_CUDA_END_DECLS
