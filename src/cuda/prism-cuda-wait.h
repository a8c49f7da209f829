/* prism-cuda-wait: waiting for the device, never for ever. Thread: engine. */
#pragma once

#include <cuda_runtime_api.h>
#include <glib.h>

G_BEGIN_DECLS

#define PRISM_CUDA_WAIT_SECONDS 10.0

/* cudaErrorLaunchTimeout when the device has not come that far in time. extra: seconds that the
 * work itself may take, on top of PRISM_CUDA_WAIT_SECONDS. */
cudaError_t prism_cuda_wait_event  (cudaEvent_t  event,
                                    double       extra);
/* For all work queued so far. */
cudaError_t prism_cuda_wait_stream (cudaStream_t stream,
                                    double       extra);

G_END_DECLS
