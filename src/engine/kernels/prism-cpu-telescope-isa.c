#include "config.h"

#include "kernels/prism-cpu-kernels.h"
#include "kernels/prism-cpu-telescope-kernels.h"

/**
 * prism_cpu_telescope_kernels_get:
 *
 * The kernels of the instruction set that prism_cpu_kernels_get() chooses.
 *
 * Thread: any.
 *
 * Returns: (transfer none): the kernels
 */
const PrismCpuTelescopeKernels *
prism_cpu_telescope_kernels_get (void)
{
#ifdef __x86_64__
  const char *id = prism_cpu_kernels_get ()->id;

  if (g_str_equal (id, prism_cpu_telescope_kernels_avx512.name))
    return &prism_cpu_telescope_kernels_avx512;
  if (g_str_equal (id, prism_cpu_telescope_kernels_avx2.name))
    return &prism_cpu_telescope_kernels_avx2;
#endif
  return &prism_cpu_telescope_kernels_baseline;
}
