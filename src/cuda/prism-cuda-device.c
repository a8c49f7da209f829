#include "config.h"

#include "prism-cuda-device.h"

#include "prism-cuda-error.h"

#include <glib/gi18n-lib.h>
#include <string.h>

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

static GArray *
list_devices (int n_devices)
{
  GArray *devices = g_array_sized_new (FALSE, FALSE, sizeof (int), n_devices);

  for (int i = 0; i < n_devices; i++)
    g_array_append_val (devices, i);
  g_array_sort (devices, compare_devices);
  return devices;
}

static char *
dup_model (int device)
{
  struct cudaDeviceProp properties;

  if (cudaGetDeviceProperties (&properties, device) != cudaSuccess)
    return g_strdup ("NVIDIA GPU");
  return g_strdup (properties.name);
}

static char *
dup_old_device_reason (int device,
                       int capability)
{
  g_autofree char *model = dup_model (device);

  return g_strdup_printf (_ ("The %s is too old: its compute capability is %d.%d, this program"
                             " needs %d.%d."),
                          model, capability / 10, capability % 10, MIN_CAPABILITY / 10,
                          MIN_CAPABILITY % 10);
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

  found = list_devices (n_devices);
  best = g_array_index (found, int, 0);
  capability = prism_cuda_device_get_capability (best);
  if (capability < MIN_CAPABILITY)
    return dup_old_device_reason (best, capability);
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

/* Makes a device the thread's. Its context is made by the first call that needs one. */
static cudaError_t
open_device (int device)
{
  cudaError_t status = cudaSetDevice (device);

  return status == cudaSuccess ? cudaFree (NULL) : status;
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
      status = open_device (*device);
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

static gboolean
has_bf16 (int device)
{
  return prism_cuda_device_get_capability (device) >= BF16_CAPABILITY;
}

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
  if (wanted == PRISM_PRECISION_FP32 || wanted == PRISM_PRECISION_FP16 || has_bf16 (device))
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
