/* prism-cuda-align: a pass of the search of phases between waves: what frames give for a spectrum,
 * and back to the plane; the methods are those of prism-alignment.
 *
 * n = image_size, m = object_size, h = n/2, N = frames, H × W = a frame's box. Half spectra lie
 * column by column, see prism-cuda-spectrum. Plain C. */
#pragma once

#include "prism-cuda-types.h"

PRISM_CUDA_BEGIN_DECLS

/* A frame. Device arrays. */
typedef struct
{
  const uint8_t *bits;                  /* [H][W], 0 or 1 */
  const PrismCudaComplex *wave;         /* [H][W] spectrum of its wave, but for the phase */
  PrismCudaComplex *given;              /* [H][W] what it gives for a spectrum, Q, */
  double difference;                    /* Σ|Q - F|² from that one, */
  double energy;                        /* and Σ|Q|² */
  int32_t y0, x0;                       /* centred */
  int32_t height, width;
  int32_t has_twin;
  int32_t is_doubtful;                  /* given is by its amplitude, see prism-cuda-wave */
} PrismCudaAlignFrame;

typedef struct
{
  int32_t image_size;
  int32_t object_size;
  int32_t n_frames;
  int32_t has_noise;
  const PrismCudaComplex *roots;        /* [n] of prism_cuda_fft_fill_table() */
  PrismCudaAlignFrame *frames;          /* [N] */
  const PrismCudaComplex *given;        /* of all frames */
  /* What is given for number i of the half spectrum, in the order in which it is added up: entries
   * starts[i] … starts[i + 1] - 1 of sources are twice a place in given, odd for its conjugate. */
  const uint32_t *starts;               /* [(h + 1)·n + 1] */
  const uint32_t *sources;
  PrismCudaComplex *half;               /* [h + 1][n] F */
  PrismCudaComplex *rows;               /* [n][h + 1] to work in */
  float *field;                         /* [n][n] z, the object in the middle */
  float *image;                         /* [m][m] */
  float *slope;                         /* [m][m] */
  double *residual;
} PrismCudaAlign;

/* F of the field, or of image [m][m] where that is not NULL. */
cudaError_t prism_cuda_align_transform   (const PrismCudaAlign *self,
                                          const float          *image,
                                          cudaStream_t          stream);
/* What frames give for F; the doubtful ones F itself, to be brought to their amplitude. */
cudaError_t prism_cuda_align_compare     (const PrismCudaAlign *self,
                                          cudaStream_t          stream);
/* How far that is from F: into residual. */
cudaError_t prism_cuda_align_measure     (const PrismCudaAlign *self,
                                          cudaStream_t          stream);
/* What is given takes the place of F; field and image are those of the next pass. */
cudaError_t prism_cuda_align_reflect     (const PrismCudaAlign *self,
                                          float                 relaxation,
                                          cudaStream_t          stream);
/* Slope of ½Σ|Q - F|². */
cudaError_t prism_cuda_align_slope       (const PrismCudaAlign *self,
                                          cudaStream_t          stream);

PRISM_CUDA_END_DECLS
