#include "prism-cuda-optics.h"

#include "prism-cuda-kernel.cuh"

#include <math.h>

/* Detector images: their order, their sums, and the camera's noise.
 *
 * n = image_size, so that rows are whole groups of four pixels, as are halves of rows. roll
 * moves 8·n² bytes, sum reads 4·n². Noise is two kernels: the sums that make the SNR, then
 * Philox and Box–Muller; they read the image twice and write it once, 12·n² bytes. Normals are
 * made in double as on the CPU: it happens once per measurement, and the devices then draw the
 * same noise to the last bit but one. */

#define N_THREADS 256
#define N_SUMS 3
#define N_SUM_BLOCKS (PRISM_CUDA_TARGET_N_PARTIALS / N_SUMS)

static __global__ void
__launch_bounds__ (N_THREADS)
    roll_kernel (float4 *to,
                 const float4 *from,
                 int image_size)
{
  const int width = image_size / 4, i = blockIdx.x * N_THREADS + threadIdx.x;
  const int y = (i / width + image_size / 2) & (image_size - 1);
  const int x = (i % width + width / 2) & (width - 1);

  if (i < width * image_size)
    to[y * width + x] = from[i];
}

static __device__ __forceinline__ void
add_value (double sums[N_SUMS],
           float amplitude)
{
  const double value = amplitude, square = value * value;

  sums[0] += value;
  sums[1] += square;
  sums[2] += square * square;
}

/* partials [N_SUMS][N_SUM_BLOCKS]. */
static __global__ void
__launch_bounds__ (N_THREADS)
    sum_kernel (double *partials,
                const float4 *target,
                int n_quads)
{
  __shared__ double scratch[PRISM_CUDA_WARP];
  double sums[N_SUMS] = { 0.0, 0.0, 0.0 };

  for (int i = blockIdx.x * N_THREADS + threadIdx.x; i < n_quads; i += gridDim.x * N_THREADS)
    {
      const float4 t = target[i];

      add_value (sums, t.x);
      add_value (sums, t.y);
      add_value (sums, t.z);
      add_value (sums, t.w);
    }
  prism_cuda_store_partials (partials, N_SUM_BLOCKS, sums, scratch);
}

static __global__ void
__launch_bounds__ (N_SUM_BLOCKS)
    finish_kernel (double *sums,
                   const double *partials)
{
  __shared__ double scratch[PRISM_CUDA_WARP];

#pragma unroll
  for (int i = 0; i < N_SUMS; i++)
    {
      const double sum
          = prism_cuda_add_partials (partials + i * N_SUM_BLOCKS, N_SUM_BLOCKS, scratch);

      if (threadIdx.x == 0)
        sums[i] = sum;
    }
}

/**
 * prism_cuda_target_roll:
 * @to: (array) (device) (out caller-allocates): image, not @from
 * @from: (array) (device): image
 * @image_size: n, a power of two from 64
 * @stream: a stream
 *
 * Rolls by n/2 in both directions, from natural order to target order or back.
 *
 * Shape: both [n][n].
 * Thread: engine.
 *
 * Returns: what the launch reports
 */
cudaError_t
prism_cuda_target_roll (float *to,
                        const float *from,
                        int image_size,
                        cudaStream_t stream)
{
  const int n_quads = image_size / 4 * image_size;
  const int n_blocks = prism_cuda_count_blocks (n_quads, N_THREADS);

  return prism_cuda_launch (roll_kernel, n_blocks, N_THREADS, 0, stream,
                            reinterpret_cast<float4 *> (to),
                            reinterpret_cast<const float4 *> (from), image_size);
}

/**
 * prism_cuda_target_sum:
 * @sums: (array fixed-size=3) (device) (out caller-allocates): Σt, Σt², Σt⁴
 * @partials: (array) (device): to work in
 * @target: (array) (device): amplitude
 * @image_size: n, a power of two from 64
 * @stream: a stream
 *
 * The normalisers of the losses. Added in a fixed order: reruns give the same bits.
 *
 * Shape: @target [n][n]; @partials [PRISM_CUDA_TARGET_N_PARTIALS].
 * Thread: engine.
 *
 * Returns: what the launches report
 */
cudaError_t
prism_cuda_target_sum (double *sums,
                       double *partials,
                       const float *target,
                       int image_size,
                       cudaStream_t stream)
{
  PRISM_CUDA_TRY (prism_cuda_launch (sum_kernel, N_SUM_BLOCKS, N_THREADS, 0, stream, partials,
                                     reinterpret_cast<const float4 *> (target),
                                     image_size / 4 * image_size));
  return prism_cuda_launch (finish_kernel, 1, N_SUM_BLOCKS, 0, stream, sums, partials);
}

/* ---- noise ---- */

#define MAX_BLOCKS 1024

#define PHILOX_ROUNDS 10
#define PHILOX_MULTIPLIER_0 0xd2511f53u
#define PHILOX_MULTIPLIER_1 0xcd9e8d57u
#define PHILOX_WEYL_0 0x9e3779b9u
#define PHILOX_WEYL_1 0xbb67ae85u
#define STREAM_SHOT 0u /* PRISM_STREAM_SHOT */
#define STREAM_READ 1u /* PRISM_STREAM_READ */

#define TWO_TO_MINUS_32 (1.0 / 4294967296.0)

/* The counter is (position, index, stream), as in prism-random.c. */
static __device__ __forceinline__ void
draw_block (uint32_t words[4],
            const PrismCudaNoise &noise,
            uint32_t stream,
            uint64_t position)
{
  uint32_t c0 = (uint32_t) position, c1 = (uint32_t) (position >> 32), c2 = noise.sample;
  uint32_t c3 = stream, k0 = (uint32_t) noise.seed, k1 = (uint32_t) (noise.seed >> 32);

#pragma unroll
  for (int round = 0; round < PHILOX_ROUNDS; round++)
    {
      const uint64_t a = (uint64_t) PHILOX_MULTIPLIER_0 * c0;
      const uint64_t b = (uint64_t) PHILOX_MULTIPLIER_1 * c2;

      c0 = (uint32_t) (b >> 32) ^ c1 ^ k0;
      c1 = (uint32_t) b;
      c2 = (uint32_t) (a >> 32) ^ c3 ^ k1;
      c3 = (uint32_t) a;
      k0 += PHILOX_WEYL_0;
      k1 += PHILOX_WEYL_1;
    }
  words[0] = c0;
  words[1] = c1;
  words[2] = c2;
  words[3] = c3;
}

static __device__ __forceinline__ void
make_normal_pair (double normals[2],
                  uint32_t first,
                  uint32_t second)
{
  const double radius = sqrt (-2.0 * log ((first + 0.5) * TWO_TO_MINUS_32));
  double sine, cosine;

  sincospi (2.0 * ((second + 0.5) * TWO_TO_MINUS_32), &sine, &cosine);
  normals[0] = radius * cosine;
  normals[1] = radius * sine;
}

static __device__ __forceinline__ void
draw_normals (double normals[4],
              const PrismCudaNoise &noise,
              uint32_t stream,
              uint64_t position)
{
  uint32_t words[4];

  draw_block (words, noise, stream, position);
  make_normal_pair (normals, words[0], words[1]);
  make_normal_pair (normals + 2, words[2], words[3]);
}

struct Variances
{
  double shot; /* of a pixel of intensity 1 */
  double read; /* of every pixel */
};

/* 0 for a black image. Every block adds up the same partials in the same order: of ΣI and ΣI²,
 * which are Σt² and Σt⁴. */
static __device__ __forceinline__ Variances
compute_variances (const PrismCudaNoise &noise,
                   const double *partials,
                   int n_pixels,
                   double *scratch)
{
  const double sum = prism_cuda_add_partials (partials + N_SUM_BLOCKS, N_SUM_BLOCKS, scratch);
  const double sum_squares
      = prism_cuda_add_partials (partials + 2 * N_SUM_BLOCKS, N_SUM_BLOCKS, scratch);

  if (!(sum > 0.0))
    return { 0.0, 0.0 };
  return { noise.photon > 0.0 ? noise.photon : sum_squares * noise.power / sum,
           sum_squares * noise.read_power / n_pixels };
}

/* In this order, and rounded after each: as on the CPU. */
template <bool READ>
static __device__ __forceinline__ float
expose_pixel (float amplitude,
              double normal,
              double read_normal,
              const Variances &variances)
{
  float intensity = __fmul_rn (amplitude, amplitude); /* not fused: as on the CPU */

  intensity += (float) (normal * sqrt (variances.shot * intensity));
  if (READ)
    intensity += (float) (read_normal * sqrt (variances.read));
  return sqrtf (fmaxf (intensity, 0.0f));
}

/* Four pixels a thread, that share a counter. Random numbers belong to natural pixels; a group of
 * four stays together when the image is rolled by n/2. */
template <bool READ>
static __global__ void
__launch_bounds__ (N_THREADS)
    expose_kernel (float4 *target,
                   const float4 *clean,
                   const double *partials,
                   PrismCudaNoise noise,
                   int image_size)
{
  __shared__ double scratch[PRISM_CUDA_WARP];
  const Variances variances
      = compute_variances (noise, partials, image_size * image_size, scratch);
  const int width = image_size / 4, n_quads = width * image_size;

  for (int i = blockIdx.x * N_THREADS + threadIdx.x; i < n_quads; i += gridDim.x * N_THREADS)
    {
      const int y = (i / width + image_size / 2) & (image_size - 1);
      const int x = (i % width + width / 2) & (width - 1);
      const float4 t = clean[y * width + x];
      double shot[4], read[4] = { 0.0, 0.0, 0.0, 0.0 };

      draw_normals (shot, noise, STREAM_SHOT, i);
      if constexpr (READ)
        draw_normals (read, noise, STREAM_READ, i);
      target[y * width + x] = make_float4 (expose_pixel<READ> (t.x, shot[0], read[0], variances),
                                           expose_pixel<READ> (t.y, shot[1], read[1], variances),
                                           expose_pixel<READ> (t.z, shot[2], read[2], variances),
                                           expose_pixel<READ> (t.w, shot[3], read[3], variances));
    }
}

/**
 * prism_cuda_noise_expose:
 * @self: what the camera adds
 * @target: (array) (device) (out caller-allocates): noisy amplitude; may be @clean
 * @clean: (array) (device): noise-free amplitude
 * @partials: (array) (device): to work in
 * @image_size: n, a power of two from 64
 * @stream: a stream
 *
 * Adds shot noise, then read noise to the intensity, clamps it at 0 and takes the square root. A
 * random number depends on seed, purpose, sample and natural pixel alone, so that every device
 * draws the same. Both variances are those of the noise-free image; a black one stays black.
 *
 * Shape: both [n][n], origin at [0][0]; @partials [PRISM_CUDA_TARGET_N_PARTIALS].
 * Thread: engine.
 * Source: numerics.md, shot noise, read noise; Salmon, Moraes, Dror and Shaw, "Parallel random
 *   numbers: as easy as 1, 2, 3", 2011.
 *
 * Returns: what the launches report
 */
cudaError_t
prism_cuda_noise_expose (const PrismCudaNoise *self,
                         float *target,
                         const float *clean,
                         double *partials,
                         int image_size,
                         cudaStream_t stream)
{
  const int n_quads = image_size / 4 * image_size;
  const int n_blocks = prism_cuda_count_blocks (n_quads, N_THREADS);

  PRISM_CUDA_TRY (prism_cuda_launch (sum_kernel, N_SUM_BLOCKS, N_THREADS, 0, stream, partials,
                                     reinterpret_cast<const float4 *> (clean), n_quads));
  return prism_cuda_launch (self->read_power > 0.0 ? expose_kernel<true> : expose_kernel<false>,
                            n_blocks < MAX_BLOCKS ? n_blocks : MAX_BLOCKS, N_THREADS, 0, stream,
                            reinterpret_cast<float4 *> (target),
                            reinterpret_cast<const float4 *> (clean), partials, *self, image_size);
}
