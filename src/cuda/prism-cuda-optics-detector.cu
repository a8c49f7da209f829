/* The detectors' rows: transformed, compared pixel by pixel, and transformed back in one go, so
 * that the field on the detector is never stored.
 *
 * Per step with 4 views of 41 columns, n = 512: reads 4·4n² = 4.2 MB of targets and 164·8n = 672 kB
 * of planes, writes the planes; 4n·2 transforms of 512 points, of which the first pass forward and
 * most of the last pass back are skipped: 60 MFLOP. 64 registers for 4 blocks of 256 threads on a
 * multiprocessor: all 512 blocks run at once on 128 of them. */
#include "prism-cuda-optics.cuh"

/* Keeps 1/|y| finite at y = 0, where the gradient then is 0. */
#define TINY 1e-37f
/* The same for a projection, whose length does not matter. */
#define EPSILON 1e-12f

/* Beyond the table, with y = I + c and the variance s of what is recorded:
 * √y - s/8·y^(-3/2) - 15/128·s²·y^(-7/2). */
static __device__ __forceinline__ float
get_far_mean (const PrismCudaExpect &self,
              float amplitude,
              float &slope)
{
  const float intensity = amplitude * amplitude, sum = intensity + self.offset;
  const float root = sqrtf (sum), change = self.noise / sum;
  const float ratio = fmaf (self.noise, intensity, self.read) / sum, part = ratio / sum;

  slope = 2.0f * amplitude / root
          * (0.5f - 0.125f * (change - 1.5f * part)
             - 15.0f / 128.0f * part * (2.0f * change - 3.5f * part));
  return root * (1.0f - 0.125f * part - 15.0f / 128.0f * part * part);
}

/* H of a camera with read noise and its slope, from a table; twin of prism_expect_get(). */
static __device__ __forceinline__ float
get_mean (const PrismCudaExpect &self,
          float amplitude,
          float &slope)
{
  const float place = amplitude / self.pitch;
  float first, step;
  int i;

  if (!(place < PRISM_CUDA_EXPECT_N_MEANS - 2))
    return get_far_mean (self, amplitude, slope);
  i = (int) place;
  first = __ldg (&self.means[i]);
  step = __ldg (&self.means[i + 1]) - first;
  slope = step / self.pitch;
  return fmaf (place - i, step, first);
}

/* H(a) - T and, in slope, H'(a)·(H(a) - T). T = √(t² + v/4); H is the mean of T when the
 * intensity's mean is a² and its variance v·a², clamped at 0: with s = a/√v it is
 * √v·(s + ½/(1 + 0.3s + 0.2s² + 0.05s³)⁴) to 0.01·√v. Without noise both are as they are. */
static __device__ __forceinline__ float
compare (float amplitude,
         float target,
         float noise,
         float &slope)
{
  const float root = sqrtf (noise);
  float difference, s, base, fourth;

  if (!(noise > 0.0f))
    return slope = amplitude - target;
  s = amplitude / root;
  base = 1.0f / fmaf (s, fmaf (s, fmaf (s, 0.05f, 0.2f), 0.3f), 1.0f);
  fourth = base * base * base * base;
  difference = fmaf (0.5f * root, fourth, amplitude)
               - sqrtf (fmaf (target, target, 0.25f * noise));
  slope = difference
          * (1.0f - 2.0f * fourth * base * fmaf (s, fmaf (s, 0.15f, 0.4f), 0.3f));
  return difference;
}

/* The same with read noise: T = √(t² + c). */
static __device__ __forceinline__ float
compare (float amplitude,
         float target,
         const PrismCudaExpect &expect,
         float &slope)
{
  const float difference = get_mean (expect, amplitude, slope)
                           - sqrtf (fmaf (target, target, expect.offset));

  slope *= difference;
  return difference;
}

static __device__ __forceinline__ float
get_sign (float value)
{
  return value > 0.0f ? 1.0f : value < 0.0f ? -1.0f
                                            : value;
}

/* What a pixel contributes to the sum; it is left as kind says. */
template <PrismCudaOpticsPixel KIND>
static __device__ __forceinline__ void
visit_pixel (float2 &y,
             float t,
             float noise,
             float &sum)
{
  constexpr bool INTENSITY = KIND == PRISM_CUDA_OPTICS_L1_INTENSITY
                             || KIND == PRISM_CUDA_OPTICS_L2_INTENSITY;
  constexpr bool NOISY = KIND == PRISM_CUDA_OPTICS_L2_NOISY;
  constexpr bool LOSS = KIND != PRISM_CUDA_OPTICS_PROJECT;
  constexpr bool SQUARED = KIND != PRISM_CUDA_OPTICS_L1_AMPLITUDE
                           && KIND != PRISM_CUDA_OPTICS_L1_INTENSITY;
  const float square = fmaf (y.x, y.x, fmaf (y.y, y.y, LOSS && !INTENSITY ? TINY : 0.0f));
  float difference, factor;

  if (INTENSITY)
    {
      difference = fmaf (-t, t, square);
      factor = SQUARED ? difference : get_sign (difference);
    }
  else if (LOSS)
    {
      const float inverse = rsqrtf (square);

      difference = NOISY ? compare (square * inverse, t, noise, factor)
                         : fmaf (square, inverse, -t);
      factor = inverse * (NOISY ? factor : SQUARED ? difference
                                                   : get_sign (difference));
    }
  else
    {
      const float size = sqrtf (square);

      difference = size - t;
      factor = t / (size + EPSILON);
    }
  sum += SQUARED ? difference * difference : fabsf (difference);
  y.x *= factor;
  y.y *= factor;
}

/* The same of L2_EXPECTED. */
static __device__ __forceinline__ void
visit_expected_pixel (const PrismCudaOpticsView &view,
                      float2 &y,
                      float t,
                      float &sum)
{
  const float square = fmaf (y.x, y.x, fmaf (y.y, y.y, TINY)), inverse = rsqrtf (square);
  float slope;
  const float difference
      = view.expect != nullptr
            ? compare (square * inverse, t, *view.expect, slope)
            : compare (square * inverse, t, view.noise, slope);

  sum = fmaf (difference, difference, sum);
  y.x *= slope * inverse;
  y.y *= slope * inverse;
}

template <PrismCudaOpticsPixel KIND>
static __device__ __forceinline__ void
visit_pixels (float2 x[PRISM_CUDA_FFT_POINTS],
              const float target[PRISM_CUDA_FFT_POINTS],
              float noise,
              float &sum)
{
#pragma unroll
  for (int e = 0; e < PRISM_CUDA_FFT_POINTS; e++)
    visit_pixel<KIND> (x[e], target[e], noise, sum);
}

static __device__ __forceinline__ void
visit (PrismCudaOpticsPixel pixel,
       const PrismCudaOpticsView &view,
       float2 x[PRISM_CUDA_FFT_POINTS],
       const float target[PRISM_CUDA_FFT_POINTS],
       float &sum)
{
  const float noise = view.noise;

  if (pixel == PRISM_CUDA_OPTICS_L1_AMPLITUDE)
    visit_pixels<PRISM_CUDA_OPTICS_L1_AMPLITUDE> (x, target, noise, sum);
  else if (pixel == PRISM_CUDA_OPTICS_L1_INTENSITY)
    visit_pixels<PRISM_CUDA_OPTICS_L1_INTENSITY> (x, target, noise, sum);
  else if (pixel == PRISM_CUDA_OPTICS_L2_AMPLITUDE)
    visit_pixels<PRISM_CUDA_OPTICS_L2_AMPLITUDE> (x, target, noise, sum);
  else if (pixel == PRISM_CUDA_OPTICS_L2_INTENSITY)
    visit_pixels<PRISM_CUDA_OPTICS_L2_INTENSITY> (x, target, noise, sum);
  else if (pixel == PRISM_CUDA_OPTICS_L2_NOISY)
    visit_pixels<PRISM_CUDA_OPTICS_L2_NOISY> (x, target, noise, sum);
  else
    visit_pixels<PRISM_CUDA_OPTICS_PROJECT> (x, target, noise, sum);
}

template <int N>
static __device__ __forceinline__ void
measure (float2 x[PRISM_CUDA_FFT_POINTS],
         float *row,
         int t)
{
#pragma unroll
  for (int e = 0; e < PRISM_CUDA_FFT_POINTS; e++)
    row[t + e * PrismCudaFft<N>::THREADS] = sqrtf (fmaf (x[e].x, x[e].x, x[e].y * x[e].y));
}

template <int N>
static __device__ __forceinline__ void
load_target (float target[PRISM_CUDA_FFT_POINTS],
             const float *row,
             int t)
{
#pragma unroll
  for (int e = 0; e < PRISM_CUDA_FFT_POINTS; e++)
    target[e] = __ldg (&row[t + e * PrismCudaFft<N>::THREADS]);
}

/* Blocks of 512 points that a multiprocessor shall have room for: what is expected of a camera with
 * read noise takes more than 64 registers where the compiler moves loads further ahead. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1200
#define EXPECTED_BLOCKS 3
#else
#define EXPECTED_BLOCKS 4
#endif

/* What is seldom wanted has a kernel of its own, so that the other's registers suffice. */
template <int N, bool EXPECTED>
static __global__ void
__launch_bounds__ (PrismCudaOpticsShape<N>::ROWS *PrismCudaFft<N>::THREADS,
                   N == 512 && EXPECTED    ? EXPECTED_BLOCKS
                   : N == 512 || N == 1024 ? 4
                   : N == 2048             ? 2
                                           : 1)
    visit_rows (PrismCudaOptics optics,
                PrismCudaOpticsPixel pixel,
                const PrismCudaOpticsView *__restrict__ views,
                int max_width,
                float *pixels,
                PrismCudaComplex *plane,
                double *__restrict__ sums)
{
  constexpr int THREADS = PrismCudaFft<N>::THREADS, ROWS = PrismCudaOpticsShape<N>::ROWS;
  /* Targets come from far away: where all blocks run at once they are asked for early. Where other
   * blocks fill the time the registers are worth more. */
  constexpr bool EARLY = N <= 512;
  PRISM_CUDA_DYNAMIC_SHARED (float2, shared);
  __shared__ double scratch[PRISM_CUDA_WARP];
  const PrismCudaOpticsView &view = views[blockIdx.y];
  const int line = threadIdx.x / THREADS, t = threadIdx.x % THREADS;
  const int width = view.width, first = blockIdx.x * ROWS;
  float *image = pixels == nullptr ? view.target : pixels + (size_t) blockIdx.y * N * N;
  float *row = image + (size_t) (first + line) * N;
  float2 *block = plane + (size_t) blockIdx.y * max_width * N + first;
  PrismCudaFft<N> fft;
  float2 x[PRISM_CUDA_FFT_POINTS];
  float target[PRISM_CUDA_FFT_POINTS], own = 0.0f;
  double total;

  prism_cuda_fft_load<N> (fft, optics.roots, t);
  if (prism_cuda_optics_is_done (optics))
    return;
  if (width == 0)
    {
      for (int i = t; i < N && pixel == PRISM_CUDA_OPTICS_MEASURE; i += THREADS)
        row[i] = 0.0f;
      return;
    }

  if (EARLY && pixel != PRISM_CUDA_OPTICS_MEASURE)
    load_target<N> (target, row, t);
  for (int i = threadIdx.x; i < ROWS * width; i += blockDim.x)
    shared[prism_cuda_fft_get_place<N> (i % ROWS, i / ROWS)]
        = block[(size_t) (i / ROWS) * N + i % ROWS];
  __syncthreads ();
  prism_cuda_fft_expand<N, PRISM_CUDA_FFT_INVERSE> (x, fft, shared, line, t, width);

  if (pixel == PRISM_CUDA_OPTICS_MEASURE)
    {
      measure<N> (x, row, t);
      return;
    }
  if (!EARLY)
    load_target<N> (target, row, t);
  if constexpr (EXPECTED)
    {
#pragma unroll
      for (int e = 0; e < PRISM_CUDA_FFT_POINTS; e++)
        visit_expected_pixel (view, x[e], target[e], own);
    }
  else
    visit (pixel, view, x, target, own);
  total = prism_cuda_sum_block ((double) own, scratch);
  if (threadIdx.x == 0 && sums != nullptr)
    sums[(size_t) blockIdx.y * gridDim.x + blockIdx.x] = total;

  prism_cuda_fft_transform<N, PRISM_CUDA_FFT_FORWARD> (x, fft, shared, line, t, width);
  __syncthreads ();
#pragma unroll
  for (int e = 0; e < PRISM_CUDA_FFT_POINTS; e++)
    if (t + e * THREADS < width)
      shared[prism_cuda_fft_get_place<N> (line, t + e * THREADS)] = x[e];
  __syncthreads ();
  for (int i = threadIdx.x; i < ROWS * width; i += blockDim.x)
    block[(size_t) (i / ROWS) * N + i % ROWS]
        = shared[prism_cuda_fft_get_place<N> (i % ROWS, i / ROWS)];
}

/**
 * prism_cuda_optics_get_n_sums:
 * @image_size: n, a size that the kernels take
 *
 * Thread: any.
 *
 * Returns: sums that prism_cuda_optics_visit_rows() leaves for each view
 */
int
prism_cuda_optics_get_n_sums (int image_size)
{
  int n_sums = 0;

  prism_cuda_fft_dispatch (image_size, [&] (auto size) {
    constexpr int N = decltype (size)::value;

    n_sums = N / PrismCudaOpticsShape<N>::ROWS;
    return cudaSuccess;
  });
  return n_sums;
}

/**
 * prism_cuda_optics_visit_rows:
 * @optics: sizes and tables
 * @pixel: what is done with the pixels
 * @views: (array length=n_views): device array
 * @n_views: number of views
 * @max_width: W, columns of the widest box
 * @pixels: (nullable): takes the place of the views' targets
 * @plane: columns of the boxes; what the pixels leave takes their place
 * @sums: (nullable): result
 * @stream: a stream, which may be under capture
 *
 * Third pass: the rows of the detectors, their pixels, and the rows back again.
 *
 * Shape: @pixels [n_views][n][n], @plane [n_views][W][n], @sums [n_views][n_sums].
 * Thread: engine.
 * Source: numerics.md § 7.
 */
cudaError_t
prism_cuda_optics_visit_rows (const PrismCudaOptics *optics,
                              PrismCudaOpticsPixel pixel,
                              const PrismCudaOpticsView *views,
                              int n_views,
                              int max_width,
                              float *pixels,
                              PrismCudaComplex *plane,
                              double *sums,
                              cudaStream_t stream)
{
  return prism_cuda_fft_dispatch (optics->image_size, [=] (auto size) {
    constexpr int N = decltype (size)::value, ROWS = PrismCudaOpticsShape<N>::ROWS;

    return prism_cuda_launch (pixel == PRISM_CUDA_OPTICS_L2_EXPECTED ? visit_rows<N, true>
                                                                     : visit_rows<N, false>,
                              dim3 (N / ROWS, n_views),
                              ROWS * PrismCudaFft<N>::THREADS,
                              prism_cuda_fft_get_shared_bytes<N> (ROWS), stream, *optics,
                              pixel, views, max_width, pixels, plane, sums);
  });
}
