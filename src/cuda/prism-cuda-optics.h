/* prism-cuda-optics: the passes between an image and what the camera sees of it through apertures,
 * and their adjoints, with transforms pruned to the object's rows and the apertures' boxes.
 *
 * n = image_size, m = object_size. The object stands around the origin at [0][0] of the field, so
 * that detector pixels have the order of targets. Lines of columns are contiguous in memory:
 * half spectrum   [n/2+1][m]         column k ≥ 0 of each row's transform
 * plane           [views][W][n]      column j of the box on its way to the detector
 * Everything is device memory; launchers return the launch's error; n = 64, 128 … 4096. */
#pragma once

#include "prism-cuda-control.h"

PRISM_CUDA_BEGIN_DECLS

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
  PRISM_CUDA_OPTICS_PROJECT              /* t·y/|y| */
} PrismCudaOpticsPixel;

typedef struct
{
  int32_t image_size;
  int32_t object_size;
  const PrismCudaComplex *roots;        /* [n], see prism_cuda_fft_fill_table() */
  PrismCudaControl *control;            /* nothing is done once done is set */
} PrismCudaOptics;

/* The terms of the step under way as views. Without slots there are none to be looked up. */
typedef struct
{
  const PrismCudaSlot *slots;           /* (nullable) */
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

/* image [m][m] real → half. With terms->slots also fills terms->views for the step. */
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
/* plane → pixels → plane. sums [views][n_sums]: Σ|d| or Σd² of losses; nothing is written for a
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
 * With terms->slots also adds up the losses of n_terms views into control. */
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

PRISM_CUDA_END_DECLS
