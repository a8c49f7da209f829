/* prism-wave-kernels: the inner loops of prism-wave.c. Complex numbers lie as pairs of floats; n is
 * a number of them. Sums run in floats. Thread: any. */
#pragma once

#include "base/prism-isa.h"

G_BEGIN_DECLS

typedef struct
{
  /* φ ← P(φ), A·φ/|φ|; returns Σ(|φ|-A)² */
  double (*project) (float       *wave,
                     const float *amplitude,
                     gsize        n);
  /* z ← z + β(other - P(z)), other = 2P(z) - z; returns Σ|other - P(z)|² before */
  double (*search) (float       *z,
                    const float *amplitude,
                    gsize        n,
                    float        beta,
                    float       *other);
  /* value ← value + inertia·(value - last) of n numbers, and last ← value before */
  void (*move) (float *values,
                float *last,
                gsize  n,
                float  inertia);
} PrismWaveKernels;

PRISM_ISA_DECLARE (PrismWaveKernels, prism_wave_kernels);

G_END_DECLS
