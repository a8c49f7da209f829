/* prism-cuda-update: the parameters of all layers but the first: their gradients from what the
 * backward pass left in pieces, and Adam. Capturable. */
#pragma once

#include "prism-cuda-map.h"

PRISM_CUDA_BEGIN_DECLS

#define PRISM_CUDA_MAX_ARRAYS 96

/* One array of parameters; source is 16-byte aligned for a weight. Its gradient is
 * Σ over parts of source[i·stride + part·part_stride]. */
typedef struct
{
  const float *source;
  uint32_t offset; /* into the parameter vector, in values */
  uint32_t n_values;
  uint32_t part_stride; /* in values */
  uint16_t stride;
  uint16_t n_parts;
  uint32_t first_block; /* see prism_cuda_update_add() */
} PrismCudaUpdateArray;

/* P = number of parameters. arrays are in the order in which they were added. */
typedef struct
{
  float *values; /* [P] */
  float *first;  /* [P] Adam's moments */
  float *second;
  float *largest;  /* of second so far, for AMSGrad; NULL for Adam */
  float *gradient; /* [P] */
  PrismCudaControl *control;
  int shortens; /* sources are gradients, to be shortened as control says */
  const int32_t *stop; /* nullable: nothing is done while it is not 0 */
  int n_arrays;
  int n_blocks;
  PrismCudaUpdateArray arrays[PRISM_CUDA_MAX_ARRAYS];
} PrismCudaUpdate;

/* first_block is set. */
void prism_cuda_update_add (PrismCudaUpdate *self,
                            PrismCudaUpdateArray array);
/* Gradients into gradient, divided by loss_scale. Sources may lie where they go. */
cudaError_t prism_cuda_update_collect (const PrismCudaUpdate *self,
                                       cudaStream_t stream);
/* Adam or AMSGrad, unless control->no_update. */
cudaError_t prism_cuda_update_step (const PrismCudaUpdate *self,
                                    cudaStream_t stream);

PRISM_CUDA_END_DECLS
