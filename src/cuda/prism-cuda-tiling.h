/* prism-cuda-tiling: how the decoder's kernels cut their work, from the shapes of the maps: enough
 * blocks for every multiprocessor first, then as much reuse as registers and shared memory give.
 * Does not touch the device. */
#pragma once

#include "prism-cuda-map.h"

PRISM_CUDA_BEGIN_DECLS

/* in.channels, in.size, out.channels, out.size and padding are set; forward, backward and weights
 * come out. Sizes are powers of two, but for the output of an unpadded last layer. */
void prism_cuda_tiling_plan_double (PrismCudaProduct *product);
void prism_cuda_tiling_plan_convolve (PrismCudaProduct *product,
                                      int is_last);
/* Tiles, thus partial results of each channel, of a map. */
int prism_cuda_tiling_count (const PrismCudaTiling *self,
                             int size);

PRISM_CUDA_END_DECLS
