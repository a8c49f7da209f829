/* prism-cpu-kernels: the decoder's kernels for one instruction set. Thread: any. */
#pragma once

#include "kernels/prism-cpu-blocked.h"
#include "kernels/prism-cpu-norm.h"
#include "kernels/prism-cpu-planar.h"
#include "kernels/prism-cpu-update.h"

G_BEGIN_DECLS

typedef struct
{
  const PrismCpuBlockedKernels *blocked;
  const PrismCpuPlanarKernels *doubling;
  const PrismCpuPlanarKernels *convolve;
  const PrismCpuNormKernels *norm;
  const PrismCpuUpdateKernels *update;
  const PrismCpuActivationKernels *activation;
} PrismCpuKernels;

const PrismCpuKernels *prism_cpu_kernels_get (void);

G_END_DECLS
