/* prism-cuda-mixed: what the kernels in mixed precision share: kinds of factors, shapes, tiles with
 * the channel innermost, and matrices of one warp. Included by .cu files only.
 *
 * A tile is 16 px wide: the 16 rows of a matrix are the pixels of one row of it. With the channel
 * innermost, the columns of a matrix are channels of one pixel and, where these are fewer than 16,
 * of its neighbours: taps of one row of the kernel, which lie side by side in memory. So no matrix
 * is ever gathered: each is a window into the tile. */
#pragma once

#include "prism-cuda-launch.cuh"
#include "prism-cuda-map.cuh"
#include "prism-cuda-mixed.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#define PRISM_CUDA_MIXED_THREADS 256
#define PRISM_CUDA_MIXED_WARPS 8
#define PRISM_CUDA_MIXED_WIDTH 16 /* px of a tile, and side of a matrix */
#define PRISM_CUDA_MIXED_ROWS 2   /* of a tile, per warp */
/* Floats between rows of a matrix of sums in shared memory: not all in one bank. */
#define PRISM_CUDA_MIXED_STRIDE 20
#define PRISM_CUDA_MIXED_MATRIX (PRISM_CUDA_MIXED_WIDTH * PRISM_CUDA_MIXED_STRIDE)
#define PRISM_CUDA_TAPS 16

/* bf16 and tf32 factors need compute capability 8.0. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define PRISM_CUDA_HAS_BF16 false
#else
#define PRISM_CUDA_HAS_BF16 true
#endif

/* A kind of factor: what it is in shared memory, and the depth of a matrix. */
struct PrismCudaHalf
{
  typedef __half Memory;
  typedef __half Factor;
  static constexpr int depth = 16;
  static constexpr bool available = true;

  static __device__ __forceinline__ Memory
  convert (float value)
  {
    return __float2half_rn (value);
  }
};

struct PrismCudaBfloat
{
  typedef __nv_bfloat16 Memory;
  static constexpr int depth = 16;
  static constexpr bool available = PRISM_CUDA_HAS_BF16;
#if PRISM_CUDA_HAS_BF16
  typedef __nv_bfloat16 Factor;
#else
  typedef __half Factor;
#endif

  static __device__ __forceinline__ Memory
  convert (float value)
  {
    return __float2bfloat16_rn (value);
  }
};

struct PrismCudaTensorFloat
{
  typedef float Memory;
  static constexpr int depth = 8;
  static constexpr bool available = PRISM_CUDA_HAS_BF16;
#if PRISM_CUDA_HAS_BF16
  typedef nvcuda::wmma::precision::tf32 Factor;
#else
  typedef __half Factor;
#endif

  static __device__ __forceinline__ Memory
  convert (float value)
  {
#if PRISM_CUDA_HAS_BF16
    return nvcuda::wmma::__float_to_tf32 (value);
#else
    return value;
#endif
  }
};

/* Channels of a doubling. in_chunk, out_chunk: channels of the tiles of input and output;
 * n_parities: of the output's four, in one matrix of the forward product; n_groups: of 16 channels
 * of the input, per block of the data gradient. */
struct PrismCudaWideShape /* ≥ 32 → ≥ 16 channels */
{
  static constexpr int in_chunk = 16, out_chunk = 16, n_parities = 1, n_groups = 2;
};

struct PrismCudaMiddleShape /* 16 → 8 */
{
  static constexpr int in_chunk = 16, out_chunk = 8, n_parities = 2, n_groups = 1;
};

struct PrismCudaNarrowShape /* 8 → 4 */
{
  static constexpr int in_chunk = 8, out_chunk = 4, n_parities = 4, n_groups = 1;
};

template <typename Kind>
using PrismCudaMixedSums
    = nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, Kind::depth, float>;
template <typename Kind, typename Layout>
using PrismCudaMixedLeft = nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, 16, 16, Kind::depth,
                                                  typename Kind::Factor, Layout>;
template <typename Kind>
using PrismCudaMixedRight
    = nvcuda::wmma::fragment<nvcuda::wmma::matrix_b, 16, 16, Kind::depth, typename Kind::Factor,
                             nvcuda::wmma::row_major>;

/* Values between the rows of a tile: matrices begin at multiples of 32 bytes. */
static constexpr int
prism_cuda_mixed_pitch (int n_columns,
                        int n_channels)
{
  return (n_columns * n_channels + 15) / 16 * 16;
}

/* Where a tile stands in its map, border included. */
struct PrismCudaMixedBox
{
  int first_row;
  int first_column;
  int height;
  int width;
};

/* Where a warp works: which rows of the tile, which of n_columns matrices side by side, and which
 * part of the sum. */
struct PrismCudaMixedPlace
{
  int slice;
  int row; /* first of PRISM_CUDA_MIXED_ROWS */
  int column;

  __device__ __forceinline__
  PrismCudaMixedPlace (int n_columns, int n_slices)
  {
    const int warp = threadIdx.x / PRISM_CUDA_WARP;

    column = warp % n_columns;
    slice = warp / n_columns % n_slices;
    row = warp / (n_columns * n_slices) * PRISM_CUDA_MIXED_ROWS;
  }
};

/* count of CHUNK channels of the box into [row][column][CHUNK]; what is outside the map or beyond
 * count is 0. A thread takes up to 8 channels of a pixel: neighbours read neighbouring pixels and
 * write 8 bytes and more at a time. */
template <typename Kind, int CHUNK, typename Source>
static __device__ __forceinline__ void
prism_cuda_mixed_load (typename Kind::Memory *tile,
                       const Source &source,
                       int count,
                       int pitch,
                       const PrismCudaMixedBox &box)
{
  typedef typename Kind::Memory Memory;
  constexpr int n_packed = CHUNK < 8 ? CHUNK : 8;
  constexpr int n_pieces = n_packed * sizeof (Memory) / sizeof (uint2);
  const int plane = box.height * box.width;
  const PrismCudaDivisor by_plane = prism_cuda_divisor (plane);
  const PrismCudaDivisor by_width = prism_cuda_divisor (box.width);

  for (int i = threadIdx.x; i < plane * (CHUNK / n_packed); i += blockDim.x)
    {
      const int group = prism_cuda_divide (i, by_plane), pixel = i - group * plane;
      const int row = prism_cuda_divide (pixel, by_width), column = pixel - row * box.width;
      const int y = box.first_row + row, x = box.first_column + column;
      const bool inside = y >= 0 && y < source.map.size && x >= 0 && x < source.map.size;
      uint2 *to = reinterpret_cast<uint2 *> (tile + row * pitch + column * CHUNK
                                             + group * n_packed);
      __align__ (16) Memory packed[n_packed];

#pragma unroll
      for (int k = 0; k < n_packed; k++)
        {
          const int channel = group * n_packed + k;

          packed[k] = Kind::convert (inside && channel < count ? source.load (channel, y, x)
                                                               : 0.0f);
        }
#pragma unroll
      for (int piece = 0; piece < n_pieces; piece++)
        to[piece] = reinterpret_cast<const uint2 *> (packed)[piece];
    }
}

/* Sums of a warp into its matrix of the stage. */
template <typename Kind>
static __device__ __forceinline__ void
prism_cuda_mixed_store (float *stage,
                        const PrismCudaMixedSums<Kind> &sums)
{
  nvcuda::wmma::store_matrix_sync (stage, sums, PRISM_CUDA_MIXED_STRIDE,
                                   nvcuda::wmma::mem_row_major);
}

/* Calls the launcher for the precision; an unknown one is a programmer's error. */
#define PRISM_CUDA_MIXED_DISPATCH(precision, launch, Shape, ...) \
  ((precision) == PRISM_CUDA_PRECISION_BF16   ? launch<PrismCudaBfloat, Shape> (__VA_ARGS__) \
   : (precision) == PRISM_CUDA_PRECISION_FP16 ? launch<PrismCudaHalf, Shape> (__VA_ARGS__) \
   : (precision) == PRISM_CUDA_PRECISION_TF32 ? launch<PrismCudaTensorFloat, Shape> (__VA_ARGS__) \
                                              : cudaErrorInvalidValue)

/* The shape of the product picks the kernel, the precision its kind. */
#define PRISM_CUDA_MIXED_LAUNCH(product, precision, launch, stream) \
  ((product)->out.channels == 4 \
       ? PRISM_CUDA_MIXED_DISPATCH (precision, launch, PrismCudaNarrowShape, product, stream) \
   : (product)->out.channels == 8 \
       ? PRISM_CUDA_MIXED_DISPATCH (precision, launch, PrismCudaMiddleShape, product, stream) \
       : PRISM_CUDA_MIXED_DISPATCH (precision, launch, PrismCudaWideShape, product, stream))
