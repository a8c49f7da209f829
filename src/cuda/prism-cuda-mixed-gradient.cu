/* Gradient of a doubling's input in mixed precision. h = in.size, I = in.channels,
 * O = out.channels.
 *
 * 32·I·O·h² flop, half of the matrix unused for I = 8. Bytes as in prism-cuda-double.
 *
 * A block computes a tile of up to 16 rows for up to 32 channels. A warp has two rows of pixels and
 * one matrix of 16 channels; with two slices every second matrix of the sum. Pixel x sees columns
 * 2x-1 … 2x+2 of dY: in the tile these lie side by side, so that a run of the sum is the four kx
 * times the channels of the chunk. */
#include "prism-cuda-mixed.cuh"

namespace wmma = nvcuda::wmma;

template <typename Kind, typename Shape>
struct Gradient
{
  static constexpr int chunk = Shape::out_chunk;
  static constexpr int n_channels = Shape::n_groups * 16;
  static constexpr int run = 4 * chunk;
  static constexpr int n_steps = run / Kind::depth;
  static constexpr int width = 2 * PRISM_CUDA_MIXED_WIDTH + 2;
  static constexpr int pitch = prism_cuda_mixed_pitch (width, chunk);
  static constexpr int n_weights = 4 * run * n_channels;
};

/* Weights of the chunk into [ky][kx][channel of dY][channel of x]; where x has no such channel,
 * 0. */
template <typename Kind, typename Shape>
static __device__ __forceinline__ void
load_weights (typename Kind::Memory *shared,
              const PrismCudaProduct &product,
              int first,
              int count,
              int first_channel)
{
  typedef Gradient<Kind, Shape> G;

  for (int i = threadIdx.x; i < G::n_channels * count * PRISM_CUDA_TAPS; i += blockDim.x)
    {
      const int tap = i % PRISM_CUDA_TAPS, pair = i / PRISM_CUDA_TAPS;
      const int out = pair % count, in = pair / count;
      const bool inside = first_channel + in < product.in.channels;
      const size_t from
          = ((size_t) (first_channel + in) * product.out.channels + first + out) * PRISM_CUDA_TAPS;

      shared[(tap * G::chunk + out) * G::n_channels + in]
          = Kind::convert (inside ? product.weight[from + tap] : 0.0f);
    }
}

template <typename Kind, typename Shape>
static __device__ __forceinline__ void
accumulate (PrismCudaMixedSums<Kind> sums[PRISM_CUDA_MIXED_ROWS],
            const typename Kind::Memory *tile,
            const typename Kind::Memory *weights,
            const PrismCudaMixedPlace &place,
            int n_slices)
{
  typedef Gradient<Kind, Shape> G;

  for (int from = place.slice; from < 4 * G::n_steps; from += n_slices)
    {
      const int ky = from / G::n_steps, step = from % G::n_steps;
      PrismCudaMixedRight<Kind> right;
      PrismCudaMixedLeft<Kind, wmma::row_major> left;

      wmma::load_matrix_sync (
          right, weights + from * Kind::depth * G::n_channels + place.column * 16, G::n_channels);
#pragma unroll
      for (int row = 0; row < PRISM_CUDA_MIXED_ROWS; row++)
        {
          wmma::load_matrix_sync (
              left, tile + (2 * (place.row + row) + ky) * G::pitch + step * Kind::depth,
              2 * G::chunk);
          wmma::mma_sync (sums[row], left, right, sums[row]);
        }
    }
}

/* A warp masks with the ReLU of the input's norm, writes and sums up a channel. The stage is
 * [slice][row][group][16 px][16]. */
template <typename Shape>
static __device__ __forceinline__ void
finish_channel (const float *stage,
                const PrismCudaProduct &product,
                int first_row,
                int first_column,
                int first_channel,
                int part)
{
  const int n_slices = product.backward.n_slices, height = product.backward.tile_height;
  const int channel = first_channel + part, size = product.in.size;
  const int slice_stride = height * Shape::n_groups * PRISM_CUDA_MIXED_MATRIX;
  const PrismCudaNorm norm = product.in.norm[channel];
  float sum = 0.0f, inner = 0.0f;

  for (int i = threadIdx.x % PRISM_CUDA_WARP; i < height * PRISM_CUDA_MIXED_WIDTH;
       i += PRISM_CUDA_WARP)
    {
      const int row = i / PRISM_CUDA_MIXED_WIDTH, x = i % PRISM_CUDA_MIXED_WIDTH;
      const size_t pixel
          = ((size_t) channel * size + first_row + row) * size + first_column + x;
      const float *from = stage + (row * Shape::n_groups + part / 16) * PRISM_CUDA_MIXED_MATRIX
                          + x * PRISM_CUDA_MIXED_STRIDE + part % 16;
      const float y = product.in.y[pixel];
      float value = 0.0f;

      for (int slice = 0; slice < n_slices; slice++)
        value += from[slice * slice_stride];
      if (prism_cuda_normalise (y, norm) <= 0.0f)
        value = 0.0f;
      product.in.gradient[pixel] = value;
      sum += value;
      inner = fmaf (value, (y - norm.mean) * norm.deviation, inner);
    }
  sum = prism_cuda_sum_warp (sum);
  inner = prism_cuda_sum_warp (inner);
  if (threadIdx.x % PRISM_CUDA_WARP != 0)
    return;
  product.in.sums[(size_t) channel * gridDim.x + blockIdx.x] = { sum, inner };
  if (!isfinite (sum) || !isfinite (inner))
    product.control->not_finite = 1;
}

template <typename Kind, typename Shape>
static __device__ __forceinline__ void
compute (const PrismCudaProduct &product)
{
  typedef Gradient<Kind, Shape> G;
  typedef typename Kind::Memory Memory;
  PRISM_CUDA_DYNAMIC_SHARED (Memory, weights);
  __shared__ PrismCudaNormGradient norms[G::chunk];
  Memory *tile = weights + G::n_weights;
  float *stage = reinterpret_cast<float *> (weights);
  const PrismCudaTiling &tiling = product.backward;
  const int n_tiles_across = product.in.size / PRISM_CUDA_MIXED_WIDTH;
  const int first_row = blockIdx.x / n_tiles_across * tiling.tile_height;
  const int first_column = blockIdx.x % n_tiles_across * PRISM_CUDA_MIXED_WIDTH;
  const int first_channel = blockIdx.y * tiling.n_channels;
  const PrismCudaMixedBox box
      = { 2 * first_row - 1, 2 * first_column - 1, 2 * tiling.tile_height + 2, G::width };
  const PrismCudaMixedPlace place (Shape::n_groups, tiling.n_slices);
  PrismCudaMixedSums<Kind> sums[PRISM_CUDA_MIXED_ROWS];

  for (int row = 0; row < PRISM_CUDA_MIXED_ROWS; row++)
    wmma::fill_fragment (sums[row], 0.0f);
  for (int first = 0; first < product.out.channels; first += G::chunk)
    {
      const int count = min (G::chunk, product.out.channels - first);

      prism_cuda_load_norm_gradients (norms, product.out, first, count);
      load_weights<Kind, Shape> (weights, product, first, count, first_channel);
      __syncthreads ();
      prism_cuda_mixed_load<Kind, G::chunk> (
          tile, PrismCudaGradientSource { product.out, norms, first }, count, G::pitch, box);
      __syncthreads ();
      accumulate<Kind, Shape> (sums, tile, weights, place, tiling.n_slices);
      __syncthreads ();
    }
  for (int row = 0; row < PRISM_CUDA_MIXED_ROWS; row++)
    prism_cuda_mixed_store<Kind> (
        stage
            + ((place.slice * tiling.tile_height + place.row + row) * Shape::n_groups
               + place.column)
                  * PRISM_CUDA_MIXED_MATRIX,
        sums[row]);
  __syncthreads ();
  for (int part = threadIdx.x / PRISM_CUDA_WARP; part < G::n_channels;
       part += PRISM_CUDA_MIXED_WARPS)
    if (first_channel + part < product.in.channels)
      finish_channel<Shape> (stage, product, first_row, first_column, first_channel, part);
}

template <typename Kind, typename Shape>
static __global__ void
__launch_bounds__ (PRISM_CUDA_MIXED_THREADS, 2)
    mixed_data_gradient_kernel (PrismCudaProduct product)
{
  if (product.stop != nullptr && *product.stop != 0)
    return;
  if constexpr (Kind::available)
    compute<Kind, Shape> (product);
}

template <typename Kind, typename Shape>
static cudaError_t
launch (const PrismCudaProduct *product,
        cudaStream_t stream)
{
  return prism_cuda_launch_tiles (mixed_data_gradient_kernel<Kind, Shape>, product,
                                  &product->backward, &product->in, product->in.channels, stream);
}

cudaError_t
prism_cuda_mixed_data_gradient (const PrismCudaProduct *product,
                                PrismCudaPrecision precision,
                                cudaStream_t stream)
{
  return PRISM_CUDA_MIXED_LAUNCH (product, precision, launch, stream);
}
