/* prism-cuda-convolve: convolution 3×3, padding 0 or 1: its product, the gradient of its input and
 * of its weights. The last layer's output and gradient are the image's. Capturable. */
#pragma once

#include "prism-cuda-map.h"

PRISM_CUDA_BEGIN_DECLS

/* out.y and out.moments from in.y; in.norm is merged from in.moments on the way. */
cudaError_t prism_cuda_convolve_forward (const PrismCudaProduct *product,
                                         cudaStream_t stream);
/* The last layer, O = 1: image.output, with bias and activation, cropped or framed; what lies
 * outside of the map is left alone. */
cudaError_t prism_cuda_convolve_output (const PrismCudaProduct *product,
                                        cudaStream_t stream);
/* in.gradient and in.sums from out.gradient, out.sums and out.y; both norms are there. */
cudaError_t prism_cuda_convolve_data_gradient (const PrismCudaProduct *product,
                                               cudaStream_t stream);
/* The same for the last layer, from image.output_gradient times loss_scale; also bias_sums. */
cudaError_t prism_cuda_convolve_output_gradient (const PrismCudaProduct *product,
                                                 cudaStream_t stream);
/* weight_gradient from in.y and the gradient of the output. */
cudaError_t prism_cuda_convolve_weight_gradient (const PrismCudaProduct *product,
                                                 cudaStream_t stream);
cudaError_t prism_cuda_convolve_output_weight_gradient (const PrismCudaProduct *product,
                                                        cudaStream_t stream);

PRISM_CUDA_END_DECLS
