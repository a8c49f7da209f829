#include "config.h"

#include "formats/prism-plane.h"

const PrismPlaneInfo prism_planes[PRISM_N_PLANES] = {
  [PRISM_PLANE_PHASE] = { "phase", "rad", -G_PI, G_PI },
  [PRISM_PLANE_PUPIL_AMPLITUDE] = { "pupil-amplitude", "", 0.0, 2.0 },
  [PRISM_PLANE_PUPIL_PHASE] = { "pupil-phase", "rad", -G_PI, G_PI },
};

/**
 * prism_planes_ref:
 * @planes: (array) (element-type nullable): planes that somebody else has, too
 *
 * Takes a reference on each.
 */
void
prism_planes_ref (PrismImage *planes[PRISM_N_PLANES])
{
  for (int i = 0; i < PRISM_N_PLANES; i++)
    if (planes[i] != NULL)
      prism_image_ref (planes[i]);
}

/**
 * prism_planes_clear:
 * @planes: (array) (element-type nullable): planes
 *
 * Lets go of each.
 */
void
prism_planes_clear (PrismImage *planes[PRISM_N_PLANES])
{
  for (int i = 0; i < PRISM_N_PLANES; i++)
    g_clear_pointer (&planes[i], prism_image_unref);
}
