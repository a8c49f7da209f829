/* A block stays with one frame for all passes. The side of a frame is any number, and the box so
 * small that plain sums over it are quicker than fast transforms through memory: a thread adds up
 * eight lines at once and turns its root in a register. q = 128, W = 41: 1.8 million complex
 * products a pass; what is read and written outside of shared memory is 20·q² + 16·W² bytes. */
#include "prism-cuda-align.h"

#include "prism-cuda-fft.cuh"

#include <float.h>
#include <math.h>

#define THREADS 512
#define LINES 8 /* that a thread adds up together */
#define TURNS 8 /* of a root until it is read anew: each rounds it */
#define MOST_ROWS 64
#define ALIGNED(n) (((n) + LINES - 1) / LINES * LINES)
/* Of shared memory, for what is not the plan's. */
#define RESERVED 1024
/* Complex products of a block: of one pass, and of one launch, some tenths of a second. */
#define MOST_OF_PASS 5e8
#define MOST_OF_LAUNCH 2e9

struct Block
{
  PrismCudaWavePlan plan;
  PrismCudaWaveJob job;
  float2 *rows;        /* [n_rows][q] */
  float2 *columns;     /* [ALIGNED (q)][pitch] */
  float2 *box;         /* [H][pitch]; shares memory with rows */
  const float2 *roots; /* [q] */
};

/* SHARED: columns and box are in shared memory. */
template <bool SHARED>
static __device__ __forceinline__ Block
get_block (const PrismCudaWavePlan &plan,
           const PrismCudaWaveJob *jobs,
           float2 *shared)
{
  Block self = { plan, jobs[blockIdx.x], shared, NULL, shared,
                 plan.roots };
  const size_t n_columns = (size_t) ALIGNED (plan.side) * plan.pitch;

  if (SHARED)
    {
      self.columns = shared;
      self.rows = self.box = shared + n_columns;
    }
  else
    {
      self.columns = self.job.work;
      self.box = self.columns + n_columns;
    }
  return self;
}

/* Σ values[j·step + line·between]·w^(j·index) of some lines, w = e^{2πi/q} or its conjugate. */
template <bool CONJUGATE>
static __device__ __forceinline__ void
add_up (float2 sums[LINES],
        const Block &self,
        const float2 *values,
        int step,
        int between,
        int n_terms,
        int index)
{
  const float2 turn = self.roots[index];

#pragma unroll
  for (int line = 0; line < LINES; line++)
    sums[line] = {};
  for (int first = 0; first < n_terms; first += TURNS)
    {
      const int end = min (first + TURNS, n_terms);
      float2 root = self.roots[first * index % self.plan.side];

      for (int j = first; j < end; j++)
        {
#pragma unroll
          for (int line = 0; line < LINES; line++)
            {
              const float2 value = values[j * step + line * between];
              const float sine = CONJUGATE ? -root.y : root.y;

              sums[line].x = fmaf (value.x, root.x, fmaf (-value.y, sine, sums[line].x));
              sums[line].y = fmaf (value.x, sine, fmaf (value.y, root.x, sums[line].y));
            }
          root = prism_cuda_multiply<false> (root, turn);
        }
    }
}

/* The box to the columns that a frame's rows are made of. */
static __device__ __forceinline__ void
expand_columns (const Block &self)
{
  const int q = self.plan.side, width = self.job.width, pitch = self.plan.pitch;
  const int n_sets = prism_cuda_count_blocks (width, LINES);

  __syncthreads ();
  for (int i = threadIdx.x; i < n_sets * q; i += THREADS)
    {
      const int y = i % q, first = i / q * LINES;
      float2 sums[LINES];

      add_up<false> (sums, self, self.box + first, pitch, 1, self.job.height, y);
#pragma unroll
      for (int line = 0; line < LINES; line++)
        if (first + line < width)
          self.columns[y * pitch + first + line] = sums[line];
    }
  __syncthreads ();
}

/* The adjoint: take (i, value) gets pixel i of the box. */
template <typename Take>
static __device__ __forceinline__ void
reduce_columns (const Block &self,
                Take take)
{
  const int width = self.job.width, height = self.job.height, pitch = self.plan.pitch;
  const int n_sets = prism_cuda_count_blocks (width, LINES);
  const float scale = 1.0f / self.plan.side;

  __syncthreads ();
  for (int i = threadIdx.x; i < n_sets * height; i += THREADS)
    {
      const int y = i % height, first = i / height * LINES;
      float2 sums[LINES];

      add_up<true> (sums, self, self.columns + first, pitch, 1, self.plan.side, y);
#pragma unroll
      for (int line = 0; line < LINES; line++)
        {
          const int x = first + line, k = y * width + x;
          float2 value = {};

          if (x >= width)
            continue;
          if (self.job.bits[k] != 0)
            value = scale * sums[line];
          self.box[y * pitch + x] = take (k, value);
        }
    }
  __syncthreads ();
}

/* Rows of the frame from their columns, or from nothing; change (i, value) makes of point i what
 * goes back to the columns. */
template <bool EXPANDS, typename Change>
static __device__ __forceinline__ void
visit_rows (const Block &self,
            Change change)
{
  const int q = self.plan.side, width = self.job.width, pitch = self.plan.pitch;
  const int n_sets = self.plan.n_rows / LINES;
  const float scale = 1.0f / q;

  for (int y0 = 0; y0 < q; y0 += self.plan.n_rows)
    {
      __syncthreads ();
      for (int i = threadIdx.x; i < n_sets * q; i += THREADS)
        {
          const int x = i % q, row = i / q * LINES, y = y0 + row;
          float2 sums[LINES];

          if (y >= q)
            break;
          if (EXPANDS)
            add_up<false> (sums, self, self.columns + y * pitch, 1, pitch, width, x);
#pragma unroll
          for (int line = 0; line < LINES; line++)
            {
              float2 value = {};

              if (EXPANDS)
                value = scale * sums[line];
              if (y + line < q)
                self.rows[(row + line) * q + x] = change ((y + line) * q + x, value);
            }
        }
      __syncthreads ();
      for (int i = threadIdx.x; i < n_sets * width; i += THREADS)
        {
          const int k = i % width, row = i / width * LINES, y = y0 + row;
          float2 sums[LINES];

          if (y >= q)
            break;
          add_up<true> (sums, self, self.rows + row * q, 1, q, q, k);
#pragma unroll
          for (int line = 0; line < LINES; line++)
            if (y + line < q)
              self.columns[(y + line) * pitch + k] = sums[line];
        }
    }
  __syncthreads ();
}

/* The factor that gives a value the modulus a. */
static __device__ __forceinline__ float
get_factor (float2 value,
            float a)
{
  return a / sqrtf (fmaxf (fmaf (value.x, value.x, value.y * value.y), FLT_MIN));
}

static __device__ __forceinline__ float2
reflect (float2 z,
         float a)
{
  return (2.0f * get_factor (z, a) - 1.0f) * z;
}

/* The box as the device's memory has it. */
static __device__ __forceinline__ void
load_box (const Block &self)
{
  const int width = self.job.width;
  const float2 *box = self.job.box;

  for (int i = threadIdx.x; i < width * self.job.height; i += THREADS)
    self.box[i / width * self.plan.pitch + i % width] = box[i];
}

template <bool SHARED>
static __global__ void
__launch_bounds__ (THREADS, 1)
    search_kernel (PrismCudaWavePlan plan,
                   PrismCudaWaveJob *jobs,
                   float relaxation,
                   int n_passes,
                   int begins)
{
  PRISM_CUDA_DYNAMIC_SHARED (float2, shared);
  __shared__ double scratch[PRISM_CUDA_WARP];
  const Block self = get_block<SHARED> (plan, jobs, shared);
  const float *amplitude = self.job.amplitude;
  float2 *z = self.job.state;
  float2 *box = self.job.box;
  double change = begins ? INFINITY : self.job.misfit;

  if (change < self.job.close)
    return;
  if (begins)
    {
      load_box (self);
      expand_columns (self);
      visit_rows<true> (self, [=] (int i, float2 value) {
        z[i] = value;
        return reflect (value, amplitude[i]);
      });
    }
  else
    visit_rows<false> (self, [=] (int i, float2) { return reflect (z[i], amplitude[i]); });
  for (int pass = 0; pass < n_passes && !(change < self.job.close); pass++)
    {
      double sum = 0.0;

      reduce_columns (self, [=] (int k, float2 value) { return box[k] = value; });
      expand_columns (self);
      visit_rows<true> (self, [=, &sum] (int i, float2 value) {
        const float a = amplitude[i];
        const float2 change = value - get_factor (z[i], a) * z[i];

        sum += change.x * change.x + change.y * change.y;
        z[i] += relaxation * change;
        return reflect (z[i], a);
      });
      change = prism_cuda_sum_block (sum, scratch);
    }
  if (threadIdx.x == 0)
    jobs[blockIdx.x].misfit = change;
}

template <bool SHARED>
static __global__ void
__launch_bounds__ (THREADS, 1)
    descend_kernel (PrismCudaWavePlan plan,
                    PrismCudaWaveJob *jobs,
                    int n_passes,
                    int begins)
{
  PRISM_CUDA_DYNAMIC_SHARED (float2, shared);
  __shared__ double scratch[PRISM_CUDA_WARP];
  const Block self = get_block<SHARED> (plan, jobs, shared);
  const float *amplitude = self.job.amplitude;
  float2 *box = self.job.box;
  float2 *last = self.job.last;
  double misfit = begins ? INFINITY : self.job.misfit;
  double momentum = begins ? 1.0 : self.job.momentum;

  for (int i = threadIdx.x; begins && i < self.job.width * self.job.height; i += THREADS)
    last[i] = box[i];
  for (int pass = 0; pass < n_passes && misfit > self.job.close; pass++)
    {
      const double before = misfit, next = 0.5 * (1.0 + sqrt (1.0 + 4.0 * momentum * momentum));
      double sum = 0.0;
      float inertia;

      __syncthreads ();
      load_box (self);
      expand_columns (self);
      visit_rows<true> (self, [=, &sum] (int i, float2 value) {
        const float factor = get_factor (value, amplitude[i]);
        const float2 change = (factor - 1.0f) * value;

        sum += change.x * change.x + change.y * change.y;
        return factor * value;
      });
      misfit = prism_cuda_sum_block (sum, scratch);
      inertia = misfit > before ? 0.0f : (float) ((momentum - 1.0) / next);
      momentum = misfit > before ? 1.0 : next;
      reduce_columns (self, [=] (int k, float2 value) {
        box[k] = value + inertia * (value - last[k]);
        return last[k] = value;
      });
    }
  if (threadIdx.x > 0)
    return;
  jobs[blockIdx.x].misfit = misfit;
  jobs[blockIdx.x].momentum = momentum;
}

/**
 * prism_cuda_wave_plan:
 * @plan: (out): what launches go by, but for the roots
 * @side: q
 * @height: H, at most
 * @width: W, at most
 * @shared_limit: bytes of shared memory that a block may be allowed
 *
 * Decides what is held in shared memory, and how long a launch may take.
 *
 * Thread: any.
 *
 * Returns: whether the device can do it
 */
int
prism_cuda_wave_plan (PrismCudaWavePlan *plan,
                      int side,
                      int height,
                      int width,
                      size_t shared_limit)
{
  const double n_products = 2.0 * width * side * ((double) side + height);
  const size_t limit = shared_limit > RESERVED ? shared_limit - RESERVED : 0;
  const int pitch = ALIGNED (width) + 1;
  const size_t columns = sizeof (float2) * ALIGNED (side) * pitch;
  const size_t box = sizeof (float2) * ALIGNED (height * pitch), row = sizeof (float2) * side;
  const int most_rows = ALIGNED (side) < MOST_ROWS ? ALIGNED (side) : MOST_ROWS;

  if (n_products > MOST_OF_PASS)
    return 0;
  *plan = { side, pitch, most_rows, 1 + (int) (MOST_OF_LAUNCH / fmax (n_products, 1e4)), 0, 0,
            NULL };
  for (; plan->n_rows >= LINES; plan->n_rows -= LINES)
    {
      const size_t rows = plan->n_rows * row;

      plan->shared_bytes = columns + (rows > box ? rows : box);
      if (plan->shared_bytes <= limit && (plan->n_rows >= 2 * LINES || plan->n_rows == most_rows))
        return 1;
    }
  plan->work_bytes = columns + box;
  for (plan->n_rows = most_rows; plan->n_rows >= LINES; plan->n_rows -= LINES)
    {
      plan->shared_bytes = plan->n_rows * row;
      if (plan->shared_bytes <= limit)
        return 1;
    }
  return 0;
}

/**
 * prism_cuda_wave_move:
 * @plan: for all jobs
 * @jobs: (array length=n_jobs) (device) (inout): frames
 * @n_jobs: number of frames
 * @relaxation: β of a search; 0: a descent
 * @n_passes: at most
 * @begins: whether these are the first: they begin with the jobs' boxes, else with their states
 * @stream: a stream
 *
 * As search() of prism-wave.c, or as prism_wave_descend(), whose result is each job's last.
 *
 * Thread: engine.
 * Source: numerics.md, “Alignment”.
 *
 * Returns: what the launch reports
 */
cudaError_t
prism_cuda_wave_move (const PrismCudaWavePlan *plan,
                      PrismCudaWaveJob *jobs,
                      int n_jobs,
                      float relaxation,
                      int n_passes,
                      int begins,
                      cudaStream_t stream)
{
  const bool is_shared = plan->work_bytes == 0;

  if (relaxation > 0.0f)
    return prism_cuda_launch (is_shared ? search_kernel<true> : search_kernel<false>, n_jobs,
                              THREADS, plan->shared_bytes, stream, *plan, jobs, relaxation,
                              n_passes, begins);
  return prism_cuda_launch (is_shared ? descend_kernel<true> : descend_kernel<false>, n_jobs,
                            THREADS, plan->shared_bytes, stream, *plan, jobs, n_passes, begins);
}
