#include "prism-cuda-pair.cuh"

/* Whole spectra: of an image, seen through an aperture, and what ePIE does with them.
 *
 * n = image_size, m = object_size, h = n/2. To a spectrum: two kernels, m/2 transforms of pairs
 * of rows and h + 1 of columns: 4·m² bytes read, 4·m·n written and read, 4·n² written (8·n²
 * where full). A view is two more: the columns of the box out to all detector rows, then row by
 * row through the rest of the transform, over the pixels and, for ePIE, back: 8·n·width bytes
 * are written and read (and written once more by PROJECT), 4·n² of the target read or written.
 * An update of ePIE is a view and a third, which reads 8·n·width bytes and touches the box in O.
 * A projection is three: fold and restore, then the columns; the 8·n² bytes of O are read and
 * written once. */

#define TILE 32
#define TILE_ROWS 8
#define N_SUM_THREADS 256

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
  PRISM_CUDA_TRY (prism_cuda_fft_dispatch (image_size, [=] (auto size) {
    constexpr int N = decltype (size)::value;
    typedef PrismCudaLines<N> Lines;

    return prism_cuda_launch (rows_kernel<N>, Lines::count_blocks (object_size / 2), Lines::BLOCK,
                              Lines::get_shared_bytes (), stream,
                              rows, image, roots, object_size);
  }));
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
                              spectrum,
                              rows, roots, full, object_size);
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
                            spectrum, image_size);
}

/* ---- views ---- */

/* By value: the address of a kernel's parameter would take the whole of it to local memory. A box
 * without rows has no columns. */
static __device__ __forceinline__ PrismCudaSlot
get_mask (const PrismCudaView &self)
{
  PrismCudaSlot mask = self.mask;

  if (self.slot != NULL)
    mask = *self.slot;
  if (mask.height == 0)
    mask.width = 0;
  return mask;
}

/* Of both kinds, by one whole block. */
static __device__ __forceinline__ void
add_partials (double *sums,
              const double *partials,
              int n_partials,
              double *scratch)
{
  for (int i = 0; i < 2; i++)
    {
      const double sum = prism_cuda_add_partials (partials + i * n_partials, n_partials, scratch);

      if (threadIdx.x == 0)
        sums[i] += sum;
    }
}

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
  const PrismCudaSlot mask = get_mask (view);
  const int line = threadIdx.x / THREADS, t = threadIdx.x % THREADS;
  const int column = blockIdx.x * PrismCudaLines<N>::COUNT + line, width = mask.width;
  const int n_live = column < width ? mask.height : 0;
  float2 *plane = view.plane;
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

/* A line is a row of the detector. The number of rows is a multiple of the lines of a block. */
template <int N>
static __global__ void
__launch_bounds__ (PrismCudaLines<N>::BLOCK, 1)
    visit_kernel (PrismCudaView view,
                  PrismCudaViewKind kind)
{
  PRISM_CUDA_DYNAMIC_SHARED (float2, shared);
  constexpr int THREADS = PrismCudaFft<N>::THREADS;
  const PrismCudaSlot mask = get_mask (view);
  const int line = threadIdx.x / THREADS, t = threadIdx.x % THREADS, width = mask.width;
  const size_t row = blockIdx.x * PrismCudaLines<N>::COUNT + line;
  const float *target = mask.target + row * N;
  float2 *plane = view.plane + row * width;
  PixelSums sums = { 0.0f, 0.0f };
  __shared__ double scratch[PRISM_CUDA_WARP];
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
  /* In float over the eight pixels of a thread, in double from there. */
  prism_cuda_store_partials<2> (view.partials, gridDim.x, { sums.residual, sums.power }, scratch);
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

  add_partials (sums, partials, n_partials, scratch);
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
                              spectrum, full);
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

/* ---- ePIE ---- */

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
  const PrismCudaSlot mask = get_mask (view);
  const int line = threadIdx.x / THREADS, t = threadIdx.x % THREADS;
  const int column = blockIdx.x * PrismCudaLines<N>::COUNT + line, width = mask.width;
  const float2 *plane = view.plane;
  float2 x[PRISM_CUDA_FFT_POINTS];
  PrismCudaFft<N> fft;

  if (blockIdx.x == gridDim.x - 1)
    {
      add_partials (sums, view.partials, n_partials, scratch);
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
                              spectrum, *view, step_size, sums,
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

    PRISM_CUDA_TRY (prism_cuda_launch (fold_kernel<N>, Lines::count_blocks (N / 2 + 1),
                                       Lines::BLOCK, Lines::get_shared_bytes (), stream,
                                       rows,
                                       spectrum, roots,
                                       object_size));
    return prism_cuda_launch (restore_kernel<N>, Lines::count_blocks (object_size / 2),
                              Lines::BLOCK, Lines::get_shared_bytes (), stream,
                              rows, image, roots, object_size);
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
  PRISM_CUDA_TRY (restore (rows, spectrum, image, roots, image_size, object_size, stream));
  return prism_cuda_spectrum_transform_columns (spectrum, rows, roots, 1, image_size, object_size,
                                                stream);
}
