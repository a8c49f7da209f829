/* prism-cuda-pair: two real rows in one complex transform, and how lines are given to blocks, for
 * the kernels that look at whole spectra.
 *
 * n = image_size, m = object_size, h = n/2. The object lies with its middle at the origin: its
 * pixel i at point i - m/2 modulo n. Half spectra of rows: [m][h + 1]. */
#pragma once

#include "prism-cuda-optics.h"
#include "prism-cuda-fft.cuh"

/* Lines of a block: 128 threads, or what one line takes. */
template <int N>
struct PrismCudaLines
{
  static constexpr int THREADS = PrismCudaFft<N>::THREADS;
  static constexpr int COUNT = THREADS >= 128 ? 1 : 128 / THREADS;
  static constexpr int BLOCK = THREADS * COUNT;

  static unsigned int
  count_blocks (int n_lines)
  {
    return (n_lines + COUNT - 1) / COUNT;
  }

  static size_t
  get_shared_bytes (void)
  {
    return prism_cuda_fft_get_shared_bytes<N> (COUNT);
  }
};

/* Pixel of the object at a point of a line; ≥ m: none. */
template <int N>
static __device__ __forceinline__ int
prism_cuda_pair_get_pixel (int point,
                           int object_size)
{
  return (point + object_size / 2) & (N - 1);
}

/* x: two real rows, one in the real parts, one in the imaginary parts, in natural order. Their half
 * spectra, unnormalised, go to first and second, [h + 1] each; second may be NULL, as may first. */
template <int N>
static __device__ __forceinline__ void
prism_cuda_pair_transform (float2 *first,
                           float2 *second,
                           float2 x[PRISM_CUDA_FFT_POINTS],
                           const PrismCudaFft<N> &fft,
                           float2 *shared,
                           int line,
                           int t)
{
  constexpr int THREADS = PrismCudaFft<N>::THREADS;

  prism_cuda_fft_transform<N, PRISM_CUDA_FFT_FORWARD> (x, fft, shared, line, t);
  prism_cuda_fft_wait<N> ();
#pragma unroll
  for (int e = 0; e < PRISM_CUDA_FFT_POINTS; e++)
    shared[prism_cuda_fft_get_place<N> (line, t + e * THREADS)] = x[e];
  prism_cuda_fft_wait<N> ();
#pragma unroll
  for (int e = 0; e <= PRISM_CUDA_FFT_POINTS / 2; e++)
    {
      const int k = t + e * THREADS;
      const float2 a = x[e];

      if (first == NULL || k > N / 2)
        continue;

      const float2 b = shared[prism_cuda_fft_get_place<N> (line, -k & (N - 1))];

      first[k] = make_float2 (0.5f * (a.x + b.x), 0.5f * (a.y - b.y));
      if (second != NULL)
        second[k] = make_float2 (0.5f * (a.y + b.y), 0.5f * (b.x - a.x));
    }
}

/* Point k of the transform of two real rows from their half spectra. */
template <int N>
static __device__ __forceinline__ float2
prism_cuda_pair_join (const float2 *first,
                      const float2 *second,
                      int k)
{
  const bool mirrored = k > N / 2;
  const float2 a = first[mirrored ? N - k : k], b = second[mirrored ? N - k : k];
  const float sign = mirrored ? -1.0f : 1.0f;

  return make_float2 (a.x - sign * b.y, fmaf (sign, a.y, b.x));
}
