#include "config.h"

#include "prism-cuda-backend.h"

/* Detector images on the device, and the slots they are bound to.
 *
 * Dimensions of this file: n = image_size, m = object_size. */

#define N_SUMS 3

typedef struct
{
  PrismBuffer parent;
  float *target;       /* device [n][n], origin at [0][0] */
  gboolean summed;     /* sums is known: targets never change */
  double sums[N_SUMS]; /* Σt, Σt², Σt⁴ */
} PrismCudaBuffer;

/* Hands over what an operation that failed has noted. */
static gboolean
report (PrismCudaBackend *self,
        gboolean is_done,
        GError **error)
{
  if (!is_done)
    prism_cuda_context_report (&self->context, error);
  return is_done;
}

static gboolean
check_entered (PrismCudaBackend *self,
               GError **error)
{
  return report (self, prism_cuda_backend_enter (self), error);
}

/* status of work that was queued for an operation with a GError. */
static gboolean
check_queued (PrismCudaBackend *self,
              cudaError_t status,
              GError **error)
{
  return report (
      self, prism_cuda_backend_check (self, status, "a measurement was being computed"),
      error);
}

static PrismCudaBuffer *
new_buffer (PrismCudaBackend *self,
            GError **error)
{
  gsize n_bytes = prism_cuda_backend_get_plane_bytes (self);
  float *target = NULL;
  PrismCudaBuffer *buffer;

  if (!check_entered (self, error))
    return NULL;
  target = prism_cuda_pool_take (self->pool, n_bytes, "a detector image", error);
  if (target == NULL)
    return NULL;

  buffer = g_new0 (PrismCudaBuffer, 1);
  buffer->parent.ref_count = 1;
  buffer->parent.n_bytes = n_bytes;
  buffer->parent.backend = &self->parent;
  buffer->target = target;
  self->n_buffers++;
  return buffer;
}

/**
 * prism_cuda_measure_free_buffer:
 * @buffer: (transfer full): without references
 *
 * As PrismBackendOps.free_buffer; harmless after the device was lost and after close.
 *
 * Thread: engine.
 */
void
prism_cuda_measure_free_buffer (PrismBuffer *buffer)
{
  PrismCudaBackend *self = (PrismCudaBackend *) buffer->backend;

  if (!self->closed)
    prism_cuda_pool_give (self->pool, ((PrismCudaBuffer *) buffer)->target);
  g_free (buffer);
  if (--self->n_buffers == 0 && self->closed)
    g_free (self);
}

/* bits (device) of a mask; NULL for an empty one. */
static gboolean
upload_bits (PrismCudaBackend *self,
             const PrismMask *mask,
             uint8_t **bits,
             GError **error)
{
  gsize n_bytes = prism_mask_count_box (mask);

  *bits = NULL;
  if (n_bytes == 0)
    return TRUE;
  *bits = prism_cuda_pool_take (self->pool, n_bytes, "an aperture", error);
  if (*bits == NULL)
    return FALSE;
  if (report (self,
              prism_cuda_backend_upload (self, *bits,
                                         mask->bits, n_bytes),
              error))
    return TRUE;
  prism_cuda_pool_give (self->pool, *bits);
  *bits = NULL;
  return FALSE;
}

/* image: device. */
static PrismBuffer *
measure (PrismCudaBackend *self,
         const PrismMask *mask,
         const float *image,
         GError **error)
{
  g_autoptr (PrismBuffer) buffer = (PrismBuffer *) new_buffer (self, error);
  PrismCudaOpticsView view = { .y0 = mask->y0, .x0 = mask->x0, .height = mask->height };
  uint8_t *bits;
  gboolean sent;

  if (buffer == NULL || !upload_bits (self, mask, &bits, error))
    return NULL;
  view.bits = bits;
  view.width = bits != NULL ? mask->width : 0;
  sent = prism_cuda_backend_upload (self, self->telescope->views, &view, sizeof view)
         && prism_cuda_context_check (
             &self->context,
             prism_cuda_telescope_measure (self->telescope, view.width, image,
                                           ((PrismCudaBuffer *) buffer)->target,
                                           self->stream),
             "a measurement was being computed");
  prism_cuda_pool_give (self->pool, bits);
  return report (self, sent, error) ? g_steal_pointer (&buffer) : NULL;
}

/**
 * prism_cuda_measure_take:
 * @backend: the device
 * @mask: aperture
 * @error: return location
 *
 * As PrismBackendOps.measure.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_BACKEND, PRISM_ERROR_DEVICE_LOST.
 * Thread: engine.
 *
 * Returns: (transfer full) (nullable): the detector image of the object
 */
PrismBuffer *
prism_cuda_measure_take (PrismBackend *backend,
                         const PrismMask *mask,
                         GError **error)
{
  PrismCudaBackend *self = (PrismCudaBackend *) backend;

  return measure (self, mask, self->telescope->object, error);
}

/**
 * prism_cuda_measure_expose:
 * @backend: the device
 * @clean: noise-free detector image
 * @mask: its aperture
 * @exposure: noise
 * @error: return location
 *
 * As PrismBackendOps.expose.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_BACKEND, PRISM_ERROR_DEVICE_LOST.
 * Thread: engine.
 *
 * Returns: (transfer full) (nullable): the noisy image
 */
PrismBuffer *
prism_cuda_measure_expose (PrismBackend *backend,
                           PrismBuffer *clean,
                           const PrismMask *mask,
                           const PrismExposure *exposure,
                           GError **error)
{
  PrismCudaBackend *self = (PrismCudaBackend *) backend;
  g_autoptr (PrismBuffer) buffer = (PrismBuffer *) new_buffer (self, error);
  cudaError_t status;

  if (buffer == NULL)
    return NULL;
  status = prism_cuda_telescope_expose (self->telescope, ((PrismCudaBuffer *) clean)->target,
                                        exposure, ((PrismCudaBuffer *) buffer)->target,
                                        self->stream);
  return check_queued (self, status, error) ? g_steal_pointer (&buffer) : NULL;
}

/**
 * prism_cuda_measure_load:
 * @backend: the device
 * @mask: aperture
 * @amplitude: (array): detector image in natural order
 * @error: return location
 *
 * As PrismBackendOps.load_buffer.
 *
 * Shape: @amplitude [n][n].
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_BACKEND, PRISM_ERROR_DEVICE_LOST.
 * Thread: engine.
 *
 * Returns: (transfer full) (nullable): the image
 */
PrismBuffer *
prism_cuda_measure_load (PrismBackend *backend,
                         const PrismMask *mask,
                         const float *amplitude,
                         GError **error)
{
  PrismCudaBackend *self = (PrismCudaBackend *) backend;
  g_autoptr (PrismBuffer) buffer = (PrismBuffer *) new_buffer (self, error);
  cudaError_t status;

  if (buffer == NULL)
    return NULL;
  if (!report (self,
               prism_cuda_backend_upload (self, self->plane,
                                          amplitude, buffer->n_bytes),
               error))
    return NULL;
  status = prism_cuda_target_roll (((PrismCudaBuffer *) buffer)->target, self->plane,
                                   backend->spec.image_size, self->stream);
  return check_queued (self, status, error) ? g_steal_pointer (&buffer) : NULL;
}

/**
 * prism_cuda_measure_read:
 * @backend: the device
 * @buffer: a detector image
 * @mask: its aperture
 * @amplitude: (array) (out caller-allocates): the image in natural order
 *
 * As PrismBackendOps.read_buffer.
 *
 * Shape: @amplitude [n][n].
 * Thread: engine.
 */
void
prism_cuda_measure_read (PrismBackend *backend,
                         PrismBuffer *buffer,
                         const PrismMask *mask,
                         float *amplitude)
{
  PrismCudaBackend *self = (PrismCudaBackend *) backend;

  if (!prism_cuda_backend_enter (self))
    return;
  if (prism_cuda_backend_check (self,
                                prism_cuda_target_roll (self->plane,
                                                        ((PrismCudaBuffer *) buffer)->target,
                                                        backend->spec.image_size,
                                                        self->stream),
                                "a measurement was being read"))
    prism_cuda_backend_download (self, amplitude,
                                 self->plane, buffer->n_bytes);
}

/* Once per image: the only time that the host waits for a measurement. */
static gboolean
ensure_sums (PrismCudaBackend *self,
             PrismCudaBuffer *buffer,
             GError **error)
{
  if (buffer->summed)
    return TRUE;
  if (!check_queued (self,
                     prism_cuda_target_sum (self->sums, self->telescope->target_partials,
                                            buffer->target, self->parent.spec.image_size,
                                            self->stream),
                     error))
    return FALSE;
  buffer->summed = prism_cuda_backend_download (self,
                                                buffer->sums, self->sums, sizeof buffer->sums);
  return report (self, buffer->summed, error);
}

static gboolean
upload_slot (PrismCudaBackend *self,
             guint slot,
             const PrismCudaSlot *value,
             GError **error)
{
  PrismCudaSlot *to = self->telescope->slots + slot;

  return report (self, prism_cuda_backend_upload (self, to, value, sizeof *value), error);
}

/* Takes binding over: the slot lets go of what it held. */
static void
replace_binding (PrismCudaBackend *self,
                 guint slot,
                 const PrismCudaBinding *binding)
{
  PrismCudaBinding old = self->bound[slot];

  if (binding->target != NULL)
    prism_buffer_ref (binding->target);
  self->bound[slot] = *binding;
  prism_cuda_pool_give (self->pool, old.bits);
  prism_cuda_pool_give (self->pool, old.expect);
  prism_buffer_unref (old.target);
}

static gboolean
unbind (PrismCudaBackend *self,
        guint slot,
        GError **error)
{
  static const PrismCudaSlot empty = { 0 };
  static const PrismCudaBinding nothing = { 0 };
  gboolean is_empty = self->bound[slot].target == NULL;

  replace_binding (self, slot, &nothing);
  return is_empty || (check_entered (self, error) && upload_slot (self, slot, &empty, error));
}

static gboolean
bind_target (PrismCudaBackend *self,
             guint slot,
             const PrismMask *mask,
             PrismCudaBuffer *buffer,
             GError **error)
{
  PrismCudaBinding binding = { &buffer->parent, NULL, mask->height, mask->width };
  PrismCudaSlot value;

  if (!ensure_sums (self, buffer, error)
      || !prism_backend_check_power (buffer->sums[1], slot, error)
      || !upload_bits (self, mask, &binding.bits, error))
    return FALSE;
  value = (PrismCudaSlot) { buffer->target, binding.bits, mask->y0,
                            mask->x0, mask->height, mask->width,
                            buffer->sums[0], buffer->sums[1], buffer->sums[2] };
  binding.power = buffer->sums[1];
  if (!upload_slot (self, slot, &value, error))
    {
      prism_cuda_pool_give (self->pool, binding.bits);
      return FALSE;
    }
  replace_binding (self, slot, &binding);
  return TRUE;
}

/**
 * prism_cuda_measure_bind:
 * @backend: the device
 * @slot: number of a slot
 * @mask: (nullable): aperture, not needed any more afterwards
 * @target: (nullable): detector image; NULL unbinds
 * @energy: (out) (nullable): Σ of its intensity
 * @error: return location
 *
 * As PrismBackendOps.bind.
 *
 * Errors: PRISM_ERROR_CONFIG when a pixel is not finite, PRISM_ERROR_MEMORY, PRISM_ERROR_BACKEND,
 * PRISM_ERROR_DEVICE_LOST; the slot stays as it is.
 * Thread: engine.
 *
 * Returns: whether the slot is bound
 */
gboolean
prism_cuda_measure_bind (PrismBackend *backend,
                         guint slot,
                         const PrismMask *mask,
                         PrismBuffer *target,
                         double *energy,
                         GError **error)
{
  PrismCudaBackend *self = (PrismCudaBackend *) backend;

  g_return_val_if_fail (slot < backend->spec.n_slots, FALSE);

  if (target == NULL)
    return unbind (self, slot, error);
  if (!check_entered (self, error)
      || !bind_target (self, slot, mask, (PrismCudaBuffer *) target, error))
    return FALSE;
  if (energy != NULL)
    *energy = ((PrismCudaBuffer *) target)->sums[1];
  return TRUE;
}

/**
 * prism_cuda_measure_hold:
 * @backend: the device
 * @slot: number of a slot
 * @mask: aperture
 * @error: return location
 *
 * As PrismBackendOps.hold.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_BACKEND, PRISM_ERROR_DEVICE_LOST.
 * Thread: engine.
 *
 * Returns: whether the output is bound
 */
gboolean
prism_cuda_measure_hold (PrismBackend *backend,
                         guint slot,
                         const PrismMask *mask,
                         GError **error)
{
  PrismCudaBackend *self = (PrismCudaBackend *) backend;
  g_autoptr (PrismBuffer) buffer = NULL;

  if (!check_entered (self, error))
    return FALSE;
  self->output_valid = FALSE;
  if (!report (self, prism_cuda_train_ensure_output (self), error))
    return FALSE;
  buffer = measure (self, mask, self->decoder->output, error);
  return buffer != NULL && prism_cuda_measure_bind (backend, slot, mask, buffer, NULL, error);
}
