/* prism-cuda-detector-kernels: launches of the kernels that work on frames and their spectra. */
#pragma once

#include "prism-cuda-control.h"
#include "prism-cuda-types.h"

PRISM_CUDA_BEGIN_DECLS

/* Detector images as they lie on the device: their order and their sums.
 *
 * n = image_size. Plain C. */

#define PRISM_CUDA_TARGET_N_PARTIALS 768

/* to[y + n/2][x + n/2] ← from[y][x], modulo n: between natural order, origin at [n/2][n/2], and
 * target order, origin at [0][0]. Not in place. */
cudaError_t prism_cuda_target_roll (float        *to,
                                    const float  *from,
                                    int           image_size,
                                    cudaStream_t  stream);
/* sums [3] ← Σt, Σt², Σt⁴ of target [n][n]; partials [PRISM_CUDA_TARGET_N_PARTIALS]. */
cudaError_t prism_cuda_target_sum  (double       *sums,
                                    double       *partials,
                                    const float  *target,
                                    int           image_size,
                                    cudaStream_t  stream);

/* How close an image is to the object: the sums of prism-metrics.
 *
 * m = size of both images. Plain C. */

/* Doubles that compute needs to work in. */
size_t      prism_cuda_metrics_get_n_partials (int size);
/* Into control->sums; image and object [m][m]. */
cudaError_t prism_cuda_metrics_compute        (PrismCudaControl *control,
                                               double           *partials,
                                               const float      *image,
                                               const float      *object,
                                               int               size,
                                               int               forced,
                                               cudaStream_t      stream);

/* The camera's shot and read noise, with the random numbers of prism-noise.
 *
 * n = image_size. Plain C. */

#define PRISM_CUDA_NOISE_N_PARTIALS 512

/* What the camera adds, as numbers of one run and one measurement. */
typedef struct
{
  double power;                         /* shot noise over signal, 10^(-SNR/10); 0 = none */
  double photon;                        /* one photon's energy: takes its place when above 0 */
  double read_power;                    /* read noise over signal; 0 = none */
  uint64_t seed;
  uint32_t sample;
} PrismCudaNoise;

/* target ← √max(0, clean² + noise), both [n][n] with the origin at [0][0]; may be the same.
 * partials [PRISM_CUDA_NOISE_N_PARTIALS]. */
cudaError_t prism_cuda_noise_expose (const PrismCudaNoise *self,
                                     float                *target,
                                     const float          *clean,
                                     double               *partials,
                                     int                   image_size,
                                     cudaStream_t          stream);

/* The whole spectrum of an image, for what looks at it through many apertures.
 *
 * n = image_size, m = object_size, h = n/2. A spectrum lies column by column: [x][y], both from 0
 * to n - 1, negative frequencies in the upper half. A half spectrum has columns 0 … h and stands
 * for that of a real image, S(-y, -x) = S*(y, x). Plain C. */

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

/* A spectrum seen through one aperture: what the camera records, and how far that
 * is from what it did record.
 *
 * n = image_size, h = n/2. Spectra lie by columns, see prism-cuda-spectrum. The plane between the
 * two passes, [n][width of the box], holds the box's columns transformed to detector rows. The box
 * stands at low frequencies, which turns phases only. Plain C. */

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

/* What ePIE does with a projected view, and at the end of a pass.
 *
 * n = image_size, m = object_size, h = n/2. O: estimate of the object's spectrum, [n][n] by
 * columns, see prism-cuda-spectrum. Plain C. */

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
