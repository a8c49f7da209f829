#include "config.h"

#include "ptychography/prism-pupil.h"

#include "num/prism-linear.h"

static const char *const names[PRISM_PUPIL_N_MODES] = {
  "defocus",
  "astigmatism 0°",
  "astigmatism 45°",
  "coma x",
  "coma y",
  "spherical",
  "trefoil x",
  "trefoil y",
};

/**
 * prism_pupil_get_mode_name:
 * @mode: below PRISM_PUPIL_N_MODES
 *
 * Returns: (transfer none): "defocus"
 */
const char *
prism_pupil_get_mode_name (guint mode)
{
  g_return_val_if_fail (mode < PRISM_PUPIL_N_MODES, NULL);
  return names[mode];
}

/**
 * prism_pupil_evaluate_modes:
 * @x: column from the centre, in radii of the pupil
 * @y: row from the centre
 * @modes: (out): Zernike's polynomials (2,0), (2,±2), (3,±1), (4,0), (3,±3), each 1 or -1 at its
 *   extremes on the rim
 *
 * Evaluates the low aberrations, without piston and tilt, which no intensity shows.
 */
void
prism_pupil_evaluate_modes (double x,
                            double y,
                            double modes[PRISM_PUPIL_N_MODES])
{
  const double square = x * x + y * y;

  modes[0] = 2 * square - 1;
  modes[1] = x * x - y * y;
  modes[2] = 2 * x * y;
  modes[3] = (3 * square - 2) * x;
  modes[4] = (3 * square - 2) * y;
  modes[5] = 6 * square * square - 6 * square + 1;
  modes[6] = x * x * x - 3 * x * y * y;
  modes[7] = 3 * x * x * y - y * y * y;
}

/**
 * prism_pupil_evaluate_phase:
 * @x: column from the centre, in radii of the pupil
 * @y: row from the centre
 * @coefficients: of the aberrations, radians
 *
 * Returns: the phase of the low aberrations, radians
 */
double
prism_pupil_evaluate_phase (double x,
                            double y,
                            const double coefficients[PRISM_PUPIL_N_MODES])
{
  double modes[PRISM_PUPIL_N_MODES], phase = 0;

  prism_pupil_evaluate_modes (x, y, modes);
  for (int i = 0; i < PRISM_PUPIL_N_MODES; i++)
    phase += coefficients[i] * modes[i];
  return phase;
}

/**
 * prism_pupil_make_phase:
 * @pupil: (inout): the pupil
 * @reach: points from its middle, each way, that are made
 * @radius: pixels
 * @coefficients: of the aberrations, radians
 *
 * Makes a pupil without a rim: its phase goes on beyond it, so that what lies between its points
 * can be told from them up to the rim.
 *
 * Shape: pupil [n][n][2].
 */
void
prism_pupil_make_phase (float *pupil,
                        int n,
                        int reach,
                        double radius,
                        const double coefficients[PRISM_PUPIL_N_MODES])
{
  const int first = MAX (n / 2 - reach, 0), end = MIN (n / 2 + reach + 1, n);

  for (int row = first; row < end; row++)
    for (int column = first; column < end; column++)
      {
        const double x = (column - n / 2) / radius, y = (row - n / 2) / radius;
        const double phase = prism_pupil_evaluate_phase (x, y, coefficients);
        float *at = pupil + 2 * ((gsize) row * n + column);

        at[0] = cos (phase);
        at[1] = sin (phase);
      }
}

/**
 * prism_pupil_turn:
 * @pupil: (inout): a pupil
 * @radius: pixels
 * @coefficients: of the aberrations that it gets besides, radians
 *
 * Shape: pupil [n][n][2].
 */
void
prism_pupil_turn (float *pupil,
                  int n,
                  double radius,
                  const double coefficients[PRISM_PUPIL_N_MODES])
{
  for (int row = 0; row < n; row++)
    for (int column = 0; column < n; column++, pupil += 2)
      {
        const double x = (column - n / 2) / radius, y = (row - n / 2) / radius;
        const double phase = prism_pupil_evaluate_phase (x, y, coefficients);
        const float c = cos (phase), s = sin (phase), re = pupil[0];

        pupil[0] = re * c - pupil[1] * s;
        pupil[1] = re * s + pupil[1] * c;
      }
}

/**
 * prism_pupil_clip:
 * @pupil: (inout): a pupil
 * @radius: pixels
 *
 * Takes away what is beyond the rim, which is one pixel wide.
 *
 * Shape: pupil [n][n][2].
 */
void
prism_pupil_clip (float *pupil,
                  int n,
                  double radius)
{
  for (int row = 0; row < n; row++)
    for (int column = 0; column < n; column++, pupil += 2)
      {
        const double distance = hypot (column - n / 2, row - n / 2);
        const float inside = CLAMP (radius - distance + 0.5, 0.0, 1.0);

        pupil[0] *= inside;
        pupil[1] *= inside;
      }
}

/**
 * prism_pupil_fit:
 * @pupil: a pupil
 * @radius: pixels
 * @start: coefficients that are near, radians
 * @coefficients: (out): those that fit best, radians
 *
 * Fits the low aberrations to the phase of a pupil, with a piston and a tilt that are left out, by
 * what remains of the phase when the last guess is taken off: nothing has to be unwrapped.
 *
 * Shape: pupil [n][n][2].
 */
void
prism_pupil_fit (const float *pupil,
                 int n,
                 double radius,
                 const double start[PRISM_PUPIL_N_MODES],
                 double coefficients[PRISM_PUPIL_N_MODES])
{
  enum
  {
    N = PRISM_PUPIL_N_MODES + 3
  };
  double tilt[3] = { 0 };

  memcpy (coefficients, start, PRISM_PUPIL_N_MODES * sizeof *coefficients);
  /* The phases that it is left with are small after two rounds. */
  for (int round = 0; round < 6; round++)
    {
      double matrix[N][N + 1] = { 0 };

      for (int i = 0; i < n * n; i++)
        {
          const double x = (i % n - n / 2) / radius, y = ((double) (i / n) - n / 2) / radius;
          const double re = pupil[2 * i], im = pupil[2 * i + 1], weight = re * re + im * im;
          double basis[N], phase;

          if (hypot (x, y) > 1 || !(weight > 0))
            continue;
          prism_pupil_evaluate_modes (x, y, basis);
          basis[N - 3] = 1;
          basis[N - 2] = x;
          basis[N - 1] = y;
          phase = prism_pupil_evaluate_phase (x, y, coefficients);
          phase += tilt[0] + tilt[1] * x + tilt[2] * y;
          phase = atan2 (im * cos (phase) - re * sin (phase), re * cos (phase) + im * sin (phase));
          for (int a = 0; a < N; a++)
            {
              for (int b = 0; b < N; b++)
                matrix[a][b] += weight * basis[a] * basis[b];
              matrix[a][N] += weight * basis[a] * phase;
            }
        }
      for (int a = 0; a < N; a++)
        matrix[a][a] += 1e-9 * matrix[N - 3][N - 3] + 1e-30;
      prism_linear_solve (&matrix[0][0], N);
      for (int a = 0; a < PRISM_PUPIL_N_MODES; a++)
        coefficients[a] += matrix[a][N];
      for (int a = 0; a < 3; a++)
        tilt[a] += matrix[PRISM_PUPIL_N_MODES + a][N];
    }
}

/**
 * prism_pupil_interpolate:
 * @at: a point of a pupil
 * @n: points along a side
 * @fx: columns from there, 0…1
 * @fy: rows from there
 * @value: (out): what lies between it and its neighbours
 */
void
prism_pupil_interpolate (const float *at,
                         int n,
                         double fx,
                         double fy,
                         float value[2])
{
  for (int k = 0; k < 2; k++)
    value[k] = (1 - fy) * ((1 - fx) * at[k] + fx * at[2 + k])
               + fy * ((1 - fx) * at[2 * n + k] + fx * at[2 * n + 2 + k]);
}

/**
 * prism_pupil_resample:
 * @pupil: a pupil on a grid of n points
 * @n: points along a side
 * @other: (out): the same pupil on another grid
 * @m: its points along a side, which span the same frequencies
 *
 * Shape: pupil [n][n][2]; other [m][m][2].
 */
void
prism_pupil_resample (const float *pupil,
                      int n,
                      float *other,
                      int m)
{
  const double scale = (double) n / m;

  for (int row = 0; row < m; row++)
    for (int column = 0; column < m; column++)
      {
        const double x = CLAMP ((column - m / 2) * scale + n / 2, 0, n - 1.001);
        const double y = CLAMP ((row - m / 2) * scale + n / 2, 0, n - 1.001);
        const int i = x, j = y;

        prism_pupil_interpolate (pupil + 2 * ((gsize) j * n + i), n, x - i, y - j,
                                 other + 2 * ((gsize) row * m + column));
      }
}
