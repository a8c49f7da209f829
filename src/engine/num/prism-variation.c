#include "config.h"

#include "num/prism-variation.h"

#include "base/prism-arena.h"

#include <math.h>
#include <string.h>

/* Dimensions of this file: m = size. Differences are those to the next pixel of a row or a column,
 * nought at the last one. */

/* The dual field goes on from the call before, whose image was nearly the same. */
#define ITERATIONS 20
#define COOLING 0.75      /* part of the passes */
#define INVERSE_STEP 8.0f /* |∇|² is at most 8 */

struct _PrismVariation
{
  int size;
  float *across; /* [m][m] dual field of the differences along rows; the last column is 0 */
  float *down;   /* [m][m] along columns; the last row is 0 */
  float *image;  /* [m][m] */
};

static gsize
count_bytes (PrismVariation *self)
{
  return (gsize) self->size * self->size * sizeof (float);
}

/**
 * prism_variation_new:
 * @size: m
 * @error: return location
 *
 * Makes room for images of one size.
 *
 * Errors: PRISM_ERROR_MEMORY.
 * Thread: any.
 * Source: numerics.md, “Total variation”.
 *
 * Returns: (transfer full) (nullable): an empty dual field
 */
PrismVariation *
prism_variation_new (int size,
                     GError **error)
{
  g_autoptr (PrismVariation) self = g_new0 (PrismVariation, 1);
  float **arrays[] = { &self->across, &self->down, &self->image };

  self->size = size;
  for (gsize i = 0; i < G_N_ELEMENTS (arrays); i++)
    {
      *arrays[i] = prism_arena_new_array (count_bytes (self), "the total variation", error);
      if (*arrays[i] == NULL)
        return NULL;
    }
  prism_variation_forget (self);
  return g_steal_pointer (&self);
}

/**
 * prism_variation_free:
 * @self: (nullable): a total variation
 *
 * Thread: any.
 */
void
prism_variation_free (PrismVariation *self)
{
  if (self == NULL)
    return;
  prism_arena_free_array (self->across);
  prism_arena_free_array (self->down);
  prism_arena_free_array (self->image);
  g_free (self);
}

/**
 * prism_variation_forget:
 * @self: a total variation
 *
 * Empties the dual field, for an image that has nothing to do with the one before.
 *
 * Thread: any.
 */
void
prism_variation_forget (PrismVariation *self)
{
  memset (self->across, 0, count_bytes (self));
  memset (self->down, 0, count_bytes (self));
}

static inline float
limit (float value)
{
  value = value > 0.0f ? value : 0.0f;
  return value < 1.0f ? value : 1.0f;
}

/* to = source + strength·(divergence of the dual field), kept in [0, 1]. */
static void
add_divergence (PrismVariation *self,
                float strength,
                const float *source,
                float *to)
{
  gsize m = self->size;
  static const float none[1];

  for (gsize y = 0; y < m; y++)
    {
      const float *across = self->across + y * m, *down = self->down + y * m;
      const float *above = y > 0 ? down - m : none;
      const float *from = source + y * m;
      float *row = to + y * m;

      row[0] = limit (from[0] + strength * (across[0] + down[0] - above[0]));
      if (y == 0)
        for (gsize x = 1; x < m; x++)
          row[x] = limit (from[x] + strength * (across[x] - across[x - 1] + down[x]));
      else
        for (gsize x = 1; x < m; x++)
          row[x]
              = limit (from[x] + strength * (across[x] - across[x - 1] + down[x] - above[x]));
    }
}

/* One step of projected gradient ascent of the dual problem (Chambolle, 2004; Beck and Teboulle,
 * 2009). */
static void
step_dual (PrismVariation *self,
           float step)
{
  gsize m = self->size;

  for (gsize y = 0; y < m; y++)
    {
      const float *row = self->image + y * m;
      const float *below = y + 1 < m ? row + m : row;
      float *across = self->across + y * m, *down = self->down + y * m;

      for (gsize x = 0; x + 1 < m; x++)
        {
          float a = across[x] + step * (row[x + 1] - row[x]);
          float d = down[x] + step * (below[x] - row[x]);
          float length = sqrtf (a * a + d * d);
          float factor = 1.0f / (length > 1.0f ? length : 1.0f);

          across[x] = a * factor;
          down[x] = d * factor;
        }
      down[m - 1] = CLAMP (down[m - 1] + step * (below[m - 1] - row[m - 1]), -1.0f, 1.0f);
    }
}

/**
 * prism_variation_lower:
 * @self: a total variation
 * @strength: μ, at least 0
 * @image: (inout) (array): b
 *
 * Replaces an image b by the a in [0, 1] for which ½·Σ(a − b)² + μ·Σ|∇a| is least, by some
 * iterations that go on from those of the call before. With μ = 0 it is only kept in [0, 1].
 *
 * Shape: @image [m][m].
 * Thread: any, one at a time.
 * Source: numerics.md, “Total variation”.
 */
void
prism_variation_lower (PrismVariation *self,
                       float strength,
                       float *image)
{
  if (strength > 0.0f)
    for (int i = 0; i < ITERATIONS; i++)
      {
        add_divergence (self, strength, image, self->image);
        step_dual (self, 1.0f / (INVERSE_STEP * strength));
      }
  add_divergence (self, strength, image, self->image);
  memcpy (image, self->image, count_bytes (self));
}

/**
 * prism_variation_get_dual:
 * @self: a total variation
 * @direction: 0 for rows, 1 for columns
 *
 * Gives what the next call goes on from, to be saved and restored.
 *
 * Shape: [m][m].
 *
 * Returns: (transfer none): one component of the dual field
 */
float *
prism_variation_get_dual (PrismVariation *self,
                          int direction)
{
  return direction == 0 ? self->across : self->down;
}

/**
 * prism_variation_get_mean:
 * @size: m
 * @image: (array): an image
 *
 * Shape: @image [m][m].
 * Thread: any.
 *
 * Returns: Σ|∇a|/m², the mean absolute difference of neighbours
 */
double
prism_variation_get_mean (int size,
                          const float *image)
{
  gsize m = size;
  double sum = 0.0;

  for (gsize y = 0; y < m; y++)
    for (gsize x = 0; x < m; x++)
      {
        const float *pixel = image + y * m + x;
        double across = x + 1 < m ? pixel[1] - pixel[0] : 0.0;
        double down = y + 1 < m ? pixel[m] - pixel[0] : 0.0;

        sum += sqrt (across * across + down * down);
      }
  return sum / ((double) m * m);
}

/**
 * prism_variation_cool:
 * @first: factor of the first pass, at least 1
 * @pass: from 0
 * @n_passes: of all, at least 1
 *
 * More total variation at first brings sooner what was not measured; what it takes from the data
 * comes back while it is lowered.
 *
 * Returns: the factor of a pass, which falls evenly in its logarithm to 1 after three quarters
 */
double
prism_variation_cool (double first,
                      guint pass,
                      guint n_passes)
{
  return pow (first, MAX (0.0, 1.0 - pass / (COOLING * n_passes)));
}
