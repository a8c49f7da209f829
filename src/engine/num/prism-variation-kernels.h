/* prism-variation-kernels: the rows of the total variation, compiled once per instruction set.
 * Every operation is rounded by itself: an image has the same bits with all of them.
 *
 * w = width of a row. Differences are those to the next pixel of a row or a column, nought at the
 * last one. */
#pragma once

#include "base/prism-isa.h"

G_BEGIN_DECLS

typedef struct
{
  /* to [w] = from + strength·(divergence of the dual field at this row), kept in [0, 1]; above is
   * the row of down before this one, or NULL. to may be from. */
  void (*add_divergence) (float       *to,
                          const float *from,
                          const float *across,
                          const float *down,
                          const float *above,
                          float        strength,
                          int          width);
  /* Moves a row of the dual field along the differences of an image, no farther than to length 1;
   * below is the next row of the image, or for the last one row itself. */
  void (*step_dual) (float       *across,
                     float       *down,
                     const float *row,
                     const float *below,
                     float        step,
                     int          width);
  /* lengths [w] of the differences of a row of an image. */
  void (*measure) (double      *lengths,
                   const float *row,
                   const float *below,
                   int          width);
} PrismVariationKernels;

PRISM_ISA_DECLARE (PrismVariationKernels, prism_variation_kernels);

G_END_DECLS
