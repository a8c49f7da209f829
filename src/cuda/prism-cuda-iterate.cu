/* What comes after the visits of a pass. m = 128 is 64 kB an array, m = 1024 4 MB: the sums read 8
 * bytes a pixel, each of four kernels of the total variation 16 bytes of every pixel of its tiles
 * with their edges, which is 2.1 times the image, and 8 are written; the step reads 16 and writes
 * 12. */
#include "prism-cuda-optics.h"

#include "prism-cuda-kernel.cuh"

#define THREADS 256
#define ITERATIONS 20
#define INVERSE_STEP 8.0f /* |∇|² is at most 8 */

/* A tile goes through some iterations in shared memory. Each spoils one more line of pixels along
 * its edges, which belong to the tiles beside it. */
#define AT_ONCE 5
#define TILE 32
#define INSIDE (TILE - 2 * AT_ONCE)
#define ROWS (THREADS / TILE)
#define PITCH (TILE + 1)

static_assert (ITERATIONS % (2 * AT_ONCE) == 0, "the dual field must end where it was");

static __global__ void
__launch_bounds__ (THREADS)
    add_kernel (PrismCudaIterate self,
                const float *__restrict__ part)
{
  const int n_pixels = self.size * self.size;

  for (int i = blockIdx.x * THREADS + threadIdx.x; i < n_pixels; i += gridDim.x * THREADS)
    self.slope[i] += part[i];
}

static __global__ void
__launch_bounds__ (THREADS)
    sum_kernel (PrismCudaIterate self,
                int with_mean)
{
  __shared__ double scratch[PRISM_CUDA_WARP];
  const int n_pixels = self.size * self.size;
  double sums[2] = { 0.0, 0.0 }; /* of slopes, of |∇a| */

  for (int i = blockIdx.x * THREADS + threadIdx.x; i < n_pixels; i += gridDim.x * THREADS)
    {
      sums[0] += self.slope[i];
      if (with_mean)
        {
          const int x = i % self.size, y = i / self.size;
          /* In double as on the host. */
          const double across
              = x + 1 < self.size ? (double) (self.image[i + 1] - self.image[i]) : 0.0;
          const double down
              = y + 1 < self.size ? (double) (self.image[i + self.size] - self.image[i]) : 0.0;

          sums[1] += sqrt (across * across + down * down);
        }
    }
  prism_cuda_store_partials (self.sums, PRISM_CUDA_ITERATE_MAX_BLOCKS, sums, scratch);
}

static __device__ __forceinline__ double
get_sum (const PrismCudaIterate &self,
         int kind,
         int n_blocks,
         double *scratch)
{
  return prism_cuda_add_partials (self.sums + kind * PRISM_CUDA_ITERATE_MAX_BLOCKS, n_blocks,
                                  scratch);
}

/* One block. */
static __global__ void
__launch_bounds__ (THREADS)
    decide_kernel (PrismCudaIterate self,
                   int n_blocks)
{
  const PrismCudaPassEnd end = *self.end;
  __shared__ double scratch[PRISM_CUDA_WARP];
  const double slopes = get_sum (self, 0, n_blocks, scratch);
  const double mean = get_sum (self, 1, n_blocks, scratch) / ((double) self.size * self.size);
  PrismCudaPass *pass = self.pass;
  double weight = end.variation;

  if (threadIdx.x > 0)
    return;
  if (end.least_mean > 0.0)
    weight /= fmax (mean, end.least_mean);
  pass->finite = isfinite (pass->misfit + slopes);
  pass->moved = pass->finite && !(pass->misfit > end.most_misfit);
  pass->uphill = 0;
  pass->strength = end.step_size * (float) weight;
}

static __device__ __forceinline__ float
get_target (const PrismCudaIterate &self,
            float step_size,
            int i)
{
  return self.point[i] - step_size * self.slope[i];
}

/* Some iterations from one pair of arrays to the other. */
static __global__ void
__launch_bounds__ (THREADS)
    lower_kernel (PrismCudaIterate self,
                  const float *__restrict__ from_across,
                  const float *__restrict__ from_down,
                  float *__restrict__ to_across,
                  float *__restrict__ to_down)
{
  __shared__ float across[TILE][PITCH], down[TILE][PITCH], image[TILE][PITCH];
  const int m = self.size, tx = threadIdx.x % TILE;
  const int x = (int) blockIdx.x * INSIDE - AT_ONCE + tx;
  const int y0 = (int) blockIdx.y * INSIDE - AT_ONCE;
  const float strength = self.pass->strength, step = 1.0f / (INVERSE_STEP * strength);
  const float step_size = self.end->step_size;
  float target[TILE / ROWS];

  if (!self.pass->moved)
    return;
#pragma unroll
  for (int k = 0; k < TILE / ROWS; k++)
    {
      const int ty = threadIdx.x / TILE + k * ROWS, y = y0 + ty, i = y * m + x;
      const bool exists = x >= 0 && x < m && y >= 0 && y < m;

      across[ty][tx] = exists ? from_across[i] : 0.0f;
      down[ty][tx] = exists ? from_down[i] : 0.0f;
      target[k] = exists ? get_target (self, step_size, i) : 0.0f;
    }
  for (int iteration = 0; iteration < AT_ONCE; iteration++)
    {
      __syncthreads ();
#pragma unroll
      for (int k = 0; k < TILE / ROWS; k++)
        {
          const int ty = threadIdx.x / TILE + k * ROWS;
          const float left = tx > 0 ? across[ty][tx - 1] : 0.0f;
          const float above = ty > 0 ? down[ty - 1][tx] : 0.0f;

          image[ty][tx]
              = prism_cuda_limit (target[k]
                                  + strength * (across[ty][tx] - left + down[ty][tx] - above));
        }
      __syncthreads ();
#pragma unroll
      for (int k = 0; k < TILE / ROWS; k++)
        {
          const int ty = threadIdx.x / TILE + k * ROWS, y = y0 + ty;
          const bool exists = x >= 0 && x < m && y >= 0 && y < m;
          const float value = image[ty][tx];
          const float right = x + 1 < m && tx + 1 < TILE ? image[ty][tx + 1] : value;
          const float below = y + 1 < m && ty + 1 < TILE ? image[ty + 1][tx] : value;
          const float a = across[ty][tx] + step * (right - value);
          const float d = down[ty][tx] + step * (below - value);
          const float factor = 1.0f / fmaxf (sqrtf (a * a + d * d), 1.0f);

          /* What is outside the image stays 0. */
          across[ty][tx] = exists ? a * factor : 0.0f;
          down[ty][tx] = exists ? d * factor : 0.0f;
        }
    }
#pragma unroll
  for (int k = 0; k < TILE / ROWS; k++)
    {
      const int ty = threadIdx.x / TILE + k * ROWS, y = y0 + ty, i = y * m + x;
      const bool inside = tx >= AT_ONCE && tx < TILE - AT_ONCE && ty >= AT_ONCE
                          && ty < TILE - AT_ONCE;

      if (!inside || x >= m || y >= m)
        continue;
      to_across[i] = across[ty][tx];
      to_down[i] = down[ty][tx];
    }
}

static __global__ void
__launch_bounds__ (THREADS)
    move_image_kernel (PrismCudaIterate self)
{
  __shared__ double scratch[PRISM_CUDA_WARP];
  const int n_pixels = self.size * self.size;
  const float strength = self.pass->strength, step_size = self.end->step_size;
  double uphill = 0.0;

  if (!self.pass->moved)
    return;
  for (int i = blockIdx.x * THREADS + threadIdx.x; i < n_pixels; i += gridDim.x * THREADS)
    {
      const float before = self.image[i];
      const float left = i % self.size > 0 ? self.across[i - 1] : 0.0f;
      const float above = i >= self.size ? self.down[i - self.size] : 0.0f;
      const float divergence = self.across[i] - left + self.down[i] - above;
      const float value
          = prism_cuda_limit (get_target (self, step_size, i) + strength * divergence);

      uphill += (double) (self.point[i] - value) * (value - before);
      self.slope[i] = value - before;
      self.image[i] = value;
    }
  uphill = prism_cuda_sum_block (uphill, scratch);
  if (threadIdx.x == 0)
    self.sums[2 * PRISM_CUDA_ITERATE_MAX_BLOCKS + blockIdx.x] = uphill;
}

/* Every block adds up the sums of all, in the same order. */
static __global__ void
__launch_bounds__ (THREADS)
    move_point_kernel (PrismCudaIterate self)
{
  __shared__ double scratch[PRISM_CUDA_WARP];
  const int n_pixels = self.size * self.size;
  const float inertia = self.end->inertia;
  bool uphill;

  if (!self.pass->moved)
    return;
  uphill = get_sum (self, 2, gridDim.x, scratch) > 0.0;
  for (int i = blockIdx.x * THREADS + threadIdx.x; i < n_pixels; i += gridDim.x * THREADS)
    self.point[i] = self.image[i] + (uphill ? 0.0f : inertia * self.slope[i]);
  if (blockIdx.x == 0 && threadIdx.x == 0)
    self.pass->uphill = uphill;
}

static int
count_blocks (const PrismCudaIterate *self)
{
  const int n_wanted = prism_cuda_count_blocks (self->size * self->size, THREADS);

  return n_wanted < PRISM_CUDA_ITERATE_MAX_BLOCKS ? n_wanted : PRISM_CUDA_ITERATE_MAX_BLOCKS;
}

/**
 * prism_cuda_iterate_add:
 * @self: arrays
 * @part: slope of some measurements
 * @stream: a stream
 *
 * Adds to the slope of a pass.
 *
 * Shape: @part [m][m].
 * Thread: engine.
 *
 * Returns: what the launch reports
 */
cudaError_t
prism_cuda_iterate_add (const PrismCudaIterate *self,
                        const float *part,
                        cudaStream_t stream)
{
  return prism_cuda_launch (add_kernel, count_blocks (self), THREADS, 0, stream,
                            *self, part);
}

static cudaError_t
lower_variation (const PrismCudaIterate *self,
                 cudaStream_t stream)
{
  const int n_tiles = prism_cuda_count_blocks (self->size, INSIDE);
  float *others[2] = { self->other, self->other + (size_t) self->size * self->size };
  float *own[2] = { self->across, self->down };

  for (int i = 0; i < ITERATIONS / AT_ONCE; i++)
    {
      float *const *from = i % 2 == 0 ? own : others, *const *to = i % 2 == 0 ? others : own;

      PRISM_CUDA_TRY (prism_cuda_launch (lower_kernel, dim3 (n_tiles, n_tiles), THREADS, 0, stream,
                                         *self, from[0], from[1], to[0], to[1]));
    }
  return cudaSuccess;
}

/**
 * prism_cuda_iterate_finish:
 * @self: arrays, with the misfit and the slope of a whole pass, and how it ends
 * @with_mean: whether the total variation goes by the image's mean
 * @with_variation: whether there is any
 * @stream: a stream, which may be under capture
 *
 * As the end of prism_cpu_descent_run(): finite, moved and uphill of @self's pass say what became
 * of it; an image that does not move stays with its point and dual field as it is.
 *
 * Thread: engine.
 * Source: numerics.md, “Refinement” and “Total variation”.
 *
 * Returns: what the launches report
 */
cudaError_t
prism_cuda_iterate_finish (const PrismCudaIterate *self,
                           int with_mean,
                           int with_variation,
                           cudaStream_t stream)
{
  const int n_blocks = count_blocks (self);

  PRISM_CUDA_TRY (prism_cuda_launch (sum_kernel, n_blocks, THREADS, 0, stream, *self, with_mean));
  PRISM_CUDA_TRY (prism_cuda_launch (decide_kernel, 1, THREADS, 0, stream, *self, n_blocks));
  if (with_variation)
    PRISM_CUDA_TRY (lower_variation (self, stream));
  PRISM_CUDA_TRY (prism_cuda_launch (move_image_kernel, n_blocks, THREADS, 0, stream, *self));
  return prism_cuda_launch (move_point_kernel, n_blocks, THREADS, 0, stream, *self);
}
