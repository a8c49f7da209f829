#include "prism-cuda-detector-kernels.h"

#include "prism-cuda-pair.cuh"

/* n = image_size, m = object_size, h = n/2. An update is three kernels: expand and visit of
 * prism-cuda-view, and update here, which reads 8·n·width bytes and touches the box in O. A
 * projection is three: fold and restore here, then the columns of prism-cuda-spectrum; the 8·n²
 * bytes of O are read and written once. */

/* A line is a column of the box; the last block adds up the partial sums instead. */
template <int N>
static __global__ void
__launch_bounds__ (PrismCudaLines<N>::BLOCK, 1)
    update_kernel (float2 *spectrum,
                   PrismCudaView view,
                   float step_size,
                   double *sums,
                   int n_partials)
{
  PRISM_CUDA_DYNAMIC_SHARED (float2, shared);
  __shared__ double scratch[PRISM_CUDA_WARP];
  constexpr int THREADS = PrismCudaFft<N>::THREADS;
  const PrismCudaSlot mask = prism_cuda_view_get_mask (view);
  const int line = threadIdx.x / THREADS, t = threadIdx.x % THREADS;
  const int column = blockIdx.x * PrismCudaLines<N>::COUNT + line, width = mask.width;
  const float2 *plane = reinterpret_cast<const float2 *> (view.plane);
  float2 x[PRISM_CUDA_FFT_POINTS];
  PrismCudaFft<N> fft;

  if (blockIdx.x == gridDim.x - 1)
    {
      prism_cuda_view_add_partials (sums, view.partials, n_partials, scratch);
      return;
    }
  prism_cuda_fft_load (fft, view.roots, t);
#pragma unroll
  for (int e = 0; e < PRISM_CUDA_FFT_POINTS; e++)
    x[e] = column < width ? plane[(size_t) (t + e * THREADS) * width + column]
                          : make_float2 (0.0f, 0.0f);
  prism_cuda_fft_transform<N, PRISM_CUDA_FFT_FORWARD> (x, fft, shared, line, t, mask.height);
  if (column >= width)
    return;
#pragma unroll
  for (int e = 0; e < PRISM_CUDA_FFT_POINTS; e++)
    {
      const int i = t + e * THREADS;
      const size_t place = (size_t) ((mask.x0 + column) & (N - 1)) * N + ((mask.y0 + i) & (N - 1));

      if (i >= mask.height || mask.bits[(size_t) i * width + column] == 0)
        continue;

      const float2 old = spectrum[place];

      spectrum[place] = make_float2 (fmaf (step_size, x[e].x / N - old.x, old.x),
                                     fmaf (step_size, x[e].y / N - old.y, old.y));
    }
}

/* A line is a column x of 0 … h of the spectrum of the image's real part, (O(k) + O*(-k))/2, taken
 * to the object's rows. */
template <int N>
static __global__ void
__launch_bounds__ (PrismCudaLines<N>::BLOCK, 1)
    fold_kernel (float2 *rows,
                 const float2 *spectrum,
                 const PrismCudaComplex *roots,
                 int object_size)
{
  PRISM_CUDA_DYNAMIC_SHARED (float2, shared);
  constexpr int THREADS = PrismCudaFft<N>::THREADS;
  const int line = threadIdx.x / THREADS, t = threadIdx.x % THREADS;
  const int column = blockIdx.x * PrismCudaLines<N>::COUNT + line;
  const float2 *ahead = spectrum + (size_t) column * N;
  const float2 *behind = spectrum + (size_t) (-column & (N - 1)) * N;
  float2 x[PRISM_CUDA_FFT_POINTS];
  PrismCudaFft<N> fft;

  prism_cuda_fft_load (fft, roots, t);
#pragma unroll
  for (int e = 0; e < PRISM_CUDA_FFT_POINTS; e++)
    {
      const int y = t + e * THREADS;

      x[e] = make_float2 (0.0f, 0.0f);
      if (column > N / 2)
        continue;

      const float2 a = ahead[y], b = behind[-y & (N - 1)];

      x[e] = make_float2 (0.5f / N * (a.x + b.x), 0.5f / N * (a.y - b.y));
    }
  prism_cuda_fft_transform<N, PRISM_CUDA_FFT_INVERSE> (x, fft, shared, line, t);
  if (column > N / 2)
    return;
#pragma unroll
  for (int e = 0; e < PRISM_CUDA_FFT_POINTS; e++)
    {
      const int row = prism_cuda_pair_get_pixel<N> (t + e * THREADS, object_size);

      if (row < object_size)
        rows[(size_t) row * (N / 2 + 1) + column] = x[e];
    }
}

/* Lets what is not a number through. */
static __device__ __forceinline__ float
clamp (float value)
{
  return value < 0.0f ? 0.0f : value > 1.0f ? 1.0f
                                            : value;
}

/* A line is a pair of rows: to the image, and the clamped image back to the rows' half spectra. */
template <int N>
static __global__ void
__launch_bounds__ (PrismCudaLines<N>::BLOCK, 1)
    restore_kernel (float2 *rows,
                    float *image,
                    const PrismCudaComplex *roots,
                    int object_size)
{
  PRISM_CUDA_DYNAMIC_SHARED (float2, shared);
  constexpr int THREADS = PrismCudaFft<N>::THREADS;
  const int line = threadIdx.x / THREADS, t = threadIdx.x % THREADS;
  const int y = 2 * (blockIdx.x * PrismCudaLines<N>::COUNT + line);
  const bool inside = y < object_size;
  float2 *first = inside ? rows + (size_t) y * (N / 2 + 1) : NULL;
  float2 *second = inside ? first + N / 2 + 1 : NULL;
  float2 x[PRISM_CUDA_FFT_POINTS];
  PrismCudaFft<N> fft;

  prism_cuda_fft_load (fft, roots, t);
#pragma unroll
  for (int e = 0; e < PRISM_CUDA_FFT_POINTS; e++)
    x[e] = inside ? prism_cuda_pair_join<N> (first, second, t + e * THREADS)
                  : make_float2 (0.0f, 0.0f);
  prism_cuda_fft_transform<N, PRISM_CUDA_FFT_INVERSE> (x, fft, shared, line, t);
#pragma unroll
  for (int e = 0; e < PRISM_CUDA_FFT_POINTS; e++)
    {
      const int pixel = prism_cuda_pair_get_pixel<N> (t + e * THREADS, object_size);
      const bool supported = inside && pixel < object_size;

      x[e] = supported ? make_float2 (clamp (x[e].x), clamp (x[e].y)) : make_float2 (0.0f, 0.0f);
      if (!supported)
        continue;
      image[(size_t) y * object_size + pixel] = x[e].x;
      image[(size_t) (y + 1) * object_size + pixel] = x[e].y;
    }
  prism_cuda_pair_transform (first, second, x, fft, shared, line, t);
}

/**
 * prism_cuda_projection_update:
 * @spectrum: (array) (device) (inout): O
 * @view: a view of O whose pixels have been projected
 * @step_size: s
 * @sums: (array fixed-size=2) (device) (inout): Σ(|φ| - A)² and ΣA² are added
 * @stream: a stream
 *
 * The last part of an update: O += s·P·(ψ - P·O).
 *
 * Shape: @spectrum [n][n] by columns.
 * Thread: engine.
 * Source: numerics.md, ePIE.
 *
 * Returns: what the launch reports
 */
cudaError_t
prism_cuda_projection_update (PrismCudaComplex *spectrum,
                              const PrismCudaView *view,
                              float step_size,
                              double *sums,
                              cudaStream_t stream)
{
  return prism_cuda_fft_dispatch (view->image_size, [=] (auto size) {
    constexpr int N = decltype (size)::value;
    typedef PrismCudaLines<N> Lines;

    return prism_cuda_launch (update_kernel<N>, Lines::count_blocks (view->width) + 1, Lines::BLOCK,
                              Lines::get_shared_bytes (), stream,
                              reinterpret_cast<float2 *> (spectrum), *view, step_size, sums,
                              prism_cuda_view_count (view));
  });
}

/* From O to the image and the half spectra of its rows. */
static cudaError_t
restore (PrismCudaComplex *rows,
         const PrismCudaComplex *spectrum,
         float *image,
         const PrismCudaComplex *roots,
         int image_size,
         int object_size,
         cudaStream_t stream)
{
  return prism_cuda_fft_dispatch (image_size, [=] (auto size) {
    constexpr int N = decltype (size)::value;
    typedef PrismCudaLines<N> Lines;
    cudaError_t error;

    error = prism_cuda_launch (fold_kernel<N>, Lines::count_blocks (N / 2 + 1), Lines::BLOCK,
                               Lines::get_shared_bytes (), stream,
                               reinterpret_cast<float2 *> (rows),
                               reinterpret_cast<const float2 *> (spectrum), roots, object_size);
    if (error != cudaSuccess)
      return error;
    return prism_cuda_launch (restore_kernel<N>, Lines::count_blocks (object_size / 2),
                              Lines::BLOCK, Lines::get_shared_bytes (), stream,
                              reinterpret_cast<float2 *> (rows), image, roots, object_size);
  });
}

/**
 * prism_cuda_projection_finish:
 * @spectrum: (array) (device) (inout): O
 * @rows: (array) (device): to work in
 * @image: (array) (device) (out caller-allocates): real part inside the support, clamped to [0, 1]
 * @roots: (array) (device): of prism_cuda_fft_fill_table()
 * @image_size: n, a power of two from 64 to 4096
 * @object_size: m, even, at most n
 * @stream: a stream
 *
 * Ends a pass: takes the object out of its spectrum and starts the next pass from it.
 *
 * Shape: @spectrum [n][n] by columns, @rows [m][h + 1], @image [m][m], @roots [n].
 * Thread: engine.
 * Source: numerics.md, ePIE.
 *
 * Returns: what the launches report
 */
cudaError_t
prism_cuda_projection_finish (PrismCudaComplex *spectrum,
                              PrismCudaComplex *rows,
                              float *image,
                              const PrismCudaComplex *roots,
                              int image_size,
                              int object_size,
                              cudaStream_t stream)
{
  cudaError_t error = restore (rows, spectrum, image, roots, image_size, object_size, stream);

  if (error != cudaSuccess)
    return error;
  return prism_cuda_spectrum_transform_columns (spectrum, rows, roots, 1, image_size, object_size,
                                                stream);
}
