/* prism-cuda-passes: the way from an image to the detectors and back, by the own kernels of
 * prism-cuda-optics or, for reference, by whole transforms of cuFFT; and the memory either takes.
 *
 * n = image_size, m = object_size. Thread: engine. Between prepare and free everything may be
 * called while the stream is being captured. */
#pragma once

#include "backend/prism-backend.h"
#include "prism-cuda-arena.h"
#include "prism-cuda-optics.h"

G_BEGIN_DECLS

typedef struct _PrismCudaPasses PrismCudaPasses;

PrismCudaPasses *prism_cuda_passes_new             (const PrismBackendSpec    *spec,
                                                    PrismCudaArena            *arena,
                                                    PrismCudaControl         **control);
void             prism_cuda_passes_free            (PrismCudaPasses           *self);
cudaError_t      prism_cuda_passes_prepare         (PrismCudaPasses           *self,
                                                    cudaStream_t               stream);
guint            prism_cuda_passes_get_max_views   (PrismCudaPasses           *self,
                                                    int                        max_width);
float           *prism_cuda_passes_get_scratch     (PrismCudaPasses           *self);

cudaError_t      prism_cuda_passes_transform_image (PrismCudaPasses           *self,
                                                    const float               *image,
                                                    const PrismCudaTerms      *terms,
                                                    cudaStream_t               stream);
cudaError_t      prism_cuda_passes_expand_views    (PrismCudaPasses           *self,
                                                    const PrismCudaOpticsView *views,
                                                    guint                      n_views,
                                                    int                        max_width,
                                                    cudaStream_t               stream);
cudaError_t      prism_cuda_passes_visit_views     (PrismCudaPasses           *self,
                                                    PrismCudaOpticsPixel       pixel,
                                                    const PrismCudaOpticsView *views,
                                                    guint                      n_views,
                                                    int                        max_width,
                                                    float                     *pixels,
                                                    double                    *sums,
                                                    cudaStream_t               stream);
cudaError_t      prism_cuda_passes_reduce_views    (PrismCudaPasses           *self,
                                                    const PrismCudaOpticsView *views,
                                                    guint                      n_views,
                                                    int                        max_width,
                                                    const PrismCudaTerms      *terms,
                                                    gboolean                   accumulate,
                                                    cudaStream_t               stream);
cudaError_t      prism_cuda_passes_restore_image   (PrismCudaPasses           *self,
                                                    float                     *image,
                                                    cudaStream_t               stream);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismCudaPasses, prism_cuda_passes_free)

G_END_DECLS
