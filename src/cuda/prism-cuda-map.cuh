/* prism-cuda-map: norms in the prologue of what reads a map, tiles of maps in shared memory, and
 * sums of the threads of one channel. Included by .cu files only. */
#pragma once

#include "prism-cuda-kernel.cuh"
#include "prism-cuda-map.h"

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

static __device__ __forceinline__ float
prism_cuda_sum_lanes (float value,
                      int n_lanes)
{
  for (int offset = n_lanes / 2; offset > 0; offset /= 2)
    value += __shfl_xor_sync (0xffffffffu, value, offset);
  return value;
}

/* Mean and variance of a channel from those of its tiles (Chan), by n_lanes neighbours. */
static __device__ __forceinline__ PrismCudaNorm
prism_cuda_merge_moments (const PrismCudaMap &map,
                          int channel,
                          int n_lanes)
{
  const PrismCudaMoments *moments = map.moments + (size_t) channel * map.n_moments;
  const int lane = threadIdx.x % n_lanes;
  const float n_pixels = (float) map.size * map.size;
  float mean = 0.0f, squares = 0.0f, deviation, gain;

  for (int i = lane; i < map.n_moments; i += n_lanes)
    mean += moments[i].mean;
  mean = prism_cuda_sum_lanes (mean, n_lanes) / map.n_moments;
  for (int i = lane; i < map.n_moments; i += n_lanes)
    {
      const float difference = moments[i].mean - mean;

      squares += fmaf (difference * difference, n_pixels / map.n_moments, moments[i].squares);
    }
  squares = prism_cuda_sum_lanes (squares, n_lanes);
  deviation = 1.0f / sqrtf (squares / n_pixels + PRISM_CUDA_NORM_EPSILON);
  gain = map.scale[channel] * deviation;
  return { mean, gain, map.shift[channel], deviation };
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
          = prism_cuda_merge_moments (map, first + (i < count ? i : count - 1), n_lanes);

      if (i >= count || threadIdx.x % n_lanes != 0)
        continue;
      norms[i] = norm;
      if (publish)
        map.norm[first + i] = norm;
    }
}

static __device__ __forceinline__ PrismCudaSums
prism_cuda_merge_sums (const PrismCudaMap &map,
                       int channel,
                       int n_lanes)
{
  const PrismCudaSums *sums = map.sums + (size_t) channel * map.n_sums;
  float gradient = 0.0f, product = 0.0f;

  for (int i = threadIdx.x % n_lanes; i < map.n_sums; i += n_lanes)
    {
      gradient += sums[i].gradient;
      product += sums[i].product;
    }
  return { prism_cuda_sum_lanes (gradient, n_lanes), prism_cuda_sum_lanes (product, n_lanes) };
}

static __device__ __forceinline__ PrismCudaNormGradient
prism_cuda_differentiate_norm (const PrismCudaMap &map,
                               int channel,
                               const PrismCudaSums &sums)
{
  const PrismCudaNorm norm = map.norm[channel];
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
      const int channel = first + (i < count ? i : count - 1);
      const PrismCudaSums sums = prism_cuda_merge_sums (map, channel, n_lanes);

      if (i < count && threadIdx.x % n_lanes == 0)
        norms[i] = prism_cuda_differentiate_norm (map, channel, sums);
    }
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

/* Sum over the threads of one channel where the block's threads are shared out to n_channels of
 * them in turn, a whole number of warps each. scratch: [32] in shared memory. */
static __device__ __forceinline__ float
prism_cuda_sum_part (float value,
                     float *scratch,
                     int n_channels)
{
  const int n_warps = blockDim.x / PRISM_CUDA_WARP / n_channels;
  const int warp = threadIdx.x / PRISM_CUDA_WARP;
  float sum = 0.0f;

  value = prism_cuda_sum_warp (value);
  if (threadIdx.x % PRISM_CUDA_WARP == 0)
    scratch[warp] = value;
  __syncthreads ();
  for (int i = 0; i < n_warps; i++)
    sum += scratch[warp / n_warps * n_warps + i];
  __syncthreads ();
  return sum;
}

/* The end of a data gradient: adds the slices [slice][channel][tile], masks with the ReLU of the
 * input's norm, writes dZ and its sums for the tile. The map's size is a multiple of the tile's. */
template <int CHANNELS>
static __device__ __forceinline__ void
prism_cuda_finish_gradient (const float *slices,
                            float *scratch,
                            const PrismCudaProduct &product,
                            int first_row,
                            int first_column,
                            int first_channel)
{
  const PrismCudaTiling &tiling = product.backward;
  const PrismCudaMap &map = product.in;
  const int width = tiling.tile_width, plane = tiling.tile_height * width;
  const int n_threads = blockDim.x / CHANNELS, part = threadIdx.x / n_threads;
  const int channel = first_channel + part;
  const bool valid = channel < map.channels;
  const PrismCudaDivisor by_width = prism_cuda_divisor (width);
  const PrismCudaNorm norm = map.norm[valid ? channel : first_channel];
  float sum = 0.0f, inner = 0.0f;

  for (int i = threadIdx.x % n_threads; i < plane && valid; i += n_threads)
    {
      const int row = prism_cuda_divide (i, by_width);
      const size_t pixel = ((size_t) channel * map.size + first_row + row) * map.size
                           + first_column + i - row * width;
      const float y = map.y[pixel];
      float value = 0.0f;

      for (int slice = 0; slice < tiling.n_slices; slice++)
        value += slices[(slice * CHANNELS + part) * plane + i];
      if (prism_cuda_normalise (y, norm) <= 0.0f)
        value = 0.0f;
      map.gradient[pixel] = value;
      sum += value;
      inner = fmaf (value, (y - norm.mean) * norm.deviation, inner);
    }
  sum = prism_cuda_sum_part (sum, scratch, CHANNELS);
  inner = prism_cuda_sum_part (inner, scratch, CHANNELS);
  if (threadIdx.x % n_threads != 0 || !valid)
    return;
  map.sums[(size_t) channel * gridDim.x + blockIdx.x] = { sum, inner };
  if (!isfinite (sum) || !isfinite (inner))
    product.control->not_finite = 1;
}
