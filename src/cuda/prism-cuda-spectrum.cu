#include "prism-cuda-detector-kernels.h"

#include "prism-cuda-pair.cuh"

/* n = image_size, m = object_size, h = n/2. Two kernels, m/2 transforms of pairs of rows and h + 1
 * of columns: 4·m² bytes read, 4·m·n written and read, 4·n² written (8·n² where full). */

#define TILE 32
#define TILE_ROWS 8

/* rows [m][h + 1]; image NULL: blank. A line is a pair of rows. */
template <int N>
static __global__ void
__launch_bounds__ (PrismCudaLines<N>::BLOCK, 1)
    rows_kernel (float2 *rows,
                 const float *image,
                 const PrismCudaComplex *roots,
                 int object_size)
{
  PRISM_CUDA_DYNAMIC_SHARED (float2, shared);
  constexpr int THREADS = PrismCudaFft<N>::THREADS;
  const int line = threadIdx.x / THREADS, t = threadIdx.x % THREADS;
  const int y = 2 * (blockIdx.x * PrismCudaLines<N>::COUNT + line);
  const bool inside = y < object_size;
  const float *from = image + (size_t) y * object_size;
  float2 *to = inside ? rows + (size_t) y * (N / 2 + 1) : NULL;
  float2 x[PRISM_CUDA_FFT_POINTS];
  PrismCudaFft<N> fft;

  prism_cuda_fft_load (fft, roots, t);
#pragma unroll
  for (int e = 0; e < PRISM_CUDA_FFT_POINTS; e++)
    {
      const int pixel = prism_cuda_pair_get_pixel<N> (t + e * THREADS, object_size);

      x[e] = make_float2 (0.0f, 0.0f);
      if (inside && pixel < object_size)
        x[e] = image == NULL ? make_float2 (PRISM_CUDA_SPECTRUM_BLANK, PRISM_CUDA_SPECTRUM_BLANK)
                             : make_float2 (from[pixel], from[object_size + pixel]);
    }
  prism_cuda_pair_transform (to, inside ? to + N / 2 + 1 : NULL, x, fft, shared, line, t);
}

/* A line is a column x of 0 … h. Where full, its mirror image is written, too. */
template <int N>
static __global__ void
__launch_bounds__ (PrismCudaLines<N>::BLOCK, 1)
    columns_kernel (float2 *spectrum,
                    const float2 *rows,
                    const PrismCudaComplex *roots,
                    int full,
                    int object_size)
{
  PRISM_CUDA_DYNAMIC_SHARED (float2, shared);
  constexpr int THREADS = PrismCudaFft<N>::THREADS;
  const int line = threadIdx.x / THREADS, t = threadIdx.x % THREADS;
  const int column = blockIdx.x * PrismCudaLines<N>::COUNT + line;
  const bool inside = column <= N / 2, mirrored = full && column > 0 && column < N / 2;
  float2 x[PRISM_CUDA_FFT_POINTS];
  PrismCudaFft<N> fft;

  prism_cuda_fft_load (fft, roots, t);
#pragma unroll
  for (int e = 0; e < PRISM_CUDA_FFT_POINTS; e++)
    {
      const int row = prism_cuda_pair_get_pixel<N> (t + e * THREADS, object_size);

      x[e] = inside && row < object_size ? rows[(size_t) row * (N / 2 + 1) + column]
                                         : make_float2 (0.0f, 0.0f);
    }
  prism_cuda_fft_transform<N, PRISM_CUDA_FFT_FORWARD> (x, fft, shared, line, t);
#pragma unroll
  for (int e = 0; e < PRISM_CUDA_FFT_POINTS; e++)
    {
      const int y = t + e * THREADS;
      const float2 value = make_float2 (x[e].x / N, x[e].y / N);

      if (inside)
        spectrum[(size_t) column * N + y] = value;
      if (inside && mirrored)
        spectrum[(size_t) (N - column) * N + (-y & (N - 1))] = make_float2 (value.x, -value.y);
    }
}

/* A block turns a tile of columns into rows. */
static __global__ void
__launch_bounds__ (TILE *TILE_ROWS)
    magnitude_kernel (float *magnitude,
                      const float2 *spectrum,
                      int image_size)
{
  __shared__ float tile[TILE][TILE + 1];
  const int h = image_size / 2, y0 = blockIdx.y * TILE, x0 = blockIdx.x * TILE;
  const int i = threadIdx.x % TILE;

  for (int j = threadIdx.x / TILE; j < TILE; j += TILE_ROWS)
    {
      const int x = x0 + j - h, y = y0 + i - h, sign = x < 0 ? -1 : 1;
      const size_t from = (size_t) (sign * x) * image_size + (sign * y & (image_size - 1));
      const float2 value = spectrum[from];

      tile[j][i] = sqrtf (fmaf (value.x, value.x, value.y * value.y));
    }
  __syncthreads ();
  for (int j = threadIdx.x / TILE; j < TILE; j += TILE_ROWS)
    magnitude[(size_t) (y0 + j) * image_size + x0 + i] = tile[i][j];
}

/**
 * prism_cuda_spectrum_transform:
 * @spectrum: (array) (device) (out caller-allocates): unitary spectrum
 * @rows: (array) (device): to work in
 * @image: (array) (device) (nullable): real image, NULL for 0.5 everywhere
 * @roots: (array) (device): of prism_cuda_fft_fill_table()
 * @full: whether columns of negative frequency are wanted
 * @image_size: n, a power of two from 64 to 4096
 * @object_size: m, even, at most n
 * @stream: a stream
 *
 * Transforms an image with its middle at the origin.
 *
 * Shape: @spectrum [h + 1][n], or [n][n] where @full, by columns; @rows [m][h + 1]; @image [m][m];
 *   @roots [n].
 * Thread: engine.
 *
 * Returns: what the launches report
 */
cudaError_t
prism_cuda_spectrum_transform (PrismCudaComplex *spectrum,
                               PrismCudaComplex *rows,
                               const float *image,
                               const PrismCudaComplex *roots,
                               int full,
                               int image_size,
                               int object_size,
                               cudaStream_t stream)
{
  cudaError_t error = prism_cuda_fft_dispatch (image_size, [=] (auto size) {
    constexpr int N = decltype (size)::value;
    typedef PrismCudaLines<N> Lines;

    return prism_cuda_launch (rows_kernel<N>, Lines::count_blocks (object_size / 2), Lines::BLOCK,
                              Lines::get_shared_bytes (), stream,
                              reinterpret_cast<float2 *> (rows), image, roots, object_size);
  });

  if (error != cudaSuccess)
    return error;
  return prism_cuda_spectrum_transform_columns (spectrum, rows, roots, full, image_size,
                                                object_size, stream);
}

/**
 * prism_cuda_spectrum_transform_columns:
 * @spectrum: (array) (device) (out caller-allocates): unitary spectrum
 * @rows: (array) (device): half spectra of the image's rows, unnormalised
 * @roots: (array) (device): of prism_cuda_fft_fill_table()
 * @full: whether columns of negative frequency are wanted
 * @image_size: n, a power of two from 64 to 4096
 * @object_size: m, even, at most n
 * @stream: a stream
 *
 * The second half of prism_cuda_spectrum_transform().
 *
 * Shape: as there.
 * Thread: engine.
 *
 * Returns: what the launch reports
 */
cudaError_t
prism_cuda_spectrum_transform_columns (PrismCudaComplex *spectrum,
                                       const PrismCudaComplex *rows,
                                       const PrismCudaComplex *roots,
                                       int full,
                                       int image_size,
                                       int object_size,
                                       cudaStream_t stream)
{
  return prism_cuda_fft_dispatch (image_size, [=] (auto size) {
    constexpr int N = decltype (size)::value;
    typedef PrismCudaLines<N> Lines;

    return prism_cuda_launch (columns_kernel<N>, Lines::count_blocks (N / 2 + 1), Lines::BLOCK,
                              Lines::get_shared_bytes (), stream,
                              reinterpret_cast<float2 *> (spectrum),
                              reinterpret_cast<const float2 *> (rows), roots, full, object_size);
  });
}

/**
 * prism_cuda_spectrum_get_magnitude:
 * @magnitude: (array) (device) (out caller-allocates): |S|, zero frequency in the middle
 * @spectrum: (array) (device): half spectrum of a real image
 * @image_size: n, a power of two from 64
 * @stream: a stream
 *
 * A spectrum for display.
 *
 * Shape: @magnitude [n][n], @spectrum [h + 1][n] by columns.
 * Thread: engine.
 *
 * Returns: what the launch reports
 */
cudaError_t
prism_cuda_spectrum_get_magnitude (float *magnitude,
                                   const PrismCudaComplex *spectrum,
                                   int image_size,
                                   cudaStream_t stream)
{
  return prism_cuda_launch (magnitude_kernel, dim3 (image_size / TILE, image_size / TILE),
                            TILE * TILE_ROWS, 0, stream, magnitude,
                            reinterpret_cast<const float2 *> (spectrum), image_size);
}
