/* prism-cuda-view: device code that kernels which look through an aperture share. */
#pragma once

#include "prism-cuda-pair.cuh"
#include "prism-cuda-view.h"

/* By value: the address of a kernel's parameter would take the whole of it to local memory. A box
 * without rows has no columns. */
static __device__ __forceinline__ PrismCudaSlot
prism_cuda_view_get_mask (const PrismCudaView &self)
{
  PrismCudaSlot mask = self.mask;

  if (self.slot != NULL)
    mask = *self.slot;
  if (mask.height == 0)
    mask.width = 0;
  return mask;
}

/* By one whole block of any size; scratch as for prism_cuda_sum_block(). */
static __device__ __forceinline__ void
prism_cuda_view_add_partials (double *sums,
                              const double *partials,
                              int n_partials,
                              double *scratch)
{
  for (int i = 0; i < 2; i++)
    {
      double sum = 0.0;

      for (int j = threadIdx.x; j < n_partials; j += blockDim.x)
        sum += partials[i * n_partials + j];
      sum = prism_cuda_sum_block (sum, scratch);
      if (threadIdx.x == 0)
        sums[i] += sum;
    }
}
