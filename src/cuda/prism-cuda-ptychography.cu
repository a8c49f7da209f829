/* A visit is five kernels: the window of the object times the pupil and its columns' transforms;
 * rows, compared with what the camera saw; the difference and its rows back; its columns, which
 * teach object and place; and the pupil. n = 144 is 166 kB a plane: all stays in the cache, and
 * what counts is that nothing is waited for between two frames. */
#include "prism-cuda-ptychography.h"

#include "prism-cuda-fft.cuh"

#define THREADS 128
#define LINES PRISM_CUDA_PTYCHOGRAPHY_LINES
#define N_FORCES PRISM_CUDA_PTYCHOGRAPHY_N_FORCES
#define N_SUMS PRISM_CUDA_PTYCHOGRAPHY_N_SUMS
#define LEAST 1e-24f /* of |φ|², which has no phase at 0 */
#define LEAST_SQUARE 1e-30f

static_assert (THREADS == LINES * PRISM_CUDA_WARP, "a warp adds up a line");

static __device__ __forceinline__ float
square (float2 a)
{
  return a.x * a.x + a.y * a.y;
}

/* Σ values[first + i·stride]·roots[i·turn], i below n_terms. */
static __device__ __forceinline__ float2
add_up (const float2 *values,
        const float2 *roots,
        int n,
        int stride,
        int turn,
        int n_terms,
        float sign)
{
  float2 sum = {};

  for (int i = 0, angle = 0; i < n_terms; i++)
    {
      const float2 root = make_float2 (roots[angle].x, sign * roots[angle].y);

      sum += prism_cuda_multiply<false> (values[i * stride], root);
      angle += turn;
      angle -= angle >= n ? n : 0;
    }
  return sum;
}

/* The transforms of n_lines lines of n = a·b points, in two steps (Cooley and Tukey): from lines to
 * lines by way of scratch; sign: of the exponent. All threads call it; a barrier before and after
 * is its own. */
static __device__ void
transform (const PrismCudaPtychography &self,
           float2 *lines,
           float2 *scratch,
           const float2 *roots,
           float sign)
{
  const int n = self.grid, a = self.factors[0], b = self.factors[1];

  __syncthreads ();
  for (int e = threadIdx.x; e < self.n_lines * n; e += THREADS)
    {
      const int line = e / n, k = e % n / b, j = e % b;
      const float2 sum = add_up (lines + line * n + j, roots, n, b, b * k, a, sign);

      scratch[line * n + k * b + j]
          = prism_cuda_multiply<false> (sum, make_float2 (roots[j * k].x, sign * roots[j * k].y));
    }
  __syncthreads ();
  for (int e = threadIdx.x; e < self.n_lines * n; e += THREADS)
    {
      const int line = e / n, k = e % n;

      lines[e] = add_up (scratch + line * n + k % a * b, roots, n, 1, a * (k / a), b, sign);
    }
  __syncthreads ();
}

/* Shared memory of a block: lines, scratch, roots. */
typedef struct
{
  float2 *lines;
  float2 *scratch;
  float2 *roots;
} Shared;

static __device__ __forceinline__ Shared
share (const PrismCudaPtychography &self,
       float2 *memory)
{
  const int n_points = self.n_lines * self.grid;
  const Shared shared = { memory, memory + n_points, memory + 2 * n_points };

  for (int i = threadIdx.x; i < self.grid; i += THREADS)
    shared.roots[i] = self.roots[i];
  return shared;
}

/* Of 4×4 points, the first at values, by a visit's weights. SIGN -1: backwards. */
template <int SIGN>
static __device__ __forceinline__ float2
mix (const PrismCudaPlace &place,
     const float2 *values,
     int stride)
{
  float2 sum = {};

  for (int j = 0; j < 4; j++)
    {
      float2 down = {};

      for (int i = 0; i < 4; i++)
        down += place.weights[1][i] * values[SIGN * (i * stride + j)];
      sum += place.weights[0][j] * down;
    }
  return sum;
}

/* The share of a point that the pupil at its place has. */
static __device__ __forceinline__ float
cover (const PrismCudaPtychography &self,
       const PrismCudaPlace &place,
       int row,
       int column)
{
  const float x = (float) (column - self.grid / 2) + (float) place.back[0];
  const float y = (float) (row - self.grid / 2) + (float) place.back[1];
  const float inside = (self.radius - sqrtf (x * x + y * y)) * (1.0f / self.rim) + 0.5f;

  return prism_cuda_limit (inside);
}

/* Of a point of the window, in the object. */
static __device__ __forceinline__ size_t
find (const PrismCudaPtychography &self,
      const PrismCudaPlace &place,
      int row,
      int column)
{
  const int corner = self.object_side / 2 - self.grid / 2;

  return (size_t) (corner + place.whole[1] + row) * self.object_side + corner + place.whole[0]
         + column;
}

/* Squares are not negative, so their bits are in their order. */
static __device__ __forceinline__ void
raise (float *largest,
       float value)
{
  for (int offset = PRISM_CUDA_WARP / 2; offset > 0; offset /= 2)
    value = fmaxf (value, __shfl_xor_sync (0xffffffffu, value, offset));
  if (threadIdx.x % PRISM_CUDA_WARP == 0)
    atomicMax ((int *) largest, __float_as_int (value));
}

/* One block for n_lines columns of the window. */
static __global__ void
__launch_bounds__ (THREADS)
    pass_kernel (PrismCudaPtychography self,
                 int number)
{
  PRISM_CUDA_DYNAMIC_SHARED (float2, memory);
  const Shared shared = share (self, memory);
  const PrismCudaVisit &visit = self.visits[number];
  const int n = self.grid, begin = self.first + blockIdx.x * self.n_lines;
  float pupils = 0.0f, objects = 0.0f;

  for (int e = threadIdx.x; e < self.n_lines * n; e += THREADS)
    {
      const int row = e / self.n_lines, line = e % self.n_lines, column = begin + line;
      float2 wave = {};

      if (row >= self.first && row < self.first + self.length
          && column < self.first + self.length)
        {
          const float2 pupil = cover (self, visit.place, row, column)
                               * mix<1> (visit.place,
                                         self.pupil + (row + visit.place.base[1] - 1) * n + column
                                             + visit.place.base[0] - 1,
                                         n);
          const float2 object = self.object[find (self, visit.place, row, column)];

          self.shifted[row * n + column] = pupil;
          wave = prism_cuda_multiply<false> (pupil, object);
          pupils = fmaxf (pupils, square (pupil));
          objects = fmaxf (objects, square (object));
        }
      shared.lines[line * n + row] = wave;
    }
  raise (&self.visited[number].largest[0], pupils);
  raise (&self.visited[number].largest[1], objects);
  transform (self, shared.lines, shared.scratch, shared.roots, 1.0f);
  for (int e = threadIdx.x; e < self.n_lines * n; e += THREADS)
    {
      const int row = e / self.n_lines, line = e % self.n_lines;

      if (begin + line < self.first + self.length)
        self.wave[row * n + begin + line] = shared.lines[line * n + row];
    }
}

/* The sums of a row of the camera, by one warp. */
static __device__ void
compare (const PrismCudaPtychography &self,
         const float2 *field,
         const float *seen,
         double sums[N_SUMS])
{
  float own[N_SUMS] = { 0.0f };

  for (int x = threadIdx.x % PRISM_CUDA_WARP; x < self.side; x += PRISM_CUDA_WARP)
    if (!isnan (seen[x]))
      {
        const float power = square (field[x]), amplitude = sqrtf (power);
        const float light = fmaxf (seen[x], 0.0f);
        const float values[N_SUMS] = { power, amplitude * light, amplitude, light, 1.0f };

        for (int k = 0; k < N_SUMS; k++)
          own[k] += values[k];
      }
  for (int k = 0; k < N_SUMS; k++)
    {
      own[k] = prism_cuda_sum_warp (own[k]);
      if (threadIdx.x % PRISM_CUDA_WARP == 0)
        sums[k] = own[k];
    }
}

static __device__ __forceinline__ const float *
get_seen (const PrismCudaPtychography &self,
          const PrismCudaVisit &visit,
          int row)
{
  return self.amplitudes + ((size_t) visit.frame * self.side + row) * self.side;
}

/* One block for n_lines rows of the camera. */
static __global__ void
__launch_bounds__ (THREADS)
    compare_kernel (PrismCudaPtychography self,
                    int number)
{
  PRISM_CUDA_DYNAMIC_SHARED (float2, memory);
  const Shared shared = share (self, memory);
  const PrismCudaVisit &visit = self.visits[number];
  const int n = self.grid, begin = blockIdx.x * self.n_lines;
  const int warp = threadIdx.x / PRISM_CUDA_WARP;

  for (int e = threadIdx.x; e < self.n_lines * n; e += THREADS)
    {
      const int row = begin + e / n, column = e % n;
      const bool is_there = row < self.side && column >= self.first
                            && column < self.first + self.length;

      shared.lines[e] = is_there ? self.wave[(self.border + row) * n + column]
                                 : float2 {};
    }
  transform (self, shared.lines, shared.scratch, shared.roots, 1.0f);
  if (warp < self.n_lines && begin + warp < self.side)
    compare (self, shared.lines + warp * n + self.border, get_seen (self, visit, begin + warp),
             self.row_sums[begin + warp]);
  for (int e = threadIdx.x; e < self.n_lines * n; e += THREADS)
    if (begin + e / n < self.side)
      self.wave[(self.border + begin + e / n) * n + e % n] = shared.lines[e];
}

/* Every block adds the rows for itself, in the same order. Visits that teach need no more than the
 * first two sums. */
static __device__ float
find_gain (const PrismCudaPtychography &self,
           const PrismCudaVisit &visit,
           PrismCudaVisited *visited)
{
  __shared__ double scratch[PRISM_CUDA_WARP];
  double sums[N_SUMS] = { 0.0 };

#pragma unroll
  for (int k = 0; k < N_SUMS; k++)
    if (k < 2 || visit.object_step <= 0.0)
      {
        for (int row = threadIdx.x; row < self.side; row += THREADS)
          sums[k] += self.row_sums[row][k];
        sums[k] = prism_cuda_sum_block (sums[k], scratch);
        if (blockIdx.x == 0 && threadIdx.x == 0)
          visited->sums[k] = sums[k];
      }
  if (!isnan (visit.gain))
    return (float) visit.gain;
  return visit.energy > 0.0 ? (float) sqrt (sums[0] / visit.energy) : 1.0f;
}

/* φ·(√((A·|A| + floor) / (|φ|²/gain² + floor)) - 1); least: gain²·floor */
static __device__ __forceinline__ float2
replace (float2 field,
         float seen,
         float gain,
         float least)
{
  const float amplitude = gain * seen;
  const float wanted = fmaxf (amplitude * fabsf (amplitude) + least, 0.0f);
  const float k = isnan (seen) ? 0.0f : sqrtf (wanted / (square (field) + least)) - 1.0f;

  return k * field;
}

/* One block for n_lines rows of the camera. */
static __global__ void
__launch_bounds__ (THREADS)
    return_kernel (PrismCudaPtychography self,
                   int number)
{
  PRISM_CUDA_DYNAMIC_SHARED (float2, memory);
  const Shared shared = share (self, memory);
  const PrismCudaVisit &visit = self.visits[number];
  const float gain = find_gain (self, visit, &self.visited[number]);
  const float least = gain * gain * (float) visit.floor + LEAST;
  const int n = self.grid, begin = blockIdx.x * self.n_lines;

  if (visit.object_step <= 0.0)
    return;
    /* Four points at a time do not fit in registers on sm_120. */
#pragma unroll 1
  for (int e = threadIdx.x; e < self.n_lines * n; e += THREADS)
    {
      const int row = begin + e / n, column = e % n, x = column - self.border;
      const bool is_seen = row < self.side && x >= 0 && x < self.side;

      shared.lines[e] = is_seen ? replace (self.wave[(self.border + row) * n + column],
                                           get_seen (self, visit, row)[x], gain, least)
                                : float2 {};
    }
  transform (self, shared.lines, shared.scratch, shared.roots, -1.0f);
  for (int e = threadIdx.x; e < self.n_lines * n; e += THREADS)
    {
      const int row = begin + e / n, column = e % n;

      if (row < self.side && column >= self.first && column < self.first + self.length)
        self.wave[(self.border + row) * n + column] = shared.lines[e];
    }
}

/* The wave's derivative by the pupil's place is that of the pupil, times the object. */
static __device__ __forceinline__ void
push (const PrismCudaPtychography &self,
      int at,
      float2 object,
      float2 difference,
      double forces[N_FORCES])
{
  const float2 *p = self.shifted + at;
  const int n = self.grid;
  const float2 across = 0.5f * (p[-1] - p[1]), down = 0.5f * (p[-n] - p[n]);
  const float2 d = prism_cuda_multiply<true> (difference, object);
  const float power = square (object);

  forces[0] += across.x * d.x + across.y * d.y;
  forces[1] += down.x * d.x + down.y * d.y;
  forces[2] += square (across) * power;
  forces[3] += square (down) * power;
  forces[4] += (across.x * down.x + across.y * down.y) * power;
}

/* What a point of the window teaches: about itself, and with pupil_rate about the pupil. */
static __device__ __forceinline__ void
learn (const PrismCudaPtychography &self,
       int at,
       float share,
       size_t point,
       float2 difference,
       float object_rate,
       float pupil_rate,
       float floor)
{
  const float2 before = self.object[point];
  const float power = square (before);
  float2 *to = self.together ? self.object_sums + point : self.object + point;
  const float rate = self.together ? 1.0f : object_rate;

  if (pupil_rate > 0.0f)
    {
      const float k
          = self.together ? share : share * pupil_rate * sqrtf (power) / (power + floor);

      self.step[at] = k * prism_cuda_multiply<true> (difference, before);
      if (self.together)
        self.squares[at] = share * power;
    }
  if (self.together)
    self.object_weights[point] += square (self.shifted[at]);
  *to += rate * prism_cuda_multiply<true> (difference, self.shifted[at]);
}

/* One block for n_lines columns of the window. */
static __global__ void
__launch_bounds__ (THREADS)
    learn_kernel (PrismCudaPtychography self,
                  int number)
{
  PRISM_CUDA_DYNAMIC_SHARED (float2, memory);
  __shared__ double scratch[PRISM_CUDA_WARP];
  const Shared shared = share (self, memory);
  const PrismCudaVisit &visit = self.visits[number];
  const PrismCudaVisited &visited = self.visited[number];
  const int n = self.grid, begin = self.first + blockIdx.x * self.n_lines;
  const int end = self.first + self.length;
  const double n_points = (double) n * n;
  const float largest[2]
      = { fmaxf (visited.largest[0], LEAST_SQUARE), fmaxf (visited.largest[1], LEAST_SQUARE) };
  const float object_rate = (float) (visit.object_step / n_points / largest[0]);
  const float pupil_rate = (float) (visit.pupil_step / n_points / sqrt ((double) largest[1]));
  double forces[N_FORCES] = { 0.0 };

  for (int e = threadIdx.x; e < self.n_lines * n; e += THREADS)
    {
      const int row = e / self.n_lines, line = e % self.n_lines;
      const bool is_there = row >= self.border && row < self.border + self.side
                            && begin + line < end;

      shared.lines[line * n + row]
          = is_there ? self.wave[row * n + begin + line] : float2 {};
    }
  transform (self, shared.lines, shared.scratch, shared.roots, -1.0f);
  for (int e = threadIdx.x; e < self.n_lines * self.length; e += THREADS)
    {
      const int row = self.first + e / self.n_lines, line = e % self.n_lines;
      const int column = begin + line, at = row * n + column;

      if (column < end)
        {
          const size_t point = find (self, visit.place, row, column);
          const float2 difference = shared.lines[line * n + row];

          push (self, at, self.object[point], difference, forces);
          learn (self, at, cover (self, visit.place, row, column), point, difference, object_rate,
                 pupil_rate, (float) self.floor * largest[1]);
        }
    }
  for (int i = 0; i < N_FORCES; i++)
    {
      const double sum = prism_cuda_sum_block (forces[i], scratch);

      if (threadIdx.x == 0)
        self.forces[number * gridDim.x + blockIdx.x][i] = sum;
    }
}

/* The step of the pupil at its place, brought back between its points; weights come from the
 * nearest one. */
static __global__ void
__launch_bounds__ (THREADS)
    gather_kernel (PrismCudaPtychography self,
                   int number)
{
  const PrismCudaPlace &place = self.visits[number].place;
  const int n = self.grid, e = blockIdx.x * THREADS + threadIdx.x;
  const int row = self.first + e / self.length, column = self.first + e % self.length;
  const double x = column - n / 2, y = row - n / 2;
  float2 *to = (self.together ? self.pupil_sums : self.pupil) + row * n + column;

  if (e >= self.length * self.length)
    return;
  if (self.together)
    {
      const int above = (int) rint (row - place.back[1]) - self.first;
      const int left = column + (int) rint (-place.back[0]) - self.first;

      if (above >= 0 && above < self.length && left >= 0 && left < self.length)
        self.pupil_weights[row * n + column]
            += self.squares[(self.first + above) * n + self.first + left];
    }
  if (sqrt (x * x + y * y) > self.farthest)
    return;
  *to += mix<-1> (
      place, self.step + (row - place.base[1] + 1) * n + column - place.base[0] + 1, n);
}

int
prism_cuda_ptychography_count_blocks (const PrismCudaPtychography *self)
{
  return prism_cuda_count_blocks (self->length, self->n_lines);
}

cudaError_t
prism_cuda_ptychography_visit (const PrismCudaPtychography *self,
                               int visit,
                               const PrismCudaVisit *what,
                               cudaStream_t stream)
{
  const dim3 columns (prism_cuda_ptychography_count_blocks (self));
  const dim3 rows (prism_cuda_count_blocks (self->side, self->n_lines));
  const dim3 points (prism_cuda_count_blocks (self->length * self->length, THREADS));
  const size_t n_bytes = sizeof (float2) * (2 * self->n_lines + 1) * self->grid;

  const auto launch = [&] (auto kernel, dim3 blocks) {
    return prism_cuda_launch (kernel, blocks, THREADS, n_bytes, stream, *self, visit);
  };

  PRISM_CUDA_TRY (launch (pass_kernel, columns));
  PRISM_CUDA_TRY (launch (compare_kernel, rows));
  PRISM_CUDA_TRY (launch (return_kernel, rows));
  if (what->object_step > 0.0)
    PRISM_CUDA_TRY (launch (learn_kernel, columns));
  if (what->pupil_step > 0.0)
    return launch (gather_kernel, points);
  return cudaSuccess;
}
