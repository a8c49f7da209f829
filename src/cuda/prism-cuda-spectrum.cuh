/* prism-cuda-spectrum: how the columns of whole spectra are given to blocks, and the way back from
 * them to the rows of an image. Included by .cu files only. */
#pragma once

#include "prism-cuda-optics.cuh"

/* Lines of a block: 128 threads, or what one line takes. */
template <int N>
struct PrismCudaLines
{
  static constexpr int THREADS = PrismCudaFft<N>::THREADS;
  static constexpr int COUNT = THREADS >= 128 ? 1 : 128 / THREADS;
  static constexpr int BLOCK = THREADS * COUNT;
};

/* A line is a column x of 0 … h of the spectrum of a real image, whose points load (column, t, x)
 * fills in; it goes to the rows of half. Each column but 0 and h stands for its mirror image,
 * too. */
template <int N, typename Load>
static __device__ __forceinline__ void
prism_cuda_restore_columns (const PrismCudaOptics &optics,
                            PrismCudaComplex *half,
                            Load load)
{
  PRISM_CUDA_DYNAMIC_SHARED (float2, shared);
  constexpr int THREADS = PrismCudaFft<N>::THREADS;
  const int line = threadIdx.x / THREADS, t = threadIdx.x % THREADS;
  const int column = blockIdx.x * PrismCudaLines<N>::COUNT + line, m = optics.object_size;
  const float scale = (column == 0 || column == N / 2 ? 1.0f : 2.0f) / N;
  float2 x[PRISM_CUDA_FFT_POINTS] = {};
  PrismCudaFft<N> fft;

  prism_cuda_fft_load (fft, optics.roots, t);
  if (column <= N / 2)
    load (column, t, x);
  prism_cuda_fft_transform<N, PRISM_CUDA_FFT_INVERSE> (x, fft, shared, line, t);
  if (column > N / 2)
    return;
#pragma unroll
  for (int e = 0; e < PRISM_CUDA_FFT_POINTS; e++)
    {
      const int row = prism_cuda_optics_get_pixel (optics, t + e * THREADS);

      if (row < m)
        half[(size_t) column * m + row] = scale * x[e];
    }
}

/* One line for each of n_columns. */
template <int N, typename... Parameters, typename... Arguments>
static inline cudaError_t
prism_cuda_launch_columns (void (*kernel) (Parameters...),
                           int n_columns,
                           cudaStream_t stream,
                           Arguments... arguments)
{
  typedef PrismCudaLines<N> Lines;

  return prism_cuda_launch (kernel, prism_cuda_count_blocks (n_columns, Lines::COUNT), Lines::BLOCK,
                            prism_cuda_fft_get_shared_bytes<N> (Lines::COUNT), stream,
                            arguments...);
}
