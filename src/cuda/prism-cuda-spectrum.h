/* prism-cuda-spectrum: the whole spectrum of an image, for what looks at it through many apertures.
 *
 * n = image_size, m = object_size, h = n/2. A spectrum lies column by column: [x][y], both from 0
 * to n - 1, negative frequencies in the upper half. A half spectrum has columns 0 … h and stands
 * for that of a real image, S(-y, -x) = S*(y, x). Plain C. */
#pragma once

#include "prism-cuda-types.h"

PRISM_CUDA_BEGIN_DECLS

#define PRISM_CUDA_SPECTRUM_BLANK 0.5f

/* spectrum [h + 1][n], or [n][n] where full, of image [m][m], NULL for a blank one; rows [m][h + 1]
 * to work in; roots [n] of prism-cuda-fft. */
cudaError_t prism_cuda_spectrum_transform         (PrismCudaComplex       *spectrum,
                                                   PrismCudaComplex       *rows,
                                                   const float            *image,
                                                   const PrismCudaComplex *roots,
                                                   int                     full,
                                                   int                     image_size,
                                                   int                     object_size,
                                                   cudaStream_t            stream);
/* The second half of transform: from half spectra of rows [m][h + 1]. */
cudaError_t prism_cuda_spectrum_transform_columns (PrismCudaComplex       *spectrum,
                                                   const PrismCudaComplex *rows,
                                                   const PrismCudaComplex *roots,
                                                   int                     full,
                                                   int                     image_size,
                                                   int                     object_size,
                                                   cudaStream_t            stream);
/* magnitude [n][n], natural order, zero frequency at [h][h], of a half spectrum. */
cudaError_t prism_cuda_spectrum_get_magnitude     (float                  *magnitude,
                                                   const PrismCudaComplex *spectrum,
                                                   int                     image_size,
                                                   cudaStream_t            stream);

PRISM_CUDA_END_DECLS
