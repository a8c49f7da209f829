/* prism-cuda-wave: the exit waves behind some frames, each found by a block from its amplitude and
 * the aperture alone; the methods are those of prism-wave.
 *
 * q = side of the frames, H × W = a job's box. Plain C. */
#pragma once

#include "prism-cuda-types.h"

PRISM_CUDA_BEGIN_DECLS

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
  int32_t pitch;                        /* from row to row of columns and of a box */
  int32_t n_rows;                       /* that are looked at together */
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
/* jobs [n_jobs], device. begins: these are their first passes; a job that is done stays. */
cudaError_t prism_cuda_wave_search  (const PrismCudaWavePlan *plan,
                                     PrismCudaWaveJob        *jobs,
                                     int                      n_jobs,
                                     float                    relaxation,
                                     int                      n_passes,
                                     int                      begins,
                                     cudaStream_t             stream);
cudaError_t prism_cuda_wave_descend (const PrismCudaWavePlan *plan,
                                     PrismCudaWaveJob        *jobs,
                                     int                      n_jobs,
                                     int                      n_passes,
                                     int                      begins,
                                     cudaStream_t             stream);

PRISM_CUDA_END_DECLS
