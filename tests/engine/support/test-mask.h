/* test-mask: masks that no aperture has. */
#pragma once

#include "model/prism-aperture.h"

/* Ones over a rectangle, clipped to the grid. */
static inline PrismMask *
new_box_mask (int image_size,
              int y0,
              int x0,
              int height,
              int width)
{
  const int half = image_size / 2;
  g_autofree guint8 *plane = g_malloc0 ((gsize) image_size * image_size);

  for (int y = MAX (y0, -half); y < MIN (y0 + height, half); y++)
    for (int x = MAX (x0, -half); x < MIN (x0 + width, half); x++)
      plane[(gsize) (y + half) * image_size + x + half] = 1;
  return prism_mask_new_plane (image_size, plane);
}
