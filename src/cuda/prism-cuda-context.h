/* prism-cuda-context: what all parts of one run on the device share: the GPU, its streams, the
 * counters, and the error that was met. Thread: engine. */
#pragma once

#include "prism-cuda-decoder.h"

G_BEGIN_DECLS

typedef struct
{
  int device;
  PrismCudaStreams streams;
  cudaStream_t metrics;                 /* beside a step: nobody waits for the metrics */
  cudaStream_t preview;                 /* frames on their way to the host */
  cudaEvent_t waypoint;                 /* of prism_cuda_context_wait() */
  GError *error;                        /* the first since it was last reported */
  gboolean lost;                        /* nothing will work again: touch the device no more */
  PrismDeviceCounters counters;
} PrismCudaContext;

gboolean prism_cuda_context_open   (PrismCudaContext  *self,
                                    GError           **error);
void     prism_cuda_context_close  (PrismCudaContext  *self);
/* Begins an operation: FALSE when the device is lost. */
gboolean prism_cuda_context_enter  (PrismCudaContext  *self);
/* Takes note of status; FALSE unless it is cudaSuccess. doing: as for prism_cuda_error_set(). */
gboolean prism_cuda_context_check  (PrismCudaContext  *self,
                                    cudaError_t        status,
                                    const char        *doing);
/* For all work on the main stream so far. extra: seconds it may take beyond the usual. */
gboolean prism_cuda_context_wait   (PrismCudaContext  *self,
                                    double             extra,
                                    const char        *doing);
/* Moves what was noted to error: TRUE when there is nothing. */
gboolean prism_cuda_context_report (PrismCudaContext  *self,
                                    GError           **error);

G_END_DECLS
