/* Gradients of the weights of doublings and 3×3 layers in fp32. p = pixels of the points' map,
 * P and W = channels of points and windows, K = 4 or 3.
 *
 * 2·K²·P·W·p flop; bytes as they leave the caches: 4·(P + W)·p for what is multiplied (twice that
 * for a gradient behind a norm) and 4·K²·P·W for each split.
 *
 * Both are the same sum: over the points of one map, each times a window of the other. Points are
 * x and windows dY of stride 2 for a doubling, points dY and windows x for a 3×3 layer; so the
 * result is [P][W][K][K], the order of the weights, in both cases. A thread has the K² taps of one
 * window channel for a few point channels in registers and slides along a row. */
#include "prism-cuda-product.cuh"

#define THREADS 128

/* Words from one pixel to the next in shared memory: odd where single words are read. */
static __device__ __forceinline__ int
get_window_stride (const PrismCudaSplitting &splitting)
{
  return splitting.n_windows | 1;
}

template <int POINTS>
static __device__ __forceinline__ int
get_point_stride (const PrismCudaSplitting &splitting)
{
  return POINTS == 4 ? (splitting.n_groups + 1) * 4 : splitting.n_groups | 1;
}

/* [rows][columns][stride] with the channel innermost. */
template <typename Source>
static __device__ __forceinline__ void
load_pixels (float *shared,
             const Source &source,
             int n_channels,
             int n_valid,
             int stride,
             const PrismCudaBox &box)
{
  prism_cuda_load_box (source, n_channels, n_valid, box,
                       [=] (int, int channel, int row, int column, float value) {
                         shared[(row * box.width + column) * stride + channel] = value;
                       });
}

/* Where a thread works: window channel, group of point channels, slice of rows. */
struct Place
{
  int window;
  int group;
  int slice;

  __device__ __forceinline__
  Place (const PrismCudaSplitting &splitting)
  {
    window = threadIdx.x % splitting.n_windows;
    group = threadIdx.x / splitting.n_windows % splitting.n_groups;
    slice = threadIdx.x / splitting.n_windows / splitting.n_groups;
  }
};

template <int POINTS>
static __device__ __forceinline__ void
take_points (float points[POINTS],
             const float *shared)
{
  if constexpr (POINTS == 4)
    {
      const float4 value = *reinterpret_cast<const float4 *> (shared);

      points[0] = value.x;
      points[1] = value.y;
      points[2] = value.z;
      points[3] = value.w;
    }
  else
    points[0] = shared[0];
}

/* One row of points against the rows of windows below it. */
template <int KERNEL, int STRIDE, int POINTS>
static __device__ __forceinline__ void
slide (float sums[POINTS][KERNEL * KERNEL],
       const float *points,
       const float *windows,
       int point_stride,
       int window_stride,
       int row_stride,
       int n_columns)
{
  float window[KERNEL][KERNEL], point[POINTS];

#pragma unroll
  for (int y = 0; y < KERNEL; y++)
#pragma unroll
    for (int x = STRIDE; x < KERNEL; x++)
      window[y][x] = windows[y * row_stride + (x - STRIDE) * window_stride];
#pragma unroll 2
  for (int column = 0; column < n_columns; column++)
    {
      const float *next = windows + (STRIDE * column + KERNEL - STRIDE) * window_stride;

      take_points<POINTS> (point, points + column * point_stride);
#pragma unroll
      for (int y = 0; y < KERNEL; y++)
#pragma unroll
        for (int x = 0; x < KERNEL; x++)
          window[y][x] = x < KERNEL - STRIDE
                             ? window[y][x + STRIDE]
                             : next[y * row_stride + (x - KERNEL + STRIDE) * window_stride];
#pragma unroll
      for (int i = 0; i < POINTS; i++)
#pragma unroll
        for (int tap = 0; tap < KERNEL * KERNEL; tap++)
          sums[i][tap] = fmaf (point[i], window[tap / KERNEL][tap % KERNEL], sums[i][tap]);
    }
}

/* Adds the slices and writes [point][window][tap]. */
template <int KERNEL, int POINTS>
static __device__ __forceinline__ void
finish (float *slices,
        const float sums[POINTS][KERNEL * KERNEL],
        const Place &place,
        const PrismCudaProduct &product,
        int n_all_points,
        int n_all_windows)
{
  const int n_taps = KERNEL * KERNEL, stride = n_taps | 1;
  const PrismCudaSplitting &splitting = product.weights;
  const int n_windows = splitting.n_windows, n_points = splitting.n_groups * POINTS;
  const int slice_stride = n_points * n_windows * stride;
  float *result = product.weight_gradient
                  + (size_t) blockIdx.z * n_all_points * n_all_windows * n_taps;
  bool finite = true;

#pragma unroll
  for (int i = 0; i < POINTS; i++)
#pragma unroll
    for (int tap = 0; tap < n_taps; tap++)
      slices[place.slice * slice_stride
             + ((place.group * POINTS + i) * n_windows + place.window) * stride + tap]
          = sums[i][tap];
  __syncthreads ();
  for (int i = threadIdx.x; i < n_points * n_windows * n_taps; i += THREADS)
    {
      const int tap = i % n_taps, pair = i / n_taps;
      const int window = blockIdx.x * n_windows + pair % n_windows;
      const int point = blockIdx.y * n_points + pair / n_windows;
      float sum = 0.0f;

      for (int slice = 0; slice < splitting.n_slices; slice++)
        sum += slices[slice * slice_stride + pair * stride + tap];
      if (window >= n_all_windows || point >= n_all_points)
        continue;
      result[((size_t) point * n_all_windows + window) * n_taps + tap] = sum;
      finite = finite && isfinite (sum);
    }
  if (!finite)
    product.control->not_finite = 1;
}

/* What a block multiplies: KERNEL 4: points are in after its norm, windows the gradient of out;
 * KERNEL 3 the other way round, and out may be the last layer's map. */
template <int KERNEL, bool OUTPUT>
static __device__ __forceinline__ void
load_chunk (float *points,
            float *windows,
            const PrismCudaProduct &product,
            const PrismCudaNorm *norms,
            const PrismCudaNormGradient *gradients,
            int first_row,
            int first_column,
            int n_points,
            int point_stride)
{
  constexpr int STRIDE = KERNEL == 4 ? 2 : 1;
  const PrismCudaSplitting &splitting = product.weights;
  const int height = splitting.chunk_height, width = splitting.chunk_width;
  const int first_window = blockIdx.x * splitting.n_windows, first_point = blockIdx.y * n_points;
  const int first_in = KERNEL == 4 ? first_point : first_window;
  const int first_out = KERNEL == 4 ? first_window : first_point;
  const int n_in = product.in.channels - first_in, n_out = product.out.channels - first_out;
  const PrismCudaBox point_box = { first_row, first_column, height, width };
  const PrismCudaBox window_box = { STRIDE * first_row - product.padding,
                                    STRIDE * first_column - product.padding,
                                    STRIDE * (height - 1) + KERNEL, STRIDE * (width - 1) + KERNEL };
  const PrismCudaActivationSource in = { product.in, norms, first_in };
  const PrismCudaGradientSource out = { product.out, gradients, first_out };
  const int window_stride = get_window_stride (splitting);

  if constexpr (KERNEL == 4)
    {
      load_pixels (points, in, n_points, n_in, point_stride, point_box);
      load_pixels (windows, out, splitting.n_windows, n_out, window_stride, window_box);
      return;
    }
  load_pixels (windows, in, splitting.n_windows, n_in, window_stride, window_box);
  if constexpr (OUTPUT)
    load_pixels (points,
                 PrismCudaImageSource { product.out, product.image, product.control->loss_scale },
                 n_points, n_out, point_stride, point_box);
  else
    load_pixels (points, out, n_points, n_out, point_stride, point_box);
}

template <int KERNEL, bool OUTPUT>
static __device__ __forceinline__ void
load_both_norms (PrismCudaNorm *norms,
                 PrismCudaNormGradient *gradients,
                 const PrismCudaProduct &product,
                 int n_points)
{
  const int n_windows = product.weights.n_windows;
  const int first_window = blockIdx.x * n_windows, first_point = blockIdx.y * n_points;
  const int first_in = KERNEL == 4 ? first_point : first_window;
  const int first_out = KERNEL == 4 ? first_window : first_point;
  const int n_in = KERNEL == 4 ? n_points : n_windows;
  const int n_out = KERNEL == 4 ? n_windows : n_points;

  /* Norms as the forward pass has published them. */
  for (int i = threadIdx.x; i < min (n_in, product.in.channels - first_in); i += THREADS)
    norms[i] = product.in.norm[first_in + i];
  if (!OUTPUT)
    prism_cuda_load_norm_gradients (gradients, product.out, first_out,
                                    min (n_out, product.out.channels - first_out));
  __syncthreads ();
}

template <int KERNEL, int POINTS, bool OUTPUT>
static __global__ void
__launch_bounds__ (THREADS, 1)
    weight_gradient_kernel (PrismCudaProduct product)
{
  PRISM_CUDA_DYNAMIC_SHARED (float, points);
  __shared__ PrismCudaNorm norms[THREADS];
  __shared__ PrismCudaNormGradient gradients[THREADS];
  constexpr int STRIDE = KERNEL == 4 ? 2 : 1;
  const PrismCudaSplitting &splitting = product.weights;
  const int height = splitting.chunk_height, width = splitting.chunk_width;
  const int n_points = splitting.n_groups * POINTS;
  const int point_stride = get_point_stride<POINTS> (splitting);
  const int window_stride = get_window_stride (splitting);
  const int row_stride = (STRIDE * (width - 1) + KERNEL) * window_stride;
  const int size = KERNEL == 4 ? product.in.size : product.out.size;
  const int n_across = prism_cuda_count_blocks (size, width);
  const int n_chunks = (size + height - 1) / height * n_across;
  float *windows = points + height * width * point_stride;
  const Place place (splitting);
  float sums[POINTS][KERNEL * KERNEL] = {};

  if (prism_cuda_is_stopped (product.stop))
    return;
  load_both_norms<KERNEL, OUTPUT> (norms, gradients, product, n_points);
  for (int chunk = blockIdx.z; chunk < n_chunks; chunk += splitting.n_splits)
    {
      load_chunk<KERNEL, OUTPUT> (points, windows, product, norms, gradients,
                                  chunk / n_across * height, chunk % n_across * width, n_points,
                                  point_stride);
      __syncthreads ();
      for (int row = place.slice; row < height; row += splitting.n_slices)
        slide<KERNEL, STRIDE, POINTS> (
            sums, points + row * width * point_stride + place.group * POINTS,
            windows + STRIDE * row * row_stride + place.window, point_stride, window_stride,
            row_stride, width);
      __syncthreads ();
    }
  finish<KERNEL, POINTS> (points, sums, place, product,
                          KERNEL == 4 ? product.in.channels : product.out.channels,
                          KERNEL == 4 ? product.out.channels : product.in.channels);
}

cudaError_t
prism_cuda_weight_launch (const PrismCudaProduct *product,
                          cudaStream_t stream)
{
  const PrismCudaSplitting *splitting = &product->weights;
  const bool doubles = product->kind == PRISM_CUDA_DOUBLE;
  const int n_all_points = doubles ? product->in.channels : product->out.channels;
  const int n_all_windows = doubles ? product->out.channels : product->in.channels;
  const int n_points = splitting->n_groups * splitting->n_points;
  const dim3 grid (prism_cuda_count_blocks (n_all_windows, splitting->n_windows),
                   prism_cuda_count_blocks (n_all_points, n_points), splitting->n_splits);

  return prism_cuda_launch (doubles ? weight_gradient_kernel<4, 4, false>
                            : product->kind == PRISM_CUDA_OUTPUT
                                ? weight_gradient_kernel<3, 1, true>
                                : weight_gradient_kernel<3, 4, false>,
                            grid, THREADS, splitting->shared_bytes, stream, *product);
}
