/* prism-cuda-launch: launches of the decoder's tiled kernels. Included by .cu files only. */
#pragma once

#include "prism-cuda-kernel.cuh"
#include "prism-cuda-map.h"

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

  return prism_cuda_launch (kernel, grid, dim3 (tiling->n_threads), tiling->shared_bytes, stream,
                            *product);
}
