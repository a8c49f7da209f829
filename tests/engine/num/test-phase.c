#include "num/prism-phase.h"
#include "prism-test.h"

/* Phases that are known are wrapped, and have to come back. */

#define HEIGHT 96
#define WIDTH 120
#define N (HEIGHT * WIDTH)

static float
wrap (double phase)
{
  return (float) remainder (phase, 2 * G_PI);
}

/* A bump in the middle, radians high. */
static double
get_bump (int i, double height)
{
  const double x = (i % WIDTH - 0.5 * WIDTH) / 22, y = (i / WIDTH - 0.45 * HEIGHT) / 17;

  return height * exp (-x * x - y * y);
}

/* The largest difference after the mean is taken off. */
static double
compare (const float *found, const double *truth)
{
  double mean = 0, most = 0;

  for (int i = 0; i < N; i++)
    mean += ((double) found[i] - truth[i]) / N;
  for (int i = 0; i < N; i++)
    most = MAX (most, fabs ((double) found[i] - truth[i] - mean));
  return most;
}

static double
unwrap (const double *truth)
{
  g_autofree float *wrapped = g_new (float, N), *found = g_new (float, N);

  for (int i = 0; i < N; i++)
    wrapped[i] = wrap (truth[i]);
  g_assert_true (prism_phase_unwrap (wrapped, found, HEIGHT, WIDTH, NULL));
  for (int i = 0; i < N; i++)
    g_assert_cmpfloat_with_epsilon (remainder ((double) (found[i] - wrapped[i]), 2 * G_PI), 0,
                                    1e-4);
  return compare (found, truth);
}

TEST (ramp, "/engine/phase/ramp")
{
  g_autofree double *truth = g_new (double, N);

  for (int i = 0; i < N; i++)
    truth[i] = 0.9 * (i % WIDTH) - 1.3 * (i / WIDTH);
  g_assert_cmpfloat (unwrap (truth), <, 1e-3);
}

/* Five turns high. */
TEST (bump, "/engine/phase/bump")
{
  g_autofree double *truth = g_new (double, N);

  for (int i = 0; i < N; i++)
    truth[i] = get_bump (i, 10 * G_PI) + 0.4 * (i % WIDTH);
  g_assert_cmpfloat (unwrap (truth), <, 1e-3);
}

/* A square of nothing but noise spoils only itself, also where the picture ends. */
static void
check_noise (int left, int top)
{
  g_autofree float *wrapped = g_new (float, N), *found = g_new (float, N);
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);
  int n_wrong = 0, n_noisy = 0;

  for (int i = 0; i < N; i++)
    {
      const gboolean noisy = ABS (i % WIDTH - left - 10) < 10 && ABS (i / WIDTH - top - 10) < 10;

      wrapped[i] = noisy ? (float) g_rand_double_range (rand, -G_PI, G_PI)
                         : wrap (get_bump (i, 8 * G_PI));
      n_noisy += noisy;
    }
  g_assert_true (prism_phase_unwrap (wrapped, found, HEIGHT, WIDTH, NULL));
  double turns = (double) found[N - 1] - get_bump (N - 1, 8 * G_PI);
  for (int i = 0; i < N; i++)
    n_wrong += fabs ((double) found[i] - get_bump (i, 8 * G_PI) - turns) > 1e-3;
  g_test_message ("%d pixels differ, %d are noise", n_wrong, n_noisy);
  g_assert_cmpint (n_wrong, <=, n_noisy);
}

TEST (noise, "/engine/phase/noise")
{
  check_noise (30, 20);
  check_noise (-5, -5);
  check_noise (60, -9);
}

/* The field's slope, with pixels of any brightness. */
TEST (find_ramp, "/engine/phase/find-ramp")
{
  g_autofree float *field = g_new (float, 2 * N);
  double ramp[2];

  for (int i = 0; i < N; i++)
    {
      const double phase = 0.31 * (i % WIDTH) - 2.4 * (i / WIDTH);
      const double amplitude = 1 + 0.5 * sin (0.7 * i);

      field[2 * i] = (float) (amplitude * cos (phase));
      field[2 * i + 1] = (float) (amplitude * sin (phase));
    }
  prism_phase_find_ramp (field, HEIGHT, WIDTH, ramp);
  g_assert_cmpfloat_with_epsilon (ramp[0], 0.31, 1e-3);
  g_assert_cmpfloat_with_epsilon (ramp[1], -2.4, 1e-3);
}

/* What stands out of the ground stays, and does not tilt it. */
TEST (flatten, "/engine/phase/flatten")
{
  g_autofree float *phase = g_new (float, N);
  g_autofree double *truth = g_new (double, N);

  for (int i = 0; i < N; i++)
    {
      truth[i] = get_bump (i + 25, 6);
      phase[i] = (float) (truth[i] + 3 + 0.05 * (i % WIDTH) - 0.08 * (i / WIDTH));
    }
  prism_phase_flatten (phase, HEIGHT, WIDTH);
  g_assert_cmpfloat (compare (phase, truth), <, 0.05);
  g_assert_cmpfloat (fabs ((double) phase[0]), <, 0.1);
}

/* Neither a single row nor what is no number stops anything. */
TEST (odd, "/engine/phase/odd")
{
  float phase[WIDTH], found[WIDTH];

  for (int i = 0; i < WIDTH; i++)
    phase[i] = wrap (0.5 * i);
  g_assert_true (prism_phase_unwrap (phase, found, 1, WIDTH, NULL));
  for (int i = 1; i < WIDTH; i++)
    g_assert_cmpfloat_with_epsilon ((double) (found[i] - found[i - 1]), 0.5, 1e-4);
  prism_phase_flatten (found, 1, WIDTH);
  for (int i = 0; i < WIDTH; i++)
    phase[i] = NAN;
  prism_phase_flatten (phase, 1, WIDTH);
}

/* Two objects of absorption and phase; the second has a brightness, a phase and a ramp besides. */
TEST (correlate, "/engine/phase/correlate")
{
  g_autofree float *values = g_new (float, 4 * N);
  float *amplitudes[2] = { values, values + N }, *phases[2] = { values + 2 * N, values + 3 * N };
  const float *swapped[2] = { phases[1], phases[0] };
  g_autofree float *levelled = g_new (float, N);
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);
  double worst = 0;

  for (int i = 0; i < N; i++)
    {
      const double grain = g_rand_double_range (rand, -0.3, 0.3);

      amplitudes[0][i] = (float) (1 + grain);
      phases[0][i] = (float) (get_bump (i, 0.8) - 0.5 * grain);
      amplitudes[1][i] = 2.5f * amplitudes[0][i];
      phases[1][i] = wrap ((double) phases[0][i] + 2 + 0.031 * (i % WIDTH) - 0.017 * (i / WIDTH));
    }
  g_assert_cmpfloat_with_epsilon (
      prism_phase_correlate ((const float *const *) amplitudes, (const float *const *) phases,
                             HEIGHT, WIDTH, NULL),
      1, 1e-6);
  g_assert_true (prism_phase_level (amplitudes[1], phases[1], levelled, HEIGHT, WIDTH, NULL));
  for (int i = 0; i < N; i++)
    worst = MAX (worst, fabs (remainder ((double) (levelled[i] - phases[0][i])
                                             - (double) (levelled[0] - phases[0][0]),
                                         2 * G_PI)));
  /* The object's own slope is taken off, too. */
  g_assert_cmpfloat (worst, <, 0.3);
  /* Where one of them is blank they are not compared. */
  memset (amplitudes[0], 0xff, 3 * WIDTH * sizeof (float));
  g_assert_cmpfloat_with_epsilon (
      prism_phase_correlate ((const float *const *) amplitudes, (const float *const *) phases,
                             HEIGHT, WIDTH, NULL),
      1, 1e-6);
  g_assert_true (prism_phase_level (amplitudes[0], phases[0], levelled, HEIGHT, WIDTH, NULL));
  g_assert_true (isfinite (levelled[N - 1]));
  for (int i = 0; i < N; i++)
    {
      amplitudes[1][i] = (float) g_rand_double_range (rand, 0.5, 1.5);
      phases[1][i] = (float) g_rand_double_range (rand, -0.3, 0.3);
    }
  g_assert_cmpfloat (prism_phase_correlate ((const float *const *) amplitudes,
                                            (const float *const *) phases, HEIGHT, WIDTH, NULL),
                     <, 0.1);
  for (int i = 0; i < N; i++)
    amplitudes[1][i] = phases[1][i] = 0;
  g_assert_true (isnan (prism_phase_correlate ((const float *const *) amplitudes, swapped, HEIGHT,
                                               WIDTH, NULL)));
}
