#include "config.h"

#include "prism-cuda-error.h"

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
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_DEVICE_LOST,
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
    g_set_error (error, PRISM_ERROR, PRISM_ERROR_MEMORY,
                 "The GPU ran out of memory while %s. Choose a smaller image, or run on the CPU.",
                 doing);
  else if (is_without_code (status))
    g_set_error (error, PRISM_ERROR, PRISM_ERROR_BACKEND,
                 "The NVIDIA driver cannot translate this program for the GPU: %s (CUDA error %d)."
                 " Install driver %d or newer, or run on the CPU.",
                 cudaGetErrorString (status), (int) status, PRISM_CUDA_MIN_DRIVER);
  else if (prism_cuda_error_is_busy (status))
    g_set_error (error, PRISM_ERROR, PRISM_ERROR_BACKEND,
                 "Other programs have taken every GPU: %s (CUDA error %d). Close them, or run on"
                 " the CPU.",
                 cudaGetErrorString (status), (int) status);
  else
    g_set_error (error, PRISM_ERROR, PRISM_ERROR_BACKEND,
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
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_MEMORY,
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
