#include "config.h"

#include "ptychography/prism-ptychography-place.h"

#include <math.h>

/**
 * prism_ptychography_place_init:
 * @place: of a pupil, pixels from the spectrum's centre
 *
 * A place between pixels is a pupil of what lies between its points, by cubic convolution (Keys
 * 1981): with the mean of the nearest ones places would be drawn to whole pixels, where the rim is
 * sharpest.
 */
void
prism_ptychography_place_init (PrismPtychographyPlace *self,
                               const double place[2])
{
  for (int k = 0; k < 2; k++)
    {
      const double back = floor (place[k] + 0.5) - place[k], t = back - floor (back);

      self->whole[k] = (int) floor (place[k] + 0.5);
      self->back[k] = back;
      self->base[k] = (int) floor (back);
      self->weights[k][0] = (float) (((-0.5 * t + 1) * t - 0.5) * t);
      self->weights[k][1] = (float) ((1.5 * t - 2.5) * t * t + 1);
      self->weights[k][2] = (float) (((-1.5 * t + 2) * t + 0.5) * t);
      self->weights[k][3] = (float) ((0.5 * t - 0.5) * t * t);
    }
}

/**
 * prism_ptychography_place_find_shift:
 * @forces: gradient for x and y, and the curvatures xx, yy, xy
 * @n_points: of the grid, whose transforms are not normalised
 * @shift: (out): by how much the place is off, 0 where nothing tells it
 */
void
prism_ptychography_place_find_shift (const double forces[5],
                                     double n_points,
                                     double shift[2])
{
  const double determinant
      = forces[2] * forces[3] - forces[4] * forces[4] + 1e-6 * forces[2] * forces[3];

  shift[0] = shift[1] = 0;
  if (!(determinant > 0))
    return;
  shift[0] = (forces[0] * forces[3] - forces[1] * forces[4]) / determinant / n_points;
  shift[1] = (forces[1] * forces[2] - forces[0] * forces[4]) / determinant / n_points;
}
