/* prism-cuda-context: the GPU: which one can be used, what it is called and can do, what it
 * reports, as sentences a user can act on, waiting for it but never for ever; and what all parts
 * of one run on it share. Thread: any for devices and errors, else engine. */
#pragma once

#include "backend/prism-backend.h"
#include "base/prism-error.h"

#include <cuda_runtime_api.h>
#include <glib.h>

G_BEGIN_DECLS

/* The first driver that knows this version of CUDA in all its minor versions. */
#define PRISM_CUDA_MIN_DRIVER (CUDART_VERSION >= 13000 ? 580 : 525)

/* Whether nothing on this device will work again in this process. */
gboolean    prism_cuda_error_is_sticky (cudaError_t status);
/* Whether this device is taken by others, so that another one may still be had. */
gboolean    prism_cuda_error_is_busy    (cudaError_t status);
/* doing: "training", part of the sentence. */
void        prism_cuda_error_set        (GError      **error,
                                         cudaError_t   status,
                                         const char   *doing);
void        prism_cuda_error_set_memory (GError      **error,
                                         guint64       wanted,
                                         const char   *what);
/* What made the device unusable for the rest of the process, NULL while it works. */
const char *prism_cuda_error_get_loss   (void);

/* Why no GPU can be used here, in one sentence, or NULL. (transfer full) (nullable) */
char    *prism_cuda_device_dup_reason (void);
/* Makes the best GPU this thread's; its number into device. */
gboolean prism_cuda_device_choose     (int     *device,
                                       GError **error);
/* 10 · major + minor */
int      prism_cuda_device_get_capability (int device);
/* "NVIDIA H200, CUDA 13.0, driver 580.65.06". (transfer full) */
char    *prism_cuda_device_dup_name   (int device);

/* Which mixed precision a device can do, and whether it pays. Thread: any. */

/* What a device computes with where wanted is asked for: bf16 and tf32 need compute capability 8.0,
 * below it fp16 takes their place. */
PrismPrecision prism_cuda_precision_choose     (PrismPrecision wanted,
                                                int            device);
/* (transfer full) (nullable): what to know about the spec's precision, one sentence. */
char          *prism_cuda_precision_dup_advice (const PrismBackendSpec *spec);

#define PRISM_CUDA_WAIT_SECONDS 10.0

/* cudaErrorLaunchTimeout when the device has not come that far in time. extra: seconds that the
 * work itself may take, on top of PRISM_CUDA_WAIT_SECONDS. */
cudaError_t prism_cuda_wait_event  (cudaEvent_t  event,
                                    double       extra);
/* For all work queued so far. */
cudaError_t prism_cuda_wait_stream (cudaStream_t stream,
                                    double       extra);

/* The two streams that a step forks into: main, and side for what nothing waits for at once
 * (weight gradients). fork and join are events of this pair. */
typedef struct
{
  cudaStream_t main;
  cudaStream_t side;
  cudaEvent_t fork;
  cudaEvent_t join;
} PrismCudaStreams;

/* What to does from now on waits for what from has by now. */
cudaError_t prism_cuda_fork (cudaStream_t from,
                             cudaStream_t to,
                             cudaEvent_t  event);

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

/* An event that is not timed. */
cudaError_t
         prism_cuda_context_create_event  (cudaEvent_t *event);
/* NULL is allowed. */
void     prism_cuda_context_destroy_event (cudaEvent_t  event);

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
