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
                             " %s. Update the driver."),
                          has, needs);
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

/* The largest of the newest kind that can be used. */
static int
find_best (int n_devices)
{
  int best = 0;

  for (int i = 1; i < n_devices; i++)
    {
      int difference = prism_cuda_device_get_capability (i)
                       - prism_cuda_device_get_capability (best);

      if (difference > 0
          || (difference == 0 && get_n_multiprocessors (i) > get_n_multiprocessors (best)))
        best = i;
    }
  return best;
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
find_device (int *device)
{
  const char *loss = prism_cuda_error_get_loss ();
  g_autofree char *model = NULL;
  int n_devices = 0, capability;
  cudaError_t status;

  if (loss != NULL)
    return g_strdup_printf (_ ("The GPU failed earlier: %s. Restart the program to use it again."),
                            loss);
  status = cudaGetDeviceCount (&n_devices);
  if (status == cudaSuccess && n_devices == 0)
    status = cudaErrorNoDevice;
  if (status != cudaSuccess)
    return dup_status_reason (status);

  *device = find_best (n_devices);
  capability = prism_cuda_device_get_capability (*device);
  if (capability >= MIN_CAPABILITY)
    return NULL;
  model = dup_model (*device);
  return g_strdup_printf (_ ("The %s is too old: its compute capability is %d.%d, this program"
                             " needs %d.%d."),
                          model, capability / 10, capability % 10, MIN_CAPABILITY / 10,
                          MIN_CAPABILITY % 10);
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
  int device;

  return find_device (&device);
}

/**
 * prism_cuda_device_choose:
 * @device: (out): its number
 * @error: return location
 *
 * Chooses the newest and largest GPU and makes it the calling thread's.
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
  g_autofree char *reason = find_device (device);
  cudaError_t status;

  if (reason != NULL)
    {
      gboolean lost = prism_cuda_error_get_loss () != NULL;

      g_set_error_literal (error, PRISM_ERROR,
                           lost ? PRISM_ERROR_DEVICE_LOST : PRISM_ERROR_BACKEND, reason);
      return FALSE;
    }
  status = cudaSetDevice (*device);
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
