/* The object's rows, two real ones in each complex transform.
 *
 * Per step, n = 512, m = 128: transform_rows reads 4m² = 66 kB, writes 8m(n/2 + 1) = 263 kB;
 * restore_rows the reverse; 64 transforms of 512 points are 1.5 MFLOP. */
#include "prism-cuda-optics.cuh"
#include "prism-cuda-terms.cuh"

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

      x[e] = inside ? make_float2 (row[i], row[m + i]) : make_float2 (0.0f, 0.0f);
    }
  if (prism_cuda_optics_is_done (optics))
    return;
  if (first >= n_pairs)
    {
      prism_cuda_terms_look_up (optics, terms);
      return;
    }

  prism_cuda_fft_transform<N, PRISM_CUDA_FFT_FORWARD> (x, fft, shared, line, t);
  __syncthreads ();
#pragma unroll
  for (int e = 0; e < PRISM_CUDA_FFT_POINTS; e++)
    shared[prism_cuda_fft_get_place<N> (line, t + e * THREADS)] = x[e];
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
#pragma unroll
  for (int e = 0; e < PRISM_CUDA_FFT_POINTS; e++)
    x[e] = shared[prism_cuda_fft_get_place<N> (line, t + e * THREADS)];
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
 * @terms: with slots, the views of the step's terms are filled in by one more block
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
    const int n_blocks = (optics->object_size / 2 + PAIRS - 1) / PAIRS;

    return prism_cuda_launch (transform_rows<N>, dim3 (n_blocks + (terms->slots != nullptr)),
                              PAIRS * PrismCudaFft<N>::THREADS,
                              prism_cuda_fft_get_shared_bytes<N> (PAIRS), stream, *optics,
                              image, *terms, half);
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
    const int n_blocks = (optics->object_size / 2 + PAIRS - 1) / PAIRS;

    return prism_cuda_launch (restore_rows<N>, dim3 (n_blocks),
                              PAIRS * PrismCudaFft<N>::THREADS,
                              prism_cuda_fft_get_shared_bytes<N> (PAIRS), stream, *optics,
                              half, image);
  });
}
