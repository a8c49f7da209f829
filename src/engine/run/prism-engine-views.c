#include "config.h"

#include "model/prism-aperture.h"
#include "num/prism-spectrum.h"
#include "run/prism-engine-private.h"

/* What is shown of an object before it is measured. */

/* What one aperture in the middle of the plane shows. */
static gboolean
make_exposure (PrismEngine *self,
               PrismImage *target,
               GError **error)
{
  PrismAperture aperture;
  g_autoptr (PrismMask) mask = NULL;
  const PrismMask *before;

  prism_aperture_init_config (&aperture, self->config);
  mask = prism_aperture_get_mask (&aperture, self->config->image_size, 0.0, 0.0);
  before = self->exposure_mask;
  if (self->exposure != NULL && mask != NULL && before != NULL
      && mask->image_size == before->image_size && mask->height == before->height
      && mask->width == before->width
      && memcmp (mask->bits, before->bits, prism_mask_count_box (mask)) == 0)
    return TRUE;
  g_clear_pointer (&self->exposure, prism_image_unref);
  g_clear_pointer (&self->exposure_mask, prism_mask_unref);
  self->exposure = prism_exposure_new_image (target, mask, error);
  self->exposure_mask = g_steal_pointer (&mask);
  return self->exposure != NULL;
}

/**
 * prism_engine_make_views:
 * @self: an engine with a scene
 * @before: (nullable): the target that the views are of
 *
 * Makes what is shown of a target before it is measured: its spectrum, and one exposure of it. Kept
 * from one run to the next.
 *
 * Shape: spectrum [n][n], exposure [m][m] of a target [m][m].
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: whether they are there, as far as there is a target
 */
gboolean
prism_engine_make_views (PrismEngine *self,
                         const PrismImage *before,
                         GError **error)
{
  PrismImage *target = self->scene->target;
  const int n = self->config->image_size;

  if (target == NULL || target != before || (self->spectrum != NULL && self->spectrum->height != n))
    prism_engine_drop_views (self);
  if (target != NULL && self->spectrum == NULL)
    self->spectrum = prism_spectrum_new_image (target, n, error);
  return target == NULL || (self->spectrum != NULL && make_exposure (self, target, error));
}

/**
 * prism_engine_drop_views:
 *
 * Lets go of them.
 */
void
prism_engine_drop_views (PrismEngine *self)
{
  g_clear_pointer (&self->spectrum, prism_image_unref);
  g_clear_pointer (&self->exposure, prism_image_unref);
  g_clear_pointer (&self->exposure_mask, prism_mask_unref);
}
