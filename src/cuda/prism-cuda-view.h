/* prism-cuda-view: a spectrum seen through one aperture: what the camera records, and how far that
 * is from what it did record.
 *
 * n = image_size, h = n/2. Spectra lie by columns, see prism-cuda-spectrum. The plane between the
 * two passes, [n][width of the box], holds the box's columns transformed to detector rows. The box
 * stands at low frequencies, which turns phases only. Plain C. */
#pragma once

#include "prism-cuda-types.h"

PRISM_CUDA_BEGIN_DECLS

typedef enum
{
  PRISM_CUDA_VIEW_MEASURE,              /* target ← |φ| */
  PRISM_CUDA_VIEW_COMPARE,              /* Σ(|φ| - A)² and ΣA² */
  PRISM_CUDA_VIEW_PROJECT,              /* the same, and plane ← transform of A·φ/|φ| */
} PrismCudaViewKind;

typedef struct
{
  const PrismCudaSlot *slot;            /* device; NULL: mask and target */
  PrismCudaSlot mask;
  float *target;                        /* [n][n], written by MEASURE */
  const PrismCudaComplex *roots;        /* [n] of prism-cuda-fft */
  PrismCudaComplex *plane;              /* [n][width] */
  double *partials;                     /* [2][n] */
  int image_size;
  int width;                            /* px, at least that of the box; 0: nothing is seen */
} PrismCudaView;

/* full: spectrum is [n][n], otherwise [h + 1][n] of a real image. */
cudaError_t prism_cuda_view_expand   (const PrismCudaView    *self,
                                      const PrismCudaComplex *spectrum,
                                      int                     full,
                                      cudaStream_t            stream);
cudaError_t prism_cuda_view_visit    (const PrismCudaView *self,
                                      PrismCudaViewKind    kind,
                                      cudaStream_t         stream);
/* Partial sums that visit leaves in each half of partials. */
int         prism_cuda_view_count    (const PrismCudaView *self);
/* Adds what visit left to sums [2]: Σ(|φ| - A)², ΣA². */
cudaError_t prism_cuda_view_add_sums (const PrismCudaView *self,
                                      double              *sums,
                                      cudaStream_t         stream);

PRISM_CUDA_END_DECLS
