/* prism-cuda-kernel: what every kernel file needs: typed launches, dynamic shared memory, and
 * reductions in a fixed order. Included by .cu files only. */
#pragma once

#include "prism-cuda-types.h"

#include <cuda_runtime.h>

#define PRISM_CUDA_WARP 32

/* extern __shared__ in a form that another compiler can give another meaning. */
#ifndef PRISM_CUDA_DYNAMIC_SHARED
#define PRISM_CUDA_DYNAMIC_SHARED(type, name)                                 \
  extern __shared__ __align__ (32) unsigned char prism_cuda_dynamic_shared[]; \
  type *name = reinterpret_cast<type *> (prism_cuda_dynamic_shared)
#endif

/* Every block may have 48 KiB without being asked for, static arrays included. */
#define PRISM_CUDA_DEFAULT_SHARED (40 << 10)

/* Allows a kernel n_bytes of dynamic shared memory. What it may have never shrinks: one kernel
 * serves several layers, and a driver may look again when a captured launch becomes part of a
 * graph. */
static inline cudaError_t
prism_cuda_allow_shared (const void *kernel,
                         size_t n_bytes)
{
  cudaFuncAttributes attributes;

  if (n_bytes <= PRISM_CUDA_DEFAULT_SHARED)
    return cudaSuccess;
  PRISM_CUDA_TRY (cudaFuncGetAttributes (&attributes, kernel));
  if (n_bytes < (size_t) attributes.maxDynamicSharedSizeBytes)
    n_bytes = attributes.maxDynamicSharedSizeBytes;
  return cudaFuncSetAttribute (kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int) n_bytes);
}

/* The one way to launch: no <<<>>>, so that any C++ compiler reads the kernels. */
template <typename... Parameters, typename... Arguments>
static inline cudaError_t
prism_cuda_launch (void (*kernel) (Parameters...),
                   dim3 grid,
                   dim3 block,
                   size_t shared_bytes,
                   cudaStream_t stream,
                   Arguments... arguments)
{
  cudaLaunchConfig_t config = {};

  PRISM_CUDA_TRY (prism_cuda_allow_shared ((const void *) kernel, shared_bytes));
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  return cudaLaunchKernelEx (&config, kernel, static_cast<Parameters> (arguments)...);
}

/* How many blocks of size it takes for n. */
static __device__ __host__ __forceinline__ int
prism_cuda_count_blocks (int n,
                         int size)
{
  return (n + size - 1) / size;
}

static __device__ __forceinline__ float2
operator+ (float2 a,
           float2 b)
{
  return make_float2 (a.x + b.x, a.y + b.y);
}

static __device__ __forceinline__ float2
operator- (float2 a,
           float2 b)
{
  return make_float2 (a.x - b.x, a.y - b.y);
}

static __device__ __forceinline__ float2
operator* (float factor,
           float2 a)
{
  return make_float2 (factor * a.x, factor * a.y);
}

static __device__ __forceinline__ void
operator+= (float2 &sum,
            float2 a)
{
  sum = sum + a;
}

/* Whether kernels that ask are to end at once; stop may be NULL. */
static __device__ __forceinline__ bool
prism_cuda_is_stopped (const int32_t *stop)
{
  return stop != nullptr && *stop != 0;
}

static __device__ __forceinline__ float
prism_cuda_limit (float value)
{
  return fminf (fmaxf (value, 0.0f), 1.0f);
}

/* Sum over a warp, or each n_lanes of it, a power of two: the same order every time; all lanes get
 * it. */
template <typename T>
static __device__ __forceinline__ T
prism_cuda_sum_warp (T value,
                     int n_lanes = PRISM_CUDA_WARP)
{
  for (int offset = n_lanes / 2; offset > 0; offset /= 2)
    value += __shfl_xor_sync (0xffffffffu, value, offset);
  return value;
}

/* Sum over a block of up to 1024 threads, a multiple of 32; every thread calls it, all get it.
 * scratch: [32] in shared memory, free to be overwritten after the next barrier. */
template <typename T>
static __device__ __forceinline__ T
prism_cuda_sum_block (T value,
                      T *scratch)
{
  const int lane = threadIdx.x % PRISM_CUDA_WARP, warp = threadIdx.x / PRISM_CUDA_WARP;
  const int n_warps = blockDim.x / PRISM_CUDA_WARP;
  T sum;

  value = prism_cuda_sum_warp (value);
  if (lane == 0)
    scratch[warp] = value;
  __syncthreads ();
  sum = 0;
  for (int i = 0; i < n_warps; i++)
    sum += scratch[i];
  __syncthreads ();
  return sum;
}

/* What the threads of a block have of N sums, into partials [N][stride], a place for each block.
 * scratch as for prism_cuda_sum_block(). */
template <int N>
static __device__ __forceinline__ void
prism_cuda_store_partials (double *partials,
                           int stride,
                           const double (&sums)[N],
                           double *scratch)
{
#pragma unroll
  for (int i = 0; i < N; i++)
    {
      const double sum = prism_cuda_sum_block (sums[i], scratch);

      if (threadIdx.x == 0)
        partials[i * stride + blockIdx.x] = sum;
    }
}

/* Their sum, by one whole block of any size. */
static __device__ __forceinline__ double
prism_cuda_add_partials (const double *partials,
                         int n_partials,
                         double *scratch)
{
  double sum = 0.0;

  for (int i = threadIdx.x; i < n_partials; i += blockDim.x)
    sum += partials[i];
  return prism_cuda_sum_block (sum, scratch);
}
