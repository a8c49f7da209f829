/* prism-cuda-detector: measurements on the device: taking, exposing (noise), loading, reading and
 * binding them; ePIE on them; the misfit; the metrics of an image.
 *
 * Dimensions: n = image_size, m = object_size. Targets: amplitude [n][n], origin at [0][0]
 * (natural order rolled by n/2 in both directions). Thread: engine. Device arrays unless said. */
#pragma once

#include "backend/prism-backend.h"
#include "prism-cuda-arena.h"
#include "prism-cuda-types.h"

G_BEGIN_DECLS

typedef struct _PrismCudaDetector PrismCudaDetector;

PrismCudaDetector *prism_cuda_detector_new     (const PrismBackendSpec *spec,
                                                PrismCudaArena         *arena,
                                                PrismCudaControl      **control);
cudaError_t        prism_cuda_detector_prepare (PrismCudaDetector *self,
                                                cudaStream_t       stream);
void               prism_cuda_detector_free    (PrismCudaDetector *self);

/* The object's spectrum and the constants of the metrics. amplitude [m][m]. */
cudaError_t        prism_cuda_detector_set_object   (PrismCudaDetector *self,
                                                     const float       *amplitude,
                                                     cudaStream_t       stream);
/* |E|, float [n][n], zero frequency at [n/2][n/2]. */
cudaError_t        prism_cuda_detector_get_spectrum (PrismCudaDetector *self,
                                                     float             *spectrum,
                                                     cudaStream_t       stream);
/* target ← what is seen of image [m][m], or of the object (NULL), through the mask: box as in
 * PrismCudaSlot, bits on the device, other fields unused. */
cudaError_t        prism_cuda_detector_measure  (PrismCudaDetector   *self,
                                                 const PrismCudaSlot *mask,
                                                 const float         *image,
                                                 float               *target,
                                                 cudaStream_t         stream);
/* Same numbers as prism_noise on the CPU up to rounding. */
cudaError_t        prism_cuda_detector_expose   (PrismCudaDetector   *self,
                                                 const float         *clean,
                                                 const PrismExposure *exposure,
                                                 float               *target,
                                                 cudaStream_t         stream);
/* Rolls by n/2 in both directions: natural order ↔ target order. */
cudaError_t        prism_cuda_detector_roll     (PrismCudaDetector *self,
                                                 const float       *from,
                                                 float             *to,
                                                 cudaStream_t       stream);
/* Σt, Σt², Σt⁴ into sums [3] (device). */
cudaError_t        prism_cuda_detector_sum      (PrismCudaDetector *self,
                                                 const float       *target,
                                                 double            *sums,
                                                 cudaStream_t       stream);

/* ePIE; image [m][m] device, NULL: blank 0.5. slot: device pointer. Residual and power are added
 * to sums [2] (device), which the caller clears. max_height, max_width: at least the box. */
cudaError_t        prism_cuda_detector_epie_start   (PrismCudaDetector *self,
                                                     const float       *image,
                                                     cudaStream_t       stream);
cudaError_t        prism_cuda_detector_epie_update  (PrismCudaDetector   *self,
                                                     const PrismCudaSlot *slot,
                                                     int                  height,
                                                     int                  width,
                                                     double               step_size,
                                                     double              *sums,
                                                     cudaStream_t         stream);
cudaError_t        prism_cuda_detector_epie_project (PrismCudaDetector *self,
                                                     float             *image,
                                                     cudaStream_t       stream);
/* Spectrum of image once, then the sums of one slot per call. */
cudaError_t        prism_cuda_detector_misfit_start (PrismCudaDetector *self,
                                                     const float       *image,
                                                     cudaStream_t       stream);
cudaError_t        prism_cuda_detector_misfit_add   (PrismCudaDetector   *self,
                                                     const PrismCudaSlot *slot,
                                                     int                  height,
                                                     int                  width,
                                                     double              *sums,
                                                     cudaStream_t         stream);

/* The sums of the metrics of image [m][m] against the object into control->sums, where
 * control->steps[cursor].with_metrics, or always when forced. Capturable. */
cudaError_t        prism_cuda_detector_compute_metrics (PrismCudaDetector *self,
                                                        const float       *image,
                                                        gboolean           forced,
                                                        cudaStream_t       stream);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismCudaDetector, prism_cuda_detector_free)

G_END_DECLS
