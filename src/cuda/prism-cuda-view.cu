#include "prism-cuda-pair.cuh"

/* n = image_size. Two kernels: the columns of the box out to all detector rows, then row by row
 * through the rest of the transform, over the pixels and, for ePIE, back. 8·n·width bytes are
 * written and read (and written once more by PROJECT), 4·n² of the target read or written. */

#define N_SUM_THREADS 256

/* S(y, x) of centred frequencies. */
template <int N>
static __device__ __forceinline__ float2
get_value (const float2 *spectrum,
           int full,
           int y,
           int x)
{
  if (full || x >= 0)
    return spectrum[(size_t) (x & (N - 1)) * N + (y & (N - 1))];

  const float2 mirrored = spectrum[(size_t) -x * N + (-y & (N - 1))];

  return make_float2 (mirrored.x, -mirrored.y);
}

/* A line is a column of the box. */
template <int N>
static __global__ void
__launch_bounds__ (PrismCudaLines<N>::BLOCK, 1)
    expand_kernel (PrismCudaView view,
                   const float2 *spectrum,
                   int full)
{
  PRISM_CUDA_DYNAMIC_SHARED (float2, shared);
  constexpr int THREADS = PrismCudaFft<N>::THREADS;
  const PrismCudaSlot mask = prism_cuda_view_get_mask (view);
  const int line = threadIdx.x / THREADS, t = threadIdx.x % THREADS;
  const int column = blockIdx.x * PrismCudaLines<N>::COUNT + line, width = mask.width;
  const int n_live = column < width ? mask.height : 0;
  float2 *plane = reinterpret_cast<float2 *> (view.plane);
  float2 x[PRISM_CUDA_FFT_POINTS];
  PrismCudaFft<N> fft;

  prism_cuda_fft_load (fft, view.roots, t);
  for (int i = t; i < n_live; i += THREADS)
    shared[prism_cuda_fft_get_place<N> (line, i)]
        = mask.bits[(size_t) i * width + column]
              ? get_value<N> (spectrum, full, mask.y0 + i, mask.x0 + column)
              : make_float2 (0.0f, 0.0f);
  prism_cuda_fft_wait<N> ();
  prism_cuda_fft_expand<N, PRISM_CUDA_FFT_INVERSE> (x, fft, shared, line, t, mask.height);
  if (column >= width)
    return;
#pragma unroll
  for (int e = 0; e < PRISM_CUDA_FFT_POINTS; e++)
    plane[(size_t) (t + e * THREADS) * width + column] = make_float2 (x[e].x / N, x[e].y / N);
}

typedef struct
{
  float residual;
  float power;
} PixelSums;

/* y ← A·y/|y|; the constant keeps it 0 where y is. */
static __device__ __forceinline__ void
project_pixel (float2 *y,
               PixelSums *sums,
               float amplitude)
{
  const float size = sqrtf (fmaf (y->x, y->x, y->y * y->y)), difference = size - amplitude;
  const float factor = amplitude / (size + 1e-12f);

  sums->residual = fmaf (difference, difference, sums->residual);
  sums->power = fmaf (amplitude, amplitude, sums->power);
  *y = make_float2 (factor * y->x, factor * y->y);
}

/* partials [2][gridDim.x]: in float over the eight pixels of a thread, in double from there. */
static __device__ __forceinline__ void
store_partials (double *partials,
                const PixelSums &sums)
{
  __shared__ double scratch[PRISM_CUDA_WARP];
  const double residual = prism_cuda_sum_block ((double) sums.residual, scratch);
  const double power = prism_cuda_sum_block ((double) sums.power, scratch);

  if (threadIdx.x == 0)
    {
      partials[blockIdx.x] = residual;
      partials[gridDim.x + blockIdx.x] = power;
    }
}

/* A line is a row of the detector. The number of rows is a multiple of the lines of a block. */
template <int N>
static __global__ void
__launch_bounds__ (PrismCudaLines<N>::BLOCK, 1)
    visit_kernel (PrismCudaView view,
                  PrismCudaViewKind kind)
{
  PRISM_CUDA_DYNAMIC_SHARED (float2, shared);
  constexpr int THREADS = PrismCudaFft<N>::THREADS;
  const PrismCudaSlot mask = prism_cuda_view_get_mask (view);
  const int line = threadIdx.x / THREADS, t = threadIdx.x % THREADS, width = mask.width;
  const size_t row = blockIdx.x * PrismCudaLines<N>::COUNT + line;
  const float *target = mask.target + row * N;
  float2 *plane = reinterpret_cast<float2 *> (view.plane) + row * width;
  PixelSums sums = { 0.0f, 0.0f };
  float2 x[PRISM_CUDA_FFT_POINTS];
  PrismCudaFft<N> fft;

  prism_cuda_fft_load (fft, view.roots, t);
  for (int i = t; i < width; i += THREADS)
    shared[prism_cuda_fft_get_place<N> (line, i)] = plane[i];
  prism_cuda_fft_wait<N> ();
  prism_cuda_fft_expand<N, PRISM_CUDA_FFT_INVERSE> (x, fft, shared, line, t, width);
  if (kind == PRISM_CUDA_VIEW_MEASURE)
    {
#pragma unroll
      for (int e = 0; e < PRISM_CUDA_FFT_POINTS; e++)
        view.target[row * N + t + e * THREADS] = sqrtf (fmaf (x[e].x, x[e].x, x[e].y * x[e].y));
      return;
    }
#pragma unroll
  for (int e = 0; e < PRISM_CUDA_FFT_POINTS; e++)
    project_pixel (&x[e], &sums, target[t + e * THREADS]);
  store_partials (view.partials, sums);
  if (kind == PRISM_CUDA_VIEW_COMPARE)
    return;
  prism_cuda_fft_transform<N, PRISM_CUDA_FFT_FORWARD> (x, fft, shared, line, t, width);
#pragma unroll
  for (int e = 0; e < PRISM_CUDA_FFT_POINTS; e++)
    if (t + e * THREADS < width)
      plane[t + e * THREADS] = x[e];
}

static __global__ void
__launch_bounds__ (N_SUM_THREADS)
    add_sums_kernel (double *sums,
                     const double *partials,
                     int n_partials)
{
  __shared__ double scratch[PRISM_CUDA_WARP];

  prism_cuda_view_add_partials (sums, partials, n_partials, scratch);
}

/**
 * prism_cuda_view_expand:
 * @self: a view
 * @spectrum: (array) (device): what is looked at
 * @full: whether @spectrum has all columns
 * @stream: a stream
 *
 * Masks the spectrum and transforms the columns of the box into the view's plane.
 *
 * Shape: @spectrum [n][n] where @full, otherwise [h + 1][n]; by columns.
 * Thread: engine.
 *
 * Returns: what the launch reports
 */
cudaError_t
prism_cuda_view_expand (const PrismCudaView *self,
                        const PrismCudaComplex *spectrum,
                        int full,
                        cudaStream_t stream)
{
  if (self->width == 0)
    return cudaSuccess;
  return prism_cuda_fft_dispatch (self->image_size, [=] (auto size) {
    constexpr int N = decltype (size)::value;
    typedef PrismCudaLines<N> Lines;

    return prism_cuda_launch (expand_kernel<N>, Lines::count_blocks (self->width), Lines::BLOCK,
                              Lines::get_shared_bytes (), stream, *self,
                              reinterpret_cast<const float2 *> (spectrum), full);
  });
}

/**
 * prism_cuda_view_visit:
 * @self: a view whose plane has been expanded
 * @kind: what is done with the pixels
 * @stream: a stream
 *
 * Takes each detector row through the rest of the transform and visits its pixels.
 *
 * Thread: engine.
 * Source: numerics.md, telescope.
 *
 * Returns: what the launch reports
 */
cudaError_t
prism_cuda_view_visit (const PrismCudaView *self,
                       PrismCudaViewKind kind,
                       cudaStream_t stream)
{
  return prism_cuda_fft_dispatch (self->image_size, [=] (auto size) {
    constexpr int N = decltype (size)::value;
    typedef PrismCudaLines<N> Lines;

    return prism_cuda_launch (visit_kernel<N>, Lines::count_blocks (N), Lines::BLOCK,
                              Lines::get_shared_bytes (), stream, *self, kind);
  });
}

/**
 * prism_cuda_view_count:
 * @self: a view
 *
 * Thread: any.
 *
 * Returns: how many partial sums of each kind prism_cuda_view_visit() leaves, at most n
 */
int
prism_cuda_view_count (const PrismCudaView *self)
{
  int count = 0;

  prism_cuda_fft_dispatch (self->image_size, [&] (auto size) {
    constexpr int N = decltype (size)::value;

    count = PrismCudaLines<N>::count_blocks (N);
    return cudaSuccess;
  });
  return count;
}

/**
 * prism_cuda_view_add_sums:
 * @self: a view that has been visited
 * @sums: (array fixed-size=2) (device) (inout): Σ(|φ| - A)² and ΣA² are added
 * @stream: a stream
 *
 * Adds the partial sums in a fixed order.
 *
 * Thread: engine.
 *
 * Returns: what the launch reports
 */
cudaError_t
prism_cuda_view_add_sums (const PrismCudaView *self,
                          double *sums,
                          cudaStream_t stream)
{
  return prism_cuda_launch (add_sums_kernel, 1, N_SUM_THREADS, 0, stream, sums, self->partials,
                            prism_cuda_view_count (self));
}
