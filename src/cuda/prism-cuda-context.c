#include "config.h"

#include "prism-cuda-context.h"

#include "prism-cuda-types.h"

/* ---- what the runtime reports ---- */

/* Set once, never freed: the process's context on the device cannot be brought back. */
static char *loss;

/**
 * prism_cuda_error_is_sticky:
 * @status: of a call to the CUDA runtime
 *
 * Some errors destroy the process's context on the device: every later call fails or never returns.
 *
 * Thread: any.
 *
 * Returns: whether it is such an error
 */
gboolean
prism_cuda_error_is_sticky (cudaError_t status)
{
  switch ((int) status)
    {
    case cudaErrorCudartUnloading:
    case cudaErrorNoDevice:
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorContextIsDestroyed:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorSystemNotReady:
    case cudaErrorMpsRpcFailure:
    case cudaErrorMpsClientTerminated:
    case cudaErrorUnknown:
      return TRUE;
    default:
      return FALSE;
    }
}

/**
 * prism_cuda_error_is_busy:
 * @status: of a call that opens a device
 *
 * A device can be reserved for one process, and the server that shares it among several can be down
 * or full. Nothing is broken by that.
 *
 * Thread: any.
 *
 * Returns: whether it is such an error
 */
gboolean
prism_cuda_error_is_busy (cudaError_t status)
{
  switch ((int) status)
    {
    case cudaErrorDevicesUnavailable:
    case cudaErrorMpsConnectionFailed:
    case cudaErrorMpsServerNotReady:
    case cudaErrorMpsMaxClientsReached:
    case cudaErrorMpsMaxConnectionsReached:
      return TRUE;
    default:
      return FALSE;
    }
}

/* Whether the driver found no code that it can run or translate for the device. */
static gboolean
is_without_code (cudaError_t status)
{
  switch ((int) status)
    {
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidPtx:
    case cudaErrorJitCompilerNotFound:
    case cudaErrorUnsupportedPtxVersion:
      return TRUE;
    default:
      return FALSE;
    }
}

static void
set_lost (GError **error,
          cudaError_t status,
          const char *doing)
{
  g_autofree char *reason = NULL;

  if (status == cudaErrorLaunchTimeout)
    reason = g_strdup_printf ("the GPU did not answer in time while %s", doing);
  else
    reason = g_strdup_printf ("the GPU failed while %s: %s (CUDA error %d)", doing,
                              cudaGetErrorString (status), (int) status);
  prism_error_set (error, PRISM_ERROR_DEVICE_LOST,
                   "The GPU is lost: %s. Go on with the CPU; to use the GPU again, restart the"
                   " program.",
                   reason);
  if (g_atomic_pointer_compare_and_exchange (&loss, NULL, reason))
    reason = NULL;
}

/**
 * prism_cuda_error_set:
 * @error: return location
 * @status: what the CUDA runtime reported, not cudaSuccess
 * @doing: what was under way, as it reads in a sentence: "training"
 *
 * Translates an error. A sticky one is remembered for the rest of the process. Where the amount of
 * memory is known, prism_cuda_error_set_memory() says more.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 * Thread: any.
 */
void
prism_cuda_error_set (GError **error,
                      cudaError_t status,
                      const char *doing)
{
  if (prism_cuda_error_is_sticky (status))
    set_lost (error, status, doing);
  else if (status == cudaErrorMemoryAllocation)
    prism_error_set (error, PRISM_ERROR_MEMORY,
                     "The GPU ran out of memory while %s. Choose a smaller image, or run on the"
                     " CPU.",
                     doing);
  else if (is_without_code (status))
    prism_error_set (error, PRISM_ERROR_BACKEND,
                     "The NVIDIA driver cannot translate this program for the GPU: %s (CUDA error"
                     " %d). Install driver %d or newer, or run on the CPU.",
                     cudaGetErrorString (status), (int) status, PRISM_CUDA_MIN_DRIVER);
  else if (prism_cuda_error_is_busy (status))
    prism_error_set (error, PRISM_ERROR_BACKEND,
                     "Other programs have taken every GPU: %s (CUDA error %d). Close them, or run"
                     " on the CPU.",
                     cudaGetErrorString (status), (int) status);
  else
    prism_error_set (error, PRISM_ERROR_BACKEND,
                     "The GPU refused to work while %s: %s (CUDA error %d). Run on the CPU.", doing,
                     cudaGetErrorString (status), (int) status);
}

/**
 * prism_cuda_error_set_memory:
 * @error: return location
 * @wanted: bytes that were not to be had
 * @what: what they are for, as it reads in a sentence
 *
 * Says how much memory was wanted, how much there is, and the three ways out.
 *
 * Errors: PRISM_ERROR_MEMORY.
 * Thread: one that uses the device.
 */
void
prism_cuda_error_set_memory (GError **error,
                             guint64 wanted,
                             const char *what)
{
  g_autofree char *wanted_text = g_format_size_full (wanted, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *free_text = NULL, *total_text = NULL;
  size_t n_free = 0, n_total = 0;

  if (cudaMemGetInfo (&n_free, &n_total) != cudaSuccess)
    n_free = n_total = 0;
  free_text = g_format_size_full (n_free, G_FORMAT_SIZE_IEC_UNITS);
  total_text = g_format_size_full (n_total, G_FORMAT_SIZE_IEC_UNITS);
  prism_error_set (error, PRISM_ERROR_MEMORY,
                   "Not enough GPU memory for %s: %s wanted, %s of %s free. Choose a smaller image,"
                   " or run on the CPU.",
                   what, wanted_text, free_text, total_text);
}

/**
 * prism_cuda_error_get_loss:
 *
 * Thread: any.
 *
 * Returns: (nullable): what made the device unusable, as it reads after a colon
 */
const char *
prism_cuda_error_get_loss (void)
{
  return g_atomic_pointer_get (&loss);
}

/* ---- which GPU ---- */

#define MIN_CAPABILITY 75 /* what the kernels are compiled for: 10 · major + minor */
#define DRIVER_FILE "/sys/module/nvidia/version"

/* 13020 → "13.2". */
static char *
dup_version (int version)
{
  return g_strdup_printf ("%d.%d", version / 1000, version % 1000 / 10);
}

static char *
dup_old_driver_reason (void)
{
  g_autofree char *has = NULL, *needs = NULL;
  int driver = 0, runtime = 0;

  cudaDriverGetVersion (&driver);
  cudaRuntimeGetVersion (&runtime);
  if (driver == 0)
    return g_strdup (_ ("No NVIDIA driver is installed."));
  has = dup_version (driver);
  needs = dup_version (runtime);
  return g_strdup_printf (_ ("The NVIDIA driver is too old: it knows CUDA %s, this program needs"
                             " %s. Install driver %d or newer."),
                          has, needs, PRISM_CUDA_MIN_DRIVER);
}

static char *
dup_status_reason (cudaError_t status)
{
  switch ((int) status)
    {
    case cudaErrorInsufficientDriver:
      return dup_old_driver_reason ();
    case cudaErrorNoDevice:
      return g_strdup (_ ("No NVIDIA GPU was found."));
    case cudaErrorSystemDriverMismatch:
      return g_strdup (_ ("The NVIDIA driver was updated while it was in use. Restart the"
                          " computer."));
    default:
      return g_strdup_printf (_ ("The NVIDIA driver does not work: %s (CUDA error %d)."),
                              cudaGetErrorString (status), (int) status);
    }
}

/**
 * prism_cuda_device_get_capability:
 * @device: its number
 *
 * Thread: any.
 *
 * Returns: its compute capability, 10 · major + minor; 0 where it does not answer
 */
int
prism_cuda_device_get_capability (int device)
{
  int major = 0, minor = 0;

  cudaDeviceGetAttribute (&major, cudaDevAttrComputeCapabilityMajor, device);
  cudaDeviceGetAttribute (&minor, cudaDevAttrComputeCapabilityMinor, device);
  return 10 * major + minor;
}

static int
get_n_multiprocessors (int device)
{
  int n = 0;

  cudaDeviceGetAttribute (&n, cudaDevAttrMultiProcessorCount, device);
  return n;
}

/* Newest first, then largest, then in the driver's order. */
static int
compare_devices (gconstpointer a,
                 gconstpointer b)
{
  const int first = *(const int *) a, second = *(const int *) b;
  int difference = prism_cuda_device_get_capability (second)
                   - prism_cuda_device_get_capability (first);

  if (difference == 0)
    difference = get_n_multiprocessors (second) - get_n_multiprocessors (first);
  return difference != 0 ? difference : first - second;
}

static char *
dup_model (int device)
{
  struct cudaDeviceProp properties;

  if (cudaGetDeviceProperties (&properties, device) != cudaSuccess)
    return g_strdup ("NVIDIA GPU");
  return g_strdup (properties.name);
}

/* All devices that can be used, the best one first; why there is none. */
static char *
find_devices (GArray **devices)
{
  const char *loss = prism_cuda_error_get_loss ();
  g_autoptr (GArray) found = NULL;
  int n_devices = 0, capability, best;
  cudaError_t status;

  if (loss != NULL)
    return g_strdup_printf (_ ("The GPU failed earlier: %s. Restart the program to use it again."),
                            loss);
  status = cudaGetDeviceCount (&n_devices);
  if (status == cudaSuccess && n_devices == 0)
    status = cudaErrorNoDevice;
  if (status != cudaSuccess)
    return dup_status_reason (status);

  found = g_array_new (FALSE, FALSE, sizeof (int));
  for (int i = 0; i < n_devices; i++)
    g_array_append_val (found, i);
  g_array_sort (found, compare_devices);
  best = g_array_index (found, int, 0);
  capability = prism_cuda_device_get_capability (best);
  if (capability < MIN_CAPABILITY)
    {
      g_autofree char *model = dup_model (best);

      return g_strdup_printf (_ ("The %s is too old: its compute capability is %d.%d, this program"
                                 " needs %d.%d."),
                              model, capability / 10, capability % 10, MIN_CAPABILITY / 10,
                              MIN_CAPABILITY % 10);
    }
  while (prism_cuda_device_get_capability (g_array_index (found, int, found->len - 1))
         < MIN_CAPABILITY)
    g_array_set_size (found, found->len - 1);
  *devices = g_steal_pointer (&found);
  return NULL;
}

/**
 * prism_cuda_device_dup_reason:
 *
 * Says why no GPU can be used, in one sentence with what to do about it.
 *
 * Thread: any.
 *
 * Returns: (transfer full) (nullable): the sentence, NULL where there is a GPU to use
 */
char *
prism_cuda_device_dup_reason (void)
{
  g_autoptr (GArray) devices = NULL;

  return find_devices (&devices);
}

/**
 * prism_cuda_device_choose:
 * @device: (out): its number
 * @error: return location
 *
 * Chooses the newest and largest GPU that nobody else has taken and makes it the calling thread's.
 *
 * Errors: PRISM_ERROR_DEVICE_LOST after a GPU was lost in this process, PRISM_ERROR_BACKEND.
 * Thread: any.
 *
 * Returns: whether there is one
 */
gboolean
prism_cuda_device_choose (int *device,
                          GError **error)
{
  g_autoptr (GArray) devices = NULL;
  g_autofree char *reason = find_devices (&devices);
  cudaError_t status = cudaErrorNoDevice;

  if (reason != NULL)
    {
      gboolean lost = prism_cuda_error_get_loss () != NULL;

      g_set_error_literal (error, PRISM_ERROR,
                           lost ? PRISM_ERROR_DEVICE_LOST : PRISM_ERROR_BACKEND, reason);
      return FALSE;
    }
  for (guint i = 0; i < devices->len; i++)
    {
      *device = g_array_index (devices, int, i);
      /* Its context is made by the first call that needs one. */
      status = cudaSetDevice (*device);
      if (status == cudaSuccess)
        status = cudaFree (NULL);
      if (!prism_cuda_error_is_busy (status))
        break;
      cudaGetLastError (); /* or the next launch would report it again */
    }
  if (status == cudaSuccess)
    return TRUE;
  prism_cuda_error_set (error, status, "it was being opened");
  return FALSE;
}

/* What the kernel module says; where it says nothing, what the driver can do. */
static char *
dup_driver (void)
{
  g_autofree char *text = NULL, *version = NULL;
  int driver = 0;

  if (g_file_get_contents (DRIVER_FILE, &text, NULL, NULL))
    return g_strdup_printf ("driver %s", g_strstrip (text));
  cudaDriverGetVersion (&driver);
  version = dup_version (driver);
  return g_strdup_printf ("driver for CUDA %s", version);
}

/**
 * prism_cuda_device_dup_name:
 * @device: its number
 *
 * Thread: any.
 *
 * Returns: (transfer full): model, version of CUDA and of the driver
 */
char *
prism_cuda_device_dup_name (int device)
{
  g_autofree char *model = dup_model (device), *driver = dup_driver (), *cuda = NULL;
  int runtime = 0;

  cudaRuntimeGetVersion (&runtime);
  cuda = dup_version (runtime);
  return g_strdup_printf ("%s, CUDA %s, %s", model, cuda, driver);
}

#define BF16_CAPABILITY 80

/**
 * prism_cuda_precision_choose:
 * @wanted: what the configuration asks for
 * @device: number of a GPU
 *
 * Finds what the device computes with.
 *
 * Thread: any.
 *
 * Returns: @wanted, or fp16 on a device that has neither bf16 nor tf32
 */
PrismPrecision
prism_cuda_precision_choose (PrismPrecision wanted,
                             int device)
{
  if (wanted == PRISM_PRECISION_FP32 || wanted == PRISM_PRECISION_FP16
      || prism_cuda_device_get_capability (device) >= BF16_CAPABILITY)
    return wanted;
  return PRISM_PRECISION_FP16;
}

/**
 * prism_cuda_precision_dup_advice:
 * @spec: a task
 *
 * Says when the precision of @spec is not to be had on the GPU that would be used, and else that it
 * may not pay: on an H200 it does in no size (benchmarks.md, “On a GPU”).
 *
 * Thread: any.
 *
 * Returns: (transfer full) (nullable): one sentence
 */
char *
prism_cuda_precision_dup_advice (const PrismBackendSpec *spec)
{
  int device;

  if (spec->precision == PRISM_PRECISION_FP32)
    return NULL;
  if (prism_cuda_device_choose (&device, NULL)
      && prism_cuda_precision_choose (spec->precision, device) != (PrismPrecision) spec->precision)
    return g_strdup (_ ("This GPU computes mixed precision with fp16: bf16 and tf32 need compute"
                        " capability 8.0."));
  return g_strdup (_ ("Mixed precision may cost time: “prism-cli bench --precision bf16 --against"
                      " amp=off” measures it."));
}

/* ---- waiting ---- */

#define SPIN_US 500 /* most passes at 512 px are over by then; a sleep ends 50 µs late and more */
#define FIRST_SLEEP_US 20
#define MAX_SLEEP_US 50

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
  /* A sanitizer slows kernels down a hundredfold. */
  const char *text = g_getenv ("PRISM_CUDA_WAIT");
  const double seconds = text != NULL ? g_ascii_strtod (text, NULL) : 0.0;
  const double patience = seconds > 0.0 ? seconds : PRISM_CUDA_WAIT_SECONDS;
  cudaError_t status = cudaEventQuery (event);
  gint64 begin, deadline;
  gulong sleep = FIRST_SLEEP_US;

  if (status != cudaErrorNotReady)
    return status;

  begin = g_get_monotonic_time ();
  deadline = begin + (gint64) ((patience + extra) * 1e6);
  while ((status = cudaEventQuery (event)) == cudaErrorNotReady)
    {
      gint64 now = g_get_monotonic_time ();

      if (now >= deadline)
        {
          /* The process may have stood still between query and clock: the device has not. */
          status = cudaEventQuery (event);
          return status == cudaErrorNotReady ? cudaErrorLaunchTimeout : status;
        }
      if (now < begin + SPIN_US)
        continue;
      g_usleep (sleep);
      sleep = MIN (2 * sleep, MAX_SLEEP_US);
    }
  return status;
}

/**
 * prism_cuda_fork:
 * @from: a stream
 * @to: one that is to wait for what @from has by now
 * @event: of this pair
 *
 * Also while @from is being captured. Thread: engine.
 *
 * Returns: what the runtime reports
 */
cudaError_t
prism_cuda_fork (cudaStream_t from,
                 cudaStream_t to,
                 cudaEvent_t event)
{
  PRISM_CUDA_TRY (cudaEventRecord (event, from));
  return cudaStreamWaitEvent (to, event, 0);
}

/**
 * prism_cuda_context_create_event:
 * @event: (out): an event that is not timed
 *
 * Thread: engine.
 *
 * Returns: what the runtime reports
 */
cudaError_t
prism_cuda_context_create_event (cudaEvent_t *event)
{
  return cudaEventCreateWithFlags (event, cudaEventDisableTiming);
}

/**
 * prism_cuda_context_destroy_event:
 * @event: (nullable): an event
 *
 * Thread: engine.
 */
void
prism_cuda_context_destroy_event (cudaEvent_t event)
{
  if (event != NULL)
    cudaEventDestroy (event);
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

  PRISM_CUDA_TRY (prism_cuda_context_create_event (&event));
  PRISM_CUDA_TRY (cudaEventRecord (event, stream));
  PRISM_CUDA_TRY (prism_cuda_wait_event (event, extra));
  return cudaEventDestroy (event);
}

/* ---- a run ---- */

static cudaError_t
create_stream (cudaStream_t *stream,
               int priority)
{
  return cudaStreamCreateWithPriority (stream, cudaStreamNonBlocking, priority);
}

/* What the next kernel waits for goes before what it does not. */
static cudaError_t
create_streams (PrismCudaContext *self)
{
  int low = 0, high = 0;

  PRISM_CUDA_TRY (cudaDeviceGetStreamPriorityRange (&low, &high));
  PRISM_CUDA_TRY (create_stream (&self->streams.main, high));
  PRISM_CUDA_TRY (create_stream (&self->streams.side, low));
  PRISM_CUDA_TRY (create_stream (&self->metrics, low));
  PRISM_CUDA_TRY (create_stream (&self->preview, low));
  PRISM_CUDA_TRY (prism_cuda_context_create_event (&self->streams.fork));
  PRISM_CUDA_TRY (prism_cuda_context_create_event (&self->streams.join));
  return prism_cuda_context_create_event (&self->waypoint);
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
    prism_cuda_context_destroy_event (events[i]);
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
