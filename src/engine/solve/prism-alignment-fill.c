#include "config.h"

#include "solve/prism-alignment-private.h"

#include "num/prism-tuning.h"

#include <math.h>
#include <string.h>

/* The fill: descent on the distance between an image's spectrum and the fields, whose phases follow
 * the image, with total variation for what was not measured. Once the phases are right, this is a
 * convex problem. Dimensions as in the private header. */

static gsize
count_pixels (PrismAlignment *self)
{
  return (gsize) self->m * self->m;
}

/**
 * prism_alignment_begin_fill:
 * @self: an alignment whose search has ended
 *
 * Begins passes of descent from the image.
 */
void
prism_alignment_begin_fill (PrismAlignment *self)
{
  const gsize n_bytes = count_pixels (self) * sizeof (float);

  self->momentum = 1.0;
  memcpy (self->point, self->image, n_bytes);
  memset (self->across, 0, n_bytes);
  memset (self->down, 0, n_bytes);
}

/* How many frames look at the same number at most; always the same. */
static float
count_most (PrismAlignment *self)
{
  float most = 1.0f;

  for (gsize i = 0; i < prism_alignment_count_half (self); i++)
    most = MAX (most, self->count[i]);
  return most;
}

/* The derivative at the point; returns the longest safe step. */
static float
compute_slope (PrismAlignment *self)
{
  prism_alignment_spread (self, self->point, self->plane);
  prism_alignment_transform (self, self->plane, (self->m + 1) / 2);
  prism_alignment_compare (self);
  for (gsize i = 0; i < prism_alignment_count_half (self); i++)
    {
      self->half[2 * i] = self->count[i] * self->half[2 * i] - self->sum[2 * i];
      self->half[2 * i + 1] = self->count[i] * self->half[2 * i + 1] - self->sum[2 * i + 1];
    }
  prism_alignment_return (self, self->plane, (self->m + 1) / 2);
  for (int y = 0; y < self->m; y++)
    for (int x = 0; x < self->m; x++)
      {
        const gsize i = (gsize) y * self->m + x;

        self->slope[i] = self->plane[prism_alignment_get_place (self, y, x)];
      }
  if (self->most == 0.0f)
    self->most = count_most (self);
  return 1.0f / self->most;
}

/* Moves the image, and the point beyond it. The momentum is forgotten where it leads uphill. */
static void
go_down (PrismAlignment *self,
         float length,
         float strength)
{
  const double next = 0.5 * (1.0 + sqrt (1.0 + 4.0 * self->momentum * self->momentum));
  float *values = self->slope, inertia;
  double uphill = 0.0;

  for (gsize i = 0; i < count_pixels (self); i++)
    values[i] = self->point[i] - length * values[i];
  prism_variation_lower (self->variation, strength, self->across, self->down, values);
  for (gsize i = 0; i < count_pixels (self); i++)
    {
      const float value = values[i];

      uphill += (double) (self->point[i] - value) * (value - self->image[i]);
      values[i] = value - self->image[i];
      self->image[i] = value;
    }
  inertia = uphill > 0.0 ? 0.0f : (float) ((self->momentum - 1.0) / next);
  self->momentum = uphill > 0.0 ? 1.0 : next;
  for (gsize i = 0; i < count_pixels (self); i++)
    self->point[i] = self->image[i] + inertia * values[i];
}

/**
 * prism_alignment_fill:
 * @self: an alignment after prism_alignment_begin_fill()
 * @strength: of the total variation
 *
 * Does one pass.
 *
 * Source: numerics.md, “Alignment”.
 */
void
prism_alignment_fill (PrismAlignment *self,
                      double strength)
{
  const float longest = compute_slope (self);

  go_down (self, (float) prism_tuning_get (PRISM_TUNING_FILL_STEP) * longest,
           (float) strength);
}
