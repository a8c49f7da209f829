#include "config.h"

#include "model/prism-line.h"

/**
 * prism_line_init_config:
 * @self: (out caller-allocates): the line
 * @config: a configuration
 *
 * Takes the length from the configuration, and the number of points: one per pixel of length, or
 * one per radius of the aperture, both ends included, at least two.
 *
 * Units: pixels of k-space.
 * Source: numerics.md § 4.
 */
void
prism_line_init_config (PrismLine *self,
                        const PrismConfig *config)
{
  double pitch = config->line_points == PRISM_LINE_FAST ? config->aperture_radius : 1.0;

  self->length = config->line_length;
  self->n_points = 1;
  if (self->length > 0.0)
    self->n_points = MAX (2, (guint) lround (self->length / pitch) + 1);
}

/**
 * prism_line_get_point:
 * @middle: where it has its middle, and its direction
 * @i: number of a point, less than n_points
 *
 * Returns: where the aperture's centre is then
 */
PrismPoint
prism_line_get_point (const PrismLine *self,
                      const PrismPoint *middle,
                      guint i)
{
  PrismPoint point = *middle;
  double along;

  if (self->n_points < 2)
    return point;
  along = self->length * ((double) i / (self->n_points - 1) - 0.5);
  point.y += along * sin (middle->angle);
  point.x += along * cos (middle->angle);
  return point;
}

/**
 * prism_line_get_mask:
 * @aperture: what moves
 * @image_size: n
 * @middle: where the line has its middle, and its direction
 *
 * What the aperture sees of k-space during one exposure; the aperture itself where it stands still.
 *
 * Returns: (transfer full) (nullable): the mask, with its parts; %NULL when memory does not suffice
 */
PrismMask *
prism_line_get_mask (const PrismLine *self,
                     const PrismAperture *aperture,
                     int image_size,
                     const PrismPoint *middle)
{
  g_autoptr (GPtrArray) parts = NULL;

  if (self->n_points < 2)
    return prism_aperture_get_mask (aperture, image_size, middle->y, middle->x);

  parts = g_ptr_array_new_with_free_func ((GDestroyNotify) prism_mask_unref);
  for (guint i = 0; i <= self->n_points; i++)
    {
      PrismPoint point = i < self->n_points ? prism_line_get_point (self, middle, i) : *middle;
      PrismMask *part = prism_aperture_get_mask (aperture, image_size, point.y, point.x);

      if (part == NULL)
        return NULL;
      g_ptr_array_add (parts, part);
    }
  return prism_mask_new_parts (image_size, (PrismMask **) parts->pdata, parts->len);
}
