/* prism-cuda-product: what the kernels of the decoder's layers share: norms in the prologue of what
 * reads a map, boxes of a map on their way to shared memory, the output's activation, and launches.
 * Included by .cu files only. */
#pragma once

#include "prism-cuda-decoder-kernels.h"
#include "prism-cuda-kernel.cuh"

#define PRISM_CUDA_NORM_EPSILON 1e-5f

/* dY = gain·dZ + slope·(y - mean) + offset: the gradient of a norm's input. */
struct PrismCudaNormGradient
{
  float mean;
  float gain;
  float slope;
  float offset;
};

/* Division of small numbers by one that is the same for all: exact while the product of both is
 * below 2³². */
struct PrismCudaDivisor
{
  uint32_t reciprocal;
  int divisor;
};

/* divisor ≥ 2 */
static __device__ __forceinline__ PrismCudaDivisor
prism_cuda_divisor (int divisor)
{
  return { 0xffffffffu / (uint32_t) divisor + 1u, divisor };
}

static __device__ __forceinline__ int
prism_cuda_divide (int value,
                   PrismCudaDivisor by)
{
  return (int) (((uint64_t) (uint32_t) value * by.reciprocal) >> 32);
}

/* NaN passes. */
static __device__ __forceinline__ float
prism_cuda_rectify (float z)
{
  return z <= 0.0f ? 0.0f : z;
}

static __device__ __forceinline__ float
prism_cuda_normalise (float y,
                      const PrismCudaNorm &norm)
{
  return fmaf (y - norm.mean, norm.gain, norm.shift);
}

/* Lanes that share the partial results of one channel: a power of two. */
static __device__ __forceinline__ int
prism_cuda_count_lanes (int n_parts)
{
  int n_lanes = 1;

  while (n_lanes < PRISM_CUDA_WARP && 2 * n_lanes <= n_parts)
    n_lanes *= 2;
  return n_lanes;
}

/* Mean and squares of n tiles of n_pixels each from theirs (Chan). Threads have every step-th of
 * them, and sum () adds a value of theirs up. */
template <typename Sum>
static __device__ __forceinline__ PrismCudaMoments
prism_cuda_merge_moments (const PrismCudaMoments *tiles,
                          int n,
                          float n_pixels,
                          int first,
                          int step,
                          Sum sum)
{
  float mean = 0.0f, squares = 0.0f;

  for (int i = first; i < n; i += step)
    mean += tiles[i].mean;
  mean = sum (mean) / n;
  for (int i = first; i < n; i += step)
    {
      const float difference = tiles[i].mean - mean;

      squares += fmaf (difference * difference, n_pixels, tiles[i].squares);
    }
  return { mean, sum (squares) };
}

/* The norm of a channel, by n_lanes neighbours. */
static __device__ __forceinline__ PrismCudaNorm
prism_cuda_find_norm (const PrismCudaMap &map,
                      int channel,
                      int n_lanes)
{
  const float n_pixels = (float) map.size * map.size;
  const PrismCudaMoments all = prism_cuda_merge_moments (
      map.moments + (size_t) channel * map.n_moments, map.n_moments, n_pixels / map.n_moments,
      threadIdx.x % n_lanes, n_lanes,
      [=] (float value) { return prism_cuda_sum_warp (value, n_lanes); });
  const float deviation = 1.0f / sqrtf (all.squares / n_pixels + PRISM_CUDA_NORM_EPSILON);

  return { all.mean, map.scale[channel] * deviation, map.shift[channel], deviation };
}

/* Norms of channels first … first + count of map into shared memory. One block of the grid
 * publishes them for the backward pass. All threads of the block call this. */
static __device__ __forceinline__ void
prism_cuda_load_norms (PrismCudaNorm *norms,
                       const PrismCudaMap &map,
                       int first,
                       int count,
                       bool publish)
{
  const int n_lanes = prism_cuda_count_lanes (map.n_moments);
  const int step = blockDim.x / n_lanes;

  for (int base = 0; base < count; base += step)
    {
      const int i = base + threadIdx.x / n_lanes;
      const PrismCudaNorm norm
          = prism_cuda_find_norm (map, first + (i < count ? i : count - 1), n_lanes);

      if (i >= count || threadIdx.x % n_lanes != 0)
        continue;
      norms[i] = norm;
      if (publish)
        map.norm[first + i] = norm;
    }
}

/* Of n tiles, as prism_cuda_merge_moments(). */
template <typename Sum>
static __device__ __forceinline__ PrismCudaSums
prism_cuda_merge_sums (const PrismCudaSums *tiles,
                       int n,
                       int first,
                       int step,
                       Sum sum)
{
  float gradient = 0.0f, product = 0.0f;

  for (int i = first; i < n; i += step)
    {
      gradient += tiles[i].gradient;
      product += tiles[i].product;
    }
  return { sum (gradient), sum (product) };
}

/* The gradient of a norm, by n_lanes neighbours. */
static __device__ __forceinline__ PrismCudaNormGradient
prism_cuda_differentiate_norm (const PrismCudaMap &map,
                               int channel,
                               int n_lanes)
{
  const PrismCudaNorm norm = map.norm[channel];
  const PrismCudaSums sums = prism_cuda_merge_sums (
      map.sums + (size_t) channel * map.n_sums, map.n_sums, threadIdx.x % n_lanes, n_lanes,
      [=] (float value) { return prism_cuda_sum_warp (value, n_lanes); });
  const float share = norm.gain / ((float) map.size * map.size);

  return { norm.mean, norm.gain, -share * norm.deviation * sums.product, -share * sums.gradient };
}

/* As prism_cuda_load_norms(), for the gradient of map. */
static __device__ __forceinline__ void
prism_cuda_load_norm_gradients (PrismCudaNormGradient *norms,
                                const PrismCudaMap &map,
                                int first,
                                int count)
{
  const int n_lanes = prism_cuda_count_lanes (map.n_sums);
  const int step = blockDim.x / n_lanes;

  for (int base = 0; base < count; base += step)
    {
      const int i = base + threadIdx.x / n_lanes;
      const PrismCudaNormGradient norm
          = prism_cuda_differentiate_norm (map, first + (i < count ? i : count - 1), n_lanes);

      if (i < count && threadIdx.x % n_lanes == 0)
        norms[i] = norm;
    }
}

/* Of a doubling: shift of the input that tap 0 … 3 of a row or column multiplies. */
static __device__ __forceinline__ constexpr int
prism_cuda_get_shift (int tap)
{
  return tap == 0 ? 1 : tap == 3 ? -1
                                 : 0;
}

/* What comes back to a pixel of a map, masked with the ReLU of its norm, and added to the sums. */
static __device__ __forceinline__ void
prism_cuda_take_gradient (const PrismCudaMap &map,
                          const PrismCudaNorm &norm,
                          size_t pixel,
                          float value,
                          float &sum,
                          float &inner)
{
  const float y = map.y[pixel];

  if (prism_cuda_normalise (y, norm) <= 0.0f)
    value = 0.0f;
  map.gradient[pixel] = value;
  sum += value;
  inner = fmaf (value, (y - norm.mean) * norm.deviation, inner);
}

/* Of a tile, by one thread. */
static __device__ __forceinline__ void
prism_cuda_publish_sums (const PrismCudaProduct &product,
                         int channel,
                         float sum,
                         float inner)
{
  product.in.sums[(size_t) channel * gridDim.x + blockIdx.x] = { sum, inner };
  if (!isfinite (sum) || !isfinite (inner))
    product.control->not_finite = 1;
}

/* What the next layer sees of a map: after norm and ReLU. */
struct PrismCudaActivationSource
{
  const PrismCudaMap &map;
  const PrismCudaNorm *norms; /* shared, of the chunk */
  int first;

  __device__ __forceinline__ float
  load (int channel, int row, int column) const
  {
    const float *y = map.y + ((size_t) (first + channel) * map.size + row) * map.size + column;

    return prism_cuda_rectify (prism_cuda_normalise (*y, norms[channel]));
  }
};

/* Gradient of a map before its norm. */
struct PrismCudaGradientSource
{
  const PrismCudaMap &map;
  const PrismCudaNormGradient *norms; /* shared, of the chunk */
  int first;

  __device__ __forceinline__ float
  load (int channel, int row, int column) const
  {
    const size_t i = ((size_t) (first + channel) * map.size + row) * map.size + column;
    const PrismCudaNormGradient norm = norms[channel];

    return fmaf (norm.gain, map.gradient[i],
                 fmaf (norm.slope, map.y[i] - norm.mean, norm.offset));
  }
};

/* The values of PrismActivation, whose header needs GLib. */
enum PrismCudaActivation
{
  PRISM_CUDA_ACTIVATION_RELU,
  PRISM_CUDA_ACTIVATION_SIGMOID,
  PRISM_CUDA_ACTIVATION_HARDSIGMOID,
  PRISM_CUDA_ACTIVATION_TANH,
  PRISM_CUDA_ACTIVATION_NONE
};

/* g times the derivative, from the activation's value. */
static __device__ __forceinline__ float
prism_cuda_deactivate (int activation,
                       float g,
                       float value)
{
  switch (activation)
    {
    case PRISM_CUDA_ACTIVATION_RELU:
      return value <= 0.0f ? 0.0f : g;
    case PRISM_CUDA_ACTIVATION_SIGMOID:
      return g * (value * (1.0f - value));
    case PRISM_CUDA_ACTIVATION_HARDSIGMOID:
      return value <= 0.0f || value >= 1.0f ? 0.0f : g * (1.0f / 6.0f);
    case PRISM_CUDA_ACTIVATION_TANH:
      return g * (1.0f - value * value);
    default:
      return g;
    }
}

/* Row (or column) of the image for one of the last map: a larger map is cropped, a smaller one has
 * a frame. */
static __device__ __forceinline__ int
prism_cuda_get_cut (const PrismCudaMap &map,
                    const PrismCudaImage &image)
{
  return (map.size - image.size) / 2;
}

/* Gradient of the last map, times scale: zero where it does not reach the image. */
struct PrismCudaImageSource
{
  const PrismCudaMap &map;
  const PrismCudaImage &image;
  float scale;

  __device__ __forceinline__ float
  load (int channel, int row, int column) const
  {
    const int cut = prism_cuda_get_cut (map, image);
    const int y = row - cut, x = column - cut;
    const size_t i = (size_t) y * image.size + x;

    if (y < 0 || y >= image.size || x < 0 || x >= image.size)
      return 0.0f;
    return prism_cuda_deactivate (image.activation, image.output_gradient[i] * scale,
                                  image.output[i]);
  }
};

/* Part of a map, which may reach beyond it. */
struct PrismCudaBox
{
  int first_row;
  int first_column;
  int height;
  int width;
};

/* Calls store (i, channel, row, column, value) for each value of a box of some channels, number
 * i of [channel][row][column]. What lies outside of the map, and channels from n_valid on, are
 * 0. */
template <typename Source, typename Store>
static __device__ __forceinline__ void
prism_cuda_load_box (const Source &source,
                     int n_channels,
                     int n_valid,
                     const PrismCudaBox &box,
                     Store store)
{
  const int plane = box.height * box.width;
  const PrismCudaDivisor by_plane = prism_cuda_divisor (plane);
  const PrismCudaDivisor by_width = prism_cuda_divisor (box.width);

#pragma unroll 4
  for (int i = threadIdx.x; i < n_channels * plane; i += blockDim.x)
    {
      const int channel = prism_cuda_divide (i, by_plane), pixel = i - channel * plane;
      const int row = prism_cuda_divide (pixel, by_width), column = pixel - row * box.width;
      const int y = box.first_row + row, x = box.first_column + column;
      const bool inside = channel < n_valid && y >= 0 && y < source.map.size && x >= 0
                          && x < source.map.size;

      store (i, channel, row, column, inside ? source.load (channel, y, x) : 0.0f);
    }
}

/* One block per tile of the map and group of n_channels, which count to n_all. */
static inline cudaError_t
prism_cuda_launch_tiles (void (*kernel) (PrismCudaProduct),
                         const PrismCudaProduct *product,
                         const PrismCudaTiling *tiling,
                         const PrismCudaMap *map,
                         int n_all,
                         cudaStream_t stream)
{
  const int rows = prism_cuda_count_blocks (map->size, tiling->tile_height);
  const int columns = prism_cuda_count_blocks (map->size, tiling->tile_width);
  const dim3 grid (rows * columns, prism_cuda_count_blocks (n_all, tiling->n_channels));

  return prism_cuda_launch (kernel, grid, dim3 (tiling->n_threads), tiling->shared_bytes, stream,
                            *product);
}
