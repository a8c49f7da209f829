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
