#include "config.h"

#include "prism-cuda-backend.h"

/* Passes of descent. The image, its momentum and its dual field stay on the device: a part of a
 * pass is one upload of its terms and of how it ends, the launch of a graph, one small download and
 * one wait.
 *
 * Dimensions of this file: m = object_size. */

static gboolean
check (PrismCudaBackend *self,
       cudaError_t status)
{
  return prism_cuda_backend_check (self, status, "a result was being refined");
}

static void
list_planes (const PrismIterate *iterate,
             float *planes[PRISM_CUDA_N_PLANES])
{
  planes[0] = iterate->image;
  planes[1] = iterate->point;
  planes[2] = iterate->across;
  planes[3] = iterate->down;
}

/* The device's of one place. */
static void
list_copies (PrismCudaBackend *self,
             guint place,
             float *copies[PRISM_CUDA_N_PLANES])
{
  const gsize m = self->parent.spec.object_size;

  for (guint i = 0; i < PRISM_CUDA_N_PLANES; i++)
    copies[i] = self->iterates[place] + i * m * m;
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
  float *planes[PRISM_CUDA_N_PLANES], *copies[PRISM_CUDA_N_PLANES];

  if (!prism_cuda_backend_enter (self))
    return;
  list_planes (iterate, planes);
  list_copies (self, iterate->place, copies);
  for (guint i = 0; i < PRISM_CUDA_N_PLANES; i++)
    prism_cuda_transfer_upload (self->transfer, PRISM_TRANSFER_STATE, copies[i], planes[i],
                                prism_cuda_backend_get_image_bytes (self));
}

/**
 * prism_cuda_descent_get:
 * @backend: the device
 * @iterate: what is wanted
 *
 * As PrismBackendOps.get_iterate.
 *
 * Shape: @iterate's arrays [m][m].
 * Thread: engine.
 *
 * Returns: whether all have arrived
 */
gboolean
prism_cuda_descent_get (PrismBackend *backend,
                        const PrismIterate *iterate)
{
  PrismCudaBackend *self = (PrismCudaBackend *) backend;
  float *planes[PRISM_CUDA_N_PLANES], *copies[PRISM_CUDA_N_PLANES];

  if (!prism_cuda_backend_enter (self))
    return FALSE;
  list_planes (iterate, planes);
  list_copies (self, iterate->place, copies);
  for (guint i = 0; i < PRISM_CUDA_N_PLANES; i++)
    if (!prism_cuda_transfer_download (self->transfer, PRISM_TRANSFER_STATE, planes[i], copies[i],
                                       prism_cuda_backend_get_image_bytes (self)))
      return FALSE;
  return TRUE;
}

/* All that the kernels of a part of a pass depend on, in members of four bytes, so that no gap is
 * compared. */
typedef struct
{
  guint place;
  gboolean begins;
  gboolean blank; /* there is nothing to be compared with */
  gboolean ends;
  gboolean with_mean;
  gboolean with_variation;
  PrismCudaBatch batch;
} Key;

/* What the kernels that end a pass work on. */
static PrismCudaIterate
get_arrays (PrismCudaBackend *self,
            guint place)
{
  float *copies[PRISM_CUDA_N_PLANES];

  list_copies (self, place, copies);
  return (PrismCudaIterate) {
    .size = self->parent.spec.object_size,
    .image = copies[0],
    .point = copies[1],
    .across = copies[2],
    .down = copies[3],
    .slope = self->slope,
    .other = self->other_dual,
    .sums = self->pass_sums,
    .pass = &self->control->pass,
    .end = &self->control->pass_end,
  };
}

static cudaError_t
begin_pass (PrismCudaBackend *self,
            const PrismCudaIterate *arrays,
            const Key *key)
{
  PRISM_CUDA_TRY (cudaMemsetAsync (arrays->pass, 0, sizeof *arrays->pass, self->stream));
  if (key->blank)
    PRISM_CUDA_TRY (cudaMemsetAsync (
        arrays->slope, 0, prism_cuda_backend_get_image_bytes (self), self->stream));
  return cudaSuccess;
}

/* The first slope of a pass needs nothing to be added to. */
static cudaError_t
take_slope (PrismCudaBackend *self,
            const PrismCudaIterate *arrays,
            gboolean begins)
{
  float *part = begins ? arrays->slope : self->decoder->output_gradient;

  PRISM_CUDA_TRY (prism_cuda_telescope_restore_image (self->telescope, part, self->stream));
  return begins ? cudaSuccess : prism_cuda_iterate_add (arrays, part, self->stream);
}

/* Queues a part of a pass; also while the main stream is being captured. */
static cudaError_t
queue_key (gconstpointer data,
           gpointer backend)
{
  const Key *key = data;
  PrismCudaBackend *self = backend;
  const PrismCudaIterate arrays = get_arrays (self, key->place);

  if (key->begins)
    PRISM_CUDA_TRY (begin_pass (self, &arrays, key));
  if (key->batch.n_steps > 0)
    {
      PRISM_CUDA_TRY (prism_cuda_misfit_queue_batch (self, &key->batch, arrays.point, FALSE,
                                                     &arrays.pass->misfit));
      PRISM_CUDA_TRY (take_slope (self, &arrays, key->begins));
    }
  return !key->ends ? cudaSuccess
                    : prism_cuda_iterate_finish (&arrays, key->with_mean, key->with_variation,
                                                 self->stream);
}

/* A picture that looks at every measurement in turn does few passes over as many of them; the
 * refinement's go over all. */
const PrismCudaGraphKind prism_cuda_descent_graphs = {
  .key_bytes = sizeof (Key),
  .n_uncaptured = 2,
  .queue = queue_key,
};

static Key
get_key (const PrismIterate *iterate,
         const PrismPassPart *part)
{
  return (Key) {
    .place = iterate->place,
    .begins = part->begins,
    .blank = part->n_terms == 0,
    .ends = part->ends,
    .with_mean = part->ends && part->least_mean > 0.0,
    .with_variation = part->ends && part->variation > 0.0,
  };
}

static void
fill_end (PrismCudaBackend *self,
          const PrismPassPart *part)
{
  self->mirror->pass_end = (PrismCudaPassEnd) {
    .most_misfit = part->most_misfit,
    .variation = part->variation,
    .least_mean = part->least_mean,
    .step_size = part->step_size,
    .inertia = part->inertia,
  };
}

static cudaError_t
send_part (PrismCudaBackend *self,
           guint n_steps)
{
  const gsize n_bytes = offsetof (PrismCudaControl, steps) - offsetof (PrismCudaControl, pass_end)
                        + n_steps * sizeof (PrismCudaStep);

  return prism_cuda_transfer_send (&self->context, PRISM_TRANSFER_MEASUREMENT,
                                   &self->control->pass_end, &self->mirror->pass_end, n_bytes);
}

/* Where one slot is wanted with two kinds of noise, not all terms go together. */
static gboolean
queue_apart (PrismCudaBackend *self,
             const Key *key,
             const PrismPassPart *part)
{
  const PrismCudaIterate arrays = get_arrays (self, key->place);
  Key begin = *key, end = *key;

  begin.ends = end.begins = FALSE;
  begin.batch.n_steps = end.batch.n_steps = 0;
  return check (self, send_part (self, 0)) && check (self, queue_key (&begin, self))
         && prism_cuda_misfit_queue (self, arrays.point, part->terms, part->n_terms,
                                     &arrays.pass->misfit)
         && check (self, take_slope (self, &arrays, key->begins))
         && check (self, queue_key (&end, self));
}

static gboolean
queue_part (PrismCudaBackend *self,
            const PrismIterate *iterate,
            const PrismPassPart *part)
{
  Key key = get_key (iterate, part);
  guint n_together = 0;

  fill_end (self, part);
  if (part->n_terms > 0)
    {
      n_together = prism_cuda_misfit_fill (self, part->terms, part->n_terms, &key.batch);
      if (n_together == 0)
        return FALSE;
    }
  if (n_together < part->n_terms)
    return queue_apart (self, &key, part);
  return check (self, send_part (self, key.batch.n_steps))
         && check (self, prism_cuda_graph_launch (self->pass_graph, &key));
}

static gboolean
fetch_result (PrismCudaBackend *self,
              const PrismPassPart *part,
              PrismPassResult *result)
{
  const PrismCudaPass *pass = &self->mirror->pass;
  cudaError_t status = prism_cuda_transfer_fetch (&self->context, PRISM_TRANSFER_MEASUREMENT,
                                                  &self->mirror->pass, &self->control->pass,
                                                  sizeof *pass, self->stream);

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

  *result = (PrismPassResult) { .misfit = NAN };
  if (prism_cuda_backend_enter (self) && queue_part (self, iterate, part))
    fetch_result (self, part, result);
}
