/* test-mask: masks for tests, also such as no aperture has. */
#pragma once

#include "base/prism-random.h"
#include "model/prism-aperture.h"

/* Ones over a rectangle, clipped to the grid. */
static inline PrismMask *
new_box_mask (int image_size, int y0, int x0, int height, int width)
{
  const int half = image_size / 2;
  g_autofree guint8 *plane = g_malloc0 ((gsize) image_size * image_size);

  for (int y = MAX (y0, -half); y < MIN (y0 + height, half); y++)
    for (int x = MAX (x0, -half); x < MIN (x0 + width, half); x++)
      plane[(gsize) (y + half) * image_size + x + half] = 1;
  return prism_mask_new_plane (image_size, plane);
}

static inline PrismMask *
new_disk (int n, double y, double x, double radius)
{
  PrismAperture aperture = { .shape = PRISM_SHAPE_DISK, .radius = radius };

  return prism_aperture_get_mask (&aperture, n, y, x);
}

/* Every pixel at random: the union of many apertures. */
static inline PrismMask *
new_noise_mask (int n, guint64 seed)
{
  g_autofree guint8 *plane = g_new (guint8, n * n);

  for (int i = 0; i < n * n; i++)
    plane[i] = prism_random_uniform (seed, PRISM_STREAM_PATTERN, 0, i) < 0.3;
  return prism_mask_new_plane (n, plane);
}
