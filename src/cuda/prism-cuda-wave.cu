/* A block stays with one frame for all passes. The side of a frame is any number q = a·b, and a
 * transform between the W numbers of a box's line and q points is two steps of plain sums (Cooley
 * and Tukey, 1965), b·W + a·q products: a thread adds up eight lines at once and turns its root in
 * a register. q = 128, W = 41: 0.6 million complex products a pass; what is read and written
 * outside of shared memory is 20·q² + 16·W² bytes. */
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
  float2 *rows;         /* [n_rows][q] */
  float2 *rows_between; /* [n_rows][q], of the two steps of a transform */
  float2 *columns;      /* [ALIGNED (q)][pitch] */
  float2 *box;          /* [H][pitch]; shares memory with rows, as does */
  float2 *between;      /* [q][n_columns + 1], as rows_between, of some columns */
  const float2 *roots;  /* [q] */
};

/* Value j of line l is values[j·step + l·apart]. */
struct Lines
{
  float2 *values;
  int step;
  int apart;
};

/* SHARED: columns and box are in shared memory. */
template <bool SHARED>
static __device__ __forceinline__ Block
get_block (const PrismCudaWavePlan &plan,
           const PrismCudaWaveJob *jobs,
           float2 *shared)
{
  Block self = { plan, jobs[blockIdx.x], shared, NULL, shared, shared, NULL, plan.roots };
  const size_t n_columns = (size_t) ALIGNED (plan.side) * plan.pitch;

  if (!SHARED)
    self.columns = self.job.work;
  self.box = self.columns + n_columns;
  if (SHARED)
    self.rows = self.box;
  self.between = self.box + ALIGNED (self.job.height * plan.pitch);
  self.rows_between = self.rows + plan.n_rows * plan.side;
  return self;
}

/* Σ values[j·step + line·apart]·w^(j·index) of some lines, w = e^{2πi/q} or its conjugate. */
template <bool CONJUGATE>
static __device__ __forceinline__ void
add_up (float2 sums[LINES],
        const Block &self,
        const float2 *values,
        int step,
        int apart,
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
              const float2 value = values[j * step + line * apart];
              const float sine = CONJUGATE ? -root.y : root.y;

              sums[line].x = fmaf (value.x, root.x, fmaf (-value.y, sine, sums[line].x));
              sums[line].y = fmaf (value.x, sine, fmaf (value.y, root.x, sums[line].y));
            }
          root = prism_cuda_multiply<false> (root, turn);
        }
    }
}

/* Values of a line that the first step adds up are so far from each other: a on the way to the
 * points, b = q/a on the way back. */
template <bool BACK>
static __device__ __forceinline__ int
get_stride (const Block &self)
{
  return BACK ? self.plan.side / self.plan.factor : self.plan.factor;
}

/* The first step of n_values values: Σ_i values[j + i·stride]·w^(i·k·stride) of every j below
 * stride and k below q/stride. */
template <bool BACK>
static __device__ __forceinline__ void
divide (const Block &self,
        const Lines &from,
        const Lines &to,
        int n_sets,
        int n_values)
{
  const int q = self.plan.side, stride = get_stride<BACK> (self), n = q / stride;

  __syncthreads ();
  for (int i = threadIdx.x; i < n_sets * q; i += THREADS)
    {
      const int e = i % q, line = i / q * LINES, j = e / n;
      const int n_terms = (n_values - j + stride - 1) / stride;
      float2 sums[LINES];

      add_up<BACK> (sums, self, from.values + j * from.step + line * from.apart,
                    stride * from.step, from.apart, n_terms, e % n * stride);
#pragma unroll
      for (int k = 0; k < LINES; k++)
        to.values[e * to.step + (line + k) * to.apart] = sums[k];
    }
  __syncthreads ();
}

/* The second: number index of the transforms of some lines. */
template <bool BACK>
static __device__ __forceinline__ void
unite (float2 sums[LINES],
       const Block &self,
       const Lines &from,
       int line,
       int index)
{
  const int stride = get_stride<BACK> (self), n = self.plan.side / stride;

  add_up<BACK> (sums, self, from.values + index % n * from.step + line * from.apart,
                n * from.step, from.apart, stride, index);
}

/* The box to the columns that a frame's rows are made of. */
static __device__ __forceinline__ void
expand_columns (const Block &self)
{
  const int q = self.plan.side, width = self.job.width, pitch = self.plan.pitch;
  const int most = self.plan.n_columns;
  const Lines between = { self.between, most + 1, 1 };

  for (int x0 = 0; x0 < width; x0 += most)
    {
      const int n_sets = prism_cuda_count_blocks (min (most, width - x0), LINES);

      divide<false> (self, { self.box + x0, pitch, 1 }, between, n_sets, self.job.height);
      for (int i = threadIdx.x; i < n_sets * q; i += THREADS)
        {
          const int y = i % q, first = i / q * LINES;
          float2 sums[LINES];

          unite<false> (sums, self, between, first, y);
#pragma unroll
          for (int line = 0; line < LINES; line++)
            if (x0 + first + line < width)
              self.columns[y * pitch + x0 + first + line] = sums[line];
        }
    }
  __syncthreads ();
}

/* The adjoint: take (i, value) gets pixel i of the box. */
template <typename Take>
static __device__ __forceinline__ void
reduce_columns (const Block &self,
                Take take)
{
  const int q = self.plan.side, width = self.job.width, height = self.job.height;
  const int pitch = self.plan.pitch, most = self.plan.n_columns;
  const float scale = 1.0f / q;
  const Lines between = { self.between, most + 1, 1 };

  for (int x0 = 0; x0 < width; x0 += most)
    {
      const int n_sets = prism_cuda_count_blocks (min (most, width - x0), LINES);

      divide<true> (self, { self.columns + x0, pitch, 1 }, between, n_sets, q);
      for (int i = threadIdx.x; i < n_sets * height; i += THREADS)
        {
          const int y = i % height, first = i / height * LINES;
          float2 sums[LINES];

          unite<true> (sums, self, between, first, y);
#pragma unroll
          for (int line = 0; line < LINES; line++)
            {
              const int x = x0 + first + line, k = y * width + x;
              float2 value = {};

              if (x >= width)
                continue;
              if (self.job.bits[k] != 0)
                value = scale * sums[line];
              self.box[y * pitch + x] = take (k, value);
            }
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
  const float scale = 1.0f / q;
  const Lines rows = { self.rows, 1, q }, between = { self.rows_between, 1, q };

  for (int y0 = 0; y0 < q; y0 += self.plan.n_rows)
    {
      const int n_rows = min (self.plan.n_rows, q - y0);
      const int n_sets = prism_cuda_count_blocks (n_rows, LINES);

      if (EXPANDS)
        divide<false> (self, { self.columns + y0 * pitch, 1, pitch }, between, n_sets, width);
      for (int i = threadIdx.x; i < n_sets * q; i += THREADS)
        {
          const int x = i % q, row = i / q * LINES;
          float2 sums[LINES];

          if (EXPANDS)
            unite<false> (sums, self, between, row, x);
#pragma unroll
          for (int line = 0; line < LINES; line++)
            {
              float2 value = {};

              if (EXPANDS)
                value = scale * sums[line];
              if (row + line < n_rows)
                self.rows[(row + line) * q + x] = change ((y0 + row + line) * q + x, value);
            }
        }
      divide<true> (self, rows, between, n_sets, q);
      for (int i = threadIdx.x; i < n_sets * width; i += THREADS)
        {
          const int k = i % width, row = i / width * LINES;
          float2 sums[LINES];

          unite<true> (sums, self, between, row, k);
#pragma unroll
          for (int line = 0; line < LINES; line++)
            if (row + line < n_rows)
              self.columns[(y0 + row + line) * pitch + k] = sums[line];
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

/* Complex products of a line's transform, whose box has a side of n. */
static double
count_products (int side,
                int factor,
                int n)
{
  return (double) side / factor * n + (double) factor * side;
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
  const size_t limit = shared_limit > RESERVED ? shared_limit - RESERVED : 0;
  const int pitch = ALIGNED (width) + 1;
  const size_t columns = sizeof (float2) * ALIGNED (side) * pitch;
  const size_t box = sizeof (float2) * ALIGNED (height * pitch);
  const size_t number = sizeof (float2) * side;
  const int most_rows = ALIGNED (side) < MOST_ROWS ? ALIGNED (side) : MOST_ROWS;
  int factor = 1;
  double n_products;

  for (int i = 2; i < side; i++)
    if (side % i == 0
        && count_products (side, i, width) < count_products (side, factor, width))
      factor = i;
  n_products = 2.0 * width * count_products (side, factor, height)
               + 2.0 * side * count_products (side, factor, width);
  if (n_products > MOST_OF_PASS)
    return 0;
  *plan = { side, factor, pitch, most_rows, pitch - 1,
            1 + (int) (MOST_OF_LAUNCH / fmax (n_products, 1e4)), 0, 0, NULL };
  while (plan->n_rows > 0 && columns + 2 * plan->n_rows * number > limit)
    plan->n_rows -= LINES;
  while (plan->n_columns > 0 && columns + box + (plan->n_columns + 1) * number > limit)
    plan->n_columns -= LINES;
  plan->shared_bytes = columns
                       + max (2 * plan->n_rows * number, box + (plan->n_columns + 1) * number);
  if (plan->n_columns > 0 && (plan->n_rows >= 2 * LINES || plan->n_rows == most_rows))
    return 1;
  plan->n_columns = pitch - 1;
  plan->work_bytes = columns + box + pitch * number;
  for (plan->n_rows = most_rows; plan->n_rows >= LINES; plan->n_rows -= LINES)
    {
      plan->shared_bytes = 2 * plan->n_rows * number;
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
