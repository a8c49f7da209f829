#include "config.h"

#include "backend/prism-backend.h"

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
