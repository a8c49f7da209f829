/* prism-cuda-similarity: SSIM and MS-SSIM of what is seen and what was measured, as losses, with
 * exact gradients.
 *
 * n = image_size. The images of all scales stand one behind the other: those of scale s, of size
 * n >> s, behind those of the scales before. Device memory. */
#pragma once

#include "prism-cuda-optics.h"

PRISM_CUDA_BEGIN_DECLS

#define PRISM_CUDA_SIMILARITY_MAX_SCALES 5
#define PRISM_CUDA_SIMILARITY_TILE 32   /* px */

typedef struct
{
  int32_t image_size;
  int32_t n_scales;                     /* 1: SSIM; see prism_cuda_similarity_get_n_scales() */
  int32_t intensity;                    /* |y|² and t² are compared */
  int32_t term;                         /* 0: the loss is loss_new, else it is added to loss_old */
  int32_t accumulate;                   /* loss_new is added to, too */
  PrismCudaControl *control;
  const PrismCudaOpticsView *view;      /* target; factor: weight of the loss */
  const float *amplitude;               /* [n][n] what is seen, order of targets */
  float *pyramid;                       /* scales 1 …: seen, target; natural order; n² in all */
  float *maps;                          /* three slopes each; 4·n² in all */
  float *gradients;                     /* 4/3·n² in all */
  double *sums;                         /* [2·(n/TILE)²] */
  double *factors;                      /* [PRISM_CUDA_SIMILARITY_MAX_SCALES] */
  float *slope;                         /* [n][n] result, order of targets; may be maps */
} PrismCudaSimilarity;

int         prism_cuda_similarity_get_n_scales (int                        image_size);
/* The loss into control, and the slope of the similarity for |y|, times n². */
cudaError_t prism_cuda_similarity_compute      (const PrismCudaSimilarity *self,
                                                cudaStream_t               stream);

PRISM_CUDA_END_DECLS
