/* prism-cuda-timing: how long the parts of a step took on the device. Thread: engine. */
#pragma once

#include "prism-cuda-context.h"

G_BEGIN_DECLS

typedef enum
{
  PRISM_CUDA_PART_FORWARD,
  PRISM_CUDA_PART_TELESCOPE,
  PRISM_CUDA_PART_UPDATE,
  PRISM_CUDA_N_PARTS,
} PrismCudaPart;

typedef struct _PrismCudaTiming PrismCudaTiming;

PrismCudaTiming *prism_cuda_timing_new     (PrismCudaContext *context,
                                            gboolean          by_part);
void             prism_cuda_timing_free    (PrismCudaTiming  *self);
/* Kernels of a part are queued from here on; PRISM_CUDA_N_PARTS ends the step. Does nothing unless
 * by_part. */
cudaError_t      prism_cuda_timing_mark    (PrismCudaTiming  *self,
                                            guint             part);
/* Around the steps of a chunk; collect after the device is through with it. */
cudaError_t      prism_cuda_timing_begin   (PrismCudaTiming  *self);
cudaError_t      prism_cuda_timing_end     (PrismCudaTiming  *self);
void             prism_cuda_timing_collect (PrismCudaTiming  *self,
                                            guint             n_steps);
/* As PrismBackendOps.get_part_time. */
double           prism_cuda_timing_take    (PrismCudaTiming  *self,
                                            guint             part,
                                            const char      **name);

G_END_DECLS
