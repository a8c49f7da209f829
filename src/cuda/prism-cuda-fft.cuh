/* prism-cuda-fft: transforms of n = 64, 128 … 4096 complex points by n/8 threads of a block, eight
 * points in each thread's registers.
 *
 * Between two passes points change places in shared memory, in an order that keeps half a warp's
 * 8-byte accesses in 16 different banks (all sizes, all passes). Input and output are in natural
 * order: before and after, thread t holds points t, t + n/8 … t + 7n/8 in x[0…7]. The first pass
 * has radix 2, 4 or 8, every further one 8. Unnormalised; forward is e^{-2πi…}.
 *
 * All threads of a block call these functions together, for they meet at barriers. */
#pragma once

#include "prism-cuda-kernel.cuh"

#define PRISM_CUDA_FFT_POINTS 8         /* of a thread */
#define PRISM_CUDA_FFT_FORWARD false
#define PRISM_CUDA_FFT_INVERSE true

template <int N>
struct PrismCudaFft
{
  static constexpr int SIZE = N;
  static constexpr int THREADS = N / PRISM_CUDA_FFT_POINTS;
  /* 64, 512, 4096: 8; 128, 1024: 2; 256, 2048: 4. */
  static constexpr int FIRST = N == 64 || N == 512 || N == 4096 ? 8 : N == 128 || N == 1024 ? 2 : 4;
  static constexpr int TURNS = N == 64 ? 1 : N <= 512 ? 2 : 3; /* passes after the first */
  /* Points from line to line in shared memory. The pad serves loops over all lines of a block. */
  static constexpr int PITCH = N == 64 ? N : N + 4;

  /* Two passes' roots stay in registers from one transform to the next; those of three are read
   * anew, which costs less than the room. */
  static constexpr bool HELD = TURNS <= 2;

  const float2 *roots;                  /* [n] */
  int t;
  float2 twiddles[HELD ? TURNS : 1][3]; /* w¹, w², w⁴ of each pass after the first */
};

template <int N>
static constexpr size_t
prism_cuda_fft_get_shared_bytes (int n_lines)
{
  return ((size_t) (n_lines - 1) * PrismCudaFft<N>::PITCH + N) * sizeof (float2);
}

/* Where point i of a line stands in shared memory. */
template <int N>
static __device__ __forceinline__ int
prism_cuda_fft_get_place (int line,
                          int i)
{
  constexpr int FIRST = PrismCudaFft<N>::FIRST, SHIFT = FIRST == 2 ? 1 : FIRST == 4 ? 2 : 3;
  const int row = (N == 64 ? line * N + i : i) >> 4;
  const int turn = (row & (FIRST - 1)) ^ (((row >> (SHIFT - 1)) & (16 / FIRST - 1)) << SHIFT);

  return line * PrismCudaFft<N>::PITCH + (i ^ turn);
}

/* ---- complex numbers ---- */

/* a·b, or a·b* */
template <bool CONJUGATE>
static __device__ __forceinline__ float2
prism_cuda_multiply (float2 a,
                     float2 b)
{
  if (CONJUGATE)
    return make_float2 (fmaf (a.x, b.x, a.y * b.y), fmaf (a.y, b.x, -(a.x * b.y)));
  return make_float2 (fmaf (a.x, b.x, -(a.y * b.y)), fmaf (a.y, b.x, a.x * b.y));
}

/* a·(-i), or a·i */
template <bool INVERSE>
static __device__ __forceinline__ float2
prism_cuda_rotate (float2 a)
{
  return INVERSE ? make_float2 (-a.y, a.x) : make_float2 (a.y, -a.x);
}

/* ---- butterflies ---- */

template <bool INVERSE>
static __device__ __forceinline__ void
prism_cuda_fft_butterfly_4 (float2 &a,
                            float2 &b,
                            float2 &c,
                            float2 &d)
{
  const float2 s = a + c, t = a - c, u = b + d, v = prism_cuda_rotate<INVERSE> (b - d);

  a = s + u;
  b = t + v;
  c = s - u;
  d = t - v;
}

template <bool INVERSE>
static __device__ __forceinline__ void
prism_cuda_fft_butterfly_8 (float2 x[PRISM_CUDA_FFT_POINTS])
{
  constexpr float ROOT = 0.70710678118654752f;
  float2 even[4] = { x[0], x[2], x[4], x[6] }, odd[4] = { x[1], x[3], x[5], x[7] };

  prism_cuda_fft_butterfly_4<INVERSE> (even[0], even[1], even[2], even[3]);
  prism_cuda_fft_butterfly_4<INVERSE> (odd[0], odd[1], odd[2], odd[3]);
  /* The eighth root to the powers 1, 2, 3. */
  odd[1] = ROOT * (odd[1] + prism_cuda_rotate<INVERSE> (odd[1]));
  odd[2] = prism_cuda_rotate<INVERSE> (odd[2]);
  odd[3] = ROOT * (prism_cuda_rotate<INVERSE> (odd[3]) - odd[3]);
#pragma unroll
  for (int i = 0; i < 4; i++)
    {
      x[i] = even[i] + odd[i];
      x[i + 4] = even[i] - odd[i];
    }
}

/* The first pass: 8/FIRST butterflies, point b + r·8/FIRST is leg r of butterfly b. */
template <int N, bool INVERSE>
static __device__ __forceinline__ void
prism_cuda_fft_pass_first (float2 x[PRISM_CUDA_FFT_POINTS])
{
  constexpr int FIRST = PrismCudaFft<N>::FIRST;

  if (FIRST == 8)
    prism_cuda_fft_butterfly_8<INVERSE> (x);
  else if (FIRST == 4)
    {
      prism_cuda_fft_butterfly_4<INVERSE> (x[0], x[2], x[4], x[6]);
      prism_cuda_fft_butterfly_4<INVERSE> (x[1], x[3], x[5], x[7]);
    }
  else
    {
#pragma unroll
      for (int b = 0; b < 4; b++)
        {
          const float2 difference = x[b] - x[b + 4];

          x[b] += x[b + 4];
          x[b + 4] = difference;
        }
    }
}

/* Root 0, 1, 2: w¹, w², w⁴ of pass turn after the first. Those that are not held come by plain
 * loads, which stay behind the barrier that they are written behind. */
template <int N>
static __device__ __forceinline__ float2
prism_cuda_fft_read_root (const PrismCudaFft<N> &fft,
                          int turn,
                          int root)
{
  const int stride = PrismCudaFft<N>::FIRST << 3 * turn;

  const float2 *place = &fft.roots[(fft.t & (stride - 1)) * (N / 8 / stride) << root];

  return PrismCudaFft<N>::HELD ? __ldg (place) : *place;
}

template <int N, bool INVERSE>
static __device__ __forceinline__ void
prism_cuda_fft_twiddle (float2 x[PRISM_CUDA_FFT_POINTS],
                        const PrismCudaFft<N> &fft,
                        int turn)
{
  constexpr bool HELD = PrismCudaFft<N>::HELD;
  const auto get_root = [&] (int root) {
    return HELD ? fft.twiddles[HELD ? turn : 0][root]
                : prism_cuda_fft_read_root<N> (fft, turn, root);
  };
  const float2 w1 = get_root (0), w2 = get_root (1), w4 = get_root (2);
  const float2 w3 = prism_cuda_multiply<false> (w1, w2);

  x[1] = prism_cuda_multiply<INVERSE> (x[1], w1);
  x[2] = prism_cuda_multiply<INVERSE> (x[2], w2);
  x[3] = prism_cuda_multiply<INVERSE> (x[3], w3);
  x[4] = prism_cuda_multiply<INVERSE> (x[4], w4);
  x[5] = prism_cuda_multiply<INVERSE> (x[5], prism_cuda_multiply<false> (w1, w4));
  x[6] = prism_cuda_multiply<INVERSE> (x[6], prism_cuda_multiply<false> (w2, w4));
  x[7] = prism_cuda_multiply<INVERSE> (x[7], prism_cuda_multiply<false> (w3, w4));
}

/* Lines of up to 256 points belong to one warp. */
template <int N>
static __device__ __forceinline__ void
prism_cuda_fft_wait (void)
{
  if (PrismCudaFft<N>::THREADS <= PRISM_CUDA_WARP)
    __syncwarp ();
  else
    __syncthreads ();
}

/* Points of a thread go to their places in a line, or come from there. */
template <int N>
static __device__ __forceinline__ void
prism_cuda_fft_store (const float2 x[PRISM_CUDA_FFT_POINTS],
                      float2 *shared,
                      int line,
                      int t)
{
#pragma unroll
  for (int e = 0; e < PRISM_CUDA_FFT_POINTS; e++)
    shared[prism_cuda_fft_get_place<N> (line, t + e * PrismCudaFft<N>::THREADS)] = x[e];
}

template <int N>
static __device__ __forceinline__ void
prism_cuda_fft_fetch (float2 x[PRISM_CUDA_FFT_POINTS],
                      const float2 *shared,
                      int line,
                      int t)
{
#pragma unroll
  for (int e = 0; e < PRISM_CUDA_FFT_POINTS; e++)
    x[e] = shared[prism_cuda_fft_get_place<N> (line, t + e * PrismCudaFft<N>::THREADS)];
}

/* Results of a pass go to their places, number e to get_point (e), and those of the next come. */
template <int N, typename Point>
static __device__ __forceinline__ void
prism_cuda_fft_exchange (float2 x[PRISM_CUDA_FFT_POINTS],
                         float2 *shared,
                         int line,
                         int t,
                         Point get_point)
{
  prism_cuda_fft_wait<N> ();
#pragma unroll
  for (int e = 0; e < PRISM_CUDA_FFT_POINTS; e++)
    shared[prism_cuda_fft_get_place<N> (line, get_point (e))] = x[e];
  prism_cuda_fft_wait<N> ();
  prism_cuda_fft_fetch<N> (x, shared, line, t);
}

/* ---- transforms ---- */

/* table [n] as prism_cuda_fft_fill_table() makes it; t: 0 … n/8 - 1. */
template <int N>
static __device__ __forceinline__ void
prism_cuda_fft_load (PrismCudaFft<N> &fft,
                     const PrismCudaComplex *table,
                     int t)
{
  fft.roots = table;
  fft.t = t;
#pragma unroll
  for (int turn = 0; turn < PrismCudaFft<N>::TURNS && PrismCudaFft<N>::HELD; turn++)
    {
#pragma unroll
      for (int root = 0; root < 3; root++)
        fft.twiddles[turn][root] = prism_cuda_fft_read_root<N> (fft, turn, root);
    }
}

/* The first pass and its exchange. */
template <int N, bool INVERSE>
static __device__ __forceinline__ void
prism_cuda_fft_begin (float2 x[PRISM_CUDA_FFT_POINTS],
                      float2 *shared,
                      int line,
                      int t)
{
  constexpr int FIRST = PrismCudaFft<N>::FIRST, BUTTERFLIES = 8 / FIRST;

  prism_cuda_fft_pass_first<N, INVERSE> (x);
  prism_cuda_fft_exchange<N> (x, shared, line, t, [=] (int e) {
    return FIRST * (t + e % BUTTERFLIES * PrismCudaFft<N>::THREADS) + e / BUTTERFLIES;
  });
}

/* Passes after the first, whose results have been exchanged. Of the last pass only point t is
 * computed where n_wanted ≤ n/8: the others are undefined then. */
template <int N, bool INVERSE>
static __device__ __forceinline__ void
prism_cuda_fft_finish (float2 x[PRISM_CUDA_FFT_POINTS],
                       const PrismCudaFft<N> &fft,
                       float2 *shared,
                       int line,
                       int t,
                       int n_wanted)
{
  int stride = PrismCudaFft<N>::FIRST;

#pragma unroll
  for (int turn = 0; turn < PrismCudaFft<N>::TURNS; turn++, stride *= 8)
    {
      prism_cuda_fft_twiddle<N, INVERSE> (x, fft, turn);
      if (turn < PrismCudaFft<N>::TURNS - 1)
        {
          prism_cuda_fft_butterfly_8<INVERSE> (x);
          prism_cuda_fft_exchange<N> (x, shared, line, t, [=] (int e) {
            return (t & ~(stride - 1)) * 8 + (t & (stride - 1)) + e * stride;
          });
        }
      else if (n_wanted > PrismCudaFft<N>::THREADS)
        prism_cuda_fft_butterfly_8<INVERSE> (x);
      else
        x[0] = x[0] + x[4] + (x[2] + x[6]) + (x[1] + x[5] + (x[3] + x[7]));
    }
}

/* All points to the first n_wanted; thread t holds wanted points t + i·n/8. shared: a line for each
 * transform of the block. */
template <int N, bool INVERSE>
static __device__ __forceinline__ void
prism_cuda_fft_transform (float2 x[PRISM_CUDA_FFT_POINTS],
                          const PrismCudaFft<N> &fft,
                          float2 *shared,
                          int line,
                          int t,
                          int n_wanted = N)
{
  prism_cuda_fft_begin<N, INVERSE> (x, shared, line, t);
  prism_cuda_fft_finish<N, INVERSE> (x, fft, shared, line, t, n_wanted);
}

/* The first n_live points, which stand in their places in the line (after a barrier; the others are
 * taken for 0), to all points. Where they are at most n/FIRST the first pass only repeats them. */
template <int N, bool INVERSE>
static __device__ __forceinline__ void
prism_cuda_fft_expand (float2 x[PRISM_CUDA_FFT_POINTS],
                       const PrismCudaFft<N> &fft,
                       float2 *shared,
                       int line,
                       int t,
                       int n_live)
{
  constexpr int FIRST = PrismCudaFft<N>::FIRST, THREADS = PrismCudaFft<N>::THREADS;
  const bool repeat = n_live <= N / FIRST;

#pragma unroll
  for (int e = 0; e < 8; e++)
    {
      const int i = repeat ? (t + e * THREADS) / FIRST : t + e * THREADS;

      x[e] = i < n_live ? shared[prism_cuda_fft_get_place<N> (line, i)] : float2 {};
    }
  if (!repeat)
    prism_cuda_fft_begin<N, INVERSE> (x, shared, line, t);
  prism_cuda_fft_finish<N, INVERSE> (x, fft, shared, line, t, N);
}

/* ---- sizes ---- */

template <int N>
struct PrismCudaFftSize
{
  static constexpr int value = N;
};

/* Calls function (PrismCudaFftSize<n> ()) for a size of the run. */
template <typename Function>
static inline cudaError_t
prism_cuda_fft_dispatch (int n,
                         Function function)
{
  switch (n)
    {
    case 64:
      return function (PrismCudaFftSize<64> ());
    case 128:
      return function (PrismCudaFftSize<128> ());
    case 256:
      return function (PrismCudaFftSize<256> ());
    case 512:
      return function (PrismCudaFftSize<512> ());
    case 1024:
      return function (PrismCudaFftSize<1024> ());
    case 2048:
      return function (PrismCudaFftSize<2048> ());
    case 4096:
      return function (PrismCudaFftSize<4096> ());
    default:
      return cudaErrorInvalidValue;
    }
}
