/* prism-cuda-telescope: what the camera sees, on the device, with transforms pruned to the
 * object's rows and the aperture's box: the loss against it and its gradient; measurements,
 * taken and exposed, ePIE on them, and the misfit of an image.
 *
 * Dimensions: n = image_size, m = object_size. Targets: amplitude [n][n], origin at [0][0]
 * (natural order rolled by n/2 in both directions). Thread: engine. Enqueue functions may be
 * called while the stream is being captured. */
#pragma once

#include "backend/prism-backend.h"
#include "prism-cuda-memory.h"
#include "prism-cuda-optics.h"

G_BEGIN_DECLS

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

typedef struct
{
  int image_size;  /* n */
  int object_size; /* m */
  PrismCudaControl **control;
  PrismCudaComplex *table; /* [n], host: stays while it is on its way to the device */

  /* In the arena. */
  PrismCudaComplex *roots;    /* [n] */
  PrismCudaComplex *half;     /* [n/2+1][m] on the way out */
  PrismCudaComplex *columns;  /* [n/2+1][m] and back */
  PrismCudaComplex *planes;   /* [N_FIELDS][n][n] */
  PrismCudaSlot *slots;       /* [n_slots] */
  float *start_image;         /* [m][m] */
  PrismCudaOpticsView *views; /* [PRISM_CUDA_MAX_TERMS] */
  double *sums;               /* [PRISM_CUDA_MAX_TERMS][n_sums] */
  double *start_sums;         /* [PRISM_CUDA_START_MAX_BLOCKS][2] */

  /* Of SSIM losses, which take a view at a time, and the plane that it leaves free. */
  float *amplitude;  /* [n][n] */
  float *maps;       /* [4][n][n] */
  double *tile_sums; /* [2·(n/TILE)²] */
  double *factors;   /* [PRISM_CUDA_SIMILARITY_MAX_SCALES] */

  /* What is measured with, through single apertures; spectra lie by columns, see
   * prism-cuda-spectrum. Planes serve this, too. */
  float *object;                     /* [m][m] */
  PrismCudaComplex *object_spectrum; /* [n/2+1][n] */
  PrismCudaComplex *image_spectrum;  /* [n/2+1][n] of what was last measured or misfitted */
  PrismCudaComplex *epie_spectrum;   /* [n][n] */
  double *view_partials;             /* [2][n] */
  double *target_partials;           /* of a noise or a sum */
  double *metrics_partials;          /* apart: metrics run beside the training */
} PrismCudaTelescope;

PrismCudaTelescope *prism_cuda_telescope_new  (const PrismBackendSpec *spec,
                                               PrismCudaArena         *arena,
                                               PrismCudaControl      **control);
/* Twiddle factors and other constants; after the arena is allocated. */
cudaError_t         prism_cuda_telescope_prepare (PrismCudaTelescope *self,
                                                  cudaStream_t        stream);
void                prism_cuda_telescope_free (PrismCudaTelescope *self);

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

/* The object's spectrum, and itself for the metrics. amplitude [m][m]. */
cudaError_t         prism_cuda_telescope_set_object     (PrismCudaTelescope   *self,
                                                         const float          *amplitude,
                                                         cudaStream_t          stream);
/* spectrum ← of image [m][m], NULL: blank 0.5; full: with all columns. */
cudaError_t         prism_cuda_telescope_transform      (PrismCudaTelescope   *self,
                                                         PrismCudaComplex     *spectrum,
                                                         const float          *image,
                                                         gboolean              full,
                                                         cudaStream_t          stream);
/* target ← what is seen of image [m][m], or of the object (NULL), through the mask: box as in
 * PrismCudaSlot, bits on the device, other fields unused. */
cudaError_t         prism_cuda_telescope_measure        (PrismCudaTelescope   *self,
                                                         const PrismCudaSlot  *mask,
                                                         const float          *image,
                                                         float                *target,
                                                         cudaStream_t          stream);
/* Same numbers as prism_noise on the CPU up to rounding. */
cudaError_t         prism_cuda_telescope_expose         (PrismCudaTelescope   *self,
                                                         const float          *clean,
                                                         const PrismExposure  *exposure,
                                                         float                *target,
                                                         cudaStream_t          stream);
/* slot: device pointer. Residual and power are added to sums [2] (device). height, width: at least
 * the box. Of ePIE's estimate, and of image_spectrum. */
cudaError_t         prism_cuda_telescope_epie_update    (PrismCudaTelescope   *self,
                                                         const PrismCudaSlot  *slot,
                                                         int                   height,
                                                         int                   width,
                                                         double                step_size,
                                                         double               *sums,
                                                         cudaStream_t          stream);
cudaError_t         prism_cuda_telescope_misfit_add     (PrismCudaTelescope   *self,
                                                         const PrismCudaSlot  *slot,
                                                         int                   height,
                                                         int                   width,
                                                         double               *sums,
                                                         cudaStream_t          stream);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismCudaTelescope, prism_cuda_telescope_free)

G_END_DECLS
