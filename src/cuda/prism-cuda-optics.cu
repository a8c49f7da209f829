/* The object's rows, two real ones in each complex transform, and the columns of the apertures'
 * boxes, from the object to the detector and back.
 *
 * Per step with 4 views of 41 columns, n = 512, m = 128: transform_rows reads 4m² = 66 kB,
 * writes 8m(n/2 + 1) = 263 kB; restore_rows the reverse; 64 transforms of 512 points are 1.5
 * MFLOP. expand_columns reads 164·8m = 168 kB and writes 164·8n = 672 kB, 328 transforms, of
 * which half skip their first pass; reduce_columns the reverse, with one more transform for each
 * column |x|. 7 MFLOP each. */
#include "prism-cuda-optics.cuh"

/* ---- terms ----
 *
 * A step's terms become views, and what the views' pixels left its losses. Each is work for one
 * more block of a kernel that has to run anyway. */

#define EPSILON 1e-8 /* of the losses' normalisers */

/* Σ of the loss's function of the target: the loss of a black image, and the normaliser. */
static __device__ __forceinline__ double
get_target_loss (const PrismCudaSlot &slot,
                 const PrismCudaTerms &terms)
{
  const bool intensity = terms.domain == PRISM_CUDA_DOMAIN_INTENSITY;

  if (terms.loss == PRISM_CUDA_LOSS_L2 || terms.loss == PRISM_CUDA_LOSS_MISFIT)
    return intensity ? slot.sum_fourths : slot.sum_squares;
  return intensity ? slot.sum_squares : slot.sum;
}

static __device__ __forceinline__ PrismCudaOpticsView
get_view (const PrismCudaOptics &optics,
          const PrismCudaTerms &terms,
          const PrismCudaTerm &term)
{
  const double n_pixels = (double) optics.image_size * optics.image_size;
  const PrismCudaSlot slot = terms.slots[term.slot];
  const double sum = get_target_loss (slot, terms);
  const float weight = terms.share * term.weight;
  PrismCudaOpticsView view = prism_cuda_optics_make_view (slot);
  double gain;

  if (terms.loss == PRISM_CUDA_LOSS_MISFIT)
    {
      view.factor = weight;
      view.blank = sum * view.factor;
      view.gain = 2.0f * weight;
      view.noise = fmaxf (term.noise, 0.0f);
      view.expect = term.noise < 0.0f ? slot.expect : nullptr;
      return view;
    }
  if (terms.loss > PRISM_CUDA_LOSS_L2)
    {
      /* (1 - similarity)/2, the mean of all pixels. */
      view.factor = weight;
      view.blank = 0.0;
      view.gain = (float) (-0.5 * weight / n_pixels);
      return view;
    }
  view.factor = weight
                / ((terms.normalise ? sum / n_pixels + EPSILON : 1.0) * n_pixels);
  view.blank = sum * view.factor;
  gain = view.factor;
  if (terms.loss == PRISM_CUDA_LOSS_L2)
    gain *= 2.0;
  if (terms.domain == PRISM_CUDA_DOMAIN_INTENSITY)
    gain *= 2.0;
  view.gain = (float) gain;
  return view;
}

/* For one block of at least a warp. Views beyond the step's terms see nothing and cost nothing. */
static __device__ __forceinline__ void
look_up_terms (const PrismCudaOptics &optics,
               const PrismCudaTerms &terms)
{
  const PrismCudaStep &step = optics.control->steps[optics.control->cursor];
  const int i = threadIdx.x;

  if (i < step.n_terms)
    terms.views[i] = get_view (optics, terms, step.terms[i]);
  else if (i < PRISM_CUDA_MAX_TERMS)
    terms.views[i] = PrismCudaOpticsView ();
}

/* For one block of whole warps; scratch [PRISM_CUDA_MAX_TERMS] in shared memory. A warp adds up a
 * view, always in the same order. */
static __device__ __forceinline__ void
sum_losses (const PrismCudaOptics &optics,
            const PrismCudaTerms &terms,
            int n_sums,
            double *scratch)
{
  const int n_terms = optics.control->steps[optics.control->cursor].n_terms;
  const int lane = threadIdx.x % PRISM_CUDA_WARP;
  double loss_new = 0.0, loss_old = 0.0;

  for (int i = threadIdx.x / PRISM_CUDA_WARP; i < n_terms; i += blockDim.x / PRISM_CUDA_WARP)
    {
      const PrismCudaOpticsView &view = terms.views[i];
      double sum = 0.0;

      for (int j = lane; j < n_sums && view.width > 0; j += PRISM_CUDA_WARP)
        sum += terms.sums[(size_t) i * n_sums + j];
      sum = prism_cuda_sum_warp (sum);
      if (lane == 0)
        scratch[i] = view.width > 0 ? sum * view.factor : view.blank;
    }
  __syncthreads ();
  if (threadIdx.x > 0)
    return;
  for (int i = 0; i < n_terms; i++)
    {
      if (i == 0)
        loss_new = scratch[i];
      else
        loss_old += scratch[i];
    }
  if (terms.accumulate)
    {
      loss_new += optics.control->loss_new;
      loss_old += optics.control->loss_old;
    }
  optics.control->loss_new = loss_new;
  optics.control->loss_old = loss_old;
  if (!isfinite (loss_new) || !isfinite (loss_old))
    optics.control->not_finite = 1;
}

/* ---- rows ---- */

template <int N>
static __global__ void
__launch_bounds__ (PrismCudaOpticsShape<N>::PAIRS *PrismCudaFft<N>::THREADS)
    transform_rows (PrismCudaOptics optics,
                    const float *__restrict__ image,
                    PrismCudaTerms terms,
                    PrismCudaComplex *__restrict__ half)
{
  constexpr int THREADS = PrismCudaFft<N>::THREADS, PAIRS = PrismCudaOpticsShape<N>::PAIRS;
  PRISM_CUDA_DYNAMIC_SHARED (float2, shared);
  const int m = optics.object_size, n_pairs = m / 2;
  const int line = threadIdx.x / THREADS, t = threadIdx.x % THREADS;
  const int first = blockIdx.x * PAIRS, pair = first + line;
  const float *row = image + (size_t) 2 * pair * m;
  PrismCudaFft<N> fft;
  float2 x[PRISM_CUDA_FFT_POINTS];

  prism_cuda_fft_load<N> (fft, optics.roots, t);
#pragma unroll
  for (int e = 0; e < PRISM_CUDA_FFT_POINTS; e++)
    {
      const int i = prism_cuda_optics_get_pixel (optics, t + e * THREADS);
      const bool inside = i < m && pair < n_pairs;

      x[e] = inside ? make_float2 (row[i], row[m + i]) : float2 {};
    }
  if (prism_cuda_optics_is_done (optics))
    return;
  if (first >= n_pairs)
    {
      look_up_terms (optics, terms);
      return;
    }

  prism_cuda_fft_transform<N, PRISM_CUDA_FFT_FORWARD> (x, fft, shared, line, t);
  __syncthreads ();
  prism_cuda_fft_store<N> (x, shared, line, t);
  __syncthreads ();

  /* Z = A + i·B of two rows with hermitian A and B. */
  for (int i = threadIdx.x; i < PAIRS * (N / 2 + 1); i += blockDim.x)
    {
      const int k = i / PAIRS, other = i % PAIRS;
      const float2 a = shared[prism_cuda_fft_get_place<N> (other, k)];
      const float2 b = shared[prism_cuda_fft_get_place<N> (other, (N - k) & (N - 1))];

      if (first + other < n_pairs)
        reinterpret_cast<float4 *> (half + (size_t) k * m)[first + other]
            = make_float4 (0.5f * (a.x + b.x), 0.5f * (a.y - b.y), 0.5f * (a.y + b.y),
                           0.5f * (b.x - a.x));
    }
}

/* The transpose of the above, of which only the real part counts: each column but 0 and n/2 stands
 * for half of itself and half of its mirror image. */
template <int N>
static __global__ void
__launch_bounds__ (PrismCudaOpticsShape<N>::PAIRS *PrismCudaFft<N>::THREADS)
    restore_rows (PrismCudaOptics optics,
                  const PrismCudaComplex *__restrict__ half,
                  float *__restrict__ image)
{
  constexpr int THREADS = PrismCudaFft<N>::THREADS, PAIRS = PrismCudaOpticsShape<N>::PAIRS;
  PRISM_CUDA_DYNAMIC_SHARED (float2, shared);
  const int m = optics.object_size, n_pairs = m / 2;
  const int line = threadIdx.x / THREADS, t = threadIdx.x % THREADS;
  const int first = blockIdx.x * PAIRS, pair = first + line;
  float *row = image + (size_t) 2 * pair * m;
  PrismCudaFft<N> fft;
  float2 x[PRISM_CUDA_FFT_POINTS];

  prism_cuda_fft_load<N> (fft, optics.roots, t);
  if (prism_cuda_optics_is_done (optics))
    return;

  for (int i = threadIdx.x; i < PAIRS * (N / 2 + 1); i += blockDim.x)
    {
      const int k = i / PAIRS, other = i % PAIRS;
      float4 c = make_float4 (0.0f, 0.0f, 0.0f, 0.0f);

      if (first + other < n_pairs)
        c = reinterpret_cast<const float4 *> (half + (size_t) k * m)[first + other];
      if (k == 0 || k == N / 2)
        shared[prism_cuda_fft_get_place<N> (other, k)] = make_float2 (c.x, c.z);
      else
        {
          shared[prism_cuda_fft_get_place<N> (other, k)]
              = make_float2 (0.5f * (c.x - c.w), 0.5f * (c.y + c.z));
          shared[prism_cuda_fft_get_place<N> (other, N - k)]
              = make_float2 (0.5f * (c.x + c.w), 0.5f * (c.z - c.y));
        }
    }
  __syncthreads ();
  prism_cuda_fft_fetch<N> (x, shared, line, t);
  prism_cuda_fft_transform<N, PRISM_CUDA_FFT_INVERSE> (x, fft, shared, line, t);

#pragma unroll
  for (int e = 0; e < PRISM_CUDA_FFT_POINTS; e++)
    {
      const int i = prism_cuda_optics_get_pixel (optics, t + e * THREADS);

      if (i >= m || pair >= n_pairs)
        continue;
      row[i] = x[e].x;
      row[m + i] = x[e].y;
    }
}

/**
 * prism_cuda_optics_transform_rows:
 * @optics: sizes and tables
 * @image: real image
 * @terms: (nullable): the views of the step's terms are filled in by one more block
 * @half: result
 * @stream: a stream, which may be under capture
 *
 * First pass: the half spectrum of the image's rows.
 *
 * Shape: @image [m][m], @half [n/2+1][m].
 * Thread: engine.
 */
cudaError_t
prism_cuda_optics_transform_rows (const PrismCudaOptics *optics,
                                  const float *image,
                                  const PrismCudaTerms *terms,
                                  PrismCudaComplex *half,
                                  cudaStream_t stream)
{
  return prism_cuda_fft_dispatch (optics->image_size, [=] (auto size) {
    constexpr int N = decltype (size)::value, PAIRS = PrismCudaOpticsShape<N>::PAIRS;
    const int n_blocks = prism_cuda_count_blocks (optics->object_size / 2, PAIRS);

    return prism_cuda_launch (transform_rows<N>, n_blocks + (terms != nullptr),
                              PAIRS * PrismCudaFft<N>::THREADS,
                              prism_cuda_fft_get_shared_bytes<N> (PAIRS), stream, *optics,
                              image, terms != nullptr ? *terms : PrismCudaTerms (), half);
  });
}

/**
 * prism_cuda_optics_restore_rows:
 * @optics: sizes and tables
 * @half: columns
 * @image: result
 * @stream: a stream, which may be under capture
 *
 * Last pass: the sum of columns becomes a real image.
 *
 * Shape: @half [n/2+1][m], @image [m][m].
 * Thread: engine.
 */
cudaError_t
prism_cuda_optics_restore_rows (const PrismCudaOptics *optics,
                                const PrismCudaComplex *half,
                                float *image,
                                cudaStream_t stream)
{
  return prism_cuda_fft_dispatch (optics->image_size, [=] (auto size) {
    constexpr int N = decltype (size)::value, PAIRS = PrismCudaOpticsShape<N>::PAIRS;
    const int n_blocks = prism_cuda_count_blocks (optics->object_size / 2, PAIRS);

    return prism_cuda_launch (restore_rows<N>, n_blocks,
                              PAIRS * PrismCudaFft<N>::THREADS,
                              prism_cuda_fft_get_shared_bytes<N> (PAIRS), stream, *optics,
                              half, image);
  });
}

/* ---- columns ---- */

/* Which of a thread's points of a box's column the mask lets through, a bit each. Asked for early:
 * the answer takes as long as the points themselves. */
template <int N>
static __device__ __forceinline__ unsigned int
find_open (const PrismCudaOpticsView &view,
           int height,
           int width,
           int j,
           int t)
{
  unsigned int open = 0;

#pragma unroll
  for (int e = 0; e < PRISM_CUDA_FFT_POINTS; e++)
    {
      const int i = t + e * PrismCudaFft<N>::THREADS;

      if (i < height && view.bits[(size_t) i * width + j] != 0)
        open |= 1u << e;
    }
  return open;
}

/* One block takes COLUMNS columns of a view. What the transform gives as rows y0 … of the field
 * goes on as rows 0 …: the detector sees the phase of a field only, not where its box was. */
template <int N>
static __global__ void
__launch_bounds__ (PrismCudaOpticsShape<N>::COLUMNS *PrismCudaFft<N>::THREADS)
    expand_columns (PrismCudaOptics optics,
                    const PrismCudaOpticsView *__restrict__ views,
                    int max_width,
                    const PrismCudaComplex *__restrict__ half,
                    PrismCudaComplex *__restrict__ plane)
{
  constexpr int THREADS = PrismCudaFft<N>::THREADS, COLUMNS = PrismCudaOpticsShape<N>::COLUMNS;
  constexpr float SCALE = 1.0f / ((float) N * N);
  PRISM_CUDA_DYNAMIC_SHARED (float2, shared);
  const PrismCudaOpticsView &view = views[blockIdx.y];
  const int line = threadIdx.x / THREADS, t = threadIdx.x % THREADS;
  const int height = view.height, width = view.width, y0 = view.y0;
  const int first = blockIdx.x * COLUMNS, j = first + line;
  const int x0 = view.x0 + j, m = optics.object_size;
  const float2 *rows = half + (size_t) abs (x0) * m;
  float2 *column = plane + ((size_t) blockIdx.y * max_width + j) * N;
  PrismCudaFft<N> fft;
  float2 x[PRISM_CUDA_FFT_POINTS];
  unsigned int open;

  prism_cuda_fft_load<N> (fft, optics.roots, t);
  if (prism_cuda_optics_is_done (optics) | (first >= width))
    return;

  open = find_open<N> (view, j < width ? height : 0, width, j, t);
#pragma unroll
  for (int e = 0; e < PRISM_CUDA_FFT_POINTS; e++)
    {
      const int i = prism_cuda_optics_get_pixel (optics, t + e * THREADS);

      x[e] = i < m && j < width ? rows[i] : float2 {};
      if (x0 < 0)
        x[e].y = -x[e].y;
    }
  prism_cuda_fft_transform<N, PRISM_CUDA_FFT_FORWARD> (x, fft, shared, line, t);
  __syncthreads ();
  prism_cuda_fft_store<N> (x, shared, line, t);
  __syncthreads ();

#pragma unroll
  for (int e = 0; e < PRISM_CUDA_FFT_POINTS; e++)
    {
      const int i = t + e * THREADS;

      x[e] = {};
      if ((open >> e & 1) != 0)
        x[e] = SCALE * shared[prism_cuda_fft_get_place<N> (line, (y0 + i) & (N - 1))];
    }
  __syncthreads ();
  prism_cuda_fft_store<N> (x, shared, line, t);
  __syncthreads ();
  prism_cuda_fft_expand<N, PRISM_CUDA_FFT_INVERSE> (x, fft, shared, line, t, height);
#pragma unroll
  for (int e = 0; e < PRISM_CUDA_FFT_POINTS; e++)
    if (j < width)
      column[t + e * THREADS] = x[e];
}

/* ---- back ---- */

/* Which views have a column for |x| = k: bit i, column k of view i; bit 32 + i, column -k. The
 * highest frequency has a negative column only. */
static __device__ __forceinline__ uint64_t
find_columns (const PrismCudaOpticsView *views,
              int n_views,
              int k,
              int n)
{
  const int lane = threadIdx.x % PRISM_CUDA_WARP;
  bool plus = false, minus = false;

  if (lane < n_views)
    {
      const int x0 = views[lane].x0, width = views[lane].width;

      plus = k < n / 2 && k >= x0 && k < x0 + width;
      minus = k > 0 && -k >= x0 && -k < x0 + width;
    }
  return (uint64_t) __ballot_sync (0xffffffffu, plus)
         | (uint64_t) __ballot_sync (0xffffffffu, minus) << 32;
}

/* Number of a set bit, from 0; -1 where there are fewer. */
static __device__ __forceinline__ int
find_bit (uint64_t bits,
          int index)
{
  for (; index > 0; index--)
    bits &= bits - 1;
  return __ffsll ((long long) bits) - 1;
}

/* Adds points 0 … height-1 of a line to sum from row y on, upwards or downwards. */
template <int N>
static __device__ __forceinline__ void
add_points (float2 *sum,
            const float2 x[PRISM_CUDA_FFT_POINTS],
            int y,
            int step,
            int t,
            int height)
{
#pragma unroll
  for (int e = 0; e < PRISM_CUDA_FFT_POINTS; e++)
    {
      const int i = t + e * PrismCudaFft<N>::THREADS;
      float2 *place = &sum[prism_cuda_fft_get_place<N> (0, (y + step * i) & (N - 1))];

      if (i < height)
        *place += x[e];
    }
}

/* One block takes all columns ±k of all views: GROUPS transforms at a time, then each group in its
 * turn adds what it has to the sum, so that the order is always the same. */
template <int N>
static __device__ __forceinline__ void
add_columns (const PrismCudaOpticsView *__restrict__ views,
             uint64_t columns,
             int max_width,
             int k,
             const float2 *__restrict__ plane,
             const PrismCudaFft<N> &fft,
             float2 *sum,
             float2 *shared)
{
  constexpr int THREADS = PrismCudaFft<N>::THREADS, GROUPS = PrismCudaOpticsShape<N>::GROUPS;
  constexpr float SCALE = 1.0f / ((float) N * N);
  const int group = threadIdx.x / THREADS, t = threadIdx.x % THREADS;
  float2 x[PRISM_CUDA_FFT_POINTS];

  while (columns != 0)
    {
      const int bit = find_bit (columns, group);
      const PrismCudaOpticsView &view = views[bit < 0 ? 0 : bit % PRISM_CUDA_MAX_TERMS];
      const bool mirrored = bit >= PRISM_CUDA_MAX_TERMS;
      const int height = bit < 0 ? 0 : view.height, width = view.width;
      const int j = (mirrored ? -k : k) - view.x0;
      const int n_turns = min (GROUPS, __popcll (columns));
      const float scale = SCALE * view.gain;
      const unsigned int open = find_open<N> (view, height, width, j, t);

#pragma unroll
      for (int e = 0; e < PRISM_CUDA_FFT_POINTS; e++)
        x[e] = bit < 0 ? float2 {}
                       : plane[((size_t) (bit % PRISM_CUDA_MAX_TERMS) * max_width + j) * N + t
                               + e * THREADS];
      prism_cuda_fft_transform<N, PRISM_CUDA_FFT_FORWARD> (x, fft, shared, group, t, height);
#pragma unroll
      for (int e = 0; e < PRISM_CUDA_FFT_POINTS; e++)
        {
          const float factor = (open >> e & 1) != 0 ? scale : 0.0f;

          x[e].x = factor * x[e].x;
          x[e].y = (mirrored ? -factor : factor) * x[e].y;
        }
      for (int turn = 0; turn < n_turns; turn++)
        {
          if (turn == group)
            add_points<N> (sum, x, mirrored ? -view.y0 : view.y0, mirrored ? -1 : 1, t, height);
          __syncthreads ();
        }
      for (int i = 0; i < GROUPS; i++)
        columns &= columns - 1;
    }
}

template <int N>
static __global__ void
__launch_bounds__ (PrismCudaOpticsShape<N>::GROUPS *PrismCudaFft<N>::THREADS)
    reduce_columns (PrismCudaOptics optics,
                    const PrismCudaOpticsView *__restrict__ views,
                    int n_views,
                    int max_width,
                    const PrismCudaComplex *__restrict__ plane,
                    PrismCudaTerms terms,
                    int n_sums,
                    int accumulate,
                    PrismCudaComplex *__restrict__ half)
{
  constexpr int THREADS = PrismCudaFft<N>::THREADS, GROUPS = PrismCudaOpticsShape<N>::GROUPS;
  PRISM_CUDA_DYNAMIC_SHARED (float2, sum); /* [n], then a line for each group */
  float2 *shared = sum + N;
  const int group = threadIdx.x / THREADS, t = threadIdx.x % THREADS;
  const int k = blockIdx.x, m = optics.object_size;
  float2 *column = half + (size_t) k * m;
  PrismCudaFft<N> fft;
  float2 x[PRISM_CUDA_FFT_POINTS];
  uint64_t columns;

  prism_cuda_fft_load<N> (fft, optics.roots, t);
  columns = find_columns (views, n_views, k, N);
  if (prism_cuda_optics_is_done (optics))
    return;
  if (k > N / 2)
    {
      sum_losses (optics, terms, n_sums, reinterpret_cast<double *> (sum));
      return;
    }
  if (columns == 0)
    {
      for (int i = threadIdx.x; i < m && !accumulate; i += blockDim.x)
        column[i] = {};
      return;
    }

  for (int i = threadIdx.x; i < N; i += blockDim.x)
    sum[i] = {};
  __syncthreads ();
  add_columns<N> (views, columns, max_width, k, plane, fft, sum,
                  shared);

  /* All groups do the same, which is as quick as one; each stores a part. */
  prism_cuda_fft_fetch<N> (x, sum, 0, t);
  prism_cuda_fft_transform<N, PRISM_CUDA_FFT_INVERSE> (x, fft, shared, group, t);
#pragma unroll
  for (int e = 0; e < PRISM_CUDA_FFT_POINTS; e++)
    {
      const int i = prism_cuda_optics_get_pixel (optics, t + e * THREADS);

      if (i < m && e % GROUPS == group)
        column[i] = accumulate ? column[i] + x[e] : x[e];
    }
}

/**
 * prism_cuda_optics_expand_columns:
 * @optics: sizes and tables
 * @views: (array length=n_views): device array
 * @n_views: number of views
 * @max_width: W, columns of the widest box
 * @half: half spectrum of the image's rows
 * @plane: result
 * @stream: a stream, which may be under capture
 *
 * Second pass: each column of a box is transformed, masked, and transformed on to the detector.
 *
 * Shape: @half [n/2+1][m], @plane [n_views][W][n]; columns beyond a box are not written.
 * Thread: engine.
 */
cudaError_t
prism_cuda_optics_expand_columns (const PrismCudaOptics *optics,
                                  const PrismCudaOpticsView *views,
                                  int n_views,
                                  int max_width,
                                  const PrismCudaComplex *half,
                                  PrismCudaComplex *plane,
                                  cudaStream_t stream)
{
  return prism_cuda_fft_dispatch (optics->image_size, [=] (auto size) {
    constexpr int N = decltype (size)::value, COLUMNS = PrismCudaOpticsShape<N>::COLUMNS;

    return prism_cuda_launch (expand_columns<N>,
                              dim3 (prism_cuda_count_blocks (max_width, COLUMNS), n_views),
                              COLUMNS * PrismCudaFft<N>::THREADS,
                              prism_cuda_fft_get_shared_bytes<N> (COLUMNS), stream, *optics,
                              views, max_width, half, plane);
  });
}

/**
 * prism_cuda_optics_reduce_columns:
 * @optics: sizes and tables
 * @views: (array length=n_views): device array
 * @n_views: number of views, at most %PRISM_CUDA_MAX_TERMS
 * @max_width: W, columns of the widest box
 * @plane: what the pixels left
 * @terms: (nullable): the losses of the step are added up by one more block
 * @accumulate: whether to add to @half
 * @half: result; 0 where no view has a column
 * @stream: a stream, which may be under capture
 *
 * Fourth pass: back through the masks to the image's rows. Columns x and -x are taken together, as
 * one half of what has a real image.
 *
 * Shape: @plane [n_views][W][n], @half [n/2+1][m].
 * Thread: engine.
 */
cudaError_t
prism_cuda_optics_reduce_columns (const PrismCudaOptics *optics,
                                  const PrismCudaOpticsView *views,
                                  int n_views,
                                  int max_width,
                                  const PrismCudaComplex *plane,
                                  const PrismCudaTerms *terms,
                                  int accumulate,
                                  PrismCudaComplex *half,
                                  cudaStream_t stream)
{
  const int n_sums = prism_cuda_optics_get_n_sums (optics->image_size);

  return prism_cuda_fft_dispatch (optics->image_size, [=] (auto size) {
    constexpr int N = decltype (size)::value, GROUPS = PrismCudaOpticsShape<N>::GROUPS;

    return prism_cuda_launch (reduce_columns<N>,
                              N / 2 + 1 + (terms != nullptr),
                              GROUPS * PrismCudaFft<N>::THREADS,
                              N * sizeof (float2)
                                  + prism_cuda_fft_get_shared_bytes<N> (GROUPS),
                              stream, *optics, views, n_views, max_width, plane,
                              terms != nullptr ? *terms : PrismCudaTerms (), n_sums, accumulate,
                              half);
  });
}
