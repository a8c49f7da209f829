/* prism-cuda-decoder: the decoder and its training on the device: parameters, moments, activations
 * and the kernels' order. Host code in C; kernels in prism-cuda-expand,
 * -product, -mixed, -weight and -update.
 *
 * Dimensions: m = object_size, P = number of parameters. Thread: engine. Every enqueue function may
 * be called while the stream is being captured: no allocation, no synchronisation, no copy from or
 * to the host. */
#pragma once

#include "backend/prism-backend.h"
#include "prism-cuda-decoder-kernels.h"
#include "prism-cuda-memory.h"

G_BEGIN_DECLS

/* A layer and the map that it writes. C = out_channels, s = out_size. Where a map has more tiles
 * than PRISM_CUDA_MAX_PARTS their results are merged for those who read it. */
typedef struct
{
  const PrismLayer *plan;
  PrismCudaProduct shape;        /* sizes and tilings; of all layers but the first */
  PrismCudaTiling full_forward;  /* in single precision, for an output that is to be looked at */
  float *y;                      /* [C][s][s], NULL for the layer of the image */
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

/* P = n_parameters, m = object_size. To be read by others; whoever writes values refreshes what is
 * derived from them. Device arrays. */
typedef struct
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
  float *gradient;          /* whole after prism_cuda_decoder_backward() alone */
  float *output;            /* [m][m] cropped or framed, activation applied */
  float *output_gradient;   /* [m][m] where dLoss/dOutput is expected */
  float *expanded;          /* [n_blocks][16·C]: the first layer's product by blocks */
  float *expanded_gradient; /* [16·C] */
  float *bias_gradient;     /* [outputs] where there are several, whose owner sets it */
  double *clip_partials;    /* [PRISM_CUDA_CLIP_N_PARTIALS] */
} PrismCudaDecoder;

/* Sizes and tilings of all layers, and every array registered with the arena. */
void prism_cuda_decoder_plan (PrismCudaDecoder *self,
                              PrismCudaArena   *arena);

/* Whether a layer's map becomes the image. Where the last one has several outputs it is a map as
 * others are: y are outputs without their bias; gradient and bias_gradient are the slopes by them,
 * and norm, with a gain of 1 and 0 else, has none. Its owner sets all three. */
static inline gboolean
prism_cuda_decoder_is_image (const PrismCudaDecoder *self,
                             int                     index)
{
  return index == self->plan.n_layers - 1 && self->plan.layers[index].out_channels == 1;
}

/* What of a plan the kernels do not take, in one sentence, or NULL. (transfer full) (nullable) */
char             *prism_cuda_decoder_dup_unsupported_reason (const PrismDecoderPlan *plan);
/* Registers every array with the arena; pointers are valid once that is allocated. */
PrismCudaDecoder *prism_cuda_decoder_new      (const PrismBackendSpec *spec,
                                               PrismCudaArena         *arena,
                                               PrismCudaControl      **control);
/* After parameters were written from outside: what is derived from them is stale. */
cudaError_t       prism_cuda_decoder_refresh        (PrismCudaDecoder *self,
                                                     cudaStream_t      stream);
/* With less than single precision in training, full_precision asks for all of it. stop: what a done
 * chunk has left behind is the output. */
cudaError_t       prism_cuda_decoder_forward  (PrismCudaDecoder *self,
                                               gboolean          full_precision,
                                               gboolean          stop,
                                               cudaStream_t      stream);
/* Gradient of everything into get_gradient(), materialised: tests and verify. */
cudaError_t       prism_cuda_decoder_backward (PrismCudaDecoder *self,
                                               PrismCudaStreams *streams);
/* Backward and Adam as a training step does it, with control->no_update obeyed, and the first
 * layer's part of the next forward pass. clips:
 * the gradient is shortened to the step's clip_norm. */
cudaError_t       prism_cuda_decoder_update   (PrismCudaDecoder *self,
                                               gboolean          clips,
                                               PrismCudaStreams *streams);

G_END_DECLS
