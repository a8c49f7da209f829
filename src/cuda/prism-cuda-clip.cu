/* The limit of the gradient. Two kernels: sums of squares, 4·P bytes are read; then a single block
 * adds them up and shortens what the first layer's gradient is made of. The number of sums is
 * fixed, and so is the order in which they are added. */
#include "prism-cuda-decoder-kernels.h"

#include "prism-cuda-kernel.cuh"

#define THREADS 256
#define VALUES 4

static_assert (PRISM_CUDA_CLIP_N_PARTIALS == THREADS, "a thread has one of the sums");

static __device__ __forceinline__ double
square (float value)
{
  return (double) value * value;
}

static __global__ void
__launch_bounds__ (THREADS)
    measure_kernel (PrismCudaClip self)
{
  __shared__ double scratch[PRISM_CUDA_WARP];
  const float4 *gradient = reinterpret_cast<const float4 *> (self.gradient);
  const size_t n_vectors = self.n_values / VALUES, n_threads = (size_t) gridDim.x * THREADS;
  const size_t first = (size_t) blockIdx.x * THREADS + threadIdx.x;
  const size_t rest = n_vectors * VALUES + first;
  double sum = 0.0;

  if (self.stop != nullptr && *self.stop != 0)
    return;
#pragma unroll 4
  for (size_t i = first; i < n_vectors; i += n_threads)
    {
      const float4 g = gradient[i];

      sum += (square (g.x) + square (g.y)) + (square (g.z) + square (g.w));
    }
  if (rest < self.n_values)
    sum += square (self.gradient[rest]);
  sum = prism_cuda_sum_block (sum, scratch);
  if (threadIdx.x == 0)
    self.partials[blockIdx.x] = sum;
}

/* As prism_cpu_decoder_run_clipped_update(): in double, rounded once. */
static __global__ void
__launch_bounds__ (THREADS)
    shorten_kernel (PrismCudaClip self)
{
  __shared__ double scratch[PRISM_CUDA_WARP];
  double norm, limit;
  float shorten;

  if (self.stop != nullptr && *self.stop != 0)
    return;
  limit = self.control->steps[self.control->cursor].clip_norm;
  norm = sqrt (prism_cuda_sum_block (self.partials[threadIdx.x], scratch));
  shorten = norm > limit ? (float) (limit / norm) : 1.0f;
  for (int i = threadIdx.x; i < self.n_map; i += THREADS)
    self.map_gradient[i] *= shorten;
  if (threadIdx.x != 0)
    return;
  self.control->shorten = shorten;
  if (!isfinite (norm))
    self.control->not_finite = 1;
}

/**
 * prism_cuda_clip_shorten:
 * @self: a gradient, unscaled
 * @stream: a stream, which may be under capture
 *
 * Finds the factor that brings the gradient's norm down to the step's clip_norm, 1 where it is no
 * longer than that, and shortens the first layer's map_gradient by it; the gradient stays. Where
 * the norm is not finite not_finite is set.
 *
 * Shape: see PrismCudaClip.
 * Thread: engine.
 * Source: Pascanu, Mikolov and Bengio, "On the difficulty of training recurrent neural networks",
 *   2013, algorithm 1.
 *
 * Returns: what the launches report
 */
cudaError_t
prism_cuda_clip_shorten (const PrismCudaClip *self,
                         cudaStream_t stream)
{
  cudaError_t error = prism_cuda_launch (measure_kernel, dim3 (PRISM_CUDA_CLIP_N_PARTIALS),
                                         dim3 (THREADS), 0, stream, *self);

  if (error != cudaSuccess)
    return error;
  return prism_cuda_launch (shorten_kernel, dim3 (1), dim3 (THREADS), 0, stream, *self);
}
