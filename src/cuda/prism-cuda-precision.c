#include "config.h"

#include "prism-cuda-precision.h"

#include "prism-cuda-device.h"

#include <glib/gi18n-lib.h>

#define BF16_CAPABILITY 80
/* Where tensor cores may begin to pay. The Python PRISM with mixed precision ran at 0.90 to 0.95 of
 * its speed at 512, at 1.20 to 1.25 at 1024. */
#define MIN_IMAGE_SIZE 1024

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
 * Says when the precision of @spec does not pay or is not to be had on the GPU that would be used.
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
  if (spec->image_size < MIN_IMAGE_SIZE)
    return g_strdup_printf (_ ("Mixed precision may cost time below an image size of %d: “prism-cli"
                               " bench --precision bf16 --against amp=off” measures it."),
                            MIN_IMAGE_SIZE);
  if (!prism_cuda_device_choose (&device, NULL))
    return NULL;
  if (prism_cuda_precision_choose (spec->precision, device) == (PrismPrecision) spec->precision)
    return NULL;
  return g_strdup (_ ("This GPU computes mixed precision with fp16: bf16 and tf32 need compute"
                      " capability 8.0."));
}
