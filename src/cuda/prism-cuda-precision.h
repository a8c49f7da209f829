/* prism-cuda-precision: which mixed precision a device can do, and whether it pays. Thread: any. */
#pragma once

#include "backend/prism-backend.h"

G_BEGIN_DECLS

/* What a device computes with where wanted is asked for: bf16 and tf32 need compute capability 8.0,
 * below it fp16 takes their place. */
PrismPrecision prism_cuda_precision_choose     (PrismPrecision wanted,
                                                int            device);
/* (transfer full) (nullable): what to know about the spec's precision, one sentence. */
char          *prism_cuda_precision_dup_advice (const PrismBackendSpec *spec);

G_END_DECLS
