/* prism-cuda-ptychography: kernels that take one recorded frame through the pupil to the camera and
 * back. Dimensions as in prism-recorded.h. */
#pragma once

#include "prism-cuda-types.h"

PRISM_CUDA_BEGIN_DECLS

/* Lines of the grid in a block's shared memory, thrice each: two of a transform, one of roots. */
#define PRISM_CUDA_PTYCHOGRAPHY_MOST_GRID 2560
#define PRISM_CUDA_PTYCHOGRAPHY_LINES 4
#define PRISM_CUDA_PTYCHOGRAPHY_N_FORCES 5
#define PRISM_CUDA_PTYCHOGRAPHY_N_SUMS 5

/* As PrismRecordedPlace. */
typedef struct
{
  int32_t whole[2];
  int32_t base[2];
  float weights[2][4];
  double back[2];
} PrismCudaPlace;

/* What is visited, as PrismRecordedVisit has it but for the frame. */
typedef struct
{
  int32_t frame;                        /* number of its slot */
  PrismCudaPlace place;
  double gain;
  double energy;
  double floor;
  double object_step;
  double pupil_step;
} PrismCudaVisit;

/* What comes of it. */
typedef struct
{
  double sums[PRISM_CUDA_PTYCHOGRAPHY_N_SUMS]; /* as of PrismRecordedLesson */
  float largest[2];                     /* |P|², |O|² */
} PrismCudaVisited;

/* Device arrays. */
typedef struct
{
  int side;
  int border;
  int grid;
  int object_side;
  int first;
  int length;
  int factors[2];                       /* their product is n */
  int n_lines;                          /* of a block: PRISM_CUDA_PTYCHOGRAPHY_LINES, or 1 */
  float radius;
  float rim;
  double farthest;
  double floor;
  const float *amplitudes;              /* [slots][q][q] */
  float2 *object;                       /* [M][M] */
  float2 *pupil;                        /* [n][n] */
  float2 *shifted;                      /* [n][n], 0 outside the window */
  float2 *wave;                         /* [n][n] */
  float2 *step;                         /* [n][n], 0 outside the window */
  int together;                         /* sums are taught, object and pupil stay */
  float2 *object_sums;                  /* [M][M]: Σ conj(P)·D */
  float *object_weights;                /* [M][M]: Σ|P|² */
  float2 *pupil_sums;                   /* [n][n]: Σ conj(O)·D */
  float *pupil_weights;                 /* [n][n]: Σ|O|² */
  float *squares;                       /* [n][n]: |O|² of the visit */
  const float2 *roots;                  /* [n]: e^(2πik/n) */
  double (*row_sums)[PRISM_CUDA_PTYCHOGRAPHY_N_SUMS]; /* [q] */
  const PrismCudaVisit *visits;
  PrismCudaVisited *visited;            /* by visit; all 0 before */
  double (*forces)[PRISM_CUDA_PTYCHOGRAPHY_N_FORCES]; /* [visits][blocks] */
} PrismCudaPtychography;

/* Blocks of the window's columns. */
int         prism_cuda_ptychography_count_blocks (const PrismCudaPtychography *self);
/* Visits frame number visit of visits, which is what. */
cudaError_t prism_cuda_ptychography_visit        (const PrismCudaPtychography *self,
                                                  int                          visit,
                                                  const PrismCudaVisit        *what,
                                                  cudaStream_t                 stream);

PRISM_CUDA_END_DECLS
