/* prism-cuda-optics: the passes between an image and what the camera sees of it through apertures,
 * and their adjoints, with transforms pruned to the object's rows and the apertures' boxes.
 *
 * n = image_size, m = object_size. The object stands around the origin at [0][0] of the field, so
 * that detector pixels have the order of targets. Lines of columns are contiguous in memory:
 * half spectrum   [n/2+1][m]         column k ≥ 0 of each row's transform
 * plane           [views][W][n]      column j of the box on its way to the detector
 * Everything is device memory; launchers return the launch's error; n = 64, 128 … 4096. */
#pragma once

#include "prism-cuda-types.h"

PRISM_CUDA_BEGIN_DECLS

/* table [n] on the host: e^{-2πik/n}, rounded once: the roots that transforms on the device
 * read. n: a power of two, at least 8. */
void prism_cuda_fft_fill_table (PrismCudaComplex *table,
                                int               n);

/* Values of PrismLossKind and PrismDomain, whose header needs GLib. */
#define PRISM_CUDA_LOSS_L2 1
/* Beside them: the misfit of a refinement, without a normaliser. */
#define PRISM_CUDA_LOSS_MISFIT 256
#define PRISM_CUDA_DOMAIN_INTENSITY 1

/* One field seen through one mask. Device array; width is 0 where a view sees nothing. */
typedef struct
{
  float *target;                        /* [n][n], origin at [0][0] */
  const uint8_t *bits;                  /* [height][width] */
  int32_t y0, x0;                       /* centred */
  int32_t height, width;
  float gain;                           /* of what the pixels leave, in reduce_columns */
  float noise;                          /* v of L2_NOISY; 0: as L2_AMPLITUDE */
  double factor;                        /* of the pixels' sum, to be a weighted loss */
  double blank;                         /* that loss where the view sees nothing */
  const PrismCudaExpect *expect;        /* of L2_EXPECTED; NULL: as L2_NOISY */
} PrismCudaOpticsView;                  /* 64 bytes: what kernels ask first comes at once */

/* What becomes of a pixel y whose target is t. */
typedef enum
{
  PRISM_CUDA_OPTICS_L1_AMPLITUDE,        /* d = |y| - t: sign (d)·y/|y| */
  PRISM_CUDA_OPTICS_L1_INTENSITY,        /* d = |y|² - t²: sign (d)·y */
  PRISM_CUDA_OPTICS_L2_AMPLITUDE,        /* d·y/|y| */
  PRISM_CUDA_OPTICS_L2_INTENSITY,        /* d·y */
  PRISM_CUDA_OPTICS_L2_NOISY,            /* d = H(|y|) - T(t): d·H'(|y|)·y/|y|, see numerics.md */
  PRISM_CUDA_OPTICS_L2_EXPECTED,         /* the same, H from a table */
  PRISM_CUDA_OPTICS_MEASURE,             /* t = |y|; the plane stays */
  PRISM_CUDA_OPTICS_PROJECT              /* d = |y| - t: t·y/|y| */
} PrismCudaOpticsPixel;

typedef struct
{
  int32_t image_size;
  int32_t object_size;
  const PrismCudaComplex *roots;        /* [n], see prism_cuda_fft_fill_table() */
  PrismCudaControl *control;            /* (nullable): nothing is done once done is set */
} PrismCudaOptics;

/* The terms of the step under way as views. */
typedef struct
{
  const PrismCudaSlot *slots;
  PrismCudaOpticsView *views;                 /* [PRISM_CUDA_MAX_TERMS] */
  double *sums;                         /* [PRISM_CUDA_MAX_TERMS][n_sums] */
  int32_t loss;                         /* PrismLossKind */
  int32_t domain;                       /* PrismDomain */
  int32_t normalise;
  int32_t accumulate;                   /* to the losses of what else the step has */
  float share;                          /* of the loss, in all terms' weights */
} PrismCudaTerms;

/* Blocks of rows of a detector: sums that visit_rows leaves for each view. */
int         prism_cuda_optics_get_n_sums     (int                        image_size);

/* image [m][m] real → half. With terms (nullable) also fills their views for the step. */
cudaError_t prism_cuda_optics_transform_rows (const PrismCudaOptics     *optics,
                                              const float               *image,
                                              const PrismCudaTerms      *terms,
                                              PrismCudaComplex          *half,
                                              cudaStream_t               stream);
/* half → plane, through the masks: factors 1/n² included. W = max_width. */
cudaError_t prism_cuda_optics_expand_columns (const PrismCudaOptics     *optics,
                                              const PrismCudaOpticsView *views,
                                              int                        n_views,
                                              int                        max_width,
                                              const PrismCudaComplex    *half,
                                              PrismCudaComplex          *plane,
                                              cudaStream_t               stream);
/* plane → pixels → plane. sums [views][n_sums] (nullable): Σ|d| or Σd²; nothing is written for a
 * view that sees nothing. pixels [views][n][n] (nullable): in the place of the views' targets. */
cudaError_t prism_cuda_optics_visit_rows     (const PrismCudaOptics     *optics,
                                              PrismCudaOpticsPixel       pixel,
                                              const PrismCudaOpticsView *views,
                                              int                        n_views,
                                              int                        max_width,
                                              float                     *pixels,
                                              PrismCudaComplex          *plane,
                                              double                    *sums,
                                              cudaStream_t               stream);
/* plane → half: back through the masks, all views together, times gain/n²; added if accumulate.
 * With terms (nullable) also adds up the losses of n_terms views into control. */
cudaError_t prism_cuda_optics_reduce_columns (const PrismCudaOptics     *optics,
                                              const PrismCudaOpticsView *views,
                                              int                        n_views,
                                              int                        max_width,
                                              const PrismCudaComplex    *plane,
                                              const PrismCudaTerms      *terms,
                                              int                        accumulate,
                                              PrismCudaComplex          *half,
                                              cudaStream_t               stream);
/* half → image [m][m]: Re Σ_k half_k·e^{2πikx/n}. */
cudaError_t prism_cuda_optics_restore_rows   (const PrismCudaOptics     *optics,
                                              const PrismCudaComplex    *half,
                                              float                     *image,
                                              cudaStream_t               stream);

/* SSIM and MS-SSIM of what is seen and what was measured, as losses, with
 * exact gradients.
 *
 * n = image_size. The images of all scales stand one behind the other: those of scale s, of size
 * n >> s, behind those of the scales before. Device memory. */

#define PRISM_CUDA_SIMILARITY_MAX_SCALES 5
#define PRISM_CUDA_SIMILARITY_TILE 32   /* px */

typedef struct
{
  int32_t image_size;
  int32_t n_scales;                     /* 1: SSIM; see prism_cuda_similarity_get_n_scales() */
  int32_t intensity;                    /* |y|² and t² are compared */
  int32_t term;                         /* 0: the loss is loss_new, else it is added to loss_old */
  int32_t accumulate;                   /* loss_new is added to, too */
  PrismCudaControl *control;
  const PrismCudaOpticsView *view;      /* target; factor: weight of the loss */
  const float *amplitude;               /* [n][n] what is seen, order of targets */
  float *pyramid;                       /* scales 1 …: seen, target; natural order; n² in all */
  float *maps;                          /* three slopes each; 4·n² in all */
  float *gradients;                     /* 4/3·n² in all */
  double *sums;                         /* [2·(n/TILE)²] */
  double *factors;                      /* [PRISM_CUDA_SIMILARITY_MAX_SCALES] */
  float *slope;                         /* [n][n] result, order of targets; may be maps */
} PrismCudaSimilarity;

int         prism_cuda_similarity_get_n_scales (int                        image_size);
/* The loss into control, and the slope of the similarity for |y|, times n². */
cudaError_t prism_cuda_similarity_compute      (const PrismCudaSimilarity *self,
                                                cudaStream_t               stream);

/* The loss of the start phase, l1 between the decoder's output and the start
 * image. */

#define PRISM_CUDA_START_MAX_BLOCKS 128

/* Device arrays: image, start, gradient [n_pixels], sums [PRISM_CUDA_START_MAX_BLOCKS][2]. */
cudaError_t prism_cuda_start_compute_gradient (PrismCudaControl *control,
                                               const float      *image,
                                               const float      *start,
                                               int               n_pixels,
                                               double           *sums,
                                               float            *gradient,
                                               cudaStream_t      stream);

/* The end of a pass of descent: what decides whether the image moves, the total
 * variation, and the step with its momentum. */

#define PRISM_CUDA_ITERATE_MAX_BLOCKS 256
#define PRISM_CUDA_ITERATE_N_SUMS 3

/* Device arrays, m = size. */
typedef struct
{
  int size;
  float *image;  /* [m][m] */
  float *point;  /* [m][m] */
  float *across; /* [m][m] dual field of the total variation, along rows */
  float *down;   /* [m][m] and along columns */
  float *slope;  /* [m][m] of the whole pass; the image's change afterwards */
  float *other;  /* [2][m][m] to work in */
  double *sums;  /* [PRISM_CUDA_ITERATE_N_SUMS][PRISM_CUDA_ITERATE_MAX_BLOCKS] to work in */
  PrismCudaPass *pass;
  const PrismCudaPassEnd *end;
} PrismCudaIterate;

/* slope += part, both [m][m]. */
cudaError_t prism_cuda_iterate_add    (const PrismCudaIterate *self,
                                       const float            *part,
                                       cudaStream_t            stream);
/* From pass->misfit and the slope to the next image and point, if it may move. with_mean: whether
 * end->least_mean is above 0; with_variation: whether end->variation is. */
cudaError_t prism_cuda_iterate_finish (const PrismCudaIterate *self,
                                       int                     with_mean,
                                       int                     with_variation,
                                       cudaStream_t            stream);

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

/* The camera's shot and read noise, with the random numbers of prism-noise. What it
 * goes by are two sums of a target, of which the first is not wanted: Σt² and Σt⁴ are those of
 * intensities and of their squares.
 *
 * n = image_size. Plain C. */

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
 * partials [PRISM_CUDA_TARGET_N_PARTIALS]. */
cudaError_t prism_cuda_noise_expose (const PrismCudaNoise *self,
                                     float                *target,
                                     const float          *clean,
                                     double               *partials,
                                     int                   image_size,
                                     cudaStream_t          stream);

/* The whole spectrum of an image, and ePIE's estimate O of it.
 *
 * h = n/2. A spectrum lies column by column: [x][y], both from 0 to n - 1, negative frequencies in
 * the upper half. A half spectrum has columns 0 … h and stands for that of a real image,
 * S(-y, -x) = S*(y, x). */

/* spectrum [h + 1][n], or [n][n] where full, of image [m][m]; half [h + 1][m] to work in. */
cudaError_t prism_cuda_spectrum_transform (const PrismCudaOptics *optics,
                                           const float           *image,
                                           int                    full,
                                           PrismCudaComplex      *half,
                                           PrismCudaComplex      *spectrum,
                                           cudaStream_t           stream);
/* O += s·P·(ψ - P·O); Σ(|φ| - A)² and ΣA² are added to sums [2]. width: px, at least that of the
 * slot's box; view, plane [width][n] and partials [n_sums] to work in. */
cudaError_t prism_cuda_spectrum_update    (const PrismCudaOptics *optics,
                                           const PrismCudaSlot   *slot,
                                           int                    width,
                                           float                  step_size,
                                           PrismCudaOpticsView   *view,
                                           PrismCudaComplex      *plane,
                                           double                *partials,
                                           double                *sums,
                                           PrismCudaComplex      *spectrum,
                                           cudaStream_t           stream);
/* image [m][m] ← real part of O's image, clamped to [0, 1], support; O ← its spectrum; half
 * [h + 1][m] to work in. */
cudaError_t prism_cuda_spectrum_project   (const PrismCudaOptics *optics,
                                           PrismCudaComplex      *half,
                                           float                 *image,
                                           PrismCudaComplex      *spectrum,
                                           cudaStream_t           stream);

PRISM_CUDA_END_DECLS
