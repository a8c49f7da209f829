/* The layers' products in fp32: doublings and convolutions 3×3, forward and to the gradient of what
 * they read. h = in.size and s = side of the map that is written, I and O = channels of in and out,
 * C and D the channels that are summed over and written.
 *
 * A doubling: 32·I·O·h² flop; bytes as they leave the caches: forward 4·(I·h² + 4·O·h² + 16·I·O),
 * data gradient 4·(2·I·h² + 8·O·h² + 16·I·O). A convolution: 18·C·D·s² flop; bytes forward
 * 4·(C + D)·s², data gradient 4·(2·C + 2·D)·s², and 36·C·D of weights.
 *
 * A block computes a tile of pixels for a few channels. Its threads share out the pixels and, in
 * slices, the channels that are summed over; slices are added in order at the end. What of this a
 * kind of layer does in its own way stands in its structure. */
#include "prism-cuda-product.cuh"

#define DOUBLE_TAPS 16
#define CONVOLVE_TAPS 9
#define MERGE_THREADS 256

/* Where a thread works: its slice, and the first of its height × width pixels in the tile. */
struct Place
{
  int slice;
  int row;
  int column;

  __device__ __forceinline__
  Place (const PrismCudaTiling &tiling, int height, int width)
  {
    const int n_columns = tiling.tile_width / width;
    const int n_places = tiling.tile_height / height * n_columns;
    const int place = threadIdx.x % n_places;

    slice = threadIdx.x / n_places;
    row = place / n_columns * height;
    column = place % n_columns * width;
  }
};

/* ---- doublings ---- */

static __device__ __forceinline__ void
take_weights (float w[DOUBLE_TAPS],
              const float4 *shared)
{
#pragma unroll
  for (int i = 0; i < DOUBLE_TAPS / 4; i++)
    {
      const float4 value = shared[i];

      w[4 * i] = value.x;
      w[4 * i + 1] = value.y;
      w[4 * i + 2] = value.z;
      w[4 * i + 3] = value.w;
    }
}

/* A thread has a square of the input's pixels, PIXELS a side, for CHANNELS channels. A tile is of
 * input x with a border of one pixel; on the way back of dY, with the border that the window needs,
 * columns of odd and even number apart, so that neighbouring threads read neighbouring words. */
template <bool BACK_, int PIXELS, int CHANNELS_>
struct Doubling
{
  static constexpr bool BACK = BACK_, IMAGE = false;
  static constexpr int CHANNELS = CHANNELS_, THREADS = PIXELS == 2 ? 256 : 512;
  static constexpr int HEIGHT = PIXELS, WIDTH = PIXELS;
  static constexpr int SCALE = BACK ? 1 : 2; /* of what is written to the tile */
  static constexpr int SUMS = SCALE * SCALE * PIXELS * PIXELS;
  static constexpr int WEIGHTS = DOUBLE_TAPS; /* as they lie in shared memory */
  static constexpr int SIDE = BACK ? 2 * PIXELS + 2 : PIXELS + 2;

  static __device__ __host__ __forceinline__ const PrismCudaMap &
  get_tiled_map (const PrismCudaProduct &product)
  {
    return product.in;
  }

  static __device__ __forceinline__ PrismCudaBox
  get_box (const PrismCudaProduct &, const PrismCudaTiling &tiling, int row, int column)
  {
    if (BACK)
      return { 2 * row - 1, 2 * column - 1, 2 * tiling.tile_height + 2, 2 * tiling.tile_width + 2 };
    return { row - 1, column - 1, tiling.tile_height + 2, tiling.tile_width + 2 };
  }

  /* Of value i of [channel][row][column]. */
  static __device__ __forceinline__ int
  get_place (int i, int column, int width)
  {
    return BACK ? i - column + column % 2 * (width / 2) + column / 2 : i;
  }

  /* [count][CHANNELS][16]; those of channels beyond all are zero. */
  static __device__ __forceinline__ void
  load_weights (float *shared,
                const PrismCudaProduct &product,
                int first,
                int count,
                int first_channel)
  {
    const int n_valid = (BACK ? product.in.channels : product.out.channels) - first_channel;
    const size_t chunk_stride = BACK ? 1 : product.out.channels;
    const size_t block_stride = BACK ? product.out.channels : 1;
    const float4 *values = reinterpret_cast<const float4 *> (
        product.weight + (first * chunk_stride + first_channel * block_stride) * DOUBLE_TAPS);

#pragma unroll 4
    for (int i = threadIdx.x; i < count * CHANNELS * (DOUBLE_TAPS / 4); i += blockDim.x)
      {
        const int quarter = i % (DOUBLE_TAPS / 4), pair = i / (DOUBLE_TAPS / 4);
        const int channel = pair % CHANNELS, slice = pair / CHANNELS;
        const size_t from
            = (slice * chunk_stride + channel * block_stride) * (DOUBLE_TAPS / 4) + quarter;

        reinterpret_cast<float4 *> (shared)[i]
            = channel < n_valid ? values[from] : make_float4 (0.0f, 0.0f, 0.0f, 0.0f);
      }
  }

  /* Adds the 16 taps of one pair of channels. x: square of what is read, with its border. */
  static __device__ __forceinline__ void
  multiply (float sum[SUMS], const float x[SIDE * SIDE], const float w[DOUBLE_TAPS])
  {
#pragma unroll
    for (int pixel = 0; pixel < PIXELS * PIXELS; pixel++)
#pragma unroll
      for (int tap = 0; tap < DOUBLE_TAPS; tap++)
        {
          const int ky = tap / 4, kx = tap % 4, row = pixel / PIXELS, column = pixel % PIXELS;
          const int out
              = (2 * row + (ky + 1) % 2) * 2 * PIXELS + 2 * column + (kx + 1) % 2;
          const int from = BACK ? (2 * row + ky) * SIDE + 2 * column + kx
                                : (row + 1 + prism_cuda_get_shift (ky)) * SIDE + column + 1
                                      + prism_cuda_get_shift (kx);

          sum[BACK ? pixel : out] = fmaf (w[tap], x[from], sum[BACK ? pixel : out]);
        }
  }

  static __device__ __forceinline__ void
  accumulate (float sums[CHANNELS][SUMS],
              const float *tile,
              const float *weights,
              int count,
              const Place &place,
              const PrismCudaBox &box,
              int n_slices)
  {
    const int width = box.width, plane = box.height * width;

    for (int channel = place.slice; channel < count; channel += n_slices)
      {
        const float *from
            = tile + channel * plane + (BACK ? 2 : 1) * place.row * width + place.column;
        float x[SIDE * SIDE], w[DOUBLE_TAPS];

#pragma unroll
        for (int i = 0; i < SIDE * SIDE; i++)
          x[i] = from[i / SIDE * width
                      + (BACK ? i % SIDE % 2 * (width / 2) + i % SIDE / 2 : i % SIDE)];
#pragma unroll
        for (int k = 0; k < CHANNELS; k++)
          {
            take_weights (w, reinterpret_cast<const float4 *> (weights)
                                 + (channel * CHANNELS + k) * (DOUBLE_TAPS / 4));
            multiply (sums[k], x, w);
          }
      }
  }
};

/* ---- convolutions 3×3 ---- */

static __device__ __forceinline__ void
take_row (float row[6],
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

/* A thread has four pixels of a row for CHANNELS channels. The gradient by the input is the same
 * convolution with the weights turned by 180° and in and out exchanged. IMAGE: of the last
 * layer. */
template <bool BACK_, bool IMAGE_, int CHANNELS_>
struct Convolution
{
  static constexpr bool BACK = BACK_, IMAGE = IMAGE_;
  static constexpr int CHANNELS = CHANNELS_, THREADS = 256;
  static constexpr int HEIGHT = 1, WIDTH = 4, SCALE = 1, SUMS = 4;
  static constexpr int WEIGHTS = 12; /* as they lie in shared memory, in three rows of four */

  static __device__ __host__ __forceinline__ const PrismCudaMap &
  get_tiled_map (const PrismCudaProduct &product)
  {
    return BACK ? product.in : product.out;
  }

  /* Of its columns tile_width + 2 are read. */
  static __device__ __forceinline__ PrismCudaBox
  get_box (const PrismCudaProduct &product, const PrismCudaTiling &tiling, int row, int column)
  {
    const int border = BACK ? 2 - product.padding : product.padding;

    return { row - border, column - border, tiling.tile_height + 2, tiling.tile_width + 4 };
  }

  static __device__ __forceinline__ int
  get_place (int i, int, int)
  {
    return i;
  }

  /* [count][CHANNELS][3][4] of weight [out][in][3][3], turned on the way back. */
  static __device__ __forceinline__ void
  load_weights (float *shared,
                const PrismCudaProduct &product,
                int first,
                int count,
                int first_channel)
  {
    const int n_in = product.in.channels, n_written = BACK ? n_in : product.out.channels;

    for (int i = threadIdx.x; i < count * CHANNELS * CONVOLVE_TAPS; i += blockDim.x)
      {
        const int tap = i % CONVOLVE_TAPS, pair = i / CONVOLVE_TAPS;
        const int from = first + pair / CHANNELS, to = first_channel + pair % CHANNELS;
        const size_t source = BACK ? ((size_t) from * n_in + to) * CONVOLVE_TAPS + 8 - tap
                                   : ((size_t) to * n_in + from) * CONVOLVE_TAPS + tap;

        shared[pair * WEIGHTS + tap / 3 * 4 + tap % 3]
            = to < n_written ? product.weight[source] : 0.0f;
      }
  }

  static __device__ __forceinline__ void
  accumulate (float sums[CHANNELS][SUMS],
              const float *tile,
              const float *weights,
              int count,
              const Place &place,
              const PrismCudaBox &box,
              int n_slices)
  {
    const int width = box.width, plane = box.height * width;

    for (int channel = place.slice; channel < count; channel += n_slices)
#pragma unroll
      for (int ky = 0; ky < 3; ky++)
        {
          float x[WIDTH + 2];

          take_row (x, tile + channel * plane + (place.row + ky) * width + place.column);
#pragma unroll
          for (int to = 0; to < CHANNELS; to++)
            {
              const float4 w = *reinterpret_cast<const float4 *> (
                  weights + (channel * CHANNELS + to) * WEIGHTS + ky * 4);

#pragma unroll
              for (int i = 0; i < WIDTH; i++)
                {
                  sums[to][i] = fmaf (w.x, x[i], sums[to][i]);
                  sums[to][i] = fmaf (w.y, x[i + 1], sums[to][i]);
                  sums[to][i] = fmaf (w.z, x[i + 2], sums[to][i]);
                }
            }
        }
  }
};

/* ---- how a tile ends ---- */

/* Sum over the threads of one channel where the block's threads are shared out to n_channels of
 * them in turn, a whole number of warps each. scratch: [32] in shared memory. */
static __device__ __forceinline__ float
sum_part (float value,
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

/* Sums of a thread into [slice][channel][row][column] of the tile as it is written. */
template <typename Layer>
static __device__ __forceinline__ void
store_slices (float *slices,
              const float sums[Layer::CHANNELS][Layer::SUMS],
              const Place &place,
              const PrismCudaTiling &tiling)
{
  constexpr int SCALE = Layer::SCALE, ACROSS = SCALE * Layer::WIDTH;
  const int width = SCALE * tiling.tile_width, plane = SCALE * tiling.tile_height * width;

  if (place.slice >= tiling.n_slices)
    return;
#pragma unroll
  for (int channel = 0; channel < Layer::CHANNELS; channel++)
#pragma unroll
    for (int i = 0; i < Layer::SUMS; i++)
      slices[(place.slice * Layer::CHANNELS + channel) * plane
             + (SCALE * place.row + i / ACROSS) * width + SCALE * place.column + i % ACROSS]
          = sums[channel][i];
}

/* Adds the slices, measures the tile in two passes and writes it. */
template <typename Layer>
static __device__ __forceinline__ void
finish_forward (float *slices,
                float *scratch,
                const PrismCudaProduct &product,
                int first_row,
                int first_column,
                int first_channel)
{
  constexpr int CHANNELS = Layer::CHANNELS, SCALE = Layer::SCALE;
  const PrismCudaTiling &tiling = product.forward;
  const int width = SCALE * tiling.tile_width, plane = SCALE * tiling.tile_height * width;
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
  mean = sum_part (sum, scratch, CHANNELS) / plane;
  for (int i = threadIdx.x % n_threads; i < plane; i += n_threads)
    {
      const float difference = values[i] - mean;
      const int row = prism_cuda_divide (i, by_width);

      squares = fmaf (difference, difference, squares);
      if (channel < product.out.channels)
        product.out.y[((size_t) channel * size + SCALE * first_row + row) * size
                      + SCALE * first_column + i - row * width]
            = values[i];
    }
  squares = sum_part (squares, scratch, CHANNELS);
  if (threadIdx.x % n_threads == 0 && channel < product.out.channels)
    product.out.moments[(size_t) channel * gridDim.x + blockIdx.x] = { mean, squares };
}

/* The end of a data gradient: adds the slices [slice][channel][tile], masks with the ReLU of the
 * input's norm, writes dZ and its sums for the tile. The map's size is a multiple of the tile's. */
template <int CHANNELS>
static __device__ __forceinline__ void
finish_gradient (const float *slices,
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
      float value = 0.0f;

      for (int slice = 0; slice < tiling.n_slices; slice++)
        value += slices[(slice * CHANNELS + part) * plane + i];
      prism_cuda_take_gradient (map, norm, pixel, value, sum, inner);
    }
  sum = sum_part (sum, scratch, CHANNELS);
  inner = sum_part (inner, scratch, CHANNELS);
  if (threadIdx.x % n_threads == 0 && valid)
    prism_cuda_publish_sums (product, channel, sum, inner);
}

static __device__ __forceinline__ float
activate (int activation,
          float y)
{
  switch (activation)
    {
    case PRISM_CUDA_ACTIVATION_RELU:
      return y <= 0.0f ? 0.0f : y;
    case PRISM_CUDA_ACTIVATION_SIGMOID:
      return 1.0f / (1.0f + expf (-y));
    case PRISM_CUDA_ACTIVATION_HARDSIGMOID:
      y = fmaf (y, 1.0f / 6.0f, 0.5f);
      y = y <= 0.0f ? 0.0f : y;
      return y >= 1.0f ? 1.0f : y;
    case PRISM_CUDA_ACTIVATION_TANH:
      return tanhf (y);
    default:
      return y;
    }
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
        image.output[(size_t) y * image.size + x] = activate (image.activation, value);
    }
}

/* The bias's gradient: the sum of dY over the tile without its border. */
static __device__ __forceinline__ void
sum_bias (const float *tile,
          float *scratch,
          const PrismCudaProduct &product)
{
  const PrismCudaTiling &tiling = product.backward;
  const int width = tiling.tile_width, border = 2 - product.padding;
  const PrismCudaDivisor by_width = prism_cuda_divisor (width);
  float sum = 0.0f;

  for (int i = threadIdx.x; i < tiling.tile_height * width; i += blockDim.x)
    {
      const int row = prism_cuda_divide (i, by_width);

      sum += tile[(row + border) * (width + 4) + i - row * width + border];
    }
  sum = sum_part (sum, scratch, 1);
  if (threadIdx.x == 0)
    product.image.bias_sums[blockIdx.x] = { sum, 0.0f };
}

/* ---- the kernel ---- */

template <typename Layer>
static __device__ __forceinline__ void
load_chunk (float *tile,
            float4 *norms,
            const PrismCudaProduct &product,
            int first,
            int count,
            const PrismCudaBox &box)
{
  const auto store = [=] (int i, int, int, int column, float value) {
    tile[Layer::get_place (i, column, box.width)] = value;
  };

  if constexpr (Layer::BACK && Layer::IMAGE)
    prism_cuda_load_box (
        PrismCudaImageSource { product.out, product.image, product.control->loss_scale }, count,
        count, box, store);
  else if constexpr (Layer::BACK)
    {
      PrismCudaNormGradient *gradients = reinterpret_cast<PrismCudaNormGradient *> (norms);

      prism_cuda_load_norm_gradients (gradients, product.out, first, count);
      __syncthreads ();
      prism_cuda_load_box (PrismCudaGradientSource { product.out, gradients, first }, count, count,
                           box, store);
    }
  else
    {
      PrismCudaNorm *values = reinterpret_cast<PrismCudaNorm *> (norms);

      prism_cuda_load_norms (values, product.in, first, count, blockIdx.x + blockIdx.y == 0);
      __syncthreads ();
      prism_cuda_load_box (PrismCudaActivationSource { product.in, values, first }, count, count,
                           box, store);
    }
}

template <typename Layer>
static __global__ void
__launch_bounds__ (Layer::THREADS, 1)
    product_kernel (PrismCudaProduct product)
{
  PRISM_CUDA_DYNAMIC_SHARED (float4, norms);
  __shared__ float scratch[PRISM_CUDA_WARP];
  const PrismCudaTiling &tiling = Layer::BACK ? product.backward : product.forward;
  const int n_channels = Layer::BACK ? product.out.channels : product.in.channels;
  const int size = Layer::get_tiled_map (product).size;
  const int n_tiles_across = prism_cuda_count_blocks (size, tiling.tile_width);
  const int first_row = blockIdx.x / n_tiles_across * tiling.tile_height;
  const int first_column = blockIdx.x % n_tiles_across * tiling.tile_width;
  const int first_channel = blockIdx.y * Layer::CHANNELS;
  const PrismCudaBox box = Layer::get_box (product, tiling, first_row, first_column);
  const Place place (tiling, Layer::HEIGHT, Layer::WIDTH);
  float *weights = reinterpret_cast<float *> (norms + tiling.chunk);
  float *tile = weights + tiling.chunk * Layer::CHANNELS * Layer::WEIGHTS;
  float *slices = reinterpret_cast<float *> (norms);
  float sums[Layer::CHANNELS][Layer::SUMS] = {};

  if (prism_cuda_is_stopped (product.stop))
    return;
  for (int first = 0; first < n_channels; first += tiling.chunk)
    {
      const int count = min (tiling.chunk, n_channels - first);

      Layer::load_weights (weights, product, first, count, first_channel);
      load_chunk<Layer> (tile, norms, product, first, count, box);
      __syncthreads ();
      if (place.slice < tiling.n_slices)
        Layer::accumulate (sums, tile, weights, count, place, box, tiling.n_slices);
      if (Layer::BACK && Layer::IMAGE && blockIdx.y == 0)
        sum_bias (tile, scratch, product);
      __syncthreads ();
    }
  store_slices<Layer> (slices, sums, place, tiling);
  __syncthreads ();
  if constexpr (Layer::BACK)
    finish_gradient<Layer::CHANNELS> (slices, scratch, product, first_row, first_column,
                                      first_channel);
  else if constexpr (Layer::IMAGE)
    finish_output (slices, product, first_row, first_column);
  else
    finish_forward<Layer> (slices, scratch, product, first_row, first_column, first_channel);
}

template <typename Layer>
static cudaError_t
launch (const PrismCudaProduct *product,
        cudaStream_t stream)
{
  return prism_cuda_launch_tiles (product_kernel<Layer>, product,
                                  Layer::BACK ? &product->backward : &product->forward,
                                  &Layer::get_tiled_map (*product),
                                  Layer::BACK ? product->in.channels : product->out.channels,
                                  stream);
}

static cudaError_t
launch_forward (const PrismCudaProduct *product,
                cudaStream_t stream)
{
  if (product->kind == PRISM_CUDA_OUTPUT)
    return launch<Convolution<false, true, 1>> (product, stream);
  if (product->kind == PRISM_CUDA_CONVOLVE)
    return launch<Convolution<false, false, 2>> (product, stream);
  if (product->forward.pixels == 2)
    return launch<Doubling<false, 2, 2>> (product, stream);
  if (product->forward.n_channels == 2)
    return launch<Doubling<false, 1, 2>> (product, stream);
  return launch<Doubling<false, 1, 1>> (product, stream);
}

static cudaError_t
launch_backward (const PrismCudaProduct *product,
                 cudaStream_t stream)
{
  if (product->kind == PRISM_CUDA_OUTPUT)
    return launch<Convolution<true, true, 2>> (product, stream);
  if (product->kind == PRISM_CUDA_CONVOLVE)
    return launch<Convolution<true, false, 2>> (product, stream);
  if (product->backward.pixels == 2)
    return launch<Doubling<true, 2, 4>> (product, stream);
  return launch<Doubling<true, 1, 2>> (product, stream);
}

cudaError_t
prism_cuda_product_launch (const PrismCudaProduct *product,
                           PrismCudaProductPass pass,
                           cudaStream_t stream)
{
  if (product->precision != PRISM_CUDA_PRECISION_FP32)
    return prism_cuda_mixed_launch (product, pass, stream);
  if (pass == PRISM_CUDA_WEIGHTS)
    return prism_cuda_weight_launch (product, stream);
  return pass == PRISM_CUDA_FORWARD ? launch_forward (product, stream)
                                    : launch_backward (product, stream);
}

/* ---- partial results of a channel: 8 bytes and 6 flop per tile, one block per channel ---- */

static __global__ void
__launch_bounds__ (MERGE_THREADS)
    merge_moments_kernel (PrismCudaMoments *merged,
                          const PrismCudaMoments *parts,
                          int n_parts,
                          float n_pixels,
                          const int32_t *stop)
{
  __shared__ float scratch[PRISM_CUDA_WARP];
  PrismCudaMoments all;

  if (prism_cuda_is_stopped (stop))
    return;
  all = prism_cuda_merge_moments (
      parts + (size_t) blockIdx.x * n_parts, n_parts, n_pixels, threadIdx.x, MERGE_THREADS,
      [&] (float value) { return prism_cuda_sum_block (value, scratch); });
  if (threadIdx.x == 0)
    merged[blockIdx.x] = all;
}

static __global__ void
__launch_bounds__ (MERGE_THREADS)
    merge_sums_kernel (PrismCudaSums *merged,
                       const PrismCudaSums *parts,
                       int n_parts,
                       const int32_t *stop)
{
  __shared__ float scratch[PRISM_CUDA_WARP];
  PrismCudaSums all;

  if (prism_cuda_is_stopped (stop))
    return;
  all = prism_cuda_merge_sums (
      parts + (size_t) blockIdx.x * n_parts, n_parts, threadIdx.x, MERGE_THREADS,
      [&] (float value) { return prism_cuda_sum_block (value, scratch); });
  if (threadIdx.x == 0)
    merged[blockIdx.x] = all;
}

cudaError_t
prism_cuda_norm_merge_moments (PrismCudaMoments *merged,
                               const PrismCudaMoments *parts,
                               int n_channels,
                               int n_parts,
                               int n_pixels,
                               const int32_t *stop,
                               cudaStream_t stream)
{
  return prism_cuda_launch (merge_moments_kernel, n_channels, MERGE_THREADS, 0, stream,
                            merged, parts, n_parts, n_pixels, stop);
}

cudaError_t
prism_cuda_norm_merge_sums (PrismCudaSums *merged,
                            const PrismCudaSums *parts,
                            int n_channels,
                            int n_parts,
                            const int32_t *stop,
                            cudaStream_t stream)
{
  return prism_cuda_launch (merge_sums_kernel, n_channels, MERGE_THREADS, 0, stream,
                            merged, parts, n_parts, stop);
}
