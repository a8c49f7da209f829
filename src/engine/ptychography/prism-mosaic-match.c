#include "config.h"

#include "ptychography/prism-mosaic-match.h"

#include "base/prism-arena.h"

#include <math.h>

static gsize
get_place (const PrismMosaicMatch *self,
           int row,
           int column)
{
  return (gsize) (self->y + row) * self->width + self->x + column;
}

/* conj(tile)·others where there are others, otherwise 0. Returns Σ|tile|² there. */
static double
multiply (const PrismMosaicMatch *self,
          const float *object,
          float *products)
{
  const int m = self->side;
  double sum = 0;

  for (int row = 0; row < m; row++)
    for (int column = 0; column < m; column++)
      {
        const gsize i = 2 * ((gsize) row * m + column), k = get_place (self, row, column);
        const float weight = self->weights[k];
        const float re = weight > 0 ? self->sums[2 * k] / weight : 0;
        const float im = weight > 0 ? self->sums[2 * k + 1] / weight : 0;

        products[i] = object[i] * re + object[i + 1] * im;
        products[i + 1] = object[i] * im - object[i + 1] * re;
        if (weight > 0)
          sum += (double) (object[i] * object[i] + object[i + 1] * object[i + 1]);
      }
  return sum;
}

/* The mean slope of the products' phase along columns (0) or rows, between pixels that are lag
 * apart, beyond the ramp that is known. */
static double
find_slope (const PrismMosaicMatch *self,
            const float *products,
            int axis,
            int lag)
{
  const int m = self->side, rows = axis == 1 ? m - lag : m, columns = axis == 0 ? m - lag : m;
  const gsize step = 2 * (axis == 0 ? (gsize) lag : (gsize) lag * m);
  const double known = lag * self->ramp[axis];
  double re = 0, im = 0;

  for (int row = 0; row < rows; row++)
    for (int column = 0; column < columns; column++)
      {
        const float *a = products + 2 * ((gsize) row * m + column), *b = a + step;

        re += (double) (a[0] * b[0] + a[1] * b[1]);
        im += (double) (a[0] * b[1] - a[1] * b[0]);
      }
  if (!(hypot (re, im) > 0))
    return 0;
  return remainder (atan2 (im, re) - known, 2 * G_PI) / lag;
}

static void
find_factor (PrismMosaicMatch *self,
             const float *products,
             double energy)
{
  const int m = self->side;
  double re = 0, im = 0;

  for (int row = 0; row < m; row++)
    for (int column = 0; column < m; column++)
      {
        const gsize i = 2 * ((gsize) row * m + column);
        const double phase = -(self->ramp[0] * column + self->ramp[1] * row);
        const double c = cos (phase), s = sin (phase);

        re += c * (double) products[i] - s * (double) products[i + 1];
        im += c * (double) products[i + 1] + s * (double) products[i];
      }
  self->gain = hypot (re, im) > 0 && energy > 0 ? hypot (re, im) / energy : 1;
  self->phase = atan2 (im, re);
}

/* Grows from the rim of a tile inwards, unless that is the rim of all. */
static float
get_weight (int i,
            int side,
            int fade,
            gboolean is_first,
            gboolean is_last)
{
  const double before = is_first ? 1 : MIN (1, (i + 0.5) / fade);
  const double after = is_last ? 1 : MIN (1, (side - i - 0.5) / fade);
  const double part = sin (MIN (before, after) * G_PI / 2);

  return (float) (part * part);
}

static void
add (const PrismMosaicMatch *self,
     const float *object)
{
  const int m = self->side;

  for (int row = 0; row < m; row++)
    for (int column = 0; column < m; column++)
      {
        const gsize i = 2 * ((gsize) row * m + column), k = get_place (self, row, column);
        const double phase = self->phase + self->ramp[0] * column + self->ramp[1] * row;
        const float c = (float) (self->gain * cos (phase)), s = (float) (self->gain * sin (phase));
        const float weight
            = get_weight (row, m, self->fade, self->y == 0, self->y + m == self->height)
              * get_weight (column, m, self->fade, self->x == 0, self->x + m == self->width);

        self->sums[2 * k] += weight * (c * object[i] - s * object[i + 1]);
        self->sums[2 * k + 1] += weight * (c * object[i + 1] + s * object[i]);
        self->weights[k] += weight;
      }
}

/**
 * prism_mosaic_match_add:
 * @self: where it goes; it has the gain, the phase and the ramp afterwards
 * @object: of the tile
 *
 * Finds how a tile meets what is there already, and adds it.
 *
 * Shape: object [m][m][2].
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: whether it was added
 */
gboolean
prism_mosaic_match_add (PrismMosaicMatch *self,
                        const float *object,
                        GError **error)
{
  const gsize n = 2 * (gsize) self->side * self->side;
  prism_autofree_array float *products
      = prism_arena_new_array (n * sizeof *products, "what tiles have in common", error);
  double energy;

  self->gain = 1;
  self->phase = self->ramp[0] = self->ramp[1] = 0;
  if (products == NULL)
    return FALSE;
  energy = multiply (self, object, products);
  /* A ramp is first found of neighbouring pixels, which leaves no doubt of turns, then of pixels
   * some times as far apart, which has as many times less of an error. */
  for (int lag = 1; energy > 0 && lag <= self->fade / 2; lag *= 6)
    for (int axis = 0; axis < 2; axis++)
      self->ramp[axis] += find_slope (self, products, axis, lag);
  if (energy > 0)
    find_factor (self, products, energy);
  add (self, object);
  return TRUE;
}
