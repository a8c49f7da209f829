/* Streams and events: what is enqueued, what it comes after, and when it is done.
 *
 * Work is a set of operations with an order among them. Without PRISM_EMULATION_ORDER each is done
 * when it is enqueued. With it an operation whose predecessors are done may be done at any later
 * moment: when somebody waits or asks, in an order that the seed picks. */
#include "prism-emulation-private.h"

#include <list>

#include <stdlib.h>
#include <time.h>

static PrismEmulationDevice &device = prism_emulation_device;

/* Enqueued and not done, oldest first. Never freed: threads may outlive static objects. */
static std::list<PrismEmulationOperationRef> &pending = *new std::list<PrismEmulationOperationRef> ();
static std::set<CUstream_st *> &streams = *new std::set<CUstream_st *> ();
static CUstream_st *legacy;

static double
get_time (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1e3 + now.tv_nsec * 1e-6;
}

static bool
is_ready (const PrismEmulationOperation &operation)
{
  for (const auto &other : operation.after)
    if (!other->done)
      return false;
  return !operation.stuck;
}

/* What the environment has in store for this launch; true when it must not run. */
static bool
meets_fault (PrismEmulationOperation *operation)
{
  const PrismEmulationFaults &faults = device.faults;
  const uint64_t number = ++device.n_launches;

  if (faults.hang != 0 && number >= faults.hang)
    operation->stuck = true;
  else if (number == faults.illegal_address)
    device.sticky = cudaErrorIllegalAddress;
  else if (number == faults.launch_failure)
    device.sticky = cudaErrorLaunchFailure;
  else if (number == faults.lost)
    device.sticky = cudaErrorUnknown;
  else
    return false;
  return true;
}

static void
run_operation (const PrismEmulationOperationRef &operation)
{
  if (operation->is_kernel && device.sticky == cudaSuccess && meets_fault (operation.get ()))
    return;
  if (operation->run && device.sticky == cudaSuccess)
    operation->run ();
  operation->done = true;
  operation->run = nullptr;
  operation->after.clear ();
  operation->time = get_time ();
}

/* Does one operation that can be done, the oldest, the youngest or any; false when there is none. */
static bool
run_one (void)
{
  std::vector<std::list<PrismEmulationOperationRef>::iterator> ready;

  for (auto i = pending.begin (); i != pending.end (); ++i)
    if (is_ready (**i))
      {
        ready.push_back (i);
        if (device.order == 0)
          break;
      }
  if (ready.empty ())
    return false;

  const auto chosen = device.order == 0            ? ready.front ()
                      : device.order == UINT64_MAX ? ready.back ()
                                                   : ready[prism_emulation_get_random (ready.size ())];
  const PrismEmulationOperationRef operation = *chosen;

  run_operation (operation);
  if (device.sticky != cudaSuccess)
    prism_emulation_drop_work ();
  else if (operation->done)
    pending.erase (chosen);
  return true;
}

void
prism_emulation_drop_work (void)
{
  for (const auto &operation : pending)
    {
      operation->done = true;
      operation->run = nullptr;
      operation->after.clear ();
    }
  pending.clear ();
}

void
prism_emulation_push (PrismEmulationOperationRef operation)
{
  pending.push_back (operation);
  /* With odd seeds nothing is done before somebody waits or asks. */
  if (device.order != 0 && device.order % 2 == 0)
    prism_emulation_let_pass ();
  else if (device.order == 0)
    while (run_one ())
      ;
}

void
prism_emulation_let_pass (void)
{
  if (device.order != 0)
    for (uint64_t n = prism_emulation_get_random (4); n > 0 && run_one (); n--)
      ;
}

[[noreturn]] static void
fail_hanging (const char *caller)
{
  prism_emulation_say ("%s waits for work that hangs, and would wait for ever", caller);
  abort ();
}

void
prism_emulation_wait (const PrismEmulationOperationRef &operation,
                      const char *caller)
{
  while (operation != nullptr && !operation->done && device.sticky == cudaSuccess)
    if (!run_one ())
      fail_hanging (caller);
}

void
prism_emulation_wait_all (const char *caller)
{
  while (!pending.empty () && device.sticky == cudaSuccess)
    if (!run_one ())
      fail_hanging (caller);
}

static CUstream_st *
create_stream (bool blocking)
{
  CUstream_st *stream = new CUstream_st ();

  stream->blocking = blocking;
  return stream;
}

CUstream_st *
prism_emulation_get_stream (cudaStream_t stream)
{
  if (legacy == nullptr)
    legacy = create_stream (true);
  return stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread ? legacy : stream;
}

/* The legacy stream comes after all streams that block, and they after it. */
static void
add_order (CUstream_st *stream,
           std::vector<PrismEmulationOperationRef> *after)
{
  if (stream->last != nullptr)
    after->push_back (stream->last);
  if (stream == legacy)
    {
      for (const CUstream_st *other : streams)
        if (other->blocking && other->last != nullptr)
          after->push_back (other->last);
    }
  else if (stream->blocking && legacy != nullptr && legacy->last != nullptr)
    after->push_back (legacy->last);
}

PrismEmulationOperationRef
prism_emulation_append (CUstream_st *stream,
                        std::function<void ()> run,
                        bool is_kernel,
                        std::vector<PrismEmulationOperationRef> after)
{
  auto operation = std::make_shared<PrismEmulationOperation> ();

  operation->run = std::move (run);
  operation->is_kernel = is_kernel;
  operation->after = std::move (after);
  add_order (stream, &operation->after);
  stream->last = operation;
  prism_emulation_push (operation);
  return operation;
}

bool
prism_emulation_forbids_waiting (void)
{
  for (CUstream_st *stream : streams)
    if (stream->capture != nullptr && stream->capture->mode != cudaStreamCaptureModeRelaxed
        && (stream->capture->mode == cudaStreamCaptureModeGlobal
            || stream->capture->owner == std::this_thread::get_id ()))
      {
        stream->capture->invalid = true;
        return true;
      }
  return false;
}

cudaError_t
prism_emulation_enqueue (cudaStream_t handle,
                         std::function<void ()> run,
                         const PrismEmulationLaunchNeeds &needs)
{
  CUstream_st *stream = prism_emulation_get_stream (handle);

  if (stream->capture != nullptr)
    {
      if (stream->capture->invalid)
        return cudaErrorStreamCaptureInvalidated;
      stream->capture->graph->nodes.push_back ({ std::move (run), needs, stream->capture_tail });
      stream->capture_tail = { stream->capture->graph->nodes.size () - 1 };
      return cudaSuccess;
    }
  if (stream == legacy)
    for (const CUstream_st *other : streams)
      if (other->blocking && other->capture != nullptr)
        {
          other->capture->invalid = true;
          return cudaErrorStreamCaptureImplicit;
        }
  prism_emulation_append (stream, std::move (run), needs.kernel != nullptr, {});
  return cudaSuccess;
}

cudaError_t
prism_emulation_enqueue_work (cudaStream_t stream,
                              std::function<void ()> run)
{
  PRISM_EMULATION_ENTER ();
  return prism_emulation_return (prism_emulation_enqueue (stream, std::move (run)));
}

extern "C" cudaError_t
cudaStreamCreateWithPriority (cudaStream_t *stream,
                              unsigned int flags,
                              int priority)
{
  *stream = nullptr;
  PRISM_EMULATION_ENTER ();
  *stream = create_stream ((flags & cudaStreamNonBlocking) == 0);
  streams.insert (*stream);
  device.counters.n_streams++;
  return cudaSuccess;
}

extern "C" cudaError_t
cudaStreamCreateWithFlags (cudaStream_t *stream,
                           unsigned int flags)
{
  return cudaStreamCreateWithPriority (stream, flags, 0);
}

extern "C" cudaError_t
cudaStreamCreate (cudaStream_t *stream)
{
  return cudaStreamCreateWithPriority (stream, cudaStreamDefault, 0);
}

/* Work under way goes on, as on the device; after a sticky error nothing is given back. */
extern "C" cudaError_t
cudaStreamDestroy (cudaStream_t stream)
{
  PRISM_EMULATION_ENTER ();
  if (streams.erase (stream) == 0)
    return prism_emulation_return (cudaErrorInvalidResourceHandle);
  if (stream->capture != nullptr)
    stream->capture->invalid = true;
  device.counters.n_streams--;
  delete stream;
  return cudaSuccess;
}

static bool
is_known (cudaStream_t stream)
{
  return prism_emulation_get_stream (stream) == legacy || streams.count (stream) != 0;
}

extern "C" cudaError_t
cudaStreamSynchronize (cudaStream_t handle)
{
  PRISM_EMULATION_ENTER ();
  if (!is_known (handle))
    return prism_emulation_return (cudaErrorInvalidResourceHandle);
  CUstream_st *stream = prism_emulation_get_stream (handle);
  if (stream->capture != nullptr || prism_emulation_forbids_waiting ())
    {
      if (stream->capture != nullptr)
        stream->capture->invalid = true;
      return prism_emulation_return (cudaErrorStreamCaptureUnsupported);
    }
  device.counters.n_waits++;
  if (stream == legacy)
    prism_emulation_wait_all ("cudaStreamSynchronize");
  else
    prism_emulation_wait (stream->last, "cudaStreamSynchronize");
  return prism_emulation_return (device.sticky);
}

extern "C" cudaError_t
cudaStreamQuery (cudaStream_t handle)
{
  PRISM_EMULATION_ENTER ();
  if (!is_known (handle))
    return prism_emulation_return (cudaErrorInvalidResourceHandle);
  CUstream_st *stream = prism_emulation_get_stream (handle);
  if (stream->capture != nullptr)
    {
      stream->capture->invalid = true;
      return prism_emulation_return (cudaErrorStreamCaptureUnsupported);
    }
  device.counters.n_queries++;
  prism_emulation_let_pass ();
  if (device.sticky != cudaSuccess)
    return prism_emulation_return (device.sticky);
  return stream->last == nullptr || stream->last->done ? cudaSuccess : cudaErrorNotReady;
}

extern "C" cudaError_t
cudaDeviceSynchronize (void)
{
  PRISM_EMULATION_ENTER ();
  if (prism_emulation_forbids_waiting ())
    return prism_emulation_return (cudaErrorStreamCaptureUnsupported);
  device.counters.n_waits++;
  prism_emulation_wait_all ("cudaDeviceSynchronize");
  return prism_emulation_return (device.sticky);
}

extern "C" cudaError_t
cudaEventCreateWithFlags (cudaEvent_t *event,
                          unsigned int flags)
{
  *event = nullptr;
  PRISM_EMULATION_ENTER ();
  *event = new CUevent_st ();
  (*event)->timing = (flags & cudaEventDisableTiming) == 0;
  device.counters.n_events++;
  return cudaSuccess;
}

extern "C" cudaError_t
cudaEventCreate (cudaEvent_t *event)
{
  return cudaEventCreateWithFlags (event, cudaEventDefault);
}

extern "C" cudaError_t
cudaEventDestroy (cudaEvent_t event)
{
  PRISM_EMULATION_ENTER ();
  if (event == nullptr)
    return prism_emulation_return (cudaErrorInvalidResourceHandle);
  device.counters.n_events--;
  delete event;
  return cudaSuccess;
}

extern "C" cudaError_t
cudaEventRecord (cudaEvent_t event,
                 cudaStream_t handle)
{
  PRISM_EMULATION_ENTER ();
  if (event == nullptr || !is_known (handle))
    return prism_emulation_return (cudaErrorInvalidResourceHandle);
  CUstream_st *stream = prism_emulation_get_stream (handle);
  if (stream->capture != nullptr)
    {
      event->capture = stream->capture;
      event->capture_tail = stream->capture_tail;
      event->operation = nullptr;
      return prism_emulation_return (stream->capture->invalid ? cudaErrorStreamCaptureInvalidated : cudaSuccess);
    }
  event->capture = nullptr;
  event->operation = prism_emulation_append (stream, nullptr, false, {});
  return cudaSuccess;
}

/* Asking for an event of a capture spoils the capture. */
static bool
belongs_to_capture (cudaEvent_t event)
{
  if (event->capture == nullptr)
    return false;
  event->capture->invalid = true;
  return true;
}

extern "C" cudaError_t
cudaEventQuery (cudaEvent_t event)
{
  PRISM_EMULATION_ENTER ();
  if (event == nullptr)
    return prism_emulation_return (cudaErrorInvalidResourceHandle);
  if (belongs_to_capture (event))
    return prism_emulation_return (cudaErrorCapturedEvent);
  device.counters.n_queries++;
  prism_emulation_let_pass ();
  if (device.sticky != cudaSuccess)
    return prism_emulation_return (device.sticky);
  if (device.faults.late > 0)
    {
      device.faults.late--;
      return cudaErrorNotReady;
    }
  return event->operation == nullptr || event->operation->done ? cudaSuccess : cudaErrorNotReady;
}

extern "C" cudaError_t
cudaEventSynchronize (cudaEvent_t event)
{
  PRISM_EMULATION_ENTER ();
  if (event == nullptr)
    return prism_emulation_return (cudaErrorInvalidResourceHandle);
  if (belongs_to_capture (event))
    return prism_emulation_return (cudaErrorCapturedEvent);
  device.counters.n_waits++;
  prism_emulation_wait (event->operation, "cudaEventSynchronize");
  return prism_emulation_return (device.sticky);
}

extern "C" cudaError_t
cudaEventElapsedTime (float *milliseconds,
                      cudaEvent_t begin,
                      cudaEvent_t end)
{
  PRISM_EMULATION_ENTER ();
  if (begin == nullptr || end == nullptr || !begin->timing || !end->timing
      || begin->operation == nullptr || end->operation == nullptr)
    return prism_emulation_return (cudaErrorInvalidResourceHandle);
  if (!begin->operation->done || !end->operation->done)
    return cudaErrorNotReady;
  *milliseconds = (float) (end->operation->time - begin->operation->time);
  return cudaSuccess;
}

/* A stream that waits for an event of a capture becomes part of that capture. */
static cudaError_t
join_capture (CUstream_st *stream,
              cudaEvent_t event)
{
  if (event->capture->invalid || event->capture->graph == nullptr)
    return cudaErrorStreamCaptureInvalidated;
  if (stream == legacy)
    return cudaErrorStreamCaptureImplicit;
  if (stream->capture != nullptr && stream->capture != event->capture)
    return cudaErrorStreamCaptureMerge;
  if (stream->capture == nullptr)
    {
      stream->capture = event->capture;
      stream->capture_tail.clear ();
      event->capture->streams.insert (stream);
    }
  stream->capture_tail.insert (event->capture_tail.begin (), event->capture_tail.end ());
  return cudaSuccess;
}

extern "C" cudaError_t
cudaStreamWaitEvent (cudaStream_t handle,
                     cudaEvent_t event,
                     unsigned int flags)
{
  PRISM_EMULATION_ENTER ();
  if (event == nullptr || !is_known (handle))
    return prism_emulation_return (cudaErrorInvalidResourceHandle);
  CUstream_st *stream = prism_emulation_get_stream (handle);
  if (event->capture != nullptr)
    return prism_emulation_return (join_capture (stream, event));
  if (stream->capture != nullptr)
    {
      stream->capture->invalid = true;
      return prism_emulation_return (cudaErrorStreamCaptureIsolation);
    }
  if (event->operation != nullptr)
    prism_emulation_append (stream, nullptr, false, { event->operation });
  return cudaSuccess;
}
