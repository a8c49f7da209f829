/* Doublings forward in mixed precision. h = in.size, I = in.channels, O = out.channels.
 *
 * 32·I·O·h² flop of use; a matrix holds 16/n_parities channels of n_parities parities, so that with
 * fewer than 16 channels some factors are zero. Bytes as in prism-cuda-double.
 *
 * A block computes a tile of up to 16 rows for up to 16 channels. A warp has two rows of pixels and
 * one matrix of columns (channels of some parities); with two slices every second matrix of the
 * sum. Rows of the kernel: dy = -1 … 1 of the input; columns lie side by side. */
#include "prism-cuda-mixed.cuh"

namespace wmma = nvcuda::wmma;

/* What follows from shape and kind. */
template <typename Kind, typename Shape>
struct Forward
{
  static constexpr int chunk = Shape::in_chunk;
  static constexpr int n_columns = 4 / Shape::n_parities; /* matrices side by side */
  static constexpr int n_shifts = chunk == 16 ? 3 : 4;    /* dx of a run; the fourth is dark */
  static constexpr int run = n_shifts * chunk;
  static constexpr int n_steps = run / Kind::depth; /* matrices of a run */
  static constexpr int width = PRISM_CUDA_MIXED_WIDTH + n_shifts - 1;
  static constexpr int pitch = prism_cuda_mixed_pitch (width, chunk);
  static constexpr int weight_pitch = n_columns * 16;
  static constexpr int n_weights = 3 * run * weight_pitch;
};

/* Whether output rows (or columns) of the parity see an input of the shift: parity 0 sees 0 and -1,
 * parity 1 sees 0 and 1. */
static __device__ __forceinline__ bool
sees (int parity,
      int shift)
{
  return shift == 0 || shift == (parity == 0 ? -1 : 1);
}

/* Whether any weight of matrix column, row dy and step is not zero for lack of a tap. */
template <typename Kind, typename Shape>
static __device__ __forceinline__ bool
is_used (int column,
         int dy,
         int step)
{
  const int first = step * Kind::depth / Shape::in_chunk - 1;
  const int last = ((step + 1) * Kind::depth - 1) / Shape::in_chunk - 1;

  for (int parity = column * Shape::n_parities; parity < (column + 1) * Shape::n_parities; parity++)
    for (int dx = first; dx <= last; dx++)
      if (sees (parity / 2, dy) && sees (parity % 2, dx))
        return true;
  return false;
}

/* Shift of the input that tap 0 … 3 multiplies, and the parity of the output it belongs to. */
static __device__ __forceinline__ int
get_shift (int tap)
{
  return tap == 0 ? 1 : tap == 3 ? -1
                                 : 0;
}

/* Weights of the chunk into [dy][dx][channel][column]; the zeros are there already. */
template <typename Kind, typename Shape>
static __device__ __forceinline__ void
load_weights (typename Kind::Memory *shared,
              const PrismCudaProduct &product,
              int first,
              int count,
              int first_channel,
              int n_channels)
{
  typedef Forward<Kind, Shape> F;

  for (int i = threadIdx.x; i < count * n_channels * PRISM_CUDA_TAPS; i += blockDim.x)
    {
      const int tap = i % PRISM_CUDA_TAPS, pair = i / PRISM_CUDA_TAPS;
      const int out = pair % n_channels, in = pair / n_channels;
      const int ky = tap / 4, kx = tap % 4;
      const int parity = (ky + 1) % 2 * 2 + (kx + 1) % 2;
      const int column = parity / Shape::n_parities * 16 + parity % Shape::n_parities * n_channels
                         + out;
      const int row = ((get_shift (ky) + 1) * F::n_shifts + get_shift (kx) + 1) * F::chunk + in;
      const float value
          = product.weight[((size_t) (first + in) * product.out.channels + first_channel + out)
                               * PRISM_CUDA_TAPS
                           + tap];

      shared[row * F::weight_pitch + column] = Kind::convert (value);
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
  typedef Forward<Kind, Shape> F;

#pragma unroll
  for (int dy = -1; dy <= 1; dy++)
#pragma unroll
    for (int step = 0; step < F::n_steps; step++)
      {
        const int from = (dy + 1) * F::n_steps + step;
        PrismCudaMixedRight<Kind> right;
        PrismCudaMixedLeft<Kind, wmma::row_major> left;

        if (from % n_slices != place.slice || !is_used<Kind, Shape> (place.column, dy, step))
          continue;
        wmma::load_matrix_sync (
            right, weights + from * Kind::depth * F::weight_pitch + place.column * 16,
            F::weight_pitch);
#pragma unroll
        for (int row = 0; row < PRISM_CUDA_MIXED_ROWS; row++)
          {
            wmma::load_matrix_sync (
                left, tile + (place.row + row + dy + 1) * F::pitch + step * Kind::depth, F::chunk);
            wmma::mma_sync (sums[row], left, right, sums[row]);
          }
      }
}

/* One output value of the tile from the stage [slice][row][column][16 px][16]. */
template <typename Shape>
static __device__ __forceinline__ float
take (const float *stage,
      int n_slices,
      int height,
      int row,
      int x,
      int channel,
      int n_channels)
{
  constexpr int n_columns = 4 / Shape::n_parities;
  const int parity = row % 2 * 2 + x % 2;
  const float *from = stage
                      + (row / 2 * n_columns + parity / Shape::n_parities)
                            * PRISM_CUDA_MIXED_MATRIX
                      + x / 2 * PRISM_CUDA_MIXED_STRIDE + parity % Shape::n_parities * n_channels
                      + channel;
  float sum = 0.0f;

  for (int slice = 0; slice < n_slices; slice++)
    sum += from[slice * height * n_columns * PRISM_CUDA_MIXED_MATRIX];
  return sum;
}

/* A warp measures and writes a channel: 32 columns of output, row by row. */
template <typename Shape>
static __device__ __forceinline__ void
finish (const float *stage,
        const PrismCudaProduct &product,
        int first_row,
        int first_column,
        int first_channel,
        int n_channels)
{
  const int n_slices = product.forward.n_slices, height = product.forward.tile_height;
  const int n_rows = 2 * height, x = threadIdx.x % PRISM_CUDA_WARP, size = product.out.size;

  for (int channel = threadIdx.x / PRISM_CUDA_WARP; channel < n_channels;
       channel += PRISM_CUDA_MIXED_WARPS)
    {
      float *y = product.out.y
                 + ((size_t) (first_channel + channel) * size + 2 * first_row) * size
                 + 2 * first_column + x;
      float mean = 0.0f, squares = 0.0f;

      for (int row = 0; row < n_rows; row++)
        mean += take<Shape> (stage, n_slices, height, row, x, channel, n_channels);
      mean = prism_cuda_sum_warp (mean) / (n_rows * PRISM_CUDA_WARP);
      for (int row = 0; row < n_rows; row++)
        {
          const float value = take<Shape> (stage, n_slices, height, row, x, channel, n_channels);

          squares = fmaf (value - mean, value - mean, squares);
          y[(size_t) row * size] = value;
        }
      squares = prism_cuda_sum_warp (squares);
      if (x == 0)
        product.out.moments[(size_t) (first_channel + channel) * gridDim.x + blockIdx.x]
            = { mean, squares };
    }
}

template <typename Kind, typename Shape>
static __device__ __forceinline__ void
compute (const PrismCudaProduct &product)
{
  typedef Forward<Kind, Shape> F;
  typedef typename Kind::Memory Memory;
  PRISM_CUDA_DYNAMIC_SHARED (Memory, weights);
  __shared__ PrismCudaNorm norms[F::chunk];
  Memory *tile = weights + F::n_weights;
  float *stage = reinterpret_cast<float *> (weights);
  const PrismCudaTiling &tiling = product.forward;
  const int n_tiles_across = product.in.size / PRISM_CUDA_MIXED_WIDTH;
  const int first_row = blockIdx.x / n_tiles_across * tiling.tile_height;
  const int first_column = blockIdx.x % n_tiles_across * PRISM_CUDA_MIXED_WIDTH;
  const int first_channel = blockIdx.y * tiling.n_channels;
  const PrismCudaMixedBox box
      = { first_row - 1, first_column - 1, tiling.tile_height + 2, F::width };
  const PrismCudaMixedPlace place (F::n_columns, tiling.n_slices);
  PrismCudaMixedSums<Kind> sums[PRISM_CUDA_MIXED_ROWS];

  for (int row = 0; row < PRISM_CUDA_MIXED_ROWS; row++)
    wmma::fill_fragment (sums[row], 0.0f);
  for (int i = threadIdx.x; i < F::n_weights; i += blockDim.x)
    weights[i] = Kind::convert (0.0f);
  for (int first = 0; first < product.in.channels; first += F::chunk)
    {
      const int count = min (F::chunk, product.in.channels - first);

      prism_cuda_load_norms (norms, product.in, first, count, blockIdx.x + blockIdx.y == 0);
      __syncthreads ();
      load_weights<Kind, Shape> (weights, product, first, count, first_channel, tiling.n_channels);
      prism_cuda_mixed_load<Kind, F::chunk> (
          tile, PrismCudaActivationSource { product.in, norms, first }, count, F::pitch, box);
      __syncthreads ();
      accumulate<Kind, Shape> (sums, tile, weights, place, tiling.n_slices);
      __syncthreads ();
    }
  for (int row = 0; row < PRISM_CUDA_MIXED_ROWS; row++)
    prism_cuda_mixed_store<Kind> (
        stage
            + ((place.slice * tiling.tile_height + place.row + row) * F::n_columns + place.column)
                  * PRISM_CUDA_MIXED_MATRIX,
        sums[row]);
  __syncthreads ();
  finish<Shape> (stage, product, first_row, first_column, first_channel, tiling.n_channels);
}

template <typename Kind, typename Shape>
static __global__ void
__launch_bounds__ (PRISM_CUDA_MIXED_THREADS, 2)
    mixed_forward_kernel (PrismCudaProduct product)
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
  return prism_cuda_launch_tiles (mixed_forward_kernel<Kind, Shape>, product, &product->forward,
                                  &product->in, product->out.channels, stream);
}

cudaError_t
prism_cuda_mixed_forward (const PrismCudaProduct *product,
                          PrismCudaPrecision precision,
                          cudaStream_t stream)
{
  return PRISM_CUDA_MIXED_LAUNCH (product, precision, launch, stream);
}
