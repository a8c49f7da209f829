/* Doublings in fp32. h = in.size, I = in.channels, O = out.channels.
 *
 * Each product: 32·I·O·h² flop; bytes as they leave the caches: forward 4·(I·h² + 4·O·h² +
 * 16·I·O), data gradient 4·(2·I·h² + 8·O·h² + 16·I·O).
 *
 * A block computes a tile of pixels for a few channels. Its threads share out the pixels and, in
 * slices, the channels that are summed over; slices are added in order at the end. */
#include "prism-cuda-decoder-kernels.h"

#include "prism-cuda-launch.cuh"
#include "prism-cuda-map.cuh"

#define TAPS 16

/* Weights [count][n_channels][16] of one chunk; rows beyond n_all are zero. The chunk's channel
 * has the stride chunk_stride, the block's channel block_stride, both in pairs of channels. */
template <int CHANNELS>
static __device__ __forceinline__ void
load_weights (float4 *shared,
              const float *weight,
              int count,
              int n_valid,
              size_t chunk_stride,
              size_t block_stride)
{
  const float4 *values = reinterpret_cast<const float4 *> (weight);

#pragma unroll 4
  for (int i = threadIdx.x; i < count * CHANNELS * (TAPS / 4); i += blockDim.x)
    {
      const int quarter = i % (TAPS / 4), pair = i / (TAPS / 4);
      const int channel = pair % CHANNELS, slice = pair / CHANNELS;
      const size_t source = (slice * chunk_stride + channel * block_stride) * (TAPS / 4) + quarter;

      shared[i] = channel < n_valid ? values[source] : make_float4 (0.0f, 0.0f, 0.0f, 0.0f);
    }
}

static __device__ __forceinline__ void
take_weights (float w[TAPS],
              const float4 *shared)
{
#pragma unroll
  for (int i = 0; i < TAPS / 4; i++)
    {
      const float4 value = shared[i];

      w[4 * i] = value.x;
      w[4 * i + 1] = value.y;
      w[4 * i + 2] = value.z;
      w[4 * i + 3] = value.w;
    }
}

/* Where a thread works: its slice, and the first pixel of its square in the tile. */
struct Place
{
  int slice;
  int row;
  int column;

  __device__ __forceinline__
  Place (const PrismCudaTiling &tiling, int pixels)
  {
    const int n_columns = tiling.tile_width / pixels;
    const int n_pixels = tiling.tile_height / pixels * n_columns;
    const int pixel = threadIdx.x % n_pixels;

    slice = threadIdx.x / n_pixels;
    row = pixel / n_columns * pixels;
    column = pixel % n_columns * pixels;
  }
};

/* Input x with a border of one pixel: [count][tile_height + 2][tile_width + 2]. */
static __device__ __forceinline__ void
load_activation (float *tile,
                 const PrismCudaActivationSource &source,
                 int count,
                 int first_row,
                 int first_column,
                 const PrismCudaTiling &tiling)
{
  const int width = tiling.tile_width + 2, plane = (tiling.tile_height + 2) * width;
  const PrismCudaDivisor by_plane = prism_cuda_divisor (plane);
  const PrismCudaDivisor by_width = prism_cuda_divisor (width);

#pragma unroll 4
  for (int i = threadIdx.x; i < count * plane; i += blockDim.x)
    {
      const int channel = prism_cuda_divide (i, by_plane), pixel = i - channel * plane;
      const int row = prism_cuda_divide (pixel, by_width);
      const int y = first_row - 1 + row, x = first_column - 1 + pixel - row * width;
      const bool inside = y >= 0 && y < source.map.size && x >= 0 && x < source.map.size;

      tile[i] = inside ? source.load (channel, y, x) : 0.0f;
    }
}

/* Adds the 16 taps of one pair of channels to a square of output pixels. x: square of input with
 * its border. */
template <int PIXELS>
static __device__ __forceinline__ void
multiply_forward (float sum[4 * PIXELS * PIXELS],
                  const float x[(PIXELS + 2) * (PIXELS + 2)],
                  const float w[TAPS])
{
#pragma unroll
  for (int pixel = 0; pixel < PIXELS * PIXELS; pixel++)
#pragma unroll
    for (int tap = 0; tap < TAPS; tap++)
      {
        const int ky = tap / 4, kx = tap % 4;
        const int parity_y = (ky + 1) % 2, parity_x = (kx + 1) % 2;
        const int dy = ky == 0 ? 1 : ky == 3 ? -1
                                             : 0,
                  dx = kx == 0 ? 1 : kx == 3 ? -1
                                             : 0;
        const int row = pixel / PIXELS, column = pixel % PIXELS;
        const int out = (2 * row + parity_y) * 2 * PIXELS + 2 * column + parity_x;

        sum[out] = fmaf (w[tap], x[(row + 1 + dy) * (PIXELS + 2) + column + 1 + dx], sum[out]);
      }
}

template <int PIXELS, int CHANNELS>
static __device__ __forceinline__ void
accumulate_forward (float sums[CHANNELS][4 * PIXELS * PIXELS],
                    const float *tile,
                    const float4 *weights,
                    int count,
                    const Place &place,
                    const PrismCudaTiling &tiling)
{
  const int width = tiling.tile_width + 2, plane = (tiling.tile_height + 2) * width;

  for (int channel = place.slice; channel < count; channel += tiling.n_slices)
    {
      const float *from = tile + channel * plane + place.row * width + place.column;
      float x[(PIXELS + 2) * (PIXELS + 2)], w[TAPS];

#pragma unroll
      for (int i = 0; i < (PIXELS + 2) * (PIXELS + 2); i++)
        x[i] = from[i / (PIXELS + 2) * width + i % (PIXELS + 2)];
#pragma unroll
      for (int out = 0; out < CHANNELS; out++)
        {
          take_weights (w, weights + (channel * CHANNELS + out) * (TAPS / 4));
          multiply_forward<PIXELS> (sums[out], x, w);
        }
    }
}

/* Sums of a thread into [slice][channel][row][column] of the tile of output pixels. */
template <int PIXELS, int CHANNELS>
static __device__ __forceinline__ void
store_forward (float *slices,
               const float sums[CHANNELS][4 * PIXELS * PIXELS],
               const Place &place,
               const PrismCudaTiling &tiling)
{
  const int width = 2 * tiling.tile_width, plane = 2 * tiling.tile_height * width;

  if (place.slice >= tiling.n_slices)
    return;
#pragma unroll
  for (int channel = 0; channel < CHANNELS; channel++)
#pragma unroll
    for (int i = 0; i < 4 * PIXELS * PIXELS; i++)
      slices[(place.slice * CHANNELS + channel) * plane
             + (2 * place.row + i / (2 * PIXELS)) * width + 2 * place.column + i % (2 * PIXELS)]
          = sums[channel][i];
}

/* Adds the slices, measures the tile in two passes and writes it. */
template <int CHANNELS>
static __device__ __forceinline__ void
finish_forward (float *slices,
                float *scratch,
                const PrismCudaProduct &product,
                int first_row,
                int first_column,
                int first_channel)
{
  const PrismCudaTiling &tiling = product.forward;
  const int width = 2 * tiling.tile_width, plane = 2 * tiling.tile_height * width;
  const int n_threads = blockDim.x / CHANNELS, part = threadIdx.x / n_threads;
  const int channel = first_channel + part, size = product.out.size;
  const PrismCudaDivisor by_width = prism_cuda_divisor (width);
  float *values = slices + part * plane;
  float sum = 0.0f, squares = 0.0f, mean;

  for (int i = threadIdx.x % n_threads; i < plane; i += n_threads)
    {
      float value = values[i];

      for (int slice = 1; slice < tiling.n_slices; slice++)
        value += values[slice * CHANNELS * plane + i];
      values[i] = value;
      sum += value;
    }
  mean = prism_cuda_sum_part (sum, scratch, CHANNELS) / plane;
  for (int i = threadIdx.x % n_threads; i < plane; i += n_threads)
    {
      const float difference = values[i] - mean;
      const int row = prism_cuda_divide (i, by_width);

      squares = fmaf (difference, difference, squares);
      if (channel < product.out.channels)
        product.out.y[((size_t) channel * size + 2 * first_row + row) * size + 2 * first_column
                      + i - row * width]
            = values[i];
    }
  squares = prism_cuda_sum_part (squares, scratch, CHANNELS);
  if (threadIdx.x % n_threads == 0 && channel < product.out.channels)
    product.out.moments[(size_t) channel * gridDim.x + blockIdx.x] = { mean, squares };
}

template <int PIXELS, int CHANNELS, int THREADS>
static __global__ void
__launch_bounds__ (THREADS, 1)
    double_forward_kernel (PrismCudaProduct product)
{
  PRISM_CUDA_DYNAMIC_SHARED (float4, weights);
  __shared__ float scratch[PRISM_CUDA_WARP];
  const PrismCudaTiling &tiling = product.forward;
  const int n_tiles_across = product.in.size / tiling.tile_width;
  const int first_row = blockIdx.x / n_tiles_across * tiling.tile_height;
  const int first_column = blockIdx.x % n_tiles_across * tiling.tile_width;
  const int first_channel = blockIdx.y * CHANNELS;
  const Place place (tiling, PIXELS);
  PrismCudaNorm *norms
      = reinterpret_cast<PrismCudaNorm *> (weights + tiling.chunk * CHANNELS * (TAPS / 4));
  float *tile = reinterpret_cast<float *> (norms + tiling.chunk);
  float sums[CHANNELS][4 * PIXELS * PIXELS] = {};

  if (product.stop != nullptr && *product.stop != 0)
    return;
  for (int first = 0; first < product.in.channels; first += tiling.chunk)
    {
      const int count = min (tiling.chunk, product.in.channels - first);

      prism_cuda_load_norms (norms, product.in, first, count, blockIdx.x + blockIdx.y == 0);
      load_weights<CHANNELS> (
          weights,
          product.weight + ((size_t) first * product.out.channels + first_channel) * TAPS, count,
          product.out.channels - first_channel, product.out.channels, 1);
      __syncthreads ();
      load_activation (tile, { product.in, norms, first }, count, first_row, first_column, tiling);
      __syncthreads ();
      if (place.slice < tiling.n_slices)
        accumulate_forward<PIXELS, CHANNELS> (sums, tile, weights, count, place, tiling);
      __syncthreads ();
    }
  store_forward<PIXELS, CHANNELS> (reinterpret_cast<float *> (weights), sums, place, tiling);
  __syncthreads ();
  finish_forward<CHANNELS> (reinterpret_cast<float *> (weights), scratch, product, first_row,
                            first_column, first_channel);
}

/* Gradient dY with the border that the window needs, columns of odd and even number apart, so that
 * neighbouring threads read neighbouring words: [count][2·tile_height + 2][2][tile_width + 1]. */
static __device__ __forceinline__ void
load_gradient (float *tile,
               const PrismCudaGradientSource &source,
               int count,
               int first_row,
               int first_column,
               const PrismCudaTiling &tiling)
{
  const int width = 2 * tiling.tile_width + 2, plane = (2 * tiling.tile_height + 2) * width;
  const PrismCudaDivisor by_plane = prism_cuda_divisor (plane);
  const PrismCudaDivisor by_width = prism_cuda_divisor (width);

#pragma unroll 4
  for (int i = threadIdx.x; i < count * plane; i += blockDim.x)
    {
      const int channel = prism_cuda_divide (i, by_plane), pixel = i - channel * plane;
      const int row = prism_cuda_divide (pixel, by_width), column = pixel - row * width;
      const int y = 2 * first_row - 1 + row, x = 2 * first_column - 1 + column;
      const bool inside = y >= 0 && y < source.map.size && x >= 0 && x < source.map.size;

      tile[channel * plane + row * width + column % 2 * (width / 2) + column / 2]
          = inside ? source.load (channel, y, x) : 0.0f;
    }
}

/* Adds a window of dY to each pixel of a square, for one pair of channels. */
template <int PIXELS>
static __device__ __forceinline__ void
multiply_gradient (float sum[PIXELS * PIXELS],
                   const float g[(2 * PIXELS + 2) * (2 * PIXELS + 2)],
                   const float w[TAPS])
{
#pragma unroll
  for (int pixel = 0; pixel < PIXELS * PIXELS; pixel++)
#pragma unroll
    for (int tap = 0; tap < TAPS; tap++)
      {
        const int row = 2 * (pixel / PIXELS) + tap / 4, column = 2 * (pixel % PIXELS) + tap % 4;

        sum[pixel] = fmaf (w[tap], g[row * (2 * PIXELS + 2) + column], sum[pixel]);
      }
}

template <int PIXELS, int CHANNELS>
static __device__ __forceinline__ void
accumulate_gradient (float sums[CHANNELS][PIXELS * PIXELS],
                     const float *tile,
                     const float4 *weights,
                     int count,
                     const Place &place,
                     const PrismCudaTiling &tiling)
{
  const int side = 2 * PIXELS + 2;
  const int width = 2 * tiling.tile_width + 2, plane = (2 * tiling.tile_height + 2) * width;

  for (int channel = place.slice; channel < count; channel += tiling.n_slices)
    {
      const float *from = tile + channel * plane + 2 * place.row * width + place.column;
      float g[side * side], w[TAPS];

#pragma unroll
      for (int i = 0; i < side * side; i++)
        g[i] = from[i / side * width + i % side % 2 * (width / 2) + i % side / 2];
#pragma unroll
      for (int in = 0; in < CHANNELS; in++)
        {
          take_weights (w, weights + (channel * CHANNELS + in) * (TAPS / 4));
          multiply_gradient<PIXELS> (sums[in], g, w);
        }
    }
}

template <int PIXELS, int CHANNELS>
static __device__ __forceinline__ void
store_gradient (float *slices,
                const float sums[CHANNELS][PIXELS * PIXELS],
                const Place &place,
                const PrismCudaTiling &tiling)
{
  const int plane = tiling.tile_height * tiling.tile_width;

  if (place.slice >= tiling.n_slices)
    return;
#pragma unroll
  for (int channel = 0; channel < CHANNELS; channel++)
#pragma unroll
    for (int i = 0; i < PIXELS * PIXELS; i++)
      slices[(place.slice * CHANNELS + channel) * plane
             + (place.row + i / PIXELS) * tiling.tile_width + place.column + i % PIXELS]
          = sums[channel][i];
}

template <int PIXELS, int CHANNELS, int THREADS>
static __global__ void
__launch_bounds__ (THREADS, 1)
    double_data_gradient_kernel (PrismCudaProduct product)
{
  PRISM_CUDA_DYNAMIC_SHARED (float4, weights);
  __shared__ float scratch[PRISM_CUDA_WARP];
  const PrismCudaTiling &tiling = product.backward;
  const int n_tiles_across = product.in.size / tiling.tile_width;
  const int first_row = blockIdx.x / n_tiles_across * tiling.tile_height;
  const int first_column = blockIdx.x % n_tiles_across * tiling.tile_width;
  const int first_channel = blockIdx.y * CHANNELS;
  const Place place (tiling, PIXELS);
  PrismCudaNormGradient *norms
      = reinterpret_cast<PrismCudaNormGradient *> (weights + tiling.chunk * CHANNELS * (TAPS / 4));
  float *tile = reinterpret_cast<float *> (norms + tiling.chunk);
  float *slices = reinterpret_cast<float *> (weights);
  float sums[CHANNELS][PIXELS * PIXELS] = {};

  if (product.stop != nullptr && *product.stop != 0)
    return;
  for (int first = 0; first < product.out.channels; first += tiling.chunk)
    {
      const int count = min (tiling.chunk, product.out.channels - first);

      prism_cuda_load_norm_gradients (norms, product.out, first, count);
      load_weights<CHANNELS> (
          weights,
          product.weight + ((size_t) first_channel * product.out.channels + first) * TAPS, count,
          product.in.channels - first_channel, 1, product.out.channels);
      __syncthreads ();
      load_gradient (tile, { product.out, norms, first }, count, first_row, first_column, tiling);
      __syncthreads ();
      if (place.slice < tiling.n_slices)
        accumulate_gradient<PIXELS, CHANNELS> (sums, tile, weights, count, place, tiling);
      __syncthreads ();
    }
  store_gradient<PIXELS, CHANNELS> (slices, sums, place, tiling);
  __syncthreads ();
  prism_cuda_finish_gradient<CHANNELS> (slices, scratch, product, first_row, first_column,
                                        first_channel);
}

template <int PIXELS, int CHANNELS, int THREADS>
static cudaError_t
launch_forward (const PrismCudaProduct *product,
                cudaStream_t stream)
{
  return prism_cuda_launch_tiles (double_forward_kernel<PIXELS, CHANNELS, THREADS>, product,
                                  &product->forward, &product->in, product->out.channels, stream);
}

template <int PIXELS, int CHANNELS, int THREADS>
static cudaError_t
launch_gradient (const PrismCudaProduct *product,
                 cudaStream_t stream)
{
  return prism_cuda_launch_tiles (double_data_gradient_kernel<PIXELS, CHANNELS, THREADS>, product,
                                  &product->backward, &product->in, product->in.channels, stream);
}

cudaError_t
prism_cuda_double_forward (const PrismCudaProduct *product,
                           cudaStream_t stream)
{
  if (product->forward.pixels == 2)
    return launch_forward<2, 2, 256> (product, stream);
  if (product->forward.n_channels == 2)
    return launch_forward<1, 2, 512> (product, stream);
  return launch_forward<1, 1, 512> (product, stream);
}

cudaError_t
prism_cuda_double_data_gradient (const PrismCudaProduct *product,
                                 cudaStream_t stream)
{
  if (product->backward.pixels == 2)
    return launch_gradient<2, 4, 256> (product, stream);
  return launch_gradient<1, 2, 512> (product, stream);
}
