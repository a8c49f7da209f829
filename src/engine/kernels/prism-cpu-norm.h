/* prism-cpu-norm: kernels of batch norm with ReLU, see prism-cpu-norm.c. */
#pragma once

#include "base/prism-isa.h"

G_BEGIN_DECLS

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

G_END_DECLS
