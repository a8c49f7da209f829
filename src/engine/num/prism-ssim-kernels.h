/* prism-ssim-kernels: inner loops of the structural similarity, compiled once per instruction set.
 *
 * w = width of a row. */
#pragma once

#include "base/prism-isa.h"

G_BEGIN_DECLS

enum { PRISM_SSIM_WINDOW = 11, PRISM_SSIM_N_MAPS = 5, PRISM_SSIM_N_SLOPES = 3 };

/* Maps of two images that are blurred. */
typedef enum
{
  PRISM_SSIM_A,
  PRISM_SSIM_B,
  PRISM_SSIM_AA,
  PRISM_SSIM_BB,
  PRISM_SSIM_AB,
} PrismSsimMap;

typedef struct
{
  /* blurred [w] from padded [w + PRISM_SSIM_WINDOW - 1]. */
  void (*blur) (float       *blurred,
                const float *padded,
                const float  weights[PRISM_SSIM_WINDOW],
                int          width);
  /* sum [n] = Σ weights·rows [n_rows][n]; n_rows ≤ PRISM_SSIM_WINDOW. */
  void (*add_rows) (float              *sum,
                    const float *const *rows,
                    const float        *weights,
                    int                 n_rows,
                    int                 n);
  /* values [w] of blurred maps [PRISM_SSIM_N_MAPS][w]: luminance·contrast, or contrast alone; and
   * their derivatives [PRISM_SSIM_N_SLOPES][w] for the maps A, AA, AB, where slopes is not NULL. */
  void (*compare) (float       *values,
                   float       *slopes,
                   const float *maps,
                   int          width,
                   gboolean     luminance);
  /* gradient [w] for a of what slopes [PRISM_SSIM_N_SLOPES][w] say for the maps A, AA, AB. */
  void (*chain) (float       *gradient,
                 const float *slopes,
                 const float *a,
                 const float *b,
                 int          width);
} PrismSsimKernels;

PRISM_ISA_DECLARE (PrismSsimKernels, prism_ssim_kernels);

G_END_DECLS
