/* prism-cuda-telescope: what the camera sees, the loss against it and its gradient, on the device,
 * with transforms pruned to the object's rows and the aperture's box.
 *
 * Dimensions: n = image_size, m = object_size. Thread: engine. Enqueue functions may be called
 * while the stream is being captured. */
#pragma once

#include "backend/prism-backend.h"
#include "prism-cuda-arena.h"
#include "prism-cuda-types.h"

G_BEGIN_DECLS

typedef struct _PrismCudaTelescope PrismCudaTelescope;

/* What the shape of a captured step depends on. Terms, slots and weights are read on the device;
 * blocks beyond the actual counts return at once. */
typedef struct
{
  gboolean fit_start;
  gboolean misfit;                      /* of a refinement, whatever the loss */
  gboolean expects;                     /* of a misfit: a term has read noise */
  PrismLossKind loss;
  float weights[PRISM_STEP_N_WEIGHTS];  /* of a composite loss, else 0 */
  PrismDomain domain;
  gboolean normalise;
  guint n_terms;                        /* at most, ≤ PRISM_CUDA_MAX_TERMS */
  int max_height;                       /* px, of the boxes of the slots in use */
  int max_width;
} PrismCudaShape;

PrismCudaTelescope *prism_cuda_telescope_new  (const PrismBackendSpec *spec,
                                               PrismCudaArena         *arena,
                                               PrismCudaControl      **control);
/* Twiddle factors and other constants; after the arena is allocated. */
cudaError_t         prism_cuda_telescope_prepare (PrismCudaTelescope *self,
                                                  cudaStream_t        stream);
void                prism_cuda_telescope_free (PrismCudaTelescope *self);

/* Device array [n_slots]; prism-cuda-detector fills it. */
PrismCudaSlot      *prism_cuda_telescope_get_slots (PrismCudaTelescope *self);
/* Device [m][m]. */
float              *prism_cuda_telescope_get_start_image (PrismCudaTelescope *self);

/* Losses of control->steps[cursor] into control->loss_new and loss_old, and dLoss/dImage [m][m]
 * into gradient, for image [m][m]. Kernels, in order: object rows, columns out and back through
 * each term's aperture, detector rows with loss and adjoint, columns, rows. */
cudaError_t         prism_cuda_telescope_compute_gradient (PrismCudaTelescope   *self,
                                                           const PrismCudaShape *shape,
                                                           const float          *image,
                                                           float                *gradient,
                                                           cudaStream_t          stream);

/* As the CPU's: of control->steps[cursor], whose terms have a noise. Losses as above; the slope
 * stays with the image's columns, added to what is there if accumulate, until restore_image. */
cudaError_t         prism_cuda_telescope_add_misfit     (PrismCudaTelescope   *self,
                                                         const PrismCudaShape *shape,
                                                         const float          *image,
                                                         gboolean              accumulate,
                                                         cudaStream_t          stream);
cudaError_t         prism_cuda_telescope_restore_image  (PrismCudaTelescope   *self,
                                                         float                *gradient,
                                                         cudaStream_t          stream);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismCudaTelescope, prism_cuda_telescope_free)

G_END_DECLS
