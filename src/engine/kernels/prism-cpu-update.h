/* prism-cpu-update: kernels of Adam and of the first layer, whose gradient is never stored. */
#pragma once

#include "base/prism-isa.h"
#include "model/prism-decoder.h"
#include "num/prism-adam.h"

G_BEGIN_DECLS

/* Parameters and their moments, one array each, on the same index. largest: of second so far, which
 * AMSGrad divides by; NULL for Adam. */
typedef struct
{
  float *values;
  float *first;
  float *second;
  float *largest;
} PrismCpuParameters;

typedef struct
{
  /* One Adam step of n values, a multiple of 16. FALSE: not all of the gradient was finite; those
   * elements are left as they are. */
  gboolean (*step) (const PrismAdam    *adam,
                    PrismCpuParameters  parameters,
                    const float        *gradient,
                    gsize               n_values);

  /* out [n] = Σ over n_rows of rows [n_rows][stride], in this order. */
  void (*sum_rows) (float       *out,
                    const float *rows,
                    int          n_rows,
                    gsize        stride,
                    gsize        n_values);
  /* The first layer: out [width] = Σ over n rows of latent [n] · w [n][width]. */
  void (*expand) (float       *out,
                  const float *latent,
                  const float *w,
                  int          n_rows,
                  gsize        width);
  /* Its gradients: latent_gradient [n] = w · g with g [width], w_gradient [n][width] = latent ⊗ g.
   */
  void (*expand_backward) (float       *latent_gradient,
                           float       *w_gradient,
                           const float *latent,
                           const float *w,
                           const float *g,
                           int          n_rows,
                           gsize        width);
  /* Both and the Adam step of latent and w in one sweep, then expand() with the new values: w is
   * read and written once. FALSE as for step. */
  gboolean (*expand_step) (const PrismAdam    *adam,
                           float              *out,
                           PrismCpuParameters  latent,
                           PrismCpuParameters  w,
                           const float        *g,
                           int                 n_rows,
                           gsize               width);
} PrismCpuUpdateKernels;

PRISM_ISA_DECLARE (PrismCpuUpdateKernels, prism_cpu_update_kernels);

/* Kernels of the decoder's output activation. */

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
