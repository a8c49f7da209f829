/* prism-cuda-fft: the table of roots that transforms on the device read. */
#pragma once

#include "prism-cuda-types.h"

PRISM_CUDA_BEGIN_DECLS

#define PRISM_CUDA_FFT_MIN 64
#define PRISM_CUDA_FFT_MAX 4096

/* table [n] on the host: e^{-2πik/n}, rounded once. n: a power of two, at least 8. */
void prism_cuda_fft_fill_table (PrismCudaComplex *table,
                                int               n);

PRISM_CUDA_END_DECLS
