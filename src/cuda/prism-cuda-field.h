/* prism-cuda-field: what the reference transform needs beside transforms: simple kernels on whole
 * fields [n][n], one thread a point. They share nothing with the passes that they are to check.
 *
 * n = image_size, m = object_size; fields have the origin at [0][0] in space and frequency. */
#pragma once

#include "prism-cuda-optics.h"

PRISM_CUDA_BEGIN_DECLS

/* terms->views for the step under way. */
cudaError_t prism_cuda_field_look_up    (const PrismCudaOptics     *optics,
                                         const PrismCudaTerms      *terms,
                                         cudaStream_t               stream);
/* The losses of the step into control, from terms->sums. */
cudaError_t prism_cuda_field_sum_losses (const PrismCudaOptics     *optics,
                                         const PrismCudaTerms      *terms,
                                         cudaStream_t               stream);
/* image [m][m] around the origin of an empty field. */
cudaError_t prism_cuda_field_embed      (const PrismCudaOptics     *optics,
                                         const float               *image,
                                         PrismCudaComplex          *field,
                                         cudaStream_t               stream);
/* The real part where the image is. */
cudaError_t prism_cuda_field_crop       (const PrismCudaOptics     *optics,
                                         const PrismCudaComplex    *field,
                                         float                     *image,
                                         cudaStream_t               stream);
/* field ← spectrum through the mask, /n². */
cudaError_t prism_cuda_field_mask       (const PrismCudaOptics     *optics,
                                         const PrismCudaOpticsView *view,
                                         const PrismCudaComplex    *spectrum,
                                         PrismCudaComplex          *field,
                                         cudaStream_t               stream);
/* As prism_cuda_optics_visit_rows() between its transforms, for one view. */
cudaError_t prism_cuda_field_visit      (const PrismCudaOptics     *optics,
                                         PrismCudaOpticsPixel       pixel,
                                         const PrismCudaOpticsView *view,
                                         float                     *pixels,
                                         PrismCudaComplex          *field,
                                         double                    *sums,
                                         cudaStream_t               stream);
/* spectrum ← field through the mask, times gain/n²; added if accumulate. */
cudaError_t prism_cuda_field_add        (const PrismCudaOptics     *optics,
                                         const PrismCudaOpticsView *view,
                                         const PrismCudaComplex    *field,
                                         int                        accumulate,
                                         PrismCudaComplex          *spectrum,
                                         cudaStream_t               stream);

PRISM_CUDA_END_DECLS
