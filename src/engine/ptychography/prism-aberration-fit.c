#include "config.h"

#include "ptychography/prism-aberration-fit.h"

/**
 * prism_aberration_fit_add_row:
 * @modes: of the first mode, at the row's points
 * @stride: floats from one mode to the next
 * @row: object, pupil and the difference of the exit wave
 *
 * Adds what a row of a frame's spectrum says: ∂ψ/∂c = i·Z·ψ of every aberration.
 *
 * Shape: @modes [PRISM_PUPIL_N_MODES], @stride apart, [row->n] each.
 */
void
prism_aberration_fit_add_row (PrismAberrationFit *self,
                              const float *modes,
                              gsize stride,
                              const PrismCpuPtychographyRow *row)
{
  const float *pupil = row->pupil, *object = row->object, *difference = row->difference;

  for (int i = 0; i < row->n; i++)
    {
      const float p = pupil[2 * i], q = pupil[2 * i + 1];
      const float u = object[2 * i], v = object[2 * i + 1];
      const float x = p * u - q * v, y = p * v + q * u;
      const double square = (double) (x * x + y * y);
      const double slope = (double) (x * difference[2 * i + 1] - y * difference[2 * i]);

      for (int a = 0; a < PRISM_PUPIL_N_MODES; a++)
        {
          const double mode = (double) modes[a * stride + i];

          self->slopes[a] += mode * slope;
          for (int b = 0; b <= a; b++)
            self->curvatures[a][b] += mode * (double) modes[b * stride + i] * square;
        }
    }
}

/**
 * prism_aberration_fit_add:
 * @other: of some rows
 * @n_points: of the grid, whose transforms are not normalised
 *
 * Adds the equations of some rows.
 */
void
prism_aberration_fit_add (PrismAberrationFit *self,
                          const PrismAberrationFit *other,
                          double n_points)
{
  for (int a = 0; a < PRISM_PUPIL_N_MODES; a++)
    {
      self->slopes[a] += other->slopes[a] / n_points;
      for (int b = 0; b <= a; b++)
        self->curvatures[a][b] += other->curvatures[a][b];
    }
}
