#include "config.h"

#include "num/prism-expect.h"
#include "prism-cuda-backend.h"

/* ePIE on what is bound to the slots. Its two sums stay on the device until they are asked for.
 *
 * Dimensions of this file: m = object_size. */

static cudaError_t
start (PrismCudaBackend *self,
       const float *image)
{
  const PrismCudaTelescope *telescope = self->telescope;
  const PrismCudaOptics optics = prism_cuda_telescope_get_optics (telescope);

  PRISM_CUDA_TRY (cudaMemsetAsync (self->epie_sums, 0, 2 * sizeof *self->epie_sums, self->stream));
  return prism_cuda_spectrum_transform (&optics, image, TRUE, telescope->half, telescope->spectrum,
                                        self->stream);
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
  const gsize n_pixels = prism_cuda_backend_get_image_bytes (self) / sizeof *image;
  g_autofree float *blank = image == NULL ? g_new (float, n_pixels) : NULL;

  for (gsize i = 0; blank != NULL && i < n_pixels; i++)
    blank[i] = 0.5f;
  if (prism_cuda_backend_enter (self)
      && prism_cuda_backend_upload_image (self, self->image, image != NULL ? image : blank))
    prism_cuda_backend_check (self, start (self, self->image), "ePIE was being started");
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
  const PrismCudaTelescope *telescope = self->telescope;
  const PrismCudaOptics optics = prism_cuda_telescope_get_optics (telescope);
  const PrismCudaBinding *binding = &self->bound[slot];

  g_return_if_fail (slot < backend->spec.n_slots);

  if (prism_cuda_backend_enter (self))
    prism_cuda_backend_check (self,
                              prism_cuda_spectrum_update (&optics, telescope->slots + slot,
                                                          binding->height > 0 ? binding->width : 0,
                                                          (float) step_size, telescope->views,
                                                          telescope->planes, telescope->sums,
                                                          self->epie_sums, telescope->spectrum,
                                                          self->stream),
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
  const PrismCudaTelescope *telescope = self->telescope;
  const PrismCudaOptics optics = prism_cuda_telescope_get_optics (telescope);

  if (prism_cuda_backend_enter (self))
    prism_cuda_backend_check (self,
                              prism_cuda_spectrum_project (&optics, telescope->half,
                                                           self->epie_image, telescope->spectrum,
                                                           self->stream),
                              "ePIE was running");
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

  double sums[2] = { NAN, NAN };

  if (prism_cuda_backend_enter (self)
      && prism_cuda_backend_download (self, sums,
                                      self->epie_sums, sizeof sums))
    prism_cuda_backend_check (self,
                              cudaMemsetAsync (self->epie_sums, 0, sizeof sums, self->stream),
                              "ePIE was running");
  *residual = sums[0];
  *power = sums[1];
}

/* The misfit of an image and its slope, of any number of measurements. They go through the device
 * as steps without an update: 32 terms each, up to 64 steps for one upload. With read noise each
 * slot has a table, which is made here when the noise is another.
 *
 * Dimensions of this file: m = object_size. */

#define MAX_BATCH (PRISM_CUDA_MAX_TERMS * PRISM_CUDA_MAX_CHUNK)
/* A term's noise that the slot's table has. */
#define IN_TABLE -1.0f

G_STATIC_ASSERT (PRISM_CUDA_EXPECT_N_MEANS == PRISM_EXPECT_N_MEANS);

static gboolean
judge (PrismCudaBackend *self,
       cudaError_t status)
{
  return prism_cuda_backend_check (self, status, "a result was being refined");
}

/* What an aperture lets nothing through for needs no table. */
static gboolean
has_table (PrismCudaBackend *self,
           const PrismMisfitTerm *term)
{
  return term->read > 0.0f && self->bound[term->slot].height > 0;
}

/* Room for a table, and its address into the slot. */
static gboolean
ensure_room (PrismCudaBackend *self,
             guint slot)
{
  PrismCudaBinding *binding = &self->bound[slot];
  PrismCudaSlot *bound = self->telescope->slots + slot;

  if (binding->expect != NULL)
    return TRUE;
  binding->expect = prism_cuda_pool_take (self->pool, sizeof *binding->expect,
                                          "the noise of a measurement", NULL);
  if (binding->expect == NULL)
    return judge (self, cudaErrorMemoryAllocation);
  return prism_cuda_backend_upload (self, &bound->expect,
                                    &binding->expect, sizeof binding->expect);
}

static gboolean
make_table (PrismCudaBackend *self,
            const PrismMisfitTerm *term)
{
  g_autoptr (PrismExpect) expect = prism_expect_new (term->noise, term->read, term->offset);
  PrismCudaBinding *binding = &self->bound[term->slot];
  PrismCudaExpect table = { term->noise, term->read, term->offset };

  memcpy (table.means, prism_expect_get_means (expect, &table.pitch), sizeof table.means);
  if (!ensure_room (self, term->slot)
      || !prism_cuda_backend_upload (self, binding->expect,
                                     &table, sizeof table))
    return FALSE;
  binding->noise = term->noise;
  binding->read = term->read;
  binding->offset = term->offset;
  return TRUE;
}

/* How many terms can go together, 0 after a failure: a slot has one table at a time. */
static guint
prepare_tables (PrismCudaBackend *self,
                const PrismMisfitTerm *terms,
                guint n_terms)
{
  self->n_batches++;
  for (guint i = 0; i < n_terms; i++)
    {
      PrismCudaBinding *binding = &self->bound[terms[i].slot];

      if (!has_table (self, &terms[i]))
        continue;
      if (binding->expect == NULL || binding->noise != terms[i].noise
          || binding->read != terms[i].read || binding->offset != terms[i].offset)
        {
          if (binding->batch == self->n_batches)
            return i;
          if (!make_table (self, &terms[i]))
            return 0;
        }
      binding->batch = self->n_batches;
    }
  return n_terms;
}

/* Step i of a batch: its terms, and the largest box among them. */
static void
fill_step (PrismCudaBackend *self,
           const PrismMisfitTerm *terms,
           guint n_terms,
           PrismCudaStep *step,
           PrismCudaShape *shape)
{
  memset (step, 0, sizeof *step);
  *shape = (PrismCudaShape) { .misfit = TRUE, .n_terms = n_terms };
  step->n_terms = (int32_t) n_terms;
  for (guint i = 0; i < n_terms; i++)
    {
      const PrismCudaBinding *binding = &self->bound[terms[i].slot];
      const gboolean expects = has_table (self, &terms[i]);

      step->terms[i] = (PrismCudaTerm) { (int32_t) terms[i].slot, terms[i].weight,
                                         expects ? IN_TABLE : terms[i].noise };
      shape->expects |= expects;
      shape->max_height = MAX (shape->max_height, binding->height);
      shape->max_width = MAX (shape->max_width, binding->width);
    }
}

/**
 * prism_cuda_misfit_fill:
 * @self: the device
 * @terms: (array length=n_terms): bound measurements, weights and noise
 * @n_terms: how many
 * @batch: (out): what their kernels depend on
 *
 * Prepares terms that go together in the mirror's steps, whose upload is the caller's.
 *
 * Thread: engine.
 *
 * Returns: how many, 0 after a failure, which is noted in the context
 */
guint
prism_cuda_misfit_fill (PrismCudaBackend *self,
                        const PrismMisfitTerm *terms,
                        guint n_terms,
                        PrismCudaBatch *batch)
{
  const guint n = prepare_tables (self, terms, MIN (n_terms, MAX_BATCH));

  batch->n_steps = (n + PRISM_CUDA_MAX_TERMS - 1) / PRISM_CUDA_MAX_TERMS;
  for (guint i = 0; i < batch->n_steps; i++)
    {
      guint first = i * PRISM_CUDA_MAX_TERMS;

      fill_step (self, terms + first, MIN (n - first, PRISM_CUDA_MAX_TERMS),
                 &self->mirror->steps[i], &batch->shapes[i]);
    }
  return n;
}

/**
 * prism_cuda_misfit_queue_batch:
 * @self: the device, which has got the steps
 * @batch: what prism_cuda_misfit_fill() has prepared
 * @image: device array
 * @accumulate: whether terms before these belong to the same slope
 * @sum: (device): the misfit is added to it
 *
 * Queues the way through the measurements; also while the main stream is being captured.
 *
 * Shape: @image [m][m].
 * Thread: engine.
 *
 * Returns: what the launches report
 */
cudaError_t
prism_cuda_misfit_queue_batch (PrismCudaBackend *self,
                               const PrismCudaBatch *batch,
                               const float *image,
                               gboolean accumulate,
                               double *sum)
{

  PRISM_CUDA_TRY (prism_cuda_control_begin (self->control, self->stream));
  for (guint i = 0; i < batch->n_steps; i++)
    {
      PRISM_CUDA_TRY (prism_cuda_telescope_add_misfit (self->telescope, &batch->shapes[i], image,
                                                       accumulate || i > 0, self->stream));
      PRISM_CUDA_TRY (prism_cuda_control_collect (self->control, sum, self->stream));
    }
  return cudaSuccess;
}

static gboolean
wait_for_terms (PrismCudaBackend *self,
                guint n_terms)
{
  return prism_cuda_context_wait (&self->context, n_terms * self->step_seconds,
                                  "a result was being refined");
}

/**
 * prism_cuda_misfit_queue:
 * @self: the device
 * @image: device array
 * @terms: (array length=n_terms): bound measurements, weights and noise
 * @n_terms: how many
 * @sum: (device): Σ w·Σ(H(|φ|)-T)² is added to it
 *
 * Queues the way through all measurements. Only more than a batch of them are waited for: the
 * mirror's steps must have left before they are written again.
 *
 * Shape: @image [m][m].
 * Thread: engine.
 *
 * Returns: whether it is on its way; an error is noted in the context
 */
gboolean
prism_cuda_misfit_queue (PrismCudaBackend *self,
                         const float *image,
                         const PrismMisfitTerm *terms,
                         guint n_terms,
                         double *sum)
{
  PrismCudaBatch batch;

  for (guint first = 0, n = 0; first < n_terms; first += n)
    {
      if (first > 0 && !wait_for_terms (self, n))
        return FALSE;
      n = prism_cuda_misfit_fill (self, terms + first, n_terms - first, &batch);
      if (n == 0
          || !judge (self, prism_cuda_transfer_send (&self->context, PRISM_TRANSFER_MEASUREMENT,
                                                     self->control->steps, self->mirror->steps,
                                                     batch.n_steps * sizeof (PrismCudaStep)))
          || !judge (self, prism_cuda_misfit_queue_batch (self, &batch, image, first > 0, sum)))
        return FALSE;
    }
  return TRUE;
}

/* What is left of a misfit: its sum here, its slope with the image's columns. */
static double
find_misfit (PrismCudaBackend *self,
             const float *image,
             const PrismMisfitTerm *terms,
             guint n_terms)
{
  double sum = NAN;

  if (prism_cuda_backend_enter (self)
      && prism_cuda_backend_upload_image (self, self->image, image)
      && judge (self, cudaMemsetAsync (self->sums, 0, sizeof *self->sums,
                                       self->stream))
      && prism_cuda_misfit_queue (self, self->image, terms, n_terms, self->sums)
      && wait_for_terms (self, MIN (n_terms, MAX_BATCH)))
    prism_cuda_backend_download (self, &sum, self->sums,
                                 sizeof sum);
  return sum;
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
 * As PrismBackendOps.compute_misfit; the residual is NAN when the device failed.
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
  g_autofree PrismMisfitTerm *terms = g_new0 (PrismMisfitTerm, n_slots);

  *power = 0.0;
  for (guint i = 0; i < n_slots; i++)
    {
      terms[i].slot = slots[i];
      terms[i].weight = 1.0f;
      *power += self->bound[slots[i]].power;
    }
  *residual = find_misfit (self, image, terms, n_slots);
}

/**
 * prism_cuda_misfit_add_gradient:
 * @backend: the device
 * @image: (array): an estimate of the object
 * @terms: (array length=n_terms): bound measurements, weights and noise
 * @n_terms: how many
 * @gradient: (array) (inout): the derivative of what is added to @misfit is added to it
 * @misfit: (inout): Σ w·Σ(H(|φ|)-T)² is added to it; NAN when the device failed
 *
 * As PrismBackendOps.add_misfit_gradient.
 *
 * Shape: @image and @gradient [m][m].
 * Thread: engine.
 * Source: numerics.md, “Refinement”.
 */
void
prism_cuda_misfit_add_gradient (PrismBackend *backend,
                                const float *image,
                                const PrismMisfitTerm *terms,
                                guint n_terms,
                                float *gradient,
                                double *misfit)
{
  PrismCudaBackend *self = (PrismCudaBackend *) backend;
  const gsize n_bytes = prism_cuda_backend_get_image_bytes (self);
  g_autofree float *slope = g_malloc (n_bytes);
  float *device = self->decoder->output_gradient;

  if (n_terms == 0)
    return;
  *misfit += find_misfit (self, image, terms, n_terms);
  if (!isfinite (*misfit)
      || !judge (self, prism_cuda_telescope_restore_image (self->telescope, device,
                                                           self->stream))
      || !prism_cuda_backend_download (self, slope, device,
                                       n_bytes))
    {
      *misfit = NAN;
      return;
    }
  for (gsize i = 0; i < n_bytes / sizeof (float); i++)
    gradient[i] += slope[i];
}
