/* prism-cuda-decoder: the decoder and its training on the device: parameters, moments, activations
 * and the kernels' order. Host code in C; kernels in prism-cuda-expand, -double,
 * -convolve, -weight, -norm, -clip and -update.
 *
 * Dimensions: m = object_size, P = number of parameters. Thread: engine. Every enqueue function may
 * be called while the stream is being captured: no allocation, no synchronisation, no copy from or
 * to the host. */
#pragma once

#include "backend/prism-backend.h"
#include "prism-cuda-arena.h"
#include "prism-cuda-types.h"

G_BEGIN_DECLS

typedef struct _PrismCudaDecoder PrismCudaDecoder;

/* The two streams that a step forks into: main, and side for what nothing waits for at once
 * (weight gradients). fork and join are events of this pair. */
typedef struct
{
  cudaStream_t main;
  cudaStream_t side;
  cudaEvent_t fork;
  cudaEvent_t join;
} PrismCudaStreams;

/* What of a plan the kernels do not take, in one sentence, or NULL. (transfer full) (nullable) */
char             *prism_cuda_decoder_dup_unsupported_reason (const PrismDecoderPlan *plan);
/* Registers every array with the arena; pointers are valid once that is allocated. */
PrismCudaDecoder *prism_cuda_decoder_new      (const PrismBackendSpec *spec,
                                               PrismCudaArena         *arena,
                                               PrismCudaControl      **control);
void              prism_cuda_decoder_free     (PrismCudaDecoder *self);

/* Device arrays, engine order: [P] each. */
float            *prism_cuda_decoder_get_parameters (PrismCudaDecoder *self);
float            *prism_cuda_decoder_get_gradient   (PrismCudaDecoder *self);
float            *prism_cuda_decoder_get_first      (PrismCudaDecoder *self);
float            *prism_cuda_decoder_get_second     (PrismCudaDecoder *self);
/* NULL but with AMSGrad. */
float            *prism_cuda_decoder_get_largest    (PrismCudaDecoder *self);
/* After parameters were written from outside: what is derived from them is stale. */
cudaError_t       prism_cuda_decoder_refresh        (PrismCudaDecoder *self,
                                                     cudaStream_t      stream);
/* [m][m]: the output, cropped or framed, activation applied; where dLoss/dOutput is expected. */
float            *prism_cuda_decoder_get_output     (PrismCudaDecoder *self);
float            *prism_cuda_decoder_get_output_gradient (PrismCudaDecoder *self);

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
 * layer's part of the next forward pass. Calls prism_cuda_control_check() between the two. clips:
 * the gradient is shortened to the step's clip_norm. */
cudaError_t       prism_cuda_decoder_update   (PrismCudaDecoder *self,
                                               gboolean          clips,
                                               PrismCudaStreams *streams);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismCudaDecoder, prism_cuda_decoder_free)

G_END_DECLS
