/* prism-cuda-launch: launches of the decoder's tiled kernels. Included by .cu files only. */
#pragma once

#include "prism-cuda-kernel.cuh"
#include "prism-cuda-map.h"

/* Every block may have 48 KiB without being asked for, static arrays included. */
#define PRISM_CUDA_DEFAULT_SHARED (40 << 10)

template <typename... Parameters>
static inline cudaError_t
prism_cuda_allow_shared (void (*kernel) (Parameters...),
                         size_t n_bytes)
{
  if (n_bytes <= PRISM_CUDA_DEFAULT_SHARED)
    return cudaSuccess;
  return cudaFuncSetAttribute (kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int) n_bytes);
}

/* One block per tile of the map and group of n_channels, which count to n_all. */
static inline cudaError_t
prism_cuda_launch_tiles (void (*kernel) (PrismCudaProduct),
                         const PrismCudaProduct *product,
                         const PrismCudaTiling *tiling,
                         const PrismCudaMap *map,
                         int n_all,
                         cudaStream_t stream)
{
  const int rows = (map->size + tiling->tile_height - 1) / tiling->tile_height;
  const int columns = (map->size + tiling->tile_width - 1) / tiling->tile_width;
  const dim3 grid (rows * columns, (n_all + tiling->n_channels - 1) / tiling->n_channels);
  const cudaError_t error = prism_cuda_allow_shared (kernel, tiling->shared_bytes);

  if (error != cudaSuccess)
    return error;
  return prism_cuda_launch (kernel, grid, dim3 (tiling->n_threads), tiling->shared_bytes, stream,
                            *product);
}
