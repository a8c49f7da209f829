#include "prism-cuda-detector-kernels.h"

#include "prism-cuda-kernel.cuh"

/* n = image_size, so that rows are whole groups of four pixels, as are halves of rows. roll moves
 * 8·n² bytes, sum reads 4·n². */

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
#pragma unroll
  for (int i = 0; i < N_SUMS; i++)
    {
      sums[i] = prism_cuda_sum_block (sums[i], scratch);
      if (threadIdx.x == 0)
        partials[i * N_SUM_BLOCKS + blockIdx.x] = sums[i];
    }
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
      const double sum = prism_cuda_sum_block (partials[i * N_SUM_BLOCKS + threadIdx.x], scratch);

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
  const int n_blocks = (n_quads + N_THREADS - 1) / N_THREADS;

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
  cudaError_t error = prism_cuda_launch (sum_kernel, N_SUM_BLOCKS, N_THREADS, 0, stream, partials,
                                         reinterpret_cast<const float4 *> (target),
                                         image_size / 4 * image_size);

  if (error != cudaSuccess)
    return error;
  return prism_cuda_launch (finish_kernel, 1, N_SUM_BLOCKS, 0, stream, sums, partials);
}
