/* prism-cpu-telescope-kernels: the CPU telescope's inner loops, compiled once per instruction set.
 *
 * n = image_size, m = object_size, h = n/2. A block is as many rows or columns as a vector has
 * lanes; they are transformed side by side. An element is one complex number of each: float
 * [2][lanes], all real parts, then all imaginary parts. Arrays are aligned to PRISM_ALIGNMENT.
 *
 * A half spectrum has columns 0…h and takes H elements: h+1 rounded up to whole blocks. */
#pragma once

#include "base/prism-isa.h"
#include "kernels/prism-cpu-fft.h"

G_BEGIN_DECLS

/* What becomes of a pixel y whose target is t. Losses leave their slope for y but a constant
 * factor. */
typedef enum
{
  PRISM_PIXEL_L1_AMPLITUDE,             /* d = |y| - t: sign (d)·y/|y| */
  PRISM_PIXEL_L1_INTENSITY,             /* d = |y|² - t²: sign (d)·y */
  PRISM_PIXEL_L2_AMPLITUDE,             /* d·y/|y| */
  PRISM_PIXEL_L2_INTENSITY,             /* d·y */
  PRISM_PIXEL_L2_NOISY,                 /* d = H(|y|) - T(t): d·H'(|y|)·y/|y|, see numerics.md */
  PRISM_PIXEL_MEASURE,                  /* t = |y| */
  PRISM_PIXEL_PROJECT,                  /* t·y/|y| */
  PRISM_PIXEL_COMPARE,                  /* only the sums of PROJECT */
  PRISM_PIXEL_ADD_POWER,                /* t += |y|² */
  PRISM_PIXEL_SCALE,                    /* t·y */
} PrismPixelKind;

typedef struct
{
  PrismPixelKind kind;
  float *target;                        /* [S][L][lanes]; of the parts alone where it is compact */
  gboolean is_compact;
  float noise;                          /* v: variance of an intensity I is v·I; L2_NOISY */
  double sums[2];                       /* losses: Σ|d| or Σd²; PROJECT, COMPARE: Σ(|y|-t)², Σt² */
} PrismPixelStage;

/* Which parts of a transform are made: first, first + step, …; step divides their number. A part
 * is every S-th point, so that these are every step-th point of a detector's row or column. */
typedef struct
{
  int first;                            /* below step */
  int step;
} PrismCpuParts;

#define PRISM_CPU_ALL_PARTS ((PrismCpuParts) { 0, 1 })

/* Columns that are added to an image's half spectrum. */
typedef struct
{
  const float *columns;                 /* [count] elements in each block of image rows */
  gsize stride;                         /* floats from block to block */
  int x0;                               /* first column, centred */
  int count;
} PrismColumnRun;

typedef struct
{
  int lanes;

  /* rows [H] elements: half spectrum of n_rows ≤ lanes rows of an image. image [n_rows][m];
   * work [h + m] elements; fft of h points. */
  void (*transform_rows) (const PrismCpuFft *fft,
                          const float    *image,
                          int             object_size,
                          int             n_rows,
                          float          *rows,
                          float          *work);
  /* The adjoint for block number block of a sum of runs: the real part, added to image [n_rows][m]
   * if accumulate is set; work [2·h + 1 + m] elements. */
  void (*restore_rows) (const PrismCpuFft       *fft,
                        const PrismColumnRun *runs,
                        int                   n_runs,
                        int                   block,
                        int                   object_size,
                        int                   n_rows,
                        gboolean              accumulate,
                        float                *image,
                        float                *work);
  /* patch [height] elements: rows y0 … of columns x … x+count-1 of the image's spectrum.
   * rows [⌈m/lanes⌉][H] elements; work [n + m + lanes] elements; phases [n][2]. */
  void (*transform_columns) (const PrismCpuFft *fft,
                             const float    *phases,
                             const float    *rows,
                             int             object_size,
                             int             y0,
                             int             height,
                             int             x,
                             int             count,
                             float          *patch,
                             float          *work);
  /* The adjoint: patch to the ⌈m/lanes⌉ blocks of image rows of lanes columns;
   * columns [lanes] elements in each block, blocks stride floats apart. */
  void (*restore_columns) (const PrismCpuFft *fft,
                           const float    *phases,
                           const float    *patch,
                           int             object_size,
                           int             y0,
                           int             height,
                           gsize           stride,
                           float          *columns,
                           float          *work);
  /* patch ·= scale · mask; bits [height][count], rows stride bytes apart. */
  void (*mask_patch) (float        *patch,
                      const guint8 *bits,
                      gsize         stride,
                      int           height,
                      int           count,
                      float         scale);
  /* patch to the blocks of the parts' detector rows, in the transform's own order; work [L]
   * elements. */
  void (*expand_patch) (const PrismCpuFft *fft,
                        PrismCpuParts   parts,
                        const float    *patch,
                        int             height,
                        gsize           stride,
                        float          *columns,
                        float          *work);
  /* The adjoint. */
  void (*reduce_patch) (const PrismCpuFft *fft,
                        PrismCpuParts   parts,
                        const float    *columns,
                        int             height,
                        gsize           stride,
                        float          *patch,
                        float          *work);
  /* One block of detector rows: block [width] elements is transformed to the parts' columns, the
   * pixels are compared with the target, and what they leave is transformed back; work [2·L]
   * elements. */
  void (*visit_pixels) (const PrismCpuFft  *fft,
                        PrismCpuParts    parts,
                        float           *block,
                        int              width,
                        PrismPixelStage *stage,
                        float           *work);
} PrismCpuTelescopeKernels;

PRISM_ISA_DECLARE (PrismCpuTelescopeKernels, prism_cpu_telescope_kernels);

G_END_DECLS
