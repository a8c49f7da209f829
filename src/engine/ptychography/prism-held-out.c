#include "config.h"

#include "ptychography/prism-held-out.h"

#include <math.h>

/**
 * prism_held_out_add:
 * @field: predicted
 * @amplitude: recorded, -1 where a pixel is not used
 * @n: number of pixels
 *
 * Adds pixels.
 *
 * Shape: field [n][2]; amplitude [n].
 */
void
prism_held_out_add (PrismHeldOut *self,
                    const float *field,
                    const float *amplitude,
                    int n)
{
  for (int i = 0; i < n; i++)
    {
      const double a = (double) amplitude[i];
      const float re = field[2 * i], im = field[2 * i + 1];
      const double square = (double) (re * re + im * im);
      const double p = sqrt (square);

      if (a < 0)
        continue;
      self->n++;
      self->predicted += p;
      self->recorded += a;
      self->predicted_squares += square;
      self->recorded_squares += a * a;
      self->products += p * a;
    }
}

/**
 * prism_held_out_get_error:
 *
 * Returns: Σ(g|φ| - A)² with the gain g at which it is least
 */
double
prism_held_out_get_error (const PrismHeldOut *self)
{
  if (!(self->predicted_squares > 0))
    return self->recorded_squares;
  return MAX (
      self->recorded_squares - self->products * self->products / self->predicted_squares, 0);
}

/**
 * prism_held_out_get_correlation:
 *
 * Returns: Pearson's, of the amplitudes; 0 where one of them is flat
 */
double
prism_held_out_get_correlation (const PrismHeldOut *self)
{
  const double n = (double) self->n;
  const double p = self->predicted_squares - self->predicted * self->predicted / n;
  const double a = self->recorded_squares - self->recorded * self->recorded / n;

  if (!(p > 1e-12 * self->predicted_squares && a > 1e-12 * self->recorded_squares))
    return 0;
  return (self->products - self->predicted * self->recorded / n) / sqrt (p * a);
}
