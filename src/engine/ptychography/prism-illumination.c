#include "config.h"

#include "ptychography/prism-illumination.h"

#include <complex.h>

/**
 * prism_illumination_init:
 * @centers: (array length=n_frames): recorded places
 * @n_frames: number of frames
 *
 * Begins with what was recorded, and no gain.
 */
void
prism_illumination_init (PrismIllumination *self,
                         double (*centers)[2],
                         guint n_frames)
{
  self->n_frames = n_frames;
  self->recorded = g_memdup2 (centers, n_frames * sizeof *centers);
  self->found = g_malloc_n (n_frames, sizeof *self->found);
  self->gains = g_new (double, n_frames);
  prism_illumination_reset (self);
}

/**
 * prism_illumination_reset:
 *
 * Goes back to what was recorded.
 */
void
prism_illumination_reset (PrismIllumination *self)
{
  memcpy (self->found, self->recorded, self->n_frames * sizeof *self->found);
  for (guint j = 0; j < self->n_frames; j++)
    self->gains[j] = 1;
  self->board = (PrismBoard) { .scale = 1 };
}

/**
 * prism_illumination_move:
 * @frame: whose light
 * @shift: pixels
 * @most: how far from its recorded place it may be, pixels
 *
 * Moves one LED.
 */
void
prism_illumination_move (PrismIllumination *self,
                         guint frame,
                         const double shift[2],
                         double most)
{
  double *at = self->found[frame];
  const double *from = self->recorded[frame];
  double x = at[0] + shift[0] - from[0], y = at[1] + shift[1] - from[1];
  const double distance = hypot (x, y), factor = distance > most ? most / distance : 1;

  at[0] = from[0] + factor * x;
  at[1] = from[1] + factor * y;
}

/**
 * prism_illumination_fit_board:
 * @frames: (array length=n): those whose places were found
 * @n: their number
 * @others: [N]: not 0 for those to which the board's movement is applied
 *
 * Finds the shift, turn and scale that most of the found places have in common, and moves to it
 * those whose frames were never looked at.
 */
void
prism_illumination_fit_board (PrismIllumination *self,
                              const guint *frames,
                              guint n,
                              const guint8 *others)
{
  double complex offset = 0, slope = 0;

  if (n < 3)
    return;
  /* An LED that is a tenth of a pixel off the board of the round before weighs half as much. */
  for (int round = 0; round < 4; round++)
    {
      double s0 = 0, s2 = 0;
      double complex s1 = 0, d0 = 0, d1 = 0;

      for (guint i = 0; i < n; i++)
        {
          const double *from = self->recorded[frames[i]], *to = self->found[frames[i]];
          const double complex k = from[0] + I * from[1], d = to[0] + I * to[1] - k;
          const double weight
              = round == 0 ? 1 : 0.1 / (0.1 + cabs (d - offset - slope * k));

          s0 += weight;
          s1 += weight * k;
          s2 += weight * creal (k * conj (k));
          d0 += weight * d;
          d1 += weight * d * conj (k);
        }
      const double complex determinant = s0 * s2 - s1 * conj (s1);

      if (!(cabs (determinant) > 1e-9 * s0 * s2))
        return;
      offset = (d0 * s2 - d1 * s1) / determinant;
      slope = (d1 * s0 - d0 * conj (s1)) / determinant;
    }
  self->board = (PrismBoard) {
    { creal (offset), cimag (offset) }, cabs (1 + slope), carg (1 + slope)
  };
  for (guint j = 0; j < self->n_frames; j++)
    if (others[j] != 0)
      prism_illumination_get_expected (self, j, self->found[j]);
}

/**
 * prism_illumination_get_expected:
 * @frame: whose light
 * @place: (out): where the board's movement alone would have put it, pixels
 *
 * Says where a frame's light would be that nobody looked at.
 */
void
prism_illumination_get_expected (const PrismIllumination *self,
                                 guint frame,
                                 double place[2])
{
  const double complex turn = self->board.scale * cexp (I * self->board.turn);
  const double complex at
      = turn * (self->recorded[frame][0] + I * self->recorded[frame][1])
        + self->board.shift[0] + I * self->board.shift[1];

  place[0] = creal (at);
  place[1] = cimag (at);
}

/**
 * prism_illumination_compute_spread:
 * @frames: (array length=n): those whose places were found
 * @n: their number
 *
 * Returns: how far they are from where the board's movement alone would have put them, root mean
 *   square, pixels
 */
double
prism_illumination_compute_spread (const PrismIllumination *self,
                                   const guint *frames,
                                   guint n)
{
  double sum = 0;

  for (guint i = 0; i < n; i++)
    {
      const double *to = self->found[frames[i]];
      double from[2];

      prism_illumination_get_expected (self, frames[i], from);
      sum += (to[0] - from[0]) * (to[0] - from[0]) + (to[1] - from[1]) * (to[1] - from[1]);
    }
  return n > 0 ? sqrt (sum / n) : 0;
}

/**
 * prism_ptychography_place_init:
 * @place: of a pupil, pixels from the spectrum's centre
 *
 * A place between pixels is a pupil of what lies between its points, by cubic convolution (Keys
 * 1981): with the mean of the nearest ones places would be drawn to whole pixels, where the rim is
 * sharpest.
 */
void
prism_ptychography_place_init (PrismRecordedPlace *self,
                               const double place[2])
{
  for (int k = 0; k < 2; k++)
    {
      const double back = floor (place[k] + 0.5) - place[k], t = back - floor (back);

      self->whole[k] = floor (place[k] + 0.5);
      self->back[k] = back;
      self->base[k] = floor (back);
      self->weights[k][0] = ((-0.5 * t + 1) * t - 0.5) * t;
      self->weights[k][1] = (1.5 * t - 2.5) * t * t + 1;
      self->weights[k][2] = ((-1.5 * t + 2) * t + 0.5) * t;
      self->weights[k][3] = (0.5 * t - 0.5) * t * t;
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
