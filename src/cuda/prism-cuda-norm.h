/* prism-cuda-norm: merges what many tiles say of a channel into one, for maps too wide for every
 * consumer to do it again. Capturable. */
#pragma once

#include "prism-cuda-map.h"

PRISM_CUDA_BEGIN_DECLS

/* merged [C] from parts [C][n_parts] (Chan, in the order of the tiles); n_pixels of a part. stop:
 * nullable, nothing is done while it is not 0. */
cudaError_t prism_cuda_norm_merge_moments (PrismCudaMoments *merged,
                                           const PrismCudaMoments *parts,
                                           int n_channels,
                                           int n_parts,
                                           int n_pixels,
                                           const int32_t *stop,
                                           cudaStream_t stream);
cudaError_t prism_cuda_norm_merge_sums (PrismCudaSums *merged,
                                        const PrismCudaSums *parts,
                                        int n_channels,
                                        int n_parts,
                                        const int32_t *stop,
                                        cudaStream_t stream);

PRISM_CUDA_END_DECLS
