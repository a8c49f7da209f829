/* prism-cuda-projection: what ePIE does with a projected view, and at the end of a pass.
 *
 * n = image_size, m = object_size, h = n/2. O: estimate of the object's spectrum, [n][n] by
 * columns, see prism-cuda-spectrum. Plain C. */
#pragma once

#include "prism-cuda-view.h"

PRISM_CUDA_BEGIN_DECLS

/* O += s·P·(ψ - P·O) from a view whose pixels have been projected, whose sums are added to sums
 * [2]. */
cudaError_t prism_cuda_projection_update (PrismCudaComplex    *spectrum,
                                          const PrismCudaView *view,
                                          float                step_size,
                                          double              *sums,
                                          cudaStream_t         stream);
/* image [m][m] ← real part of O's image, clamped to [0, 1], support; O ← its spectrum; rows
 * [m][h + 1] to work in. */
cudaError_t prism_cuda_projection_finish (PrismCudaComplex       *spectrum,
                                          PrismCudaComplex       *rows,
                                          float                  *image,
                                          const PrismCudaComplex *roots,
                                          int                     image_size,
                                          int                     object_size,
                                          cudaStream_t            stream);

PRISM_CUDA_END_DECLS
