/* prism-cuda-types: what host code in C and kernels in CUDA share. glib.h stays out of kernels. */
#pragma once

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define PRISM_CUDA_BEGIN_DECLS extern "C" {
#define PRISM_CUDA_END_DECLS }
#else
#define PRISM_CUDA_BEGIN_DECLS
#define PRISM_CUDA_END_DECLS
#endif

/* Returns from the function with what a call reports, unless that is cudaSuccess. */
#define PRISM_CUDA_TRY(call)                        \
  do                                                \
    {                                               \
      const cudaError_t prism_cuda_status = (call); \
                                                    \
      if (prism_cuda_status != cudaSuccess)         \
        return prism_cuda_status;                   \
    }                                               \
  while (0)

PRISM_CUDA_BEGIN_DECLS

typedef struct
{
  float x;
  float y;
} PrismCudaComplex;                     /* layout of float2 */

#define PRISM_CUDA_EXPECT_N_MEANS 258

/* H of a camera with read noise, as prism-expect has it. */
typedef struct
{
  float noise;                          /* v */
  float read;                           /* ρ */
  float offset;                         /* c */
  float pitch;                          /* of √I from one mean to the next */
  float means[PRISM_CUDA_EXPECT_N_MEANS];
} PrismCudaExpect;

/* A measurement bound to a slot; device array [n_slots], written by bind. n = image_size. */
typedef struct
{
  const float *target;                  /* [n][n] amplitude, origin at [0][0]; NULL: unbound */
  const uint8_t *bits;                  /* [height][width], 0 or 1 */
  int32_t y0, x0;                       /* first row and column of the box, centred: -n/2 … n/2-1 */
  int32_t height, width;
  double sum;                           /* Σ t, the normaliser of l1 in the amplitude domain */
  double sum_squares;                   /* Σ t² = Σ I: l2 in amplitude, l1 in intensity, energy */
  double sum_fourths;                   /* Σ t⁴ = Σ I²: l2 in intensity */
  const PrismCudaExpect *expect;        /* of a misfit with read noise; NULL until there was one */
} PrismCudaSlot;

PRISM_CUDA_END_DECLS
