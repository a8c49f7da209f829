/* n = 512, 100 frames with boxes of 41 × 41: a pass reads and writes 5 planes of 1 MB and waves of
 * 1.3 MB, all of which stays in the cache; what it takes is the time of its kernels, one after the
 * other. */
#include "prism-cuda-align.h"

#include "prism-cuda-spectrum.cuh"

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

  return frame.bits[k] != 0 ? make_float2 (value.x, sign * value.y) : float2 {};
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

/* What goes back at number y of a column: the mean of what is given or, where nothing is, F itself.
 * Every frame is asked for the column, as its own and as its conjugate. */
template <int N>
static __device__ __forceinline__ void
merge (const PrismCudaAlign &self,
       int column,
       int t,
       float2 x[PRISM_CUDA_FFT_POINTS])
{
  float counts[PRISM_CUDA_FFT_POINTS] = {};

  for (int k = 0; k < 2 * self.n_frames; k++)
    {
      const PrismCudaAlignFrame &frame = self.frames[k / 2];
      const int sign = k % 2 == 0 ? 1 : -1;
      const int from = (column == N / 2 ? -column : sign * column) - frame.x0;

      if (from < 0 || from >= frame.width)
        continue;
#pragma unroll
      for (int e = 0; e < PRISM_CUDA_FFT_POINTS; e++)
        {
          const int y = sign * (t + e * PrismCudaFft<N>::THREADS);
          const int row = ((y + N / 2) & (N - 1)) - N / 2 - frame.y0;
          const int i = row * frame.width + from;

          if (row < 0 || row >= frame.height || frame.bits[i] == 0)
            continue;
          x[e].x += frame.given[i].x;
          x[e].y += sign * frame.given[i].y;
          counts[e] += 1.0f;
        }
    }
#pragma unroll
  for (int e = 0; e < PRISM_CUDA_FFT_POINTS; e++)
    {
      const float2 value = self.half[(size_t) column * N + t + e * PrismCudaFft<N>::THREADS];

      x[e] = counts[e] > 0.0f ? make_float2 (x[e].x / counts[e], x[e].y / counts[e]) : value;
    }
}

template <int N>
static __global__ void
__launch_bounds__ (PrismCudaLines<N>::BLOCK, 1)
    columns_kernel (PrismCudaOptics optics,
                    PrismCudaAlign self)
{
  prism_cuda_restore_columns<N> (optics, self.rows,
                                 [&] (int column, int t, float2 x[PRISM_CUDA_FFT_POINTS]) {
                                   merge<N> (self, column, t, x);
                                 });
}

/* z ← β(z + O(2G(z) - z)) + (1 - 2β)G(z), and the image is O(G(z)). */
static __global__ void
__launch_bounds__ (N_THREADS)
    reflect_kernel (PrismCudaAlign self,
                    float relaxation)
{
  const int n = self.image_size, m = self.object_size;
  const int i = blockIdx.x * N_THREADS + threadIdx.x;
  const int row = i / n - (n - m) / 2, column = i % n - (n - m) / 2;
  float value, z;

  if (i >= n * n)
    return;
  value = self.plane[i];
  z = self.field[i];
  if (row >= 0 && row < m && column >= 0 && column < m)
    {
      self.image[row * m + column] = prism_cuda_limit (value);
      z += prism_cuda_limit (2.0f * value - z);
    }
  self.field[i] = relaxation * z + (1.0f - 2.0f * relaxation) * value;
}

static PrismCudaOptics
get_optics (const PrismCudaAlign *self,
            int size)
{
  return { self->image_size, size, self->roots, nullptr };
}

static cudaError_t
go_back (const PrismCudaAlign *self,
         cudaStream_t stream)
{
  const PrismCudaOptics optics = get_optics (self, self->image_size);

  PRISM_CUDA_TRY (prism_cuda_fft_dispatch (self->image_size, [=] (auto n) {
    constexpr int N = decltype (n)::value;

    return prism_cuda_launch_columns<N> (columns_kernel<N>, N / 2 + 1, stream, optics,
                                         *self);
  }));
  return prism_cuda_optics_restore_rows (&optics, self->rows, self->plane, stream);
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
  const PrismCudaOptics optics
      = get_optics (self, image != NULL ? self->object_size : self->image_size);

  return prism_cuda_spectrum_transform (&optics, image != NULL ? image : self->field, 0, self->rows,
                                        self->half, stream);
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
  const int n_pixels = self->image_size * self->image_size;

  PRISM_CUDA_TRY (go_back (self, stream));
  return prism_cuda_launch (reflect_kernel, prism_cuda_count_blocks (n_pixels, N_THREADS),
                            N_THREADS, 0, stream, *self, relaxation);
}
