#include "config.h"

#include "prism-cuda-precision.h"

#include "prism-cuda-device.h"

#include <glib/gi18n-lib.h>

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
