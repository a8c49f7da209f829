/* prism-cuda-device: which GPU, whether it can be used, and its name. Thread: any. */
#pragma once

#include "backend/prism-backend.h"

#include <glib.h>

G_BEGIN_DECLS

/* Why no GPU can be used here, in one sentence, or NULL. (transfer full) (nullable) */
char    *prism_cuda_device_dup_reason (void);
/* Makes the best GPU this thread's; its number into device. */
gboolean prism_cuda_device_choose     (int     *device,
                                       GError **error);
/* 10 · major + minor */
int      prism_cuda_device_get_capability (int device);
/* "NVIDIA H200, CUDA 13.0, driver 580.65.06". (transfer full) */
char    *prism_cuda_device_dup_name   (int device);

/* Which mixed precision a device can do, and whether it pays. Thread: any. */

/* What a device computes with where wanted is asked for: bf16 and tf32 need compute capability 8.0,
 * below it fp16 takes their place. */
PrismPrecision prism_cuda_precision_choose     (PrismPrecision wanted,
                                                int            device);
/* (transfer full) (nullable): what to know about the spec's precision, one sentence. */
char          *prism_cuda_precision_dup_advice (const PrismBackendSpec *spec);

G_END_DECLS
