/* prism-cuda-double: transposed convolution 4×4, stride 2, padding 1, which doubles a map: its
 * product, the gradient of its input and of its weights.
 *
 * k4 s2 p1 is four 2×2 convolutions, one per parity of the output's rows and columns. Each
 * function may be replaced by one of other precision: all they share is PrismCudaProduct.
 * Capturable. */
#pragma once

#include "prism-cuda-map.h"

PRISM_CUDA_BEGIN_DECLS

/* out.y and out.moments from in.y; in.norm is merged from in.moments on the way. */
cudaError_t prism_cuda_double_forward (const PrismCudaProduct *product,
                                       cudaStream_t stream);
/* in.gradient and in.sums from out.gradient, out.sums and out.y; both norms are there. */
cudaError_t prism_cuda_double_data_gradient (const PrismCudaProduct *product,
                                             cudaStream_t stream);
/* weight_gradient from in.y, out.gradient, out.sums and out.y. */
cudaError_t prism_cuda_double_weight_gradient (const PrismCudaProduct *product,
                                               cudaStream_t stream);

PRISM_CUDA_END_DECLS
