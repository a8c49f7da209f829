#include "config.h"

#include "solve/prism-stillness.h"

#include "base/prism-arena.h"
#include "num/prism-tuning.h"

#include <math.h>
#include <string.h>

/* Dimensions of this file: m = object_size. */

static gsize
count_bytes (PrismStillness *self)
{
  return (gsize) self->m * self->m * sizeof (float);
}

/**
 * prism_stillness_init:
 * @self: (out caller-allocates): what watches
 * @object_size: m
 * @error: return location
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: whether there was memory for an image
 */
gboolean
prism_stillness_init (PrismStillness *self,
                      int object_size,
                      GError **error)
{
  self->m = object_size;
  self->n = 0;
  self->before = prism_arena_new_array (count_bytes (self), "the image some passes ago", error);
  return self->before != NULL;
}

/**
 * prism_stillness_clear:
 * @self: what prism_stillness_init() filled, or zeros
 */
void
prism_stillness_clear (PrismStillness *self)
{
  g_clear_pointer (&self->before, prism_arena_free_array);
}

/**
 * prism_stillness_begin:
 * @image: (array): what a search begins with
 *
 * Shape: @image [m][m].
 */
void
prism_stillness_begin (PrismStillness *self,
                       const float *image)
{
  self->n = 0;
  self->change = 0.0;
  memcpy (self->before, image, count_bytes (self));
}

/**
 * prism_stillness_add:
 * @image: (array): after another pass
 * @least: part of the image's norm that is a move
 *
 * A search gathers speed before it slows down: what moves little and then more has not arrived.
 *
 * Shape: @image [m][m].
 * Source: numerics.md, “Effort”.
 *
 * Returns: whether the last passes moved it by next to nothing
 */
gboolean
prism_stillness_add (PrismStillness *self,
                     const float *image,
                     double least)
{
  const guint window = prism_tuning_get_count (PRISM_TUNING_BRIEF_WINDOW);
  const double last = self->change;
  double change = 0.0, power = 0.0;

  if (++self->n < window)
    return FALSE;
  self->n = 0;
  for (gsize i = 0; i < (gsize) self->m * self->m; i++)
    {
      const double difference = image[i] - self->before[i];

      change += difference * difference;
      power += (double) image[i] * image[i];
    }
  self->change = sqrt (change / MAX (power, G_MINDOUBLE));
  memcpy (self->before, image, count_bytes (self));
  return self->change < last && self->change < least;
}
