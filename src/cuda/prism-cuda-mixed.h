/* prism-cuda-mixed: the doublings in mixed precision: factors of 16 bit or tf32 on tensor cores,
 * sums in fp32. Maps, weights and gradients in memory stay fp32; they lose their digits on the way
 * into shared memory. Twins of prism-cuda-double, with which they share PrismCudaProduct.
 * Capturable. */
#pragma once

#include "prism-cuda-map.h"

PRISM_CUDA_BEGIN_DECLS

/* In the order of PrismPrecision, whose header needs GLib. */
typedef enum
{
  PRISM_CUDA_PRECISION_FP32,
  PRISM_CUDA_PRECISION_BF16,
  PRISM_CUDA_PRECISION_FP16,
  PRISM_CUDA_PRECISION_TF32,
} PrismCudaPrecision;

/* Replaces the three tilings of a doubling whose shapes are set, where tensor cores pay: maps of
 * 16 px and more whose channels fill a matrix, and enough tiles. Returns whether it did; then the
 * three functions below take the place of those of prism-cuda-double. */
int prism_cuda_mixed_plan_double (PrismCudaProduct *product,
                                  PrismCudaPrecision precision);

cudaError_t prism_cuda_mixed_forward (const PrismCudaProduct *product,
                                      PrismCudaPrecision precision,
                                      cudaStream_t stream);
cudaError_t prism_cuda_mixed_data_gradient (const PrismCudaProduct *product,
                                            PrismCudaPrecision precision,
                                            cudaStream_t stream);
cudaError_t prism_cuda_mixed_weight_gradient (const PrismCudaProduct *product,
                                              PrismCudaPrecision precision,
                                              cudaStream_t stream);

PRISM_CUDA_END_DECLS
