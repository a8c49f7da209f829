/* prism-cpu-planar: kernels of the layers with few channels and wide maps: vector lanes are pixels
 * of a row. See prism-cpu-double.c and prism-cpu-convolve.c. */
#pragma once

#include "base/prism-isa.h"

G_BEGIN_DECLS

/* A plane [h][h] with a border of at least one zero all around, h a multiple of 16; rows start on a
 * cache line and share the zeros between them. */
#define PRISM_CPU_PLANE_STRIDE(h) ((gsize) (h) + 16)
#define PRISM_CPU_PLANE_SIZE(h) (((gsize) (h) + 2) * PRISM_CPU_PLANE_STRIDE (h) + 16)
#define PRISM_CPU_PLANE_START(h) (PRISM_CPU_PLANE_STRIDE (h) + 16)

/* A map [s][s] without border; the odd number of cache lines keeps the rows of neighbouring
 * channels out of each other's cache sets. */
#define PRISM_CPU_MAP_SIZE(s) ((gsize) (s) * (s) + 16)

/* Weights of one pair of channels; a 3×3 kernel leaves the last seven values zero. */
#define PRISM_CPU_PLANAR_TAPS 16

typedef struct
{
  int in_size;                          /* h, a multiple of 16 */
  int in_channels;
  int out_channels;
} PrismCpuPlanarShape;

typedef struct
{
  /* Rows and channels are those of what is written; n_rows is a multiple of 4. Doubling: rows of
   * the input, and y has twice as many. bias: [out_channels], NULL for none. */
  void (*forward) (const PrismCpuPlanarShape *shape,
                   float                     *y,
                   const float               *x,
                   const float               *w,
                   const float               *bias,
                   int                        first_channel,
                   int                        n_channels,
                   int                        first_row,
                   int                        n_rows);
  /* gin [in_channels][gin_plane] */
  void (*backward_data) (const PrismCpuPlanarShape *shape,
                         float                     *gin,
                         gsize                      gin_plane,
                         const float               *gout,
                         const float               *w,
                         int                        first_channel,
                         int                        n_channels,
                         int                        first_row,
                         int                        n_rows);
  /* gw [n_out][n_in][PRISM_CPU_PLANAR_TAPS]; best with four channels of each. */
  void (*backward_weights) (const PrismCpuPlanarShape *shape,
                            float                     *gw,
                            const float               *x,
                            const float               *gout,
                            int                        first_in,
                            int                        n_in,
                            int                        first_out,
                            int                        n_out);
} PrismCpuPlanarKernels;

PRISM_ISA_DECLARE (PrismCpuPlanarKernels, prism_cpu_double_kernels);
PRISM_ISA_DECLARE (PrismCpuPlanarKernels, prism_cpu_convolve_kernels);

G_END_DECLS
