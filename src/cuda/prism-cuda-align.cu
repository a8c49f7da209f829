/* n = 512, 100 frames with boxes of 41 × 41: a pass reads and writes 5 planes of 1 MB and waves of
 * 1.3 MB, all of which stays in the cache; what it takes is the time of its kernels, one after the
 * other. */
#include "prism-cuda-align.h"

#include "prism-cuda-optics.h"
#include "prism-cuda-pair.cuh"

#include <float.h>

#define N_THREADS 256

/* Number k of the spectrum behind an aperture, from its half. */
static __device__ __forceinline__ float2
gather (const PrismCudaAlign &self,
        const PrismCudaAlignFrame &frame,
        int k)
{
  const int n = self.image_size;
  const int kx = frame.x0 + k % frame.width, ky = frame.y0 + k / frame.width;
  const int sign = kx < 0 ? -1 : 1;
  const PrismCudaComplex value = self.half[(size_t) (sign * kx) * n + (sign * ky & (n - 1))];

  return frame.bits[k] != 0 ? make_float2 (value.x, sign * value.y) : make_float2 (0.0f, 0.0f);
}

/* Adds conj(a)·b, or that of a's conjugate. */
static __device__ __forceinline__ void
add_product (double sum[2],
             PrismCudaComplex a,
             float2 b,
             double sign)
{
  const double im = sign * a.y;

  sum[0] += a.x * (double) b.x + im * b.y;
  sum[1] += a.x * (double) b.y - im * b.x;
}

/* Sums of a frame, from what it has given. */
static __device__ __forceinline__ void
set_sums (PrismCudaAlignFrame *frame,
          double difference,
          double energy,
          double *scratch)
{
  difference = prism_cuda_sum_block (difference, scratch);
  energy = prism_cuda_sum_block (energy, scratch);
  if (threadIdx.x > 0)
    return;
  frame->difference = difference;
  frame->energy = energy;
}

static __device__ __forceinline__ double
square (double re,
        double im)
{
  return re * re + im * im;
}

/* A block is a frame: its own wave with the phase that is nearest to the spectrum, and of two waves
 * the nearer. */
static __global__ void
__launch_bounds__ (N_THREADS, 1)
    compare_kernel (PrismCudaAlign self)
{
  __shared__ double scratch[PRISM_CUDA_WARP];
  const PrismCudaAlignFrame frame = self.frames[blockIdx.x];
  const int n = frame.height * frame.width;
  double one[2] = { 0.0, 0.0 }, other[2] = { 0.0, 0.0 };
  double difference = 0.0, energy = 0.0, length, re, im;
  bool twin;

  if (frame.is_doubtful)
    {
      for (int k = threadIdx.x; k < n; k += N_THREADS)
        {
          const float2 value = gather (self, frame, k);

          frame.given[k] = { value.x, value.y };
        }
      return;
    }
  for (int k = threadIdx.x; k < n; k += N_THREADS)
    {
      const float2 value = gather (self, frame, k);

      add_product (one, frame.wave[k], value, 1.0);
      add_product (other, frame.wave[n - 1 - k], value, -1.0);
    }
  for (int i = 0; i < 2; i++)
    {
      one[i] = prism_cuda_sum_block (one[i], scratch);
      other[i] = prism_cuda_sum_block (other[i], scratch);
    }
  twin = frame.has_twin && square (other[0], other[1]) > square (one[0], one[1]);
  re = twin ? other[0] : one[0];
  im = twin ? other[1] : one[1];
  length = fmax (sqrt (square (re, im)), DBL_MIN);
  re /= length;
  im /= length;
  for (int k = threadIdx.x; k < n; k += N_THREADS)
    {
      const PrismCudaComplex wave = frame.wave[twin ? n - 1 - k : k];
      const double b = twin ? -wave.y : wave.y;
      const float2 value = gather (self, frame, k);
      const PrismCudaComplex given
          = { (float) (re * wave.x - im * b), (float) (re * b + im * wave.x) };

      frame.given[k] = given;
      difference += square (given.x - value.x, given.y - value.y);
      energy += square (given.x, given.y);
    }
  set_sums (&self.frames[blockIdx.x], difference, energy, scratch);
}

/* The sums of doubtful frames, which another kernel has brought to their amplitudes. */
static __global__ void
__launch_bounds__ (N_THREADS)
    measure_kernel (PrismCudaAlign self)
{
  __shared__ double scratch[PRISM_CUDA_WARP];
  const PrismCudaAlignFrame frame = self.frames[blockIdx.x];
  double difference = 0.0, energy = 0.0;

  if (!frame.is_doubtful)
    return;
  for (int k = threadIdx.x; k < frame.height * frame.width; k += N_THREADS)
    {
      const float2 value = gather (self, frame, k);
      const PrismCudaComplex given = frame.given[k];

      difference += square (given.x - value.x, given.y - value.y);
      energy += square (given.x, given.y);
    }
  set_sums (&self.frames[blockIdx.x], difference, energy, scratch);
}

/* One block: Σ|Q - F|² / Σ|Q|², with noise the mean of that of each frame. */
static __global__ void
__launch_bounds__ (N_THREADS)
    sum_kernel (PrismCudaAlign self)
{
  __shared__ double scratch[PRISM_CUDA_WARP];
  double differences = 0.0, energies = 0.0;

  for (int i = threadIdx.x; i < self.n_frames; i += N_THREADS)
    {
      const PrismCudaAlignFrame &frame = self.frames[i];

      differences += self.has_noise ? frame.difference / fmax (frame.energy, DBL_MIN)
                                    : frame.difference;
      energies += self.has_noise ? 1.0 : frame.energy;
    }
  differences = prism_cuda_sum_block (differences, scratch);
  energies = prism_cuda_sum_block (energies, scratch);
  if (threadIdx.x == 0)
    *self.residual = differences / fmax (energies, DBL_MIN);
}

/* Number i of what goes back: the mean of what is given or, where nothing is, F itself; or the
 * slope. */
template <bool SLOPE>
static __device__ __forceinline__ float2
merge (const PrismCudaAlign &self,
       size_t i)
{
  const uint32_t begin = self.starts[i], end = self.starts[i + 1];
  const PrismCudaComplex value = self.half[i];
  const float count = (float) (end - begin);
  float2 sum = make_float2 (0.0f, 0.0f);

  for (uint32_t k = begin; k < end; k++)
    {
      const uint32_t source = self.sources[k];
      const PrismCudaComplex given = self.given[source / 2];

      sum.x += given.x;
      sum.y += source % 2 != 0 ? -given.y : given.y;
    }
  if (SLOPE)
    return make_float2 (count * value.x - sum.x, count * value.y - sum.y);
  return begin < end ? make_float2 (sum.x / count, sum.y / count) : make_float2 (value.x, value.y);
}

/* A line is a column x of 0 … h, taken to rows of the plane, of which size are wanted. */
template <int N, bool SLOPE>
static __global__ void
__launch_bounds__ (PrismCudaLines<N>::BLOCK, 1)
    columns_kernel (PrismCudaAlign self,
                    int size)
{
  PRISM_CUDA_DYNAMIC_SHARED (float2, shared);
  constexpr int THREADS = PrismCudaFft<N>::THREADS;
  const int line = threadIdx.x / THREADS, t = threadIdx.x % THREADS;
  const int column = blockIdx.x * PrismCudaLines<N>::COUNT + line;
  float2 *rows = self.rows;
  float2 x[PRISM_CUDA_FFT_POINTS];
  PrismCudaFft<N> fft;

  prism_cuda_fft_load (fft, self.roots, t);
#pragma unroll
  for (int e = 0; e < PRISM_CUDA_FFT_POINTS; e++)
    {
      x[e] = make_float2 (0.0f, 0.0f);
      if (column > N / 2)
        continue;
      x[e] = merge<SLOPE> (self, (size_t) column * N + t + e * THREADS);
      x[e] = make_float2 (x[e].x / N, x[e].y / N);
    }
  prism_cuda_fft_transform<N, PRISM_CUDA_FFT_INVERSE> (x, fft, shared, line, t);
  if (column > N / 2)
    return;
#pragma unroll
  for (int e = 0; e < PRISM_CUDA_FFT_POINTS; e++)
    {
      const int row = prism_cuda_pair_get_pixel<N> (t + e * THREADS, size);

      if (row < size)
        rows[(size_t) row * (N / 2 + 1) + column] = x[e];
    }
}

/* Pixel (y, x) of z: z ← kept·z + given·G(z) + β·O(2G(z) - z), and the image is O(G(z)). */
static __device__ __forceinline__ void
reflect_pixel (const PrismCudaAlign &self,
               float relaxation,
               int y,
               int x,
               float value)
{
  const int n = self.image_size, m = self.object_size, row = y - (n - m) / 2;
  const int column = x - (n - m) / 2;
  const float kept = self.has_noise ? relaxation : 1.0f;
  const float given = self.has_noise ? 1.0f - 2.0f * relaxation : -relaxation;
  float *field = self.field + (size_t) y * n + x;
  float z = *field;

  if (row >= 0 && row < m && column >= 0 && column < m)
    {
      self.image[(size_t) row * m + column] = prism_cuda_limit (value);
      z += relaxation / kept * prism_cuda_limit (2.0f * value - z);
    }
  *field = kept * z + given * value;
}

/* A line is a pair of rows of the plane: of the field, or of the slope. */
template <int N, bool SLOPE>
static __global__ void
__launch_bounds__ (PrismCudaLines<N>::BLOCK, 1)
    rows_kernel (PrismCudaAlign self,
                 int size,
                 float relaxation)
{
  PRISM_CUDA_DYNAMIC_SHARED (float2, shared);
  constexpr int THREADS = PrismCudaFft<N>::THREADS;
  const int line = threadIdx.x / THREADS, t = threadIdx.x % THREADS;
  const int y = 2 * (blockIdx.x * PrismCudaLines<N>::COUNT + line);
  const bool inside = y < size;
  const float2 *first = self.rows + (size_t) y * (N / 2 + 1);
  float2 x[PRISM_CUDA_FFT_POINTS];
  PrismCudaFft<N> fft;

  prism_cuda_fft_load (fft, self.roots, t);
#pragma unroll
  for (int e = 0; e < PRISM_CUDA_FFT_POINTS; e++)
    x[e] = inside ? prism_cuda_pair_join<N> (first, first + N / 2 + 1, t + e * THREADS)
                  : make_float2 (0.0f, 0.0f);
  prism_cuda_fft_transform<N, PRISM_CUDA_FFT_INVERSE> (x, fft, shared, line, t);
#pragma unroll
  for (int e = 0; e < PRISM_CUDA_FFT_POINTS; e++)
    {
      const int pixel = prism_cuda_pair_get_pixel<N> (t + e * THREADS, size);

      if (!inside || pixel >= size)
        continue;
      if (SLOPE)
        {
          self.slope[(size_t) y * size + pixel] = x[e].x;
          self.slope[(size_t) (y + 1) * size + pixel] = x[e].y;
        }
      else
        {
          reflect_pixel (self, relaxation, y, pixel, x[e].x);
          reflect_pixel (self, relaxation, y + 1, pixel, x[e].y);
        }
    }
}

template <bool SLOPE>
static cudaError_t
go_back (const PrismCudaAlign *self,
         float relaxation,
         cudaStream_t stream)
{
  const int size = SLOPE ? self->object_size : self->image_size;

  return prism_cuda_fft_dispatch (self->image_size, [=] (auto n) {
    constexpr int N = decltype (n)::value;
    typedef PrismCudaLines<N> Lines;

    PRISM_CUDA_TRY (prism_cuda_launch (columns_kernel<N, SLOPE>, Lines::count_blocks (N / 2 + 1),
                                       Lines::BLOCK, Lines::get_shared_bytes (), stream, *self,
                                       size));
    return prism_cuda_launch (rows_kernel<N, SLOPE>, Lines::count_blocks (size / 2), Lines::BLOCK,
                              Lines::get_shared_bytes (), stream, *self, size, relaxation);
  });
}

/**
 * prism_cuda_align_transform:
 * @self: arrays
 * @image: (array) (device) (nullable): of the object; NULL for the field
 * @stream: a stream
 *
 * Shape: @image [m][m].
 * Thread: engine.
 *
 * Returns: what the launches report
 */
cudaError_t
prism_cuda_align_transform (const PrismCudaAlign *self,
                            const float *image,
                            cudaStream_t stream)
{
  return prism_cuda_spectrum_transform (self->half, self->rows, image != NULL ? image : self->field,
                                        self->roots, 0, self->image_size,
                                        image != NULL ? self->object_size : self->image_size,
                                        stream);
}

/**
 * prism_cuda_align_compare:
 * @self: arrays, with a spectrum
 * @stream: a stream
 *
 * What frames give for it, and how far that is from it; of a doubtful one the spectrum itself.
 *
 * Thread: engine.
 * Source: numerics.md, “Alignment”.
 *
 * Returns: what the launch reports
 */
cudaError_t
prism_cuda_align_compare (const PrismCudaAlign *self,
                          cudaStream_t stream)
{
  return prism_cuda_launch (compare_kernel, self->n_frames, N_THREADS, 0, stream,
                            *self);
}

/**
 * prism_cuda_align_measure:
 * @self: arrays, with a spectrum and what is given for it
 * @stream: a stream
 *
 * Thread: engine.
 *
 * Returns: what the launches report
 */
cudaError_t
prism_cuda_align_measure (const PrismCudaAlign *self,
                          cudaStream_t stream)
{
  PRISM_CUDA_TRY (prism_cuda_launch (measure_kernel, self->n_frames, N_THREADS, 0, stream, *self));
  return prism_cuda_launch (sum_kernel, 1, N_THREADS, 0, stream, *self);
}

/**
 * prism_cuda_align_reflect:
 * @self: arrays, with a spectrum and what is given for it
 * @relaxation: β
 * @stream: a stream
 *
 * Ends a pass of the search.
 *
 * Thread: engine.
 * Source: numerics.md, “Alignment”.
 *
 * Returns: what the launches report
 */
cudaError_t
prism_cuda_align_reflect (const PrismCudaAlign *self,
                          float relaxation,
                          cudaStream_t stream)
{
  return go_back<false> (self, relaxation, stream);
}

/**
 * prism_cuda_align_slope:
 * @self: arrays, with a spectrum and what is given for it
 * @stream: a stream
 *
 * Thread: engine.
 * Source: numerics.md, “Alignment”.
 *
 * Returns: what the launches report
 */
cudaError_t
prism_cuda_align_slope (const PrismCudaAlign *self,
                        cudaStream_t stream)
{
  return go_back<true> (self, 0.0f, stream);
}
