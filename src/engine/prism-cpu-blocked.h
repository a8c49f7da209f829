/* prism-cpu-blocked: kernels of the doubling layers with many channels, see prism-cpu-blocked.c. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Channels are stored in blocks of this many, the innermost dimension. */
#define PRISM_CPU_BLOCK 16

typedef struct
{
  int in_size;                          /* h, a multiple of 4 */
  int in_blocks;
  int out_blocks;
} PrismCpuBlockedShape;

typedef struct
{
  /* Rows first_row … first_row + n_rows - 1 of the input, a multiple of 4: rows of y twice as many. */
  void (*forward) (const PrismCpuBlockedShape *shape,
                   float                      *y,
                   const float                *x,
                   const float                *w,
                   int                         block,
                   int                         first_row,
                   int                         n_rows);
  /* Gradient of the input for one block of its channels. */
  void (*backward_data) (const PrismCpuBlockedShape *shape,
                         float                      *gin,
                         const float                *gout,
                         const float                *w,
                         int                         block,
                         int                         first_row,
                         int                         n_rows);
  /* gw [n_channels][4 taps][16] of one parity and output block; channels are multiples of 4. */
  void (*backward_weights) (const PrismCpuBlockedShape *shape,
                            float                      *gw,
                            const float                *x,
                            const float                *gout,
                            int                         block,
                            int                         parity,
                            int                         first_channel,
                            int                         n_channels);
} PrismCpuBlockedKernels;

extern const PrismCpuBlockedKernels prism_cpu_blocked_kernels_avx512;
extern const PrismCpuBlockedKernels prism_cpu_blocked_kernels_avx2;
extern const PrismCpuBlockedKernels prism_cpu_blocked_kernels_baseline;

G_END_DECLS
