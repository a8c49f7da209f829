#include "config.h"

#include "base/prism-isa.h"
#include "kernels/prism-cpu-telescope-kernels.h"

static const PrismCpuTelescopeKernels *const kernels[PRISM_N_ISAS]
    = PRISM_ISA_TABLE (prism_cpu_telescope_kernels);

/**
 * prism_cpu_telescope_kernels_get:
 *
 * Thread: any.
 *
 * Returns: (transfer none): the kernels of the instruction set that prism_isa_get() chooses
 */
const PrismCpuTelescopeKernels *
prism_cpu_telescope_kernels_get (void)
{
  return kernels[prism_isa_get ()];
}
