/* prism-cuda-iterate: the end of a pass of descent: what decides whether the image moves, the total
 * variation, and the step with its momentum. */
#pragma once

#include "prism-cuda-control.h"

PRISM_CUDA_BEGIN_DECLS

#define PRISM_CUDA_ITERATE_MAX_BLOCKS 256
#define PRISM_CUDA_ITERATE_N_SUMS 3

/* Device arrays, m = size. */
typedef struct
{
  int size;
  float *image;  /* [m][m] */
  float *point;  /* [m][m] */
  float *across; /* [m][m] dual field of the total variation, along rows */
  float *down;   /* [m][m] and along columns */
  float *slope;  /* [m][m] of the whole pass; the image's change afterwards */
  float *other;  /* [2][m][m] to work in */
  double *sums;  /* [PRISM_CUDA_ITERATE_N_SUMS][PRISM_CUDA_ITERATE_MAX_BLOCKS] to work in */
  PrismCudaPass *pass;
  const PrismCudaPassEnd *end;
} PrismCudaIterate;

/* slope += part, both [m][m]. */
cudaError_t prism_cuda_iterate_add    (const PrismCudaIterate *self,
                                       const float            *part,
                                       cudaStream_t            stream);
/* From pass->misfit and the slope to the next image and point, if it may move. with_mean: whether
 * end->least_mean is above 0; with_variation: whether end->variation is. */
cudaError_t prism_cuda_iterate_finish (const PrismCudaIterate *self,
                                       int                     with_mean,
                                       int                     with_variation,
                                       cudaStream_t            stream);

PRISM_CUDA_END_DECLS
