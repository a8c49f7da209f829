#include "config.h"

#include "prism-cuda-wait.h"

#define SPIN_US 500 /* most passes at 512 px are over by then; a sleep ends 50 µs late and more */
#define FIRST_SLEEP_US 20
#define MAX_SLEEP_US 50

/* A sanitizer slows kernels down a hundredfold: PRISM_CUDA_WAIT names another number of seconds. */
static double
get_patience (void)
{
  const char *text = g_getenv ("PRISM_CUDA_WAIT");
  double seconds = text != NULL ? g_ascii_strtod (text, NULL) : 0.0;

  return seconds > 0.0 ? seconds : PRISM_CUDA_WAIT_SECONDS;
}

/* The process may have stood still between the last query and the clock: the device has not. */
static cudaError_t
query_last (cudaEvent_t event)
{
  cudaError_t status = cudaEventQuery (event);

  return status == cudaErrorNotReady ? cudaErrorLaunchTimeout : status;
}

/**
 * prism_cuda_wait_event:
 * @event: an event that was recorded
 * @extra: how long the work before it may take, on top of PRISM_CUDA_WAIT_SECONDS
 *
 * Waits for the device, spinning shortly and then asleep. A device that hangs blocks every
 * synchronising call for ever, so this only ever asks.
 *
 * Units: seconds.
 * Errors: cudaErrorLaunchTimeout past the deadline; what the device reports.
 * Thread: engine.
 *
 * Returns: cudaSuccess when the event has happened
 */
cudaError_t
prism_cuda_wait_event (cudaEvent_t event,
                       double extra)
{
  cudaError_t status = cudaEventQuery (event);
  gint64 begin, deadline;
  gulong sleep = FIRST_SLEEP_US;

  if (status != cudaErrorNotReady)
    return status;

  begin = g_get_monotonic_time ();
  deadline = begin + (gint64) ((get_patience () + extra) * 1e6);
  while ((status = cudaEventQuery (event)) == cudaErrorNotReady)
    {
      gint64 now = g_get_monotonic_time ();

      if (now >= deadline)
        return query_last (event);
      if (now < begin + SPIN_US)
        continue;
      g_usleep (sleep);
      sleep = MIN (2 * sleep, MAX_SLEEP_US);
    }
  return status;
}

/**
 * prism_cuda_wait_stream:
 * @stream: a stream
 * @extra: how long the queued work may take, on top of PRISM_CUDA_WAIT_SECONDS
 *
 * Waits for all work queued on a stream so far.
 *
 * Units: seconds.
 * Errors: as prism_cuda_wait_event().
 * Thread: engine.
 *
 * Returns: cudaSuccess when it is done
 */
cudaError_t
prism_cuda_wait_stream (cudaStream_t stream,
                        double extra)
{
  cudaEvent_t event = NULL;
  cudaError_t status = cudaEventCreateWithFlags (&event, cudaEventDisableTiming);

  if (status != cudaSuccess)
    return status;
  status = cudaEventRecord (event, stream);
  if (status == cudaSuccess)
    status = prism_cuda_wait_event (event, extra);
  if (status == cudaSuccess)
    return cudaEventDestroy (event);
  return status;
}
