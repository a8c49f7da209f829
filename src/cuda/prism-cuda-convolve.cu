/* Convolutions 3×3 in fp32. s = side of the map that is written, C and D the channels that are
 * summed over and written.
 *
 * Each product: 18·C·D·s² flop; bytes as they leave the caches: forward 4·(C + D)·s², data
 * gradient 4·(2·C + 2·D)·s², and 36·C·D of weights.
 *
 * The gradient by the input is the same convolution with the weights turned by 180° and in and out
 * exchanged, so one kernel does both. A thread computes four pixels of a row for CHANNELS channels;
 * slices of the channels that are summed over are added in order at the end. */
#include "prism-cuda-decoder-kernels.h"

#include "prism-cuda-activation.cuh"
#include "prism-cuda-launch.cuh"
#include "prism-cuda-map.cuh"

#define TAPS 9
#define ROW_TAPS 12 /* as they lie in shared memory, in three rows of four */
#define PIXELS 4

enum Direction
{
  FORWARD,
  OUTPUT,
  GRADIENT,
  OUTPUT_GRADIENT
};

static __device__ __host__ constexpr bool
goes_back (Direction direction)
{
  return direction == GRADIENT || direction == OUTPUT_GRADIENT;
}

/* [count][CHANNELS][3][4] of weight [out][in][3][3], turned on the way back. */
template <Direction DIRECTION, int CHANNELS>
static __device__ __forceinline__ void
load_weights (float *shared,
              const PrismCudaProduct &product,
              int first,
              int count,
              int first_channel)
{
  const int n_in = product.in.channels;
  const int n_written = goes_back (DIRECTION) ? n_in : product.out.channels;

  for (int i = threadIdx.x; i < count * CHANNELS * TAPS; i += blockDim.x)
    {
      const int tap = i % TAPS, pair = i / TAPS;
      const int from = first + pair / CHANNELS, to = first_channel + pair % CHANNELS;
      const size_t source = goes_back (DIRECTION) ? ((size_t) from * n_in + to) * TAPS + 8 - tap
                                                  : ((size_t) to * n_in + from) * TAPS + tap;

      shared[pair * ROW_TAPS + tap / 3 * 4 + tap % 3] = to < n_written ? product.weight[source]
                                                                       : 0.0f;
    }
}

/* Side of the map that is read, and pixels that the window reaches out to the left. */
static __device__ __forceinline__ int
get_border (const PrismCudaProduct &product,
            Direction direction)
{
  return goes_back (direction) ? 2 - product.padding : product.padding;
}

/* [count][tile_height + 2][tile_width + 4], of which tile_width + 2 columns are read. */
template <typename Source>
static __device__ __forceinline__ void
load_tile (float *tile,
           const Source &source,
           int count,
           int first_row,
           int first_column,
           const PrismCudaTiling &tiling)
{
  const int width = tiling.tile_width + 4, plane = (tiling.tile_height + 2) * width;
  const PrismCudaDivisor by_plane = prism_cuda_divisor (plane);
  const PrismCudaDivisor by_width = prism_cuda_divisor (width);

#pragma unroll 4
  for (int i = threadIdx.x; i < count * plane; i += blockDim.x)
    {
      const int channel = prism_cuda_divide (i, by_plane), pixel = i - channel * plane;
      const int row = prism_cuda_divide (pixel, by_width);
      const int y = first_row + row, x = first_column + pixel - row * width;
      const bool inside = y >= 0 && y < source.map.size && x >= 0 && x < source.map.size;

      tile[i] = inside ? source.load (channel, y, x) : 0.0f;
    }
}

static __device__ __forceinline__ void
take_row (float row[PIXELS + 2],
          const float *shared)
{
  const float4 first = *reinterpret_cast<const float4 *> (shared);
  const float2 rest = *reinterpret_cast<const float2 *> (shared + 4);

  row[0] = first.x;
  row[1] = first.y;
  row[2] = first.z;
  row[3] = first.w;
  row[4] = rest.x;
  row[5] = rest.y;
}

/* Where a thread works: its slice, and its four pixels in the tile. */
struct Place
{
  int slice;
  int row;
  int column;

  __device__ __forceinline__
  Place (const PrismCudaTiling &tiling)
  {
    const int n_columns = tiling.tile_width / PIXELS;
    const int n_places = tiling.tile_height * n_columns;

    slice = threadIdx.x / n_places;
    row = threadIdx.x % n_places / n_columns;
    column = threadIdx.x % n_columns * PIXELS;
  }
};

template <int CHANNELS>
static __device__ __forceinline__ void
accumulate (float sums[CHANNELS][PIXELS],
            const float *tile,
            const float *weights,
            int count,
            const Place &place,
            const PrismCudaTiling &tiling)
{
  const int width = tiling.tile_width + 4, plane = (tiling.tile_height + 2) * width;

  for (int channel = place.slice; channel < count; channel += tiling.n_slices)
#pragma unroll
    for (int ky = 0; ky < 3; ky++)
      {
        float x[PIXELS + 2];

        take_row (x, tile + channel * plane + (place.row + ky) * width + place.column);
#pragma unroll
        for (int to = 0; to < CHANNELS; to++)
          {
            const float4 w = *reinterpret_cast<const float4 *> (
                weights + (channel * CHANNELS + to) * ROW_TAPS + ky * 4);

#pragma unroll
            for (int i = 0; i < PIXELS; i++)
              {
                sums[to][i] = fmaf (w.x, x[i], sums[to][i]);
                sums[to][i] = fmaf (w.y, x[i + 1], sums[to][i]);
                sums[to][i] = fmaf (w.z, x[i + 2], sums[to][i]);
              }
          }
      }
}

/* [slice][channel][row][column] of the tile. */
template <int CHANNELS>
static __device__ __forceinline__ void
store_slices (float *slices,
              const float sums[CHANNELS][PIXELS],
              const Place &place,
              const PrismCudaTiling &tiling)
{
  const int plane = tiling.tile_height * tiling.tile_width;

  if (place.slice >= tiling.n_slices)
    return;
#pragma unroll
  for (int channel = 0; channel < CHANNELS; channel++)
    *reinterpret_cast<float4 *> (slices + (place.slice * CHANNELS + channel) * plane
                                 + place.row * tiling.tile_width + place.column)
        = make_float4 (sums[channel][0], sums[channel][1], sums[channel][2], sums[channel][3]);
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
  const int width = tiling.tile_width, plane = tiling.tile_height * width;
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
        product.out.y[((size_t) channel * size + first_row + row) * size + first_column + i
                      - row * width]
            = values[i];
    }
  squares = prism_cuda_sum_part (squares, scratch, CHANNELS);
  if (threadIdx.x % n_threads == 0 && channel < product.out.channels)
    product.out.moments[(size_t) channel * gridDim.x + blockIdx.x] = { mean, squares };
}

/* Adds the slices and the bias, and writes what of the tile lies within map and image. */
static __device__ __forceinline__ void
finish_output (const float *slices,
               const PrismCudaProduct &product,
               int first_row,
               int first_column)
{
  const PrismCudaTiling &tiling = product.forward;
  const PrismCudaImage &image = product.image;
  const int width = tiling.tile_width, plane = tiling.tile_height * width;
  const int cut = prism_cuda_get_cut (product.out, image);
  const PrismCudaDivisor by_width = prism_cuda_divisor (width);

  for (int i = threadIdx.x; i < plane; i += blockDim.x)
    {
      const int tile_row = prism_cuda_divide (i, by_width);
      const int row = first_row + tile_row, column = first_column + i - tile_row * width;
      const int y = row - cut, x = column - cut;
      float value = image.bias[0];

      for (int slice = 0; slice < tiling.n_slices; slice++)
        value += slices[slice * plane + i];
      if (row < product.out.size && column < product.out.size && y >= 0 && y < image.size && x >= 0
          && x < image.size)
        image.output[(size_t) y * image.size + x] = prism_cuda_activate (image.activation, value);
    }
}

/* The bias's gradient: the sum of dY over the tile without its border. */
static __device__ __forceinline__ void
sum_bias (const float *tile,
          float *scratch,
          const PrismCudaProduct &product)
{
  const PrismCudaTiling &tiling = product.backward;
  const int width = tiling.tile_width, border = get_border (product, OUTPUT_GRADIENT);
  const PrismCudaDivisor by_width = prism_cuda_divisor (width);
  float sum = 0.0f;

  for (int i = threadIdx.x; i < tiling.tile_height * width; i += blockDim.x)
    {
      const int row = prism_cuda_divide (i, by_width);

      sum += tile[(row + border) * (width + 4) + i - row * width + border];
    }
  sum = prism_cuda_sum_part (sum, scratch, 1);
  if (threadIdx.x == 0)
    product.image.bias_sums[blockIdx.x] = { sum, 0.0f };
}

template <Direction DIRECTION>
static __device__ __forceinline__ void
load_chunk (float *tile,
            float4 *norms,
            const PrismCudaProduct &product,
            int first,
            int count,
            int first_row,
            int first_column)
{
  const PrismCudaTiling &tiling = goes_back (DIRECTION) ? product.backward : product.forward;
  const int border = get_border (product, DIRECTION);

  if constexpr (DIRECTION == OUTPUT_GRADIENT)
    {
      const PrismCudaImageSource source
          = { product.out, product.image, product.control->loss_scale };

      load_tile (tile, source, count, first_row - border, first_column - border, tiling);
    }
  else if constexpr (DIRECTION == GRADIENT)
    {
      PrismCudaNormGradient *gradients = reinterpret_cast<PrismCudaNormGradient *> (norms);
      const PrismCudaGradientSource source = { product.out, gradients, first };

      prism_cuda_load_norm_gradients (gradients, product.out, first, count);
      __syncthreads ();
      load_tile (tile, source, count, first_row - border, first_column - border, tiling);
    }
  else
    {
      PrismCudaNorm *values = reinterpret_cast<PrismCudaNorm *> (norms);
      const PrismCudaActivationSource source = { product.in, values, first };

      prism_cuda_load_norms (values, product.in, first, count, blockIdx.x + blockIdx.y == 0);
      __syncthreads ();
      load_tile (tile, source, count, first_row - border, first_column - border, tiling);
    }
}

template <Direction DIRECTION, int CHANNELS>
static __device__ __forceinline__ void
finish (float *slices,
        float *scratch,
        const PrismCudaProduct &product,
        int first_row,
        int first_column,
        int first_channel)
{
  if constexpr (goes_back (DIRECTION))
    prism_cuda_finish_gradient<CHANNELS> (slices, scratch, product, first_row, first_column,
                                          first_channel);
  else if constexpr (DIRECTION == OUTPUT)
    finish_output (slices, product, first_row, first_column);
  else
    finish_forward<CHANNELS> (slices, scratch, product, first_row, first_column, first_channel);
}

template <Direction DIRECTION, int CHANNELS>
static __global__ void __launch_bounds__ (256)
    convolve_kernel (PrismCudaProduct product)
{
  PRISM_CUDA_DYNAMIC_SHARED (float4, norms);
  __shared__ float scratch[PRISM_CUDA_WARP];
  const PrismCudaTiling &tiling = goes_back (DIRECTION) ? product.backward : product.forward;
  const int size = goes_back (DIRECTION) ? product.in.size : product.out.size;
  const int n_channels = goes_back (DIRECTION) ? product.out.channels : product.in.channels;
  const int n_tiles_across = (size + tiling.tile_width - 1) / tiling.tile_width;
  const int first_row = blockIdx.x / n_tiles_across * tiling.tile_height;
  const int first_column = blockIdx.x % n_tiles_across * tiling.tile_width;
  const int first_channel = blockIdx.y * CHANNELS;
  const Place place (tiling);
  float *weights = reinterpret_cast<float *> (norms + tiling.chunk);
  float *tile = weights + tiling.chunk * CHANNELS * ROW_TAPS;
  float *slices = reinterpret_cast<float *> (norms);
  float sums[CHANNELS][PIXELS] = {};

  if (product.stop != nullptr && *product.stop != 0)
    return;
  for (int first = 0; first < n_channels; first += tiling.chunk)
    {
      const int count = min (tiling.chunk, n_channels - first);

      load_weights<DIRECTION, CHANNELS> (weights, product, first, count, first_channel);
      load_chunk<DIRECTION> (tile, norms, product, first, count, first_row, first_column);
      __syncthreads ();
      if (place.slice < tiling.n_slices)
        accumulate<CHANNELS> (sums, tile, weights, count, place, tiling);
      if (DIRECTION == OUTPUT_GRADIENT && blockIdx.y == 0)
        sum_bias (tile, scratch, product);
      __syncthreads ();
    }
  store_slices<CHANNELS> (slices, sums, place, tiling);
  __syncthreads ();
  finish<DIRECTION, CHANNELS> (slices, scratch, product, first_row, first_column, first_channel);
}

cudaError_t
prism_cuda_convolve_forward (const PrismCudaProduct *product,
                             cudaStream_t stream)
{
  return prism_cuda_launch_tiles (convolve_kernel<FORWARD, 2>, product, &product->forward,
                                  &product->out, product->out.channels, stream);
}

cudaError_t
prism_cuda_convolve_output (const PrismCudaProduct *product,
                            cudaStream_t stream)
{
  return prism_cuda_launch_tiles (convolve_kernel<OUTPUT, 1>, product, &product->forward,
                                  &product->out, 1, stream);
}

cudaError_t
prism_cuda_convolve_data_gradient (const PrismCudaProduct *product,
                                   cudaStream_t stream)
{
  return prism_cuda_launch_tiles (convolve_kernel<GRADIENT, 2>, product, &product->backward,
                                  &product->in, product->in.channels, stream);
}

cudaError_t
prism_cuda_convolve_output_gradient (const PrismCudaProduct *product,
                                     cudaStream_t stream)
{
  return prism_cuda_launch_tiles (convolve_kernel<OUTPUT_GRADIENT, 2>, product, &product->backward,
                                  &product->in, product->in.channels, stream);
}
