#include "config.h"

#include "backend/prism-backend.h"

/**
 * prism_backend_can_be_lost:
 * @ops: a device
 *
 * Thread: any.
 *
 * Returns: whether the device may stop answering while the program goes on
 */
gboolean
prism_backend_can_be_lost (const PrismBackendOps *ops)
{
  return ops->get_loss != NULL;
}

/**
 * prism_backend_free:
 * @self: (nullable) (transfer full): a backend
 *
 * Closes the device. Buffers must be gone by then.
 */
void
prism_backend_free (PrismBackend *self)
{
  if (self != NULL)
    self->ops->close (self);
}

/**
 * prism_buffer_ref:
 *
 * Returns: (transfer full): the same image, with one more reference
 */
PrismBuffer *
prism_buffer_ref (PrismBuffer *self)
{
  self->ref_count++;
  return self;
}

/**
 * prism_buffer_unref:
 * @self: (transfer full) (nullable): a detector image
 *
 * Gives one reference back; the backend frees the image with the last one.
 */
void
prism_buffer_unref (PrismBuffer *self)
{
  if (self != NULL && --self->ref_count == 0)
    self->backend->ops->free_buffer (self);
}
