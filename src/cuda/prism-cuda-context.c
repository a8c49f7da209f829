#include "config.h"

#include "prism-cuda-context.h"

#include "prism-cuda-device.h"
#include "prism-cuda-error.h"
#include "prism-cuda-wait.h"

static cudaError_t
create_stream (cudaStream_t *stream,
               int priority)
{
  return cudaStreamCreateWithPriority (stream, cudaStreamNonBlocking, priority);
}

static cudaError_t
create_event (cudaEvent_t *event)
{
  return cudaEventCreateWithFlags (event, cudaEventDisableTiming);
}

/* What the next kernel waits for goes before what it does not. */
static cudaError_t
create_streams (PrismCudaContext *self)
{
  int low = 0, high = 0;
  cudaError_t status = cudaDeviceGetStreamPriorityRange (&low, &high);

  if (status == cudaSuccess)
    status = create_stream (&self->streams.main, high);
  if (status == cudaSuccess)
    status = create_stream (&self->streams.side, low);
  if (status == cudaSuccess)
    status = create_stream (&self->metrics, low);
  if (status == cudaSuccess)
    status = create_stream (&self->preview, low);
  if (status == cudaSuccess)
    status = create_event (&self->streams.fork);
  if (status == cudaSuccess)
    status = create_event (&self->streams.join);
  if (status == cudaSuccess)
    status = create_event (&self->waypoint);
  return status;
}

/**
 * prism_cuda_context_open:
 * @self: (out caller-allocates): a zeroed context
 * @error: return location
 *
 * Chooses the GPU and makes the streams.
 *
 * Errors: PRISM_ERROR_BACKEND, PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST.
 * Thread: engine.
 *
 * Returns: whether the device can be used; prism_cuda_context_close() either way
 */
gboolean
prism_cuda_context_open (PrismCudaContext *self,
                         GError **error)
{
  self->counters.loss_scale = 1.0;
  if (!prism_cuda_device_choose (&self->device, error))
    {
      self->lost = TRUE;
      return FALSE;
    }
  if (prism_cuda_context_check (self, create_streams (self), "it was being opened"))
    return TRUE;
  prism_cuda_context_report (self, error);
  return FALSE;
}

/**
 * prism_cuda_context_close:
 * @self: a context
 *
 * Frees streams and events; leaves them behind when the device is lost, where destroying them could
 * take for ever.
 *
 * Thread: engine.
 */
void
prism_cuda_context_close (PrismCudaContext *self)
{
  cudaEvent_t events[] = { self->streams.fork, self->streams.join, self->waypoint };
  cudaStream_t streams[] = { self->streams.main, self->streams.side, self->metrics, self->preview };

  g_clear_error (&self->error);
  if (self->lost)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (events); i++)
    if (events[i] != NULL)
      cudaEventDestroy (events[i]);
  for (guint i = 0; i < G_N_ELEMENTS (streams); i++)
    if (streams[i] != NULL)
      cudaStreamDestroy (streams[i]);
}

/**
 * prism_cuda_context_enter:
 * @self: a context
 *
 * Begins an operation: the device becomes this thread's.
 *
 * Thread: engine.
 *
 * Returns: whether the device is there
 */
gboolean
prism_cuda_context_enter (PrismCudaContext *self)
{
  return !self->lost && prism_cuda_context_check (self, cudaSetDevice (self->device), "starting");
}

/**
 * prism_cuda_context_check:
 * @self: a context
 * @status: what a call to the runtime returned
 * @doing: what was under way, as it reads in a sentence
 *
 * Keeps the first error until prism_cuda_context_report(). A sticky one ends all use of the device.
 *
 * Thread: engine.
 *
 * Returns: whether @status is cudaSuccess
 */
gboolean
prism_cuda_context_check (PrismCudaContext *self,
                          cudaError_t status,
                          const char *doing)
{
  if (status == cudaSuccess)
    return TRUE;
  if (prism_cuda_error_is_sticky (status))
    {
      /* It explains whatever was noted before. */
      g_clear_error (&self->error);
      self->lost = TRUE;
    }
  else
    cudaGetLastError (); /* or the next launch would report it again */
  if (self->error == NULL)
    prism_cuda_error_set (&self->error, status, doing);
  return FALSE;
}

/**
 * prism_cuda_context_wait:
 * @self: a context
 * @extra: how long the queued work may take, on top of the usual
 * @doing: what was under way, as it reads in a sentence
 *
 * Waits for all work on the main stream so far.
 *
 * Units: seconds.
 * Thread: engine.
 *
 * Returns: whether it is done and went well
 */
gboolean
prism_cuda_context_wait (PrismCudaContext *self,
                         double extra,
                         const char *doing)
{
  cudaError_t status = cudaEventRecord (self->waypoint, self->streams.main);

  self->counters.n_waits++;
  if (status == cudaSuccess)
    status = prism_cuda_wait_event (self->waypoint, extra);
  return prism_cuda_context_check (self, status, doing);
}

/**
 * prism_cuda_context_report:
 * @self: a context
 * @error: return location
 *
 * Hands over what was noted since the last report. That the device is lost is said every time.
 *
 * Errors: PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_MEMORY, PRISM_ERROR_BACKEND.
 * Thread: engine.
 *
 * Returns: whether all went well
 */
gboolean
prism_cuda_context_report (PrismCudaContext *self,
                           GError **error)
{
  if (self->error == NULL)
    return TRUE;
  if (self->lost)
    g_propagate_error (error, g_error_copy (self->error));
  else
    g_propagate_error (error, g_steal_pointer (&self->error));
  return FALSE;
}
