#include "config.h"

#include "prism-cuda-backend-private.h"

#include <math.h>

/* Passes of descent. The image, its momentum and its dual field stay on the device: a part of a
 * pass is one upload of its terms, kernels, one small download and one wait.
 *
 * Dimensions of this file: m = object_size. */

#define N_PLANES 4

static gboolean
check (PrismCudaBackend *self,
       cudaError_t status)
{
  return prism_cuda_context_check (&self->context, status, "a result was being refined");
}

static void
list_planes (const PrismIterate *iterate,
             float *planes[N_PLANES])
{
  planes[0] = iterate->image;
  planes[1] = iterate->point;
  planes[2] = iterate->across;
  planes[3] = iterate->down;
}

static float *
get_copy (PrismCudaBackend *self,
          const PrismIterate *iterate,
          guint plane)
{
  gsize m = self->parent.spec.object_size;

  return self->iterates[iterate->place] + plane * m * m;
}

/**
 * prism_cuda_descent_put:
 * @backend: the device
 * @iterate: what passes go on from
 *
 * As PrismBackendOps.put_iterate.
 *
 * Shape: @iterate's arrays [m][m].
 * Thread: engine.
 */
void
prism_cuda_descent_put (PrismBackend *backend,
                        const PrismIterate *iterate)
{
  PrismCudaBackend *self = (PrismCudaBackend *) backend;
  float *planes[N_PLANES];

  if (!prism_cuda_context_enter (&self->context))
    return;
  list_planes (iterate, planes);
  for (guint i = 0; i < N_PLANES; i++)
    prism_cuda_transfer_upload (self->transfer, PRISM_TRANSFER_STATE,
                                get_copy (self, iterate, i), planes[i],
                                prism_cuda_backend_get_image_bytes (self));
}

/**
 * prism_cuda_descent_get:
 * @backend: the device
 * @iterate: what is wanted
 *
 * As PrismBackendOps.get_iterate.
 *
 * Shape: @iterate's arrays [m][m], or NULL.
 * Thread: engine.
 *
 * Returns: whether all have arrived
 */
gboolean
prism_cuda_descent_get (PrismBackend *backend,
                        const PrismIterate *iterate)
{
  PrismCudaBackend *self = (PrismCudaBackend *) backend;
  float *planes[N_PLANES];

  if (!prism_cuda_context_enter (&self->context))
    return FALSE;
  list_planes (iterate, planes);
  for (guint i = 0; i < N_PLANES; i++)
    if (planes[i] != NULL
        && !prism_cuda_transfer_download (self->transfer, PRISM_TRANSFER_STATE, planes[i],
                                          get_copy (self, iterate, i),
                                          prism_cuda_backend_get_image_bytes (self)))
      return FALSE;
  return TRUE;
}

static PrismCudaIterate
get_arrays (PrismCudaBackend *self,
            const PrismIterate *iterate)
{
  return (PrismCudaIterate) {
    .size = self->parent.spec.object_size,
    .image = get_copy (self, iterate, 0),
    .point = get_copy (self, iterate, 1),
    .across = get_copy (self, iterate, 2),
    .down = get_copy (self, iterate, 3),
    .slope = self->slope,
    .other = self->other_dual,
    .sums = self->pass_sums,
    .pass = &self->control->pass,
  };
}

static cudaError_t
begin_pass (PrismCudaBackend *self,
            const PrismCudaIterate *arrays,
            const PrismPassPart *part)
{
  gsize n_bytes = prism_cuda_backend_get_image_bytes (self);
  cudaStream_t stream = self->context.streams.main;
  cudaError_t status = cudaMemsetAsync (arrays->pass, 0, sizeof *arrays->pass, stream);

  if (status == cudaSuccess && part->n_terms == 0)
    status = cudaMemsetAsync (arrays->slope, 0, n_bytes, stream);
  if (status == cudaSuccess && part->restarts)
    status = cudaMemcpyAsync (arrays->point, arrays->image, n_bytes, cudaMemcpyDeviceToDevice,
                              stream);
  return status;
}

/* The first slope of a pass needs nothing to be added to. */
static cudaError_t
take_slope (PrismCudaBackend *self,
            const PrismCudaIterate *arrays,
            gboolean begins)
{
  float *part = begins ? arrays->slope : prism_cuda_decoder_get_output_gradient (self->decoder);
  cudaStream_t stream = self->context.streams.main;
  cudaError_t status = prism_cuda_telescope_restore_image (self->telescope, part, stream);

  return status == cudaSuccess && !begins ? prism_cuda_iterate_add (arrays, part, stream) : status;
}

static gboolean
visit (PrismCudaBackend *self,
       const PrismCudaIterate *arrays,
       const PrismPassPart *part)
{
  return part->n_terms == 0
         || (prism_cuda_misfit_queue (self, arrays->point, part->terms, part->n_terms,
                                      &arrays->pass->misfit)
             && check (self, take_slope (self, arrays, part->begins)));
}

static cudaError_t
end_pass (PrismCudaBackend *self,
          const PrismCudaIterate *arrays,
          const PrismPassPart *part)
{
  const PrismCudaPassEnd end = {
    .most_misfit = part->most_misfit,
    .variation = part->variation,
    .least_mean = part->least_mean,
    .step_size = part->step_size,
    .inertia = part->inertia,
  };

  return prism_cuda_iterate_finish (arrays, &end, self->context.streams.main);
}

static gboolean
fetch_result (PrismCudaBackend *self,
              const PrismPassPart *part,
              PrismPassResult *result)
{
  const PrismCudaPass *pass = &self->mirror->pass;
  cudaError_t status = prism_cuda_transfer_fetch (&self->context, PRISM_TRANSFER_MEASUREMENT,
                                                  &self->mirror->pass, &self->control->pass,
                                                  sizeof *pass, self->context.streams.main);

  if (!check (self, status)
      || !prism_cuda_context_wait (&self->context, part->n_terms * self->step_seconds,
                                   "a result was being refined"))
    return FALSE;
  result->misfit = pass->misfit;
  result->finite = part->ends ? pass->finite : isfinite (pass->misfit);
  result->moved = pass->moved;
  result->uphill = pass->uphill;
  return TRUE;
}

/**
 * prism_cuda_descent_run:
 * @backend: the device
 * @iterate: its place alone matters
 * @part: of a pass
 * @result: (out): what came out; NAN and not finite when the device failed
 *
 * As PrismBackendOps.descend.
 *
 * Thread: engine.
 * Source: numerics.md, “Refinement”.
 */
void
prism_cuda_descent_run (PrismBackend *backend,
                        const PrismIterate *iterate,
                        const PrismPassPart *part,
                        PrismPassResult *result)
{
  PrismCudaBackend *self = (PrismCudaBackend *) backend;
  const PrismCudaIterate arrays = get_arrays (self, iterate);

  *result = (PrismPassResult) { .misfit = NAN };
  if (!prism_cuda_context_enter (&self->context)
      || (part->begins && !check (self, begin_pass (self, &arrays, part)))
      || !visit (self, &arrays, part)
      || (part->ends && !check (self, end_pass (self, &arrays, part))))
    return;
  fetch_result (self, part, result);
}
