#include "config.h"

#include "prism-cuda-backend-private.h"

#include <math.h>

/* ePIE on what is bound to the slots. Its two sums stay on the device until they are asked for.
 *
 * Dimensions of this file: m = object_size. */

static gboolean
check (PrismCudaBackend *self,
       cudaError_t status,
       const char *doing)
{
  return prism_cuda_context_check (&self->context, status, doing);
}

/**
 * prism_cuda_epie_start:
 * @backend: the device
 * @image: (array) (nullable): where to start; NULL for a blank one of 0.5
 *
 * As PrismBackendOps.epie_start.
 *
 * Shape: @image [m][m].
 * Thread: engine.
 */
void
prism_cuda_epie_start (PrismBackend *backend,
                       const float *image)
{
  PrismCudaBackend *self = (PrismCudaBackend *) backend;
  cudaStream_t stream = self->context.streams.main;
  cudaError_t status;

  if (!prism_cuda_context_enter (&self->context)
      || (image != NULL && !prism_cuda_backend_upload_image (self, self->image, image)))
    return;
  status = cudaMemsetAsync (self->epie_sums, 0, 2 * sizeof *self->epie_sums, stream);
  if (status == cudaSuccess)
    status = prism_cuda_detector_epie_start (self->detector, image != NULL ? self->image : NULL,
                                             stream);
  check (self, status, "ePIE was being started");
}

/**
 * prism_cuda_epie_update:
 * @backend: the device
 * @slot: a bound slot
 * @step_size: ePIE's step
 *
 * As PrismBackendOps.epie_update; nothing is waited for.
 *
 * Thread: engine.
 */
void
prism_cuda_epie_update (PrismBackend *backend,
                        guint slot,
                        double step_size)
{
  PrismCudaBackend *self = (PrismCudaBackend *) backend;
  const PrismCudaBinding *binding = &self->bound[slot];

  g_return_if_fail (slot < backend->spec.n_slots);

  if (prism_cuda_context_enter (&self->context))
    check (self,
           prism_cuda_detector_epie_update (
               self->detector, prism_cuda_telescope_get_slots (self->telescope) + slot,
               binding->height, binding->width, step_size, self->epie_sums,
               self->context.streams.main),
           "ePIE was running");
}

/**
 * prism_cuda_epie_project:
 * @backend: the device
 *
 * As PrismBackendOps.epie_project.
 *
 * Thread: engine.
 */
void
prism_cuda_epie_project (PrismBackend *backend)
{
  PrismCudaBackend *self = (PrismCudaBackend *) backend;

  if (prism_cuda_context_enter (&self->context))
    check (self,
           prism_cuda_detector_epie_project (self->detector, self->epie_image,
                                             self->context.streams.main),
           "ePIE was running");
}

/* sums (device [2]) come to the host. */
static void
download_sums (PrismCudaBackend *self,
               const double *sums,
               double *residual,
               double *power)
{
  double values[2];

  *residual = *power = NAN;
  if (!prism_cuda_transfer_download (self->transfer, PRISM_TRANSFER_MEASUREMENT, values, sums,
                                     sizeof values))
    return;
  *residual = values[0];
  *power = values[1];
}

/**
 * prism_cuda_epie_collect:
 * @backend: the device
 * @residual: (out): Σ(|φ|-A)²
 * @power: (out): ΣA²
 *
 * As PrismBackendOps.epie_collect; both are NAN when the device failed.
 *
 * Thread: engine.
 */
void
prism_cuda_epie_collect (PrismBackend *backend,
                         double *residual,
                         double *power)
{
  PrismCudaBackend *self = (PrismCudaBackend *) backend;

  *residual = *power = NAN;
  if (!prism_cuda_context_enter (&self->context))
    return;
  download_sums (self, self->epie_sums, residual, power);
  check (self,
         cudaMemsetAsync (self->epie_sums, 0, 2 * sizeof *self->epie_sums,
                          self->context.streams.main),
         "ePIE was running");
}

static cudaError_t
queue_misfit (PrismCudaBackend *self,
              const guint *slots,
              guint n_slots)
{
  cudaStream_t stream = self->context.streams.main;
  cudaError_t status = cudaMemsetAsync (self->sums, 0, 2 * sizeof *self->sums, stream);

  if (status == cudaSuccess)
    status = prism_cuda_detector_misfit_start (self->detector, self->image, stream);
  for (guint i = 0; i < n_slots && status == cudaSuccess; i++)
    {
      const PrismCudaBinding *binding = &self->bound[slots[i]];

      status = prism_cuda_detector_misfit_add (
          self->detector, prism_cuda_telescope_get_slots (self->telescope) + slots[i],
          binding->height, binding->width, self->sums, stream);
    }
  return status;
}

/**
 * prism_cuda_epie_compute_misfit:
 * @backend: the device
 * @image: (array): what to look at
 * @slots: (array length=n_slots): bound slots
 * @n_slots: how many
 * @residual: (out): Σ(|φ|-A)²
 * @power: (out): ΣA²
 *
 * As PrismBackendOps.compute_misfit; both are NAN when the device failed.
 *
 * Shape: @image [m][m].
 * Thread: engine.
 */
void
prism_cuda_epie_compute_misfit (PrismBackend *backend,
                                const float *image,
                                const guint *slots,
                                guint n_slots,
                                double *residual,
                                double *power)
{
  PrismCudaBackend *self = (PrismCudaBackend *) backend;

  *residual = *power = NAN;
  if (prism_cuda_context_enter (&self->context)
      && prism_cuda_backend_upload_image (self, self->image, image)
      && check (self, queue_misfit (self, slots, n_slots), "the misfit was being computed"))
    download_sums (self, self->sums, residual, power);
}
