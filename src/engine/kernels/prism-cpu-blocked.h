/* prism-cpu-blocked: kernels of the doubling layers with many channels, see prism-cpu-blocked.c. */
#pragma once

#include "base/prism-isa.h"

G_BEGIN_DECLS

/* Channels are stored in blocks of this many, the innermost dimension. */
#define PRISM_CPU_BLOCK 16

/* Values of a map with border and its differences by columns, rows and both, for each channel. */
#define PRISM_CPU_BLOCKED_SIZE(h) ((gsize) 4 * ((h) + 2) * ((h) + 2))

/* Input channels that backward_weights() takes at a time. */
#define PRISM_CPU_BLOCKED_CHANNELS 8

/* Blocks of the input that backward_data() does best together. */
#define PRISM_CPU_BLOCKED_GROUP 2

typedef struct
{
  int in_size;                          /* h, a multiple of 4 */
  int in_blocks;
  int out_blocks;
} PrismCpuBlockedShape;

typedef struct
{
  /* One block of the output; rows of the input, a multiple of 4: those of y are twice as many. */
  void (*forward) (const PrismCpuBlockedShape *shape,
                   float                      *y,
                   const float                *x,
                   const float                *w,
                   int                         block,
                   int                         first_row,
                   int                         n_rows);
  /* Gradient of some blocks of the input; scratch has get_scratch_size() values. */
  void (*backward_data) (const PrismCpuBlockedShape *shape,
                         float                      *gin,
                         const float                *gout,
                         const float                *w,
                         int                         first_block,
                         int                         n_blocks,
                         int                         first_row,
                         int                         n_rows,
                         float                      *scratch);
  /* gw [n_channels][4 taps][16] of one parity and output block; channels are multiples of 8. */
  void (*backward_weights) (const PrismCpuBlockedShape *shape,
                            float                      *gw,
                            const float                *x,
                            const float                *gout,
                            int                         block,
                            int                         parity,
                            int                         first_channel,
                            int                         n_channels);
  gsize (*get_scratch_size) (const PrismCpuBlockedShape *shape);
} PrismCpuBlockedKernels;

PRISM_ISA_DECLARE (PrismCpuBlockedKernels, prism_cpu_blocked_kernels);

G_END_DECLS
