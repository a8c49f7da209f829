/* Adam of every layer but the first. Per parameter: 24 bytes of values and moments, 8 more with
 * AMSGrad, 4 for each part of its gradient, about 12 flop; collect 4 bytes and 4 for each part.
 * A thread has four values of a weight, a warp where their parts are many: a thread that reads a
 * hundred of them in turn takes as long as all else. A warp has one of what else there is, whose
 * parts are many, too. */
#include "prism-cuda-decoder-kernels.h"

#include "prism-cuda-adam.cuh"

#define THREADS 256
#define VALUES 4
#define MANY_PARTS PRISM_CUDA_WARP

enum Use
{
  COLLECT,
  STEP,
  STEP_AMSGRAD
};

/* Kernel parameters are 4 KiB at most on all devices. */
static_assert (sizeof (PrismCudaUpdate) <= 4096, "the arrays do not fit into a launch");

/* Whether a thread takes four values at once; else a warp takes one. */
static __device__ __host__ __forceinline__ bool
is_vector (const PrismCudaUpdateArray &array)
{
  return array.stride == 1 && array.offset % VALUES == 0 && array.n_values % VALUES == 0
         && array.part_stride % VALUES == 0;
}

/* Threads that share the parts of a value, or of four. */
static __device__ __host__ __forceinline__ uint32_t
get_n_lanes (const PrismCudaUpdateArray &array)
{
  return is_vector (array) && array.n_parts < MANY_PARTS ? 1 : PRISM_CUDA_WARP;
}

static __device__ __host__ __forceinline__ uint32_t
get_values_per_block (const PrismCudaUpdateArray &array)
{
  return THREADS / get_n_lanes (array) * (is_vector (array) ? VALUES : 1);
}

/* All lanes of a warp have a part of the sum and get it. */
static __device__ __forceinline__ float
sum_parts (const PrismCudaUpdateArray &array,
           uint32_t i)
{
  const float *source = array.source + (size_t) i * array.stride;
  float sum = 0.0f;

  for (int part = threadIdx.x % PRISM_CUDA_WARP; part < array.n_parts; part += PRISM_CUDA_WARP)
    sum += source[(size_t) part * array.part_stride];
  return prism_cuda_sum_warp (sum);
}

static __device__ __forceinline__ float4
sum_vector_parts (const PrismCudaUpdateArray &array,
                  uint32_t i,
                  int n_lanes)
{
  const float4 *source = reinterpret_cast<const float4 *> (array.source + i);
  const uint32_t stride = array.part_stride / VALUES;
  float4 sum = make_float4 (0.0f, 0.0f, 0.0f, 0.0f);

#pragma unroll 8
  for (int part = threadIdx.x % n_lanes; part < array.n_parts; part += n_lanes)
    {
      const float4 value = source[(size_t) part * stride];

      sum.x += value.x;
      sum.y += value.y;
      sum.z += value.z;
      sum.w += value.w;
    }
  if (n_lanes == 1)
    return sum;
  return make_float4 (prism_cuda_sum_warp (sum.x), prism_cuda_sum_warp (sum.y),
                      prism_cuda_sum_warp (sum.z), prism_cuda_sum_warp (sum.w));
}

/* Values from offset on, one or four. */
template <Use USE, typename T>
static __device__ __forceinline__ void
use (const PrismCudaUpdate &self,
     const PrismCudaAdam &adam,
     uint32_t offset,
     const T &gradient)
{
  T *w = reinterpret_cast<T *> (self.values + offset);
  T *m = reinterpret_cast<T *> (self.first + offset);
  T *v = reinterpret_cast<T *> (self.second + offset);

  if constexpr (USE == COLLECT)
    *reinterpret_cast<T *> (self.gradient + offset) = gradient;
  else
    {
      T values = *w, first = *m, second = *v;

      prism_cuda_step<USE == STEP_AMSGRAD> (adam, values, first, second,
                                            reinterpret_cast<T *> (self.largest + offset),
                                            gradient);
      *w = values;
      *m = first;
      *v = second;
    }
}

template <Use USE>
static __global__ void
__launch_bounds__ (THREADS)
    update_kernel (PrismCudaUpdate self)
{
  int number = 0;

  while (number + 1 < self.n_arrays && blockIdx.x >= self.arrays[number + 1].first_block)
    number++;
  const PrismCudaUpdateArray &array = self.arrays[number];
  const uint32_t first = (blockIdx.x - array.first_block) * get_values_per_block (array);
  const float factor = self.shortens ? self.control->shorten : 1.0f / self.control->loss_scale;
  PrismCudaAdam adam = {};

  if (prism_cuda_is_stopped (self.stop))
    return;
  if (USE != COLLECT && (self.control->no_update || self.control->not_finite))
    return;
  if (USE != COLLECT)
    adam = prism_cuda_adam (self.control);
  if (is_vector (array))
    {
      const int n_lanes = (int) get_n_lanes (array);
      const uint32_t i = first + threadIdx.x / n_lanes * VALUES;

      if (i >= array.n_values)
        return;
      const float4 sum = sum_vector_parts (array, i, n_lanes);

      if (threadIdx.x % n_lanes == 0)
        use<USE> (self, adam, array.offset + i,
                  make_float4 (sum.x * factor, sum.y * factor, sum.z * factor, sum.w * factor));
    }
  else
    {
      const uint32_t i = first + threadIdx.x / PRISM_CUDA_WARP;

      if (i >= array.n_values)
        return;
      const float sum = sum_parts (array, i);

      if (threadIdx.x % PRISM_CUDA_WARP == 0)
        use<USE> (self, adam, array.offset + i, sum * factor);
    }
}

void
prism_cuda_update_add (PrismCudaUpdate *self,
                       PrismCudaUpdateArray array)
{
  array.first_block = self->n_blocks;
  self->n_blocks
      += (array.n_values + get_values_per_block (array) - 1) / get_values_per_block (array);
  self->arrays[self->n_arrays++] = array;
}

template <Use USE>
static cudaError_t
launch (const PrismCudaUpdate *self,
        cudaStream_t stream)
{
  return prism_cuda_launch (update_kernel<USE>, self->n_blocks, THREADS, 0, stream,
                            *self);
}

cudaError_t
prism_cuda_update_collect (const PrismCudaUpdate *self,
                           cudaStream_t stream)
{
  return launch<COLLECT> (self, stream);
}

cudaError_t
prism_cuda_update_step (const PrismCudaUpdate *self,
                        cudaStream_t stream)
{
  return self->largest != nullptr ? launch<STEP_AMSGRAD> (self, stream)
                                  : launch<STEP> (self, stream);
}

/* ---- the limit of the gradient ----
 *
 * Two kernels: sums of squares, 4·P bytes are read; then a single block adds them up and shortens
 * what the first layer's gradient is made of. The number of sums is fixed, and so is the order in
 * which they are added. */

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

  if (prism_cuda_is_stopped (self.stop))
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

  if (prism_cuda_is_stopped (self.stop))
    return;
  limit = self.control->steps[self.control->cursor].clip_norm;
  norm = sqrt (prism_cuda_add_partials (self.partials, PRISM_CUDA_CLIP_N_PARTIALS, scratch));
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
  PRISM_CUDA_TRY (prism_cuda_launch (measure_kernel, PRISM_CUDA_CLIP_N_PARTIALS, THREADS, 0, stream,
                                     *self));
  return prism_cuda_launch (shorten_kernel, 1, THREADS, 0, stream, *self);
}
