/* Merging: 8 bytes and 6 flop per tile of a channel; one block per channel. */
#include "prism-cuda-decoder-kernels.h"

#include "prism-cuda-kernel.cuh"

#define THREADS 256

static __global__ void
__launch_bounds__ (THREADS)
    merge_moments_kernel (PrismCudaMoments *merged,
                          const PrismCudaMoments *parts,
                          int n_parts,
                          float n_pixels,
                          const int32_t *stop)
{
  __shared__ float scratch[PRISM_CUDA_WARP];
  const PrismCudaMoments *own = parts + (size_t) blockIdx.x * n_parts;
  float mean = 0.0f, squares = 0.0f;

  if (stop != nullptr && *stop != 0)
    return;
  for (int i = threadIdx.x; i < n_parts; i += THREADS)
    mean += own[i].mean;
  mean = prism_cuda_sum_block (mean, scratch) / n_parts;
  for (int i = threadIdx.x; i < n_parts; i += THREADS)
    {
      const float difference = own[i].mean - mean;

      squares += fmaf (difference * difference, n_pixels, own[i].squares);
    }
  squares = prism_cuda_sum_block (squares, scratch);
  if (threadIdx.x == 0)
    merged[blockIdx.x] = { mean, squares };
}

static __global__ void
__launch_bounds__ (THREADS)
    merge_sums_kernel (PrismCudaSums *merged,
                       const PrismCudaSums *parts,
                       int n_parts,
                       const int32_t *stop)
{
  __shared__ float scratch[PRISM_CUDA_WARP];
  const PrismCudaSums *own = parts + (size_t) blockIdx.x * n_parts;
  float gradient = 0.0f, product = 0.0f;

  if (stop != nullptr && *stop != 0)
    return;
  for (int i = threadIdx.x; i < n_parts; i += THREADS)
    {
      gradient += own[i].gradient;
      product += own[i].product;
    }
  gradient = prism_cuda_sum_block (gradient, scratch);
  product = prism_cuda_sum_block (product, scratch);
  if (threadIdx.x == 0)
    merged[blockIdx.x] = { gradient, product };
}

cudaError_t
prism_cuda_norm_merge_moments (PrismCudaMoments *merged,
                               const PrismCudaMoments *parts,
                               int n_channels,
                               int n_parts,
                               int n_pixels,
                               const int32_t *stop,
                               cudaStream_t stream)
{
  return prism_cuda_launch (merge_moments_kernel, dim3 (n_channels), dim3 (THREADS), 0, stream,
                            merged, parts, n_parts, n_pixels, stop);
}

cudaError_t
prism_cuda_norm_merge_sums (PrismCudaSums *merged,
                            const PrismCudaSums *parts,
                            int n_channels,
                            int n_parts,
                            const int32_t *stop,
                            cudaStream_t stream)
{
  return prism_cuda_launch (merge_sums_kernel, dim3 (n_channels), dim3 (THREADS), 0, stream,
                            merged, parts, n_parts, stop);
}
