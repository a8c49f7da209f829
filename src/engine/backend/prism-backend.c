#include "config.h"

#include "backend/prism-backend.h"

#include "base/prism-error.h"

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

/**
 * prism_backend_check_object:
 * @amplitude: (array): an object
 * @side: m
 *
 * Shape: @amplitude [m][m].
 * Errors: PRISM_ERROR_CONFIG.
 *
 * Returns: whether every pixel is a finite number
 */
gboolean
prism_backend_check_object (const float *amplitude,
                            int side,
                            GError **error)
{
  for (gsize i = 0; i < (gsize) side * side; i++)
    if (!isfinite (amplitude[i]))
      return prism_error_set (error, PRISM_ERROR_CONFIG,
                              _ ("The object has no finite brightness at row %d, column %d. "
                                 "Choose an image without undefined pixels."),
                              (int) (i / side), (int) (i % side));
  return TRUE;
}

/**
 * prism_backend_check_power:
 * @power: of the pixels of a measurement: one that is not finite would make every loss useless
 * @slot: where it is to be bound
 *
 * Errors: PRISM_ERROR_CONFIG.
 *
 * Returns: whether it is a finite number
 */
gboolean
prism_backend_check_power (double power,
                           guint slot,
                           GError **error)
{
  return isfinite (power)
         || prism_error_set (
             error, PRISM_ERROR_CONFIG,
             _ ("Measurement %u has a pixel without a finite brightness. Measure it again."), slot);
}

/**
 * prism_backend_check_finite:
 * @is_finite: whether all numbers are that came from the device
 *
 * Errors: PRISM_ERROR_BACKEND.
 *
 * Returns: that
 */
gboolean
prism_backend_check_finite (gboolean is_finite,
                            GError **error)
{
  return is_finite
         || prism_error_set (error, PRISM_ERROR_BACKEND,
                             _ ("The device returned numbers that are not finite."));
}
