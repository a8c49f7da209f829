/* Whole spectra, and what ePIE does with them.
 *
 * n = image_size, m = object_size, h = n/2. To a spectrum: the rows of prism-cuda-optics, then
 * here h + 1 columns: 8·m·h bytes read, 4·n² written (8·n² where full). An update of ePIE is
 * three kernels: the columns of the box out to all detector rows, row by row over the pixels as
 * prism-cuda-optics has it, and the columns back: 8·n·width bytes are written and read twice, 4·n²
 * of the target read. A projection folds O and restores the rows; 8·n² bytes of O are read. */
#include "prism-cuda-spectrum.cuh"

#define CLAMP_THREADS 256

/* A line is a column x of 0 … h. Where full, its mirror image is written, too. */
template <int N>
static __global__ void
__launch_bounds__ (PrismCudaLines<N>::BLOCK, 1)
    columns_kernel (PrismCudaOptics optics,
                    const float2 *half,
                    int full,
                    float2 *spectrum)
{
  PRISM_CUDA_DYNAMIC_SHARED (float2, shared);
  constexpr int THREADS = PrismCudaFft<N>::THREADS;
  const int line = threadIdx.x / THREADS, t = threadIdx.x % THREADS, m = optics.object_size;
  const int column = blockIdx.x * PrismCudaLines<N>::COUNT + line;
  const bool inside = column <= N / 2, mirrored = full && column > 0 && column < N / 2;
  float2 x[PRISM_CUDA_FFT_POINTS];
  PrismCudaFft<N> fft;

  prism_cuda_fft_load (fft, optics.roots, t);
#pragma unroll
  for (int e = 0; e < PRISM_CUDA_FFT_POINTS; e++)
    {
      const int row = prism_cuda_optics_get_pixel (optics, t + e * THREADS);

      x[e] = inside && row < m ? half[(size_t) column * m + row] : float2 {};
    }
  prism_cuda_fft_transform<N, PRISM_CUDA_FFT_FORWARD> (x, fft, shared, line, t);
#pragma unroll
  for (int e = 0; e < PRISM_CUDA_FFT_POINTS; e++)
    {
      const int y = t + e * THREADS;
      const float2 value = 1.0f / N * x[e];

      if (inside)
        spectrum[(size_t) column * N + y] = value;
      if (mirrored)
        spectrum[(size_t) (N - column) * N + (-y & (N - 1))] = make_float2 (value.x, -value.y);
    }
}

/* A line is a column of the box. The first block leaves the view for the kernels that follow. */
template <int N>
static __global__ void
__launch_bounds__ (PrismCudaLines<N>::BLOCK, 1)
    expand_kernel (PrismCudaOptics optics,
                   const PrismCudaSlot *from,
                   const float2 *spectrum,
                   PrismCudaOpticsView *view,
                   float2 *plane)
{
  PRISM_CUDA_DYNAMIC_SHARED (float2, shared);
  constexpr int THREADS = PrismCudaFft<N>::THREADS;
  const PrismCudaSlot slot = *from;
  const int line = threadIdx.x / THREADS, t = threadIdx.x % THREADS;
  const int column = blockIdx.x * PrismCudaLines<N>::COUNT + line;
  const int width = slot.height > 0 ? slot.width : 0, n_live = column < width ? slot.height : 0;
  const float2 *values = spectrum + (size_t) ((slot.x0 + column) & (N - 1)) * N;
  float2 x[PRISM_CUDA_FFT_POINTS];
  PrismCudaFft<N> fft;

  if (blockIdx.x == 0 && threadIdx.x == 0)
    *view = prism_cuda_optics_make_view (slot);
  prism_cuda_fft_load (fft, optics.roots, t);
  for (int i = t; i < n_live; i += THREADS)
    shared[prism_cuda_fft_get_place<N> (line, i)]
        = slot.bits[(size_t) i * width + column] ? values[(slot.y0 + i) & (N - 1)]
                                                 : float2 {};
  prism_cuda_fft_wait<N> ();
  prism_cuda_fft_expand<N, PRISM_CUDA_FFT_INVERSE> (x, fft, shared, line, t, slot.height);
  if (column >= width)
    return;
#pragma unroll
  for (int e = 0; e < PRISM_CUDA_FFT_POINTS; e++)
    plane[(size_t) column * N + t + e * THREADS] = 1.0f / N * x[e];
}

/* A line is a column of the box; the last block adds up the pixels' sums instead. */
template <int N>
static __global__ void
__launch_bounds__ (PrismCudaLines<N>::BLOCK, 1)
    update_kernel (PrismCudaOptics optics,
                   const PrismCudaSlot *from,
                   const float2 *plane,
                   float step_size,
                   const double *partials,
                   int n_partials,
                   double *sums,
                   float2 *spectrum)
{
  PRISM_CUDA_DYNAMIC_SHARED (float2, shared);
  __shared__ double scratch[PRISM_CUDA_WARP];
  constexpr int THREADS = PrismCudaFft<N>::THREADS;
  const PrismCudaSlot slot = *from;
  const int line = threadIdx.x / THREADS, t = threadIdx.x % THREADS;
  const int column = blockIdx.x * PrismCudaLines<N>::COUNT + line;
  const int width = slot.height > 0 ? slot.width : 0;
  float2 x[PRISM_CUDA_FFT_POINTS];
  PrismCudaFft<N> fft;

  if (blockIdx.x == gridDim.x - 1)
    {
      const double sum = prism_cuda_add_partials (partials, n_partials, scratch);

      if (threadIdx.x == 0)
        {
          sums[0] += width > 0 ? sum : slot.sum_squares;
          sums[1] += slot.sum_squares;
        }
      return;
    }
  prism_cuda_fft_load (fft, optics.roots, t);
#pragma unroll
  for (int e = 0; e < PRISM_CUDA_FFT_POINTS; e++)
    x[e] = column < width ? plane[(size_t) column * N + t + e * THREADS]
                          : float2 {};
  prism_cuda_fft_transform<N, PRISM_CUDA_FFT_FORWARD> (x, fft, shared, line, t, slot.height);
  if (column >= width)
    return;
#pragma unroll
  for (int e = 0; e < PRISM_CUDA_FFT_POINTS; e++)
    {
      const int i = t + e * THREADS;
      const size_t place = (size_t) ((slot.x0 + column) & (N - 1)) * N + ((slot.y0 + i) & (N - 1));

      if (i >= slot.height || slot.bits[(size_t) i * width + column] == 0)
        continue;

      const float2 old = spectrum[place];

      spectrum[place] = make_float2 (fmaf (step_size, x[e].x / N - old.x, old.x),
                                     fmaf (step_size, x[e].y / N - old.y, old.y));
    }
}

/* The spectrum of the image's real part, (O(k) + O*(-k))/2. */
template <int N>
static __global__ void
__launch_bounds__ (PrismCudaLines<N>::BLOCK, 1)
    fold_kernel (PrismCudaOptics optics,
                 const float2 *spectrum,
                 float2 *half)
{
  prism_cuda_restore_columns<N> (
      optics, half, [=] (int column, int t, float2 x[PRISM_CUDA_FFT_POINTS]) {
        const float2 *ahead = spectrum + (size_t) column * N;
        const float2 *behind = spectrum + (size_t) (-column & (N - 1)) * N;

#pragma unroll
        for (int e = 0; e < PRISM_CUDA_FFT_POINTS; e++)
          {
            const int y = t + e * PrismCudaFft<N>::THREADS;
            const float2 a = ahead[y], b = behind[-y & (N - 1)];

            x[e] = make_float2 (0.5f * (a.x + b.x), 0.5f * (a.y - b.y));
          }
      });
}

/* Lets what is not a number through. */
static __global__ void
__launch_bounds__ (CLAMP_THREADS)
    clamp_kernel (float *image,
                  int n_pixels)
{
  const int i = blockIdx.x * CLAMP_THREADS + threadIdx.x;

  if (i < n_pixels)
    image[i] = image[i] < 0.0f ? 0.0f : image[i] > 1.0f ? 1.0f
                                                        : image[i];
}

/**
 * prism_cuda_spectrum_transform:
 * @optics: sizes and tables
 * @image: (array) (device): real image
 * @full: whether columns of negative frequency are wanted
 * @half: (array) (device): to work in
 * @spectrum: (array) (device) (out caller-allocates): unitary spectrum
 * @stream: a stream
 *
 * Transforms an image with its middle at the origin.
 *
 * Shape: @image [m][m]; @half [h + 1][m]; @spectrum [h + 1][n], or [n][n] where @full, by columns.
 * Thread: engine.
 *
 * Returns: what the launches report
 */
cudaError_t
prism_cuda_spectrum_transform (const PrismCudaOptics *optics,
                               const float *image,
                               int full,
                               PrismCudaComplex *half,
                               PrismCudaComplex *spectrum,
                               cudaStream_t stream)
{
  PRISM_CUDA_TRY (prism_cuda_optics_transform_rows (optics, image, nullptr, half, stream));
  return prism_cuda_fft_dispatch (optics->image_size, [=] (auto size) {
    constexpr int N = decltype (size)::value;

    return prism_cuda_launch_columns<N> (columns_kernel<N>, N / 2 + 1, stream, *optics, half, full,
                                         spectrum);
  });
}

/**
 * prism_cuda_spectrum_update:
 * @optics: sizes and tables
 * @slot: (device): a measurement
 * @width: px, at least that of its box
 * @step_size: s
 * @view: (device): to work in
 * @plane: (device): to work in
 * @partials: (array) (device): to work in
 * @sums: (array fixed-size=2) (device) (inout): Σ(|φ| - A)² before the update and ΣA² are added
 * @spectrum: (array) (device) (inout): O
 * @stream: a stream
 *
 * One update of ePIE: φ = F⁻¹{P·O}, ψ = F{A·φ/|φ|}, O += s·P·(ψ - P·O). Three kernels.
 *
 * Shape: @plane [width][n], @partials [prism_cuda_optics_get_n_sums()], @spectrum [n][n] by
 *   columns.
 * Thread: engine.
 * Source: numerics.md, ePIE.
 *
 * Returns: what the launches report
 */
cudaError_t
prism_cuda_spectrum_update (const PrismCudaOptics *optics,
                            const PrismCudaSlot *slot,
                            int width,
                            float step_size,
                            PrismCudaOpticsView *view,
                            PrismCudaComplex *plane,
                            double *partials,
                            double *sums,
                            PrismCudaComplex *spectrum,
                            cudaStream_t stream)
{
  return prism_cuda_fft_dispatch (optics->image_size, [=] (auto size) {
    constexpr int N = decltype (size)::value, COUNT = PrismCudaLines<N>::COUNT;
    const int n_columns = prism_cuda_count_blocks (width, COUNT) * COUNT;

    PRISM_CUDA_TRY (prism_cuda_launch_columns<N> (expand_kernel<N>, n_columns > 0 ? n_columns : 1,
                                                  stream, *optics, slot, spectrum, view, plane));
    PRISM_CUDA_TRY (prism_cuda_optics_visit_rows (optics, PRISM_CUDA_OPTICS_PROJECT, view, 1, width,
                                                  nullptr, plane, partials, stream));
    return prism_cuda_launch_columns<N> (update_kernel<N>, n_columns + COUNT, stream, *optics, slot,
                                         plane, step_size, partials,
                                         prism_cuda_optics_get_n_sums (N), sums, spectrum);
  });
}

/**
 * prism_cuda_spectrum_project:
 * @optics: sizes and tables
 * @half: (array) (device): to work in
 * @image: (array) (device) (out caller-allocates): real part inside the support, clamped to [0, 1]
 * @spectrum: (array) (device) (inout): O
 * @stream: a stream
 *
 * Ends a pass of ePIE: takes the object out of its spectrum and starts the next pass from it.
 *
 * Shape: @half [h + 1][m], @image [m][m], @spectrum [n][n] by columns.
 * Thread: engine.
 * Source: numerics.md, ePIE.
 *
 * Returns: what the launches report
 */
cudaError_t
prism_cuda_spectrum_project (const PrismCudaOptics *optics,
                             PrismCudaComplex *half,
                             float *image,
                             PrismCudaComplex *spectrum,
                             cudaStream_t stream)
{
  const int n_pixels = optics->object_size * optics->object_size;

  PRISM_CUDA_TRY (prism_cuda_fft_dispatch (optics->image_size, [=] (auto size) {
    constexpr int N = decltype (size)::value;

    return prism_cuda_launch_columns<N> (fold_kernel<N>, N / 2 + 1, stream, *optics, spectrum,
                                         half);
  }));
  PRISM_CUDA_TRY (prism_cuda_optics_restore_rows (optics, half, image, stream));
  PRISM_CUDA_TRY (prism_cuda_launch (clamp_kernel,
                                     prism_cuda_count_blocks (n_pixels, CLAMP_THREADS),
                                     CLAMP_THREADS, 0, stream, image, n_pixels));
  return prism_cuda_spectrum_transform (optics, image, 1, half, spectrum, stream);
}
