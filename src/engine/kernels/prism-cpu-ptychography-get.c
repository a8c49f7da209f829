#include "config.h"

#include "kernels/prism-cpu-ptychography.h"

static const PrismCpuPtychographyKernels *const kernels[PRISM_N_ISAS]
    = PRISM_ISA_TABLE (prism_cpu_ptychography_kernels);

/**
 * prism_cpu_ptychography_get_kernels:
 *
 * Returns: (transfer none): the loops of the instruction set that prism_isa_get() chooses
 */
const PrismCpuPtychographyKernels *
prism_cpu_ptychography_get_kernels (void)
{
  return kernels[prism_isa_get ()];
}
