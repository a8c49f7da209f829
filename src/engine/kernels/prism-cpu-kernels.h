/* prism-cpu-kernels: the decoder's kernels for one instruction set. Thread: any. */
#pragma once

#include "base/prism-isa.h"
#include "kernels/prism-cpu-blocked.h"
#include "kernels/prism-cpu-planar.h"
#include "model/prism-decoder.h"
#include "num/prism-adam.h"

G_BEGIN_DECLS

/* Kernels of batch norm with ReLU, see prism-cpu-norm.c. */

/* Constants of one layer's norm, each [channels]: v = (y - mean)·gain + shift, x = max (v, 0). */
typedef struct
{
  float *mean;
  float *gain;                          /* scale / √(variance + ε) */
  float *shift;
  float *offset; /* backward: gy = gain·(g·[v > 0] - offset - (y - mean)·slope) */
  float *slope;
} PrismCpuNorm;

typedef struct
{
  /* mean and squares, each [16] or one value: mean of y and Σ(y - mean)². n_pixels is a multiple
   * of 16. */
  void (*measure_blocked) (const float *y,
                           gsize        n_pixels,
                           float       *mean,
                           float       *squares);
  void (*measure_planar) (const float *y,
                          gsize        n_pixels,
                          float       *mean,
                          float       *squares);
  /* x = max ((y - mean)·gain + shift, 0). blocked: rows of a block y [s][s][16] into the map and
   * its differences x [4][s+2][s+2][16] of prism-cpu-blocked.c. transposed: from a block to 16
   * planes, plane_size apart. */
  void (*apply_blocked) (const PrismCpuNorm *norm,
                         int                 channel,
                         float              *x,
                         const float        *y,
                         int                 size,
                         int                 first_row,
                         int                 n_rows);
  void (*apply_transposed) (const PrismCpuNorm *norm,
                            int                 channel,
                            float              *x,
                            gsize               plane_size,
                            const float        *y,
                            gsize               n_pixels);
  void (*apply_planar) (const PrismCpuNorm *norm,
                        int                 channel,
                        float              *x,
                        const float        *y,
                        gsize               n_pixels);
  /* From 16 planes, plane_size apart, to a block. */
  void (*transpose) (float       *blocked,
                     const float *planar,
                     gsize        plane_size,
                     gsize        n_pixels);
  /* With h = g·[v > 0]: Σh and Σh·(y - mean), each [16] or one value. */
  void (*reduce_blocked) (const PrismCpuNorm *norm,
                          int                 channel,
                          const float        *g,
                          const float        *y,
                          gsize               n_pixels,
                          float              *sum,
                          float              *product);
  void (*reduce_planar) (const PrismCpuNorm *norm,
                         int                 channel,
                         const float        *g,
                         const float        *y,
                         gsize               n_pixels,
                         float              *sum,
                         float              *product);
  /* Gradient of y; split: even pixels to gy, odd ones to odd. */
  void (*backward_blocked) (const PrismCpuNorm *norm,
                            int                 channel,
                            float              *gy,
                            const float        *g,
                            const float        *y,
                            gsize               n_pixels);
  void (*backward_planar) (const PrismCpuNorm *norm,
                           int                 channel,
                           float              *gy,
                           const float        *g,
                           const float        *y,
                           gsize               n_pixels);
  void (*backward_split) (const PrismCpuNorm *norm,
                          int                 channel,
                          float              *gy,
                          float              *odd,
                          const float        *g,
                          const float        *y,
                          gsize               n_pixels);
} PrismCpuNormKernels;

PRISM_ISA_DECLARE (PrismCpuNormKernels, prism_cpu_norm_kernels);

/* Kernels of Adam and of the first layer, whose gradient is never stored. */

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
