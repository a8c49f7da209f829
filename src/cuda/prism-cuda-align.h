/* prism-cuda-align: a pass of the search of phases between waves: what frames give for a spectrum,
 * and back to the plane; the methods are those of prism-phase-sync.
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
  PrismCudaComplex *half;               /* [h + 1][n] F */
  PrismCudaComplex *rows;               /* [h + 1][n] to work in */
  float *plane;                         /* [n][n] to work in */
  float *field;                         /* [n][n] z, the object in the middle */
  float *image;                         /* [m][m] */
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

/* The exit waves behind some frames, each found by a block from its amplitude and
 * the aperture alone; the methods are those of prism-wave.
 *
 * q = side of the frames, H × W = a job's box. Plain C. */

/* One frame. Device arrays. */
typedef struct
{
  const uint8_t *bits;                  /* [H][W], 0 or 1 */
  const float *amplitude;               /* [q][q], origin at [0][0] */
  PrismCudaComplex *box;                /* [H][W] where it begins; what a search comes to */
  PrismCudaComplex *last;               /* [H][W] what a descent comes to */
  PrismCudaComplex *state;              /* [q][q] of a search */
  PrismCudaComplex *work;               /* of the plan's work_bytes; NULL where those are 0 */
  int32_t height, width;
  double close;                         /* what is small enough */
  double misfit;                        /* Σ(|φ|-A)² of a descent before its last pass, or what a
                                         * search moved last */
  double momentum;                      /* of a descent */
} PrismCudaWaveJob;

/* How blocks share their work: columns on their way in shared memory where it has room. */
typedef struct
{
  int32_t side;                         /* q */
  int32_t factor;                       /* of it, by which transforms are in two steps */
  int32_t pitch;                        /* from row to row of columns and of a box */
  int32_t n_rows;                       /* that are looked at together, */
  int32_t n_columns;                    /* and of columns */
  int32_t n_passes;                     /* that one launch should do at most */
  size_t shared_bytes;
  size_t work_bytes;                    /* of a job in the device's memory; 0: all are shared */
  const PrismCudaComplex *roots;        /* device [q]: e^{2πik/q}; for the caller to set */
} PrismCudaWavePlan;

/* 0 where the device has no room for frames of this side, or they take too long. height and width
 * are at least those of all boxes. shared_limit: bytes that a block may be allowed. */
int         prism_cuda_wave_plan    (PrismCudaWavePlan       *plan,
                                     int                      side,
                                     int                      height,
                                     int                      width,
                                     size_t                   shared_limit);
/* relaxation > 0: of a search, else of a descent. jobs [n_jobs], device. begins: these are their
 * first passes; a job that is done stays. */
cudaError_t prism_cuda_wave_move    (const PrismCudaWavePlan *plan,
                                     PrismCudaWaveJob        *jobs,
                                     int                      n_jobs,
                                     float                    relaxation,
                                     int                      n_passes,
                                     int                      begins,
                                     cudaStream_t             stream);

PRISM_CUDA_END_DECLS
