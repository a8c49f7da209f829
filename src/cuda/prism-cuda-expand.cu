/* The first layer in fp32. L = latent, N = 16·C columns of W0.
 *
 * sweep: 24·L·N bytes (w, m, v read and written once; 32 with AMSGrad), about 20·L·N flop;
 * multiply: 4·L·N bytes, 2·L·N flop; differentiate: 8·L·N bytes. merge: 4·n_blocks·N bytes. All of
 * it is memory traffic, 75 % of the parameters are here.
 *
 * A block has some rows of W0, its threads some columns each. What a block adds up for the next
 * forward pass stays in registers from row to row, so the order of the sum is fixed by the number
 * of blocks alone. */
#include "prism-cuda-decoder-kernels.h"

#include "prism-cuda-adam.cuh"
#include "prism-cuda-control.cuh"
#include "prism-cuda-product.cuh"

#define MAX_THREADS 1024
#define MAX_WIDE_THREADS 512 /* which have twice the registers each */
#define PIXELS 16
#define N_BLOCKS 128
#define MERGE_COLUMNS 32
#define MERGE_WARPS 8

enum Pass
{
  MULTIPLY,
  SWEEP,
  SWEEP_AMSGRAD,
  DIFFERENTIATE
};

static __device__ __forceinline__ float
multiply (const float4 &a,
          const float4 &b,
          float sum)
{
  return fmaf (a.x, b.x, fmaf (a.y, b.y, fmaf (a.z, b.z, fmaf (a.w, b.w, sum))));
}

static __device__ __forceinline__ void
add_scaled (float4 &sum,
            float scale,
            const float4 &value)
{
  sum.x = fmaf (scale, value.x, sum.x);
  sum.y = fmaf (scale, value.y, sum.y);
  sum.z = fmaf (scale, value.z, sum.z);
  sum.w = fmaf (scale, value.w, sum.w);
}

static __device__ __forceinline__ float4
scale_vector (float scale,
              const float4 &value)
{
  return make_float4 (scale * value.x, scale * value.y, scale * value.z, scale * value.w);
}

/* Columns of a thread, four at a time: k·blockDim + threadIdx. VECTORS of them at most. */
struct Columns
{
  int n; /* of float4 in a row */

  __device__ __forceinline__ int
  get (int k) const
  {
    return k * blockDim.x + threadIdx.x;
  }
};

/* What a block adds up for the next y0: in registers, or, for the widest rows, in memory. */
template <int VECTORS>
struct Sums
{
  static constexpr bool ARE_IN_MEMORY = VECTORS > 8;
  static constexpr int N_UNROLLED = ARE_IN_MEMORY ? 2 : VECTORS;
  float4 values[ARE_IN_MEMORY ? 1 : VECTORS];
  float4 *partials; /* of this block */

  __device__ __forceinline__
  Sums (const PrismCudaExpand &self, const Columns &columns)
      : values {}, partials (reinterpret_cast<float4 *> (self.partials)
                             + (size_t) blockIdx.x * columns.n)
  {
  }

  __device__ __forceinline__ void
  add (const Columns &columns, int k, bool first, float scale, const float4 &value)
  {
    if constexpr (ARE_IN_MEMORY)
      {
        float4 sum = make_float4 (0.0f, 0.0f, 0.0f, 0.0f);

        if (!first)
          sum = partials[columns.get (k)];
        add_scaled (sum, scale, value);
        partials[columns.get (k)] = sum;
      }
    else
      add_scaled (values[k], scale, value);
  }

  __device__ __forceinline__ void
  store (const Columns &columns) const
  {
    if constexpr (!ARE_IN_MEMORY)
#pragma unroll
      for (int k = 0; k < VECTORS; k++)
        if (columns.get (k) < columns.n)
          partials[columns.get (k)] = values[k];
  }
};

/* z·W0 of the rows of a block, without any change. */
template <int VECTORS>
static __device__ __forceinline__ void
multiply_rows (Sums<VECTORS> &sums,
               const PrismCudaExpand &self,
               const Columns &columns,
               int first,
               int last)
{
  const float4 *weight = reinterpret_cast<const float4 *> (self.weight);

  for (int row = first; row < last; row++)
    {
      const float z = self.values[row];

#pragma unroll Sums < VECTORS> ::N_UNROLLED
      for (int k = 0; k < VECTORS; k++)
        if (columns.get (k) < columns.n)
          sums.add (columns, k, row == first, z,
                    weight[(size_t) row * columns.n + columns.get (k)]);
    }
}

/* A row of weights and moments in registers. A wide one does not fit beside the sums: its weights
 * are read twice, the second time from the cache. AMSGrad's rows are wide sooner, and not fetched
 * early. */
template <int VECTORS, bool AMSGRAD>
struct Row
{
  static constexpr bool IS_KEPT = VECTORS <= (AMSGRAD ? 1 : 2);
  static constexpr bool IS_FETCHED_EARLY = VECTORS == 1 && !AMSGRAD;
  static constexpr int N = IS_KEPT ? VECTORS : 1;
  float4 w[N];
  float4 m[N];
  float4 v[N];
  float4 largest[N]; /* of AMSGrad */

  /* Columns k of the row, to index i of what is kept. */
  __device__ __forceinline__ void
  load_vector (const PrismCudaExpand &self, const Columns &columns, int row, int k, int i)
  {
    const size_t from = (size_t) row * columns.n + columns.get (k);

    w[i] = reinterpret_cast<const float4 *> (self.weight)[from];
    m[i] = reinterpret_cast<const float4 *> (self.weight_first)[from];
    v[i] = reinterpret_cast<const float4 *> (self.weight_second)[from];
    if constexpr (AMSGRAD)
      largest[i] = reinterpret_cast<const float4 *> (self.weight_largest)[from];
  }

  __device__ __forceinline__ void
  store_vector (const PrismCudaExpand &self, const Columns &columns, int row, int k, int i) const
  {
    const size_t to = (size_t) row * columns.n + columns.get (k);

    reinterpret_cast<float4 *> (self.weight)[to] = w[i];
    reinterpret_cast<float4 *> (self.weight_first)[to] = m[i];
    reinterpret_cast<float4 *> (self.weight_second)[to] = v[i];
    if constexpr (AMSGRAD)
      reinterpret_cast<float4 *> (self.weight_largest)[to] = largest[i];
  }

  __device__ __forceinline__ void
  load (const PrismCudaExpand &self, const Columns &columns, int row)
  {
    if constexpr (IS_KEPT)
#pragma unroll
      for (int k = 0; k < VECTORS; k++)
        if (columns.get (k) < columns.n)
          load_vector (self, columns, row, k, k);
  }

  __device__ __forceinline__ float4
  get_weight (const PrismCudaExpand &self, const Columns &columns, int row, int k) const
  {
    if constexpr (IS_KEPT)
      return w[k];
    return reinterpret_cast<const float4 *> (self.weight)[(size_t) row * columns.n
                                                          + columns.get (k)];
  }

  __device__ __forceinline__ void
  step (const PrismCudaAdam &adam, int i, const float4 &gradient)
  {
    prism_cuda_step<AMSGRAD> (adam, w[i], m[i], v[i], largest + i, gradient);
  }
};

/* Adam of a row with gradient z·dY0, and the row's part of the next y0. */
template <int VECTORS, bool AMSGRAD>
static __device__ __forceinline__ void
step_row (Sums<VECTORS> &sums,
          Row<VECTORS, AMSGRAD> &values,
          const PrismCudaExpand &self,
          const PrismCudaAdam &adam,
          const Columns &columns,
          int row,
          bool is_first,
          float z,
          float next_z)
{
  const float4 *gradient = reinterpret_cast<const float4 *> (self.map_gradient);

#pragma unroll Sums < VECTORS> ::N_UNROLLED
  for (int k = 0; k < VECTORS; k++)
    if (columns.get (k) < columns.n)
      {
        const int i = Row<VECTORS, AMSGRAD>::IS_KEPT ? k : 0;

        if constexpr (!Row<VECTORS, AMSGRAD>::IS_KEPT)
          values.load_vector (self, columns, row, k, i);
        values.step (adam, i, scale_vector (z, gradient[columns.get (k)]));
        values.store_vector (self, columns, row, k, i);
        sums.add (columns, k, is_first, next_z, values.w[i]);
      }
}

/* dz of a row: the sum over the block of W0·dY0. */
template <int VECTORS, bool AMSGRAD>
static __device__ __forceinline__ float
sum_row (const Row<VECTORS, AMSGRAD> &values,
         const PrismCudaExpand &self,
         const Columns &columns,
         int row,
         float *scratch)
{
  const float4 *gradient = reinterpret_cast<const float4 *> (self.map_gradient);
  float sum = 0.0f;

#pragma unroll
  for (int k = 0; k < VECTORS; k++)
    if (columns.get (k) < columns.n)
      sum = multiply (values.get_weight (self, columns, row, k), gradient[columns.get (k)], sum);
  return prism_cuda_sum_block (sum, scratch);
}

template <int VECTORS, bool AMSGRAD>
static __device__ __forceinline__ void
sweep_rows (Sums<VECTORS> &sums,
            const PrismCudaExpand &self,
            const Columns &columns,
            int first,
            int last,
            float *scratch)
{
  const PrismCudaAdam adam = prism_cuda_adam (self.control);
  typedef Row<VECTORS, AMSGRAD> Values;
  Values values, next;

  values.load (self, columns, first);
  for (int row = first; row < last; row++)
    {
      const float z = self.values[row];
      float next_z = z, m = self.first[row], v = self.second[row], gradient;
      float largest = AMSGRAD ? self.largest[row] : 0.0f;

      if (Values::IS_FETCHED_EARLY && row + 1 < last)
        next.load (self, columns, row + 1);
      gradient = sum_row (values, self, columns, row, scratch);
      prism_cuda_step<AMSGRAD> (adam, next_z, m, v, &largest, gradient);
      step_row (sums, values, self, adam, columns, row, row == first, z, next_z);
      if (Values::IS_FETCHED_EARLY)
        values = next;
      else if (row + 1 < last)
        values.load (self, columns, row + 1);
      if (threadIdx.x != 0)
        continue;
      self.values[row] = next_z;
      self.first[row] = m;
      self.second[row] = v;
      if (AMSGRAD)
        self.largest[row] = largest;
    }
}

/* The gradients, stored. */
template <int VECTORS>
static __device__ __forceinline__ void
differentiate_rows (const PrismCudaExpand &self,
                    const Columns &columns,
                    int first,
                    int last,
                    float *scratch)
{
  const float4 *gradient = reinterpret_cast<const float4 *> (self.map_gradient);
  float4 *weight_gradient = reinterpret_cast<float4 *> (self.weight_gradient);

  for (int row = first; row < last; row++)
    {
      const float4 *weight = reinterpret_cast<const float4 *> (self.weight);
      const float z = self.values[row];
      float sum = 0.0f;

#pragma unroll
      for (int k = 0; k < VECTORS; k++)
        if (columns.get (k) < columns.n)
          {
            const size_t i = (size_t) row * columns.n + columns.get (k);

            sum = multiply (weight[i], gradient[columns.get (k)], sum);
            weight_gradient[i] = scale_vector (z, gradient[columns.get (k)]);
          }
      sum = prism_cuda_sum_block (sum, scratch);
      if (threadIdx.x != 0)
        continue;
      self.values_gradient[row] = sum;
      if (!isfinite (sum))
        self.control->not_finite = 1;
    }
}

template <Pass PASS, int VECTORS>
static __global__ void
__launch_bounds__ (VECTORS <= 2 ? MAX_THREADS : MAX_WIDE_THREADS)
    expand_kernel (PrismCudaExpand self)
{
  __shared__ float scratch[PRISM_CUDA_WARP];
  const Columns columns = { self.out.channels * PIXELS / 4 };
  const int first = blockIdx.x * self.rows_per_block;
  const int last = min (first + self.rows_per_block, self.latent);
  Sums<VECTORS> sums (self, columns);

  if (prism_cuda_is_stopped (self.stop))
    return;
  if constexpr (PASS == DIFFERENTIATE)
    {
      differentiate_rows<VECTORS> (self, columns, first, last, scratch);
      return;
    }
  if (PASS == MULTIPLY || self.control->no_update || self.control->not_finite)
    multiply_rows<VECTORS> (sums, self, columns, first, last);
  else
    sweep_rows<VECTORS, PASS == SWEEP_AMSGRAD> (sums, self, columns, first, last, scratch);
  sums.store (columns);
}

/* y0 of two channels of 16 pixels: warps add every eighth block's part, then one adds the warps
 * and measures. A thread that has nothing else to do ends the step before. Where that was the last
 * of its chunk, others may still take the maps for wanted: they make them as they are. */
static __global__ void
__launch_bounds__ (MERGE_COLUMNS *MERGE_WARPS)
    expand_merge_kernel (PrismCudaExpand self)
{
  __shared__ float parts[MERGE_WARPS][MERGE_COLUMNS];
  const int lane = threadIdx.x % MERGE_COLUMNS, warp = threadIdx.x / MERGE_COLUMNS;
  const int width = self.out.channels * PIXELS, column = blockIdx.x * MERGE_COLUMNS + lane;
  float sum = 0.0f, mean, difference, squares;

  /* The first block may end the chunk while the threads of another one come to ask. */
  if (__syncthreads_or (prism_cuda_is_stopped (self.stop)))
    return;
#pragma unroll 4
  for (int i = warp; i < self.n_blocks; i += MERGE_WARPS)
    sum += column < width ? self.partials[(size_t) i * width + column] : 0.0f;
  parts[warp][lane] = sum;
  __syncthreads ();
  if (warp != 0)
    {
      if (self.stop != nullptr && blockIdx.x == 0 && threadIdx.x == MERGE_COLUMNS)
        prism_cuda_control_end_step (self.control);
      return;
    }
  sum = 0.0f;
  for (int i = 0; i < MERGE_WARPS; i++)
    sum += parts[i][lane];
  mean = prism_cuda_sum_warp (sum, PIXELS) / PIXELS;
  difference = sum - mean;
  squares = prism_cuda_sum_warp (difference * difference, PIXELS);
  if (column >= width)
    return;
  self.out.y[column] = sum;
  if (column % PIXELS == 0)
    self.out.moments[column / PIXELS] = { mean, squares };
}

/* Two channels a warp, one value of their map each. */
static __global__ void __launch_bounds__ (256)
    expand_gradient_kernel (PrismCudaExpand self)
{
  const PrismCudaMap &map = self.out;
  const int column = blockIdx.x * blockDim.x + threadIdx.x, channel = column / PIXELS;
  PrismCudaNormGradient norm;
  float gradient;

  if (prism_cuda_is_stopped (self.stop))
    return;
  norm = prism_cuda_differentiate_norm (map, min (channel, map.channels - 1), 1);
  if (channel >= map.channels)
    return;
  gradient = fmaf (norm.gain, map.gradient[column],
                   fmaf (norm.slope, map.y[column] - norm.mean, norm.offset));
  self.map_gradient[column] = gradient / self.control->loss_scale;
  if (!isfinite (gradient))
    self.control->not_finite = 1;
}

template <Pass PASS, int VECTORS>
static cudaError_t
launch_vectors (const PrismCudaExpand *self,
                cudaStream_t stream)
{
  const int n_columns = self->out.channels * PIXELS / 4;
  const int n_threads = prism_cuda_count_blocks (n_columns, VECTORS);
  const int n_whole = prism_cuda_count_blocks (n_threads, PRISM_CUDA_WARP) * PRISM_CUDA_WARP;

  return prism_cuda_launch (expand_kernel<PASS, VECTORS>, self->n_blocks, n_whole, 0,
                            stream, *self);
}

template <Pass PASS>
static cudaError_t
launch (const PrismCudaExpand *self,
        cudaStream_t stream)
{
  const int n_columns = self->out.channels * PIXELS / 4;

  if (n_columns <= MAX_THREADS)
    return launch_vectors<PASS, 1> (self, stream);
  if (n_columns <= 2 * MAX_THREADS)
    return launch_vectors<PASS, 2> (self, stream);
  if (n_columns <= 8 * MAX_WIDE_THREADS)
    return launch_vectors<PASS, 8> (self, stream);
  if (n_columns <= 16 * MAX_WIDE_THREADS)
    return launch_vectors<PASS, 16> (self, stream);
  return cudaErrorInvalidValue;
}

void
prism_cuda_expand_split (PrismCudaExpand *self)
{
  self->rows_per_block = prism_cuda_count_blocks (self->latent, N_BLOCKS);
  self->n_blocks = prism_cuda_count_blocks (self->latent, self->rows_per_block);
}

cudaError_t
prism_cuda_expand_multiply (const PrismCudaExpand *self,
                            cudaStream_t stream)
{
  return launch<MULTIPLY> (self, stream);
}

cudaError_t
prism_cuda_expand_merge (const PrismCudaExpand *self,
                         cudaStream_t stream)
{
  const int n_blocks = prism_cuda_count_blocks (self->out.channels * PIXELS, MERGE_COLUMNS);

  return prism_cuda_launch (expand_merge_kernel, n_blocks,
                            dim3 (MERGE_COLUMNS * MERGE_WARPS), 0, stream, *self);
}

cudaError_t
prism_cuda_expand_gradient (const PrismCudaExpand *self,
                            cudaStream_t stream)
{
  const int n_blocks = (self->out.channels * PIXELS + 255) / 256;

  return prism_cuda_launch (expand_gradient_kernel, n_blocks, dim3 (256), 0, stream, *self);
}

cudaError_t
prism_cuda_expand_sweep (const PrismCudaExpand *self,
                         cudaStream_t stream)
{
  return self->weight_largest != nullptr ? launch<SWEEP_AMSGRAD> (self, stream)
                                         : launch<SWEEP> (self, stream);
}

cudaError_t
prism_cuda_expand_differentiate (const PrismCudaExpand *self,
                                 cudaStream_t stream)
{
  return launch<DIFFERENTIATE> (self, stream);
}
