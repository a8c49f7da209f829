/* The three products of a doubling in mixed precision. h = in.size, I = in.channels, O =
 * out.channels. Twins of those of prism-cuda-product and prism-cuda-weight.
 *
 * 32·I·O·h² flop of use each; with few channels some factors are zero. Bytes as they leave the
 * caches as in fp32, but for the weight gradient: 4·h²·(I·O/16 + 8·O·I/16), and 64·I·O for each
 * split.
 *
 * A tile is 16 px wide: the 16 rows of a matrix are the pixels of one row of it. With the
 * channel innermost, the columns of a matrix are channels of one pixel and, where these are
 * fewer than 16, of its neighbours: taps of one row of the kernel, which lie side by side in
 * memory. So no matrix is ever gathered: each is a window into the tile. */
#include "prism-cuda-product.cuh"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

namespace wmma = nvcuda::wmma;

#define THREADS 256
#define N_WARPS 8
#define SIDE 16 /* px of a tile, and of a matrix */
#define ROWS 2  /* of a tile, per warp */
#define TAPS 16
/* Floats between rows of a matrix of sums in shared memory: not all in one bank. */
#define STRIDE 20
#define MATRIX (SIDE * STRIDE)
#define N_SLICES 2 /* of the rows of a weight gradient */

/* bf16 and tf32 factors need compute capability 8.0. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define HAS_BF16 false
#else
#define HAS_BF16 true
#endif

/* A kind of factor: what it is in shared memory, and the depth of a matrix. */
struct Half
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

struct Bfloat
{
  typedef __nv_bfloat16 Memory;
  static constexpr int depth = 16;
  static constexpr bool available = HAS_BF16;
#if HAS_BF16
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

struct TensorFloat
{
  typedef float Memory;
  static constexpr int depth = 8;
  static constexpr bool available = HAS_BF16;
#if HAS_BF16
  typedef wmma::precision::tf32 Factor;
#else
  typedef __half Factor;
#endif

  static __device__ __forceinline__ Memory
  convert (float value)
  {
#if HAS_BF16
    return wmma::__float_to_tf32 (value);
#else
    return value;
#endif
  }
};

/* Channels of a doubling. in_chunk, out_chunk: channels of the tiles of input and output;
 * n_parities: of the output's four, in one matrix of the forward product; n_groups: of 16 channels
 * of the input, per block of the data gradient. */
struct Wide /* ≥ 32 → ≥ 16 channels */
{
  static constexpr int in_chunk = 16, out_chunk = 16, n_parities = 1, n_groups = 2;
};

struct Middle /* 16 → 8 */
{
  static constexpr int in_chunk = 16, out_chunk = 8, n_parities = 2, n_groups = 1;
};

struct Narrow /* 8 → 4 */
{
  static constexpr int in_chunk = 8, out_chunk = 4, n_parities = 4, n_groups = 1;
};

template <typename Kind>
using Sums = wmma::fragment<wmma::accumulator, 16, 16, Kind::depth, float>;
template <typename Kind, typename Layout>
using Left = wmma::fragment<wmma::matrix_a, 16, 16, Kind::depth, typename Kind::Factor, Layout>;
template <typename Kind>
using Right
    = wmma::fragment<wmma::matrix_b, 16, 16, Kind::depth, typename Kind::Factor, wmma::row_major>;

/* Values between the rows of a tile: matrices begin at multiples of 32 bytes. */
static __device__ __host__ constexpr int
get_pitch (int n_columns,
           int n_channels)
{
  return (n_columns * n_channels + 15) / 16 * 16;
}

/* Where a warp works: which rows of the tile, which of n_columns matrices side by side, and which
 * part of the sum. */
struct Place
{
  int slice;
  int row; /* first of ROWS */
  int column;

  __device__ __forceinline__
  Place (int n_columns, int n_slices)
  {
    const int warp = threadIdx.x / PRISM_CUDA_WARP;

    column = warp % n_columns;
    slice = warp / n_columns % n_slices;
    row = warp / (n_columns * n_slices) * ROWS;
  }
};

/* count of CHUNK channels of the box into [row][column][CHUNK]; what is outside the map or beyond
 * count is 0. A thread takes up to 8 channels of a pixel: neighbours read neighbouring pixels and
 * write 8 bytes and more at a time. */
template <typename Kind, int CHUNK, typename Source>
static __device__ __forceinline__ void
load_tile (typename Kind::Memory *tile,
           const Source &source,
           int count,
           int pitch,
           const PrismCudaBox &box)
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

/* ---- forward and data gradient ---- */

/* Whether output rows (or columns) of the parity see an input of the shift: parity 0 sees 0 and -1,
 * parity 1 sees 0 and 1. */
static __device__ __forceinline__ bool
sees (int parity,
      int shift)
{
  return shift == 0 || shift == (parity == 0 ? -1 : 1);
}

/* Forward. A block computes a tile of up to 16 rows for up to 16 channels, a matrix holds
 * 16/n_parities channels of n_parities parities. Rows of the kernel: dy = -1 … 1 of the input;
 * columns lie side by side. */
template <typename Kind_, typename Shape>
struct Forward
{
  typedef Kind_ Kind;
  typedef typename Kind::Memory Memory;
  typedef PrismCudaNorm Norm;
  static constexpr bool back = false;
  static constexpr int chunk = Shape::in_chunk;
  static constexpr int n_columns = 4 / Shape::n_parities;        /* matrices side by side */
  static constexpr int n_shifts = chunk == 16 ? 3 : 4;           /* dx of a run; one may be dark */
  static constexpr int n_steps = n_shifts * chunk / Kind::depth; /* matrices of a run */
  static constexpr int n_runs = 3;
  static constexpr int n_unrolled = n_runs * n_steps;
  static constexpr int width = SIDE + n_shifts - 1;

  /* Weights of the chunk into [dy][dx][channel][column]; the zeros are there already. */
  static __device__ __forceinline__ void
  load_weights (Memory *shared,
                const PrismCudaProduct &product,
                int first,
                int count,
                int first_channel)
  {
    const int n_channels = product.forward.n_channels;

    for (int i = threadIdx.x; i < count * n_channels * TAPS; i += blockDim.x)
      {
        const int tap = i % TAPS, pair = i / TAPS;
        const int out = pair % n_channels, in = pair / n_channels;
        const int ky = tap / 4, kx = tap % 4;
        const int parity = (ky + 1) % 2 * 2 + (kx + 1) % 2;
        const int column = parity / Shape::n_parities * 16
                           + parity % Shape::n_parities * n_channels + out;
        const int dy = prism_cuda_get_shift (ky) + 1, dx = prism_cuda_get_shift (kx) + 1;
        const int row = (dy * n_shifts + dx) * chunk + in;
        const size_t pairs_before
            = (size_t) (first + in) * product.out.channels + first_channel + out;

        shared[row * n_columns * 16 + column]
            = Kind::convert (product.weight[pairs_before * TAPS + tap]);
      }
  }

  /* Whether any weight of a matrix is not zero for lack of a tap. */
  static __device__ __forceinline__ bool
  is_used (int column, int run, int step)
  {
    const int first = step * Kind::depth / Shape::in_chunk - 1;
    const int last = ((step + 1) * Kind::depth - 1) / Shape::in_chunk - 1;

    for (int parity = column * Shape::n_parities; parity < (column + 1) * Shape::n_parities;
         parity++)
      for (int dx = first; dx <= last; dx++)
        if (sees (parity / 2, run - 1) && sees (parity % 2, dx))
          return true;
    return false;
  }
};

/* Data gradient. A block computes a tile of up to 16 rows for up to 32 channels. Pixel x sees
 * columns 2x-1 … 2x+2 of dY: in the tile these lie side by side, so that a run of the sum is the
 * four kx times the channels of the chunk. */
template <typename Kind_, typename Shape>
struct Gradient
{
  typedef Kind_ Kind;
  typedef typename Kind::Memory Memory;
  typedef PrismCudaNormGradient Norm;
  static constexpr bool back = true;
  static constexpr int chunk = Shape::out_chunk;
  static constexpr int n_columns = Shape::n_groups;
  static constexpr int n_steps = 4 * chunk / Kind::depth;
  static constexpr int n_runs = 4;
  static constexpr int n_unrolled = 1;
  static constexpr int width = 2 * SIDE + 2;

  /* Weights of the chunk into [ky][kx][channel of dY][channel of x]; where x has no such channel,
   * 0. */
  static __device__ __forceinline__ void
  load_weights (Memory *shared,
                const PrismCudaProduct &product,
                int first,
                int count,
                int first_channel)
  {
    for (int i = threadIdx.x; i < n_columns * 16 * count * TAPS; i += blockDim.x)
      {
        const int tap = i % TAPS, pair = i / TAPS, out = pair % count, in = pair / count;
        const bool inside = first_channel + in < product.in.channels;
        const size_t from
            = ((size_t) (first_channel + in) * product.out.channels + first + out) * TAPS;

        shared[(tap * chunk + out) * n_columns * 16 + in]
            = Kind::convert (inside ? product.weight[from + tap] : 0.0f);
      }
  }

  static __device__ __forceinline__ bool
  is_used (int, int, int)
  {
    return true;
  }
};

/* A warp has two rows of pixels and one matrix of columns; with two slices every second matrix of
 * the sum. */
template <typename Pass>
static __device__ __forceinline__ void
accumulate (Sums<typename Pass::Kind> sums[ROWS],
            const typename Pass::Memory *tile,
            const typename Pass::Memory *weights,
            const Place &place,
            int pitch,
            int n_slices)
{
  constexpr int depth = Pass::Kind::depth, scale = Pass::back ? 2 : 1;

#pragma unroll Pass::n_unrolled
  for (int from = 0; from < Pass::n_runs * Pass::n_steps; from++)
    {
      const int run = from / Pass::n_steps, step = from % Pass::n_steps;
      Right<typename Pass::Kind> right;
      Left<typename Pass::Kind, wmma::row_major> left;

      if (from % n_slices != place.slice || !Pass::is_used (place.column, run, step))
        continue;
      wmma::load_matrix_sync (
          right, weights + from * depth * Pass::n_columns * 16 + place.column * 16,
          Pass::n_columns * 16);
#pragma unroll
      for (int row = 0; row < ROWS; row++)
        {
          wmma::load_matrix_sync (left,
                                  tile + (scale * (place.row + row) + run) * pitch + step * depth,
                                  scale * Pass::chunk);
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
                            * MATRIX
                      + x / 2 * STRIDE + parity % Shape::n_parities * n_channels
                      + channel;
  float sum = 0.0f;

  for (int slice = 0; slice < n_slices; slice++)
    sum += from[slice * height * n_columns * MATRIX];
  return sum;
}

/* A warp measures and writes a channel: 32 columns of output, row by row. */
template <typename Shape>
static __device__ __forceinline__ void
finish_forward (const float *stage,
                const PrismCudaProduct &product,
                int first_row,
                int first_column,
                int first_channel,
                int part)
{
  const int n_slices = product.forward.n_slices, height = product.forward.tile_height;
  const int n_channels = product.forward.n_channels, channel = first_channel + part;
  const int n_rows = 2 * height, x = threadIdx.x % PRISM_CUDA_WARP, size = product.out.size;
  float *y
      = product.out.y + ((size_t) channel * size + 2 * first_row) * size + 2 * first_column + x;
  float mean = 0.0f, squares = 0.0f;

  for (int row = 0; row < n_rows; row++)
    mean += take<Shape> (stage, n_slices, height, row, x, part, n_channels);
  mean = prism_cuda_sum_warp (mean) / (n_rows * PRISM_CUDA_WARP);
  for (int row = 0; row < n_rows; row++)
    {
      const float value = take<Shape> (stage, n_slices, height, row, x, part, n_channels);

      squares = fmaf (value - mean, value - mean, squares);
      y[(size_t) row * size] = value;
    }
  squares = prism_cuda_sum_warp (squares);
  if (x == 0)
    product.out.moments[(size_t) channel * gridDim.x + blockIdx.x] = { mean, squares };
}

/* A warp masks with the ReLU of the input's norm, writes and sums up a channel. The stage is
 * [slice][row][group][16 px][16]. */
template <typename Shape>
static __device__ __forceinline__ void
finish_gradient (const float *stage,
                 const PrismCudaProduct &product,
                 int first_row,
                 int first_column,
                 int first_channel,
                 int part)
{
  const int n_slices = product.backward.n_slices, height = product.backward.tile_height;
  const int channel = first_channel + part, size = product.in.size;
  const int slice_stride = height * Shape::n_groups * MATRIX;
  const PrismCudaNorm norm = product.in.norm[channel];
  float sum = 0.0f, inner = 0.0f;

  for (int i = threadIdx.x % PRISM_CUDA_WARP; i < height * SIDE;
       i += PRISM_CUDA_WARP)
    {
      const int row = i / SIDE, x = i % SIDE;
      const size_t pixel
          = ((size_t) channel * size + first_row + row) * size + first_column + x;
      const float *from = stage + (row * Shape::n_groups + part / 16) * MATRIX
                          + x * STRIDE + part % 16;
      float value = 0.0f;

      for (int slice = 0; slice < n_slices; slice++)
        value += from[slice * slice_stride];
      prism_cuda_take_gradient (product.in, norm, pixel, value, sum, inner);
    }
  sum = prism_cuda_sum_warp (sum);
  inner = prism_cuda_sum_warp (inner);
  if (threadIdx.x % PRISM_CUDA_WARP == 0)
    prism_cuda_publish_sums (product, channel, sum, inner);
}

template <typename Pass, typename Shape>
static __device__ __forceinline__ void
compute (const PrismCudaProduct &product)
{
  typedef typename Pass::Kind Kind;
  typedef typename Pass::Memory Memory;
  constexpr int scale = Pass::back ? 2 : 1, pitch = get_pitch (Pass::width, Pass::chunk);
  constexpr int n_weights = Pass::n_runs * Pass::n_steps * Kind::depth * Pass::n_columns * 16;
  PRISM_CUDA_DYNAMIC_SHARED (Memory, weights);
  __shared__ typename Pass::Norm norms[Pass::chunk];
  Memory *tile = weights + n_weights;
  float *stage = reinterpret_cast<float *> (weights);
  const PrismCudaTiling &tiling = Pass::back ? product.backward : product.forward;
  const int n_summed = Pass::back ? product.out.channels : product.in.channels;
  const int n_tiles_across = product.in.size / SIDE;
  const int first_row = blockIdx.x / n_tiles_across * tiling.tile_height;
  const int first_column = blockIdx.x % n_tiles_across * SIDE;
  const int first_channel = blockIdx.y * tiling.n_channels;
  const PrismCudaBox box = { scale * first_row - 1, scale * first_column - 1,
                             scale * tiling.tile_height + 2, Pass::width };
  const Place place (Pass::n_columns, tiling.n_slices);
  Sums<Kind> sums[ROWS];

  for (int row = 0; row < ROWS; row++)
    wmma::fill_fragment (sums[row], 0.0f);
  for (int i = threadIdx.x; i < n_weights && !Pass::back; i += blockDim.x)
    weights[i] = Kind::convert (0.0f);
  for (int first = 0; first < n_summed; first += Pass::chunk)
    {
      const int count = min (Pass::chunk, n_summed - first);

      if constexpr (Pass::back)
        prism_cuda_load_norm_gradients (norms, product.out, first, count);
      else
        prism_cuda_load_norms (norms, product.in, first, count, blockIdx.x + blockIdx.y == 0);
      __syncthreads ();
      Pass::load_weights (weights, product, first, count, first_channel);
      if constexpr (Pass::back)
        load_tile<Kind, Pass::chunk> (tile, PrismCudaGradientSource { product.out, norms, first },
                                      count, pitch, box);
      else
        load_tile<Kind, Pass::chunk> (tile, PrismCudaActivationSource { product.in, norms, first },
                                      count, pitch, box);
      __syncthreads ();
      accumulate<Pass> (sums, tile, weights, place, pitch, tiling.n_slices);
      __syncthreads ();
    }
  for (int row = 0; row < ROWS; row++)
    wmma::store_matrix_sync (
        stage
            + ((place.slice * tiling.tile_height + place.row + row) * Pass::n_columns
               + place.column)
                  * MATRIX,
        sums[row], STRIDE, wmma::mem_row_major);
  __syncthreads ();
  for (int part = threadIdx.x / PRISM_CUDA_WARP; part < tiling.n_channels; part += N_WARPS)
    {
      if constexpr (!Pass::back)
        finish_forward<Shape> (stage, product, first_row, first_column, first_channel, part);
      else if (first_channel + part < product.in.channels)
        finish_gradient<Shape> (stage, product, first_row, first_column, first_channel, part);
    }
}

/* ---- weight gradient ---- */

template <typename Kind, typename Shape>
struct Weights
{
  static constexpr int n_in = Shape::in_chunk;
  static constexpr int n_out = Shape::out_chunk;
  static constexpr int n_columns = 4 * n_out / 16; /* matrices of a run */
  static constexpr int width = 2 * SIDE + 2;
  static constexpr int in_pitch = SIDE * n_in;
  static constexpr int out_pitch = get_pitch (width, n_out);
  static constexpr int n_steps = SIDE / Kind::depth;
};

/* The sum goes over the 16 px of a row: left the input's channels, right the run of four kx times
 * the channels of dY, one row ky of the kernel for each of four warps; the other four take every
 * second row of pixels. */
template <typename Kind, typename Shape>
static __device__ __forceinline__ void
accumulate_weights (Sums<Kind> sums[],
                    const typename Kind::Memory *in,
                    const typename Kind::Memory *out,
                    int height)
{
  typedef Weights<Kind, Shape> W;
  const int warp = threadIdx.x / PRISM_CUDA_WARP, ky = warp % 4;

  for (int row = warp / 4; row < height; row += N_SLICES)
    for (int step = 0; step < W::n_steps; step++)
      {
        Left<Kind, wmma::col_major> left;
        Right<Kind> right;

        wmma::load_matrix_sync (left, in + row * W::in_pitch + step * Kind::depth * W::n_in,
                                W::n_in);
#pragma unroll
        for (int column = 0; column < W::n_columns; column++)
          {
            wmma::load_matrix_sync (right,
                                    out + (2 * row + ky) * W::out_pitch
                                        + step * Kind::depth * 2 * W::n_out + column * 16,
                                    2 * W::n_out);
            wmma::mma_sync (sums[column], left, right, sums[column]);
          }
      }
}

/* The stage is [slice][ky][column][16 in][16 of kx and out]. */
template <typename Kind, typename Shape>
static __device__ __forceinline__ void
finish_weights (const float *stage,
                const PrismCudaProduct &product,
                int first_in,
                int first_out)
{
  typedef Weights<Kind, Shape> W;
  const int slice_stride = 4 * W::n_columns * MATRIX;
  const int n_in = product.in.channels, n_out = product.out.channels;
  float *result
      = product.weight_gradient + (size_t) blockIdx.z * n_in * n_out * TAPS;
  bool finite = true;

  for (int i = threadIdx.x; i < W::n_in * W::n_out * TAPS; i += blockDim.x)
    {
      const int tap = i % TAPS, pair = i / TAPS;
      const int out = pair % W::n_out, in = pair / W::n_out;
      const int place = tap % 4 * W::n_out + out;
      const float *from = stage
                          + (tap / 4 * W::n_columns + place / 16) * MATRIX
                          + in * STRIDE + place % 16;
      float sum = 0.0f;

      for (int slice = 0; slice < N_SLICES; slice++)
        sum += from[slice * slice_stride];
      result[((size_t) (first_in + in) * n_out + first_out + out) * TAPS + tap] = sum;
      finite = finite && isfinite (sum);
    }
  if (!finite)
    product.control->not_finite = 1;
}

/* A block computes the 16 taps of up to 16 × 16 pairs of channels over its share of the pixels. */
template <typename Kind, typename Shape>
static __device__ __forceinline__ void
compute_weights (const PrismCudaProduct &product)
{
  typedef Weights<Kind, Shape> W;
  typedef typename Kind::Memory Memory;
  PRISM_CUDA_DYNAMIC_SHARED (Memory, out);
  __shared__ PrismCudaNorm norms[W::n_in];
  __shared__ PrismCudaNormGradient gradient_norms[W::n_out];
  const int height = product.weights.chunk_height;
  Memory *in = out + (2 * height + 2) * W::out_pitch;
  float *stage = reinterpret_cast<float *> (out);
  const int first_out = blockIdx.x * W::n_out, first_in = blockIdx.y * W::n_in;
  const int n_across = product.in.size / SIDE;
  const int n_chunks = n_across * (product.in.size / height);
  Sums<Kind> sums[W::n_columns];

#pragma unroll
  for (int column = 0; column < W::n_columns; column++)
    wmma::fill_fragment (sums[column], 0.0f);
  if (threadIdx.x < W::n_in)
    norms[threadIdx.x] = product.in.norm[first_in + threadIdx.x];
  prism_cuda_load_norm_gradients (gradient_norms, product.out, first_out, W::n_out);
  /* The matrix of 8 channels reads 8 values past the last pixel: they must be numbers. */
  if (threadIdx.x < 16)
    in[height * W::in_pitch + threadIdx.x] = Kind::convert (0.0f);
  for (int chunk = blockIdx.z; chunk < n_chunks; chunk += product.weights.n_splits)
    {
      const int row = chunk / n_across * height, column = chunk % n_across * SIDE;
      const PrismCudaBox in_box = { row, column, height, SIDE };
      const PrismCudaBox out_box
          = { 2 * row - 1, 2 * column - 1, 2 * height + 2, W::width };

      __syncthreads ();
      load_tile<Kind, W::n_in> (
          in, PrismCudaActivationSource { product.in, norms, first_in }, W::n_in, W::in_pitch,
          in_box);
      load_tile<Kind, W::n_out> (
          out, PrismCudaGradientSource { product.out, gradient_norms, first_out }, W::n_out,
          W::out_pitch, out_box);
      __syncthreads ();
      accumulate_weights<Kind, Shape> (sums, in, out, height);
    }
  __syncthreads ();
#pragma unroll
  for (int column = 0; column < W::n_columns; column++)
    wmma::store_matrix_sync (
        stage + (threadIdx.x / PRISM_CUDA_WARP * W::n_columns + column) * MATRIX, sums[column],
        STRIDE, wmma::mem_row_major);
  __syncthreads ();
  finish_weights<Kind, Shape> (stage, product, first_in, first_out);
}

/* ---- launches ---- */

template <PrismCudaProductPass PASS, typename Kind, typename Shape>
static __global__ void
__launch_bounds__ (THREADS, 2)
    mixed_kernel (PrismCudaProduct product)
{
  if (prism_cuda_is_stopped (product.stop))
    return;
  if constexpr (!Kind::available)
    return;
  else if constexpr (PASS == PRISM_CUDA_WEIGHTS)
    compute_weights<Kind, Shape> (product);
  else if constexpr (PASS == PRISM_CUDA_BACKWARD)
    compute<Gradient<Kind, Shape>, Shape> (product);
  else
    compute<Forward<Kind, Shape>, Shape> (product);
}

template <PrismCudaProductPass PASS, typename Kind, typename Shape>
static cudaError_t
launch_shape (const PrismCudaProduct *product,
              cudaStream_t stream)
{
  const dim3 grid (product->out.channels / Shape::out_chunk, product->in.channels / Shape::in_chunk,
                   product->weights.n_splits);

  if (PASS == PRISM_CUDA_WEIGHTS)
    return prism_cuda_launch (mixed_kernel<PASS, Kind, Shape>, grid, THREADS,
                              product->weights.shared_bytes, stream, *product);
  return prism_cuda_launch_tiles (
      mixed_kernel<PASS, Kind, Shape>, product,
      PASS == PRISM_CUDA_FORWARD ? &product->forward : &product->backward, &product->in,
      PASS == PRISM_CUDA_FORWARD ? product->out.channels : product->in.channels, stream);
}

template <PrismCudaProductPass PASS, typename Kind>
static cudaError_t
launch_kind (const PrismCudaProduct *product,
             cudaStream_t stream)
{
  if (product->out.channels == 4)
    return launch_shape<PASS, Kind, Narrow> (product, stream);
  if (product->out.channels == 8)
    return launch_shape<PASS, Kind, Middle> (product, stream);
  return launch_shape<PASS, Kind, Wide> (product, stream);
}

/* An unknown precision is a programmer's error. */
template <PrismCudaProductPass PASS>
static cudaError_t
launch (const PrismCudaProduct *product,
        cudaStream_t stream)
{
  if (product->precision == PRISM_CUDA_PRECISION_BF16)
    return launch_kind<PASS, Bfloat> (product, stream);
  if (product->precision == PRISM_CUDA_PRECISION_FP16)
    return launch_kind<PASS, Half> (product, stream);
  if (product->precision == PRISM_CUDA_PRECISION_TF32)
    return launch_kind<PASS, TensorFloat> (product, stream);
  return cudaErrorInvalidValue;
}

cudaError_t
prism_cuda_mixed_launch (const PrismCudaProduct *product,
                         PrismCudaProductPass pass,
                         cudaStream_t stream)
{
  return pass == PRISM_CUDA_FORWARD    ? launch<PRISM_CUDA_FORWARD> (product, stream)
         : pass == PRISM_CUDA_BACKWARD ? launch<PRISM_CUDA_BACKWARD> (product, stream)
                                       : launch<PRISM_CUDA_WEIGHTS> (product, stream);
}
