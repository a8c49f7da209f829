#include "config.h"

#include "config/prism-device-list.h"

const PrismChoice prism_device_list[PRISM_DEVICE_LIST_LENGTH + 1] = {
  { "auto", N_ ("Automatic"),
    N_ ("The GPU where one can be used, else the processor.") },
  { "cpu", N_ ("Processor"), N_ ("Compute on the processor's cores.") },
  { "cuda", N_ ("CUDA"), N_ ("Compute on an NVIDIA GPU.") },
  { NULL },
};

/**
 * prism_device_list_find:
 * @name: (nullable): of a device, as files have it
 *
 * Returns: its number, -1 where no device has that name
 */
int
prism_device_list_find (const char *name)
{
  for (int i = 0; i < PRISM_DEVICE_LIST_LENGTH; i++)
    if (g_strcmp0 (name, prism_device_list[i].name) == 0)
      return i;
  return -1;
}
