/* prism-cuda-decoder-private: what the decoder's files share: its layers and arrays, and their
 * planning. */
#pragma once

#include "prism-cuda-decoder.h"
#include "prism-cuda-decoder-kernels.h"

G_BEGIN_DECLS

/* A layer and the map that it writes. C = out_channels, s = out_size. Where a map has more tiles
 * than PRISM_CUDA_MAX_PARTS their results are merged for those who read it. */
typedef struct
{
  const PrismLayer *plan;
  PrismCudaProduct shape;        /* sizes and tilings; of all layers but the first */
  PrismCudaPrecision precision;  /* of the factors in training */
  PrismCudaTiling full_forward;  /* in single precision, for an output that is to be looked at */
  float *y;                      /* [C][s][s], NULL for the last layer */
  float *gradient;               /* [C][s][s] */
  PrismCudaNorm *norm;           /* [C] */
  PrismCudaMoments *moments;     /* [C][n_moments] */
  PrismCudaMoments *all_moments; /* [C], NULL where not needed */
  PrismCudaSums *sums;           /* [C][n_sums]; of the bias for the last layer */
  PrismCudaSums *all_sums;       /* [C], NULL where not needed */
  float *weight_parts;           /* [n_splits][weights], NULL where there is one */
  int n_moments;
  int n_full_moments; /* of full_forward */
  int n_sums;
} PrismCudaLayer;

/* P = n_parameters, m = object_size. */
struct _PrismCudaDecoder
{
  PrismDecoderPlan plan;
  PrismCudaLayer layers[PRISM_DECODER_MAX_LAYERS];
  PrismCudaControl **control;
  PrismCudaPrecision precision;
  gboolean amsgrad;
  gboolean full;   /* the forward pass being queued is in single precision */

  float *values; /* [P], engine order; moments and gradient likewise */
  float *first;
  float *second;
  float *largest; /* of second so far: NULL but with AMSGrad */
  float *gradient;
  float *output;            /* [m][m] */
  float *output_gradient;   /* [m][m] */
  float *expanded;          /* [n_blocks][16·C]: the first layer's product by blocks */
  float *expanded_gradient; /* [16·C] */
  double *clip_partials;    /* [PRISM_CUDA_CLIP_N_PARTIALS] */
};

/* Sizes and tilings of all layers, and every array registered with the arena. */
void prism_cuda_decoder_plan (PrismCudaDecoder *self,
                              PrismCudaArena   *arena);

static inline gboolean
prism_cuda_decoder_is_last (const PrismCudaDecoder *self,
                            int                     index)
{
  return index == self->plan.n_layers - 1;
}

G_END_DECLS
