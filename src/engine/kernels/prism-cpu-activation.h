/* prism-cpu-activation: kernels of the decoder's output activation. */
#pragma once

#include "base/prism-isa.h"
#include "model/prism-decoder.h"

G_BEGIN_DECLS

typedef struct
{
  /* out = activation (y), n values of a row each. */
  void (*apply) (PrismActivation  activation,
                 float           *out,
                 const float     *y,
                 int              n_values);
  /* gy = g · activation' (y), from the activation's value out; returns Σ gy. */
  float (*backward) (PrismActivation  activation,
                     float           *gy,
                     const float     *g,
                     const float     *out,
                     int              n_values);
} PrismCpuActivationKernels;

PRISM_ISA_DECLARE (PrismCpuActivationKernels, prism_cpu_activation_kernels);

G_END_DECLS
