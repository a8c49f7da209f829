/* Dimensions of this file: n = 64, m = 16, three overlapping apertures. */

#define N_FIELD 64
#define N_OBJECT 16
#define N_PIXELS (N_OBJECT * N_OBJECT)
#define N_TERMS 3
#define N_EXPOSURES 100

#include "test-cpu-scene.h"

static void
scene_init (Scene *self, double snr, guint64 seed, gboolean knows_noise)
{
  const PrismAperture aperture = { .shape = PRISM_SHAPE_DISK, .radius = 9.0 };
  const gsize bytes = (gsize) N_FIELD * N_FIELD * sizeof (float);

  self->fixture = fixture_new (N_FIELD, N_OBJECT, 1);
  scene_draw (self);
  for (int t = 0; t < N_TERMS; t++)
    {
      g_autofree float *clean = g_aligned_alloc (1, bytes, 64);
      PrismExposure exposure = { snr, seed, t };
      double sum = 0.0, sum_of_squares = 0.0, energy;

      self->masks[t] = prism_aperture_get_mask (&aperture, N_FIELD, 6.0 * t, -4.0 * t);
      self->targets[t] = g_aligned_alloc (1, bytes, 64);
      prism_cpu_telescope_measure (self->fixture.telescope, self->masks[t], self->object, clean);
      for (int i = 0; i < N_FIELD * N_FIELD; i++)
        {
          double intensity = clean[i] * clean[i];

          sum += intensity;
          sum_of_squares += intensity * intensity;
        }
      prism_cpu_telescope_expose (self->fixture.telescope, self->masks[t], &exposure, clean,
                                  self->targets[t]);
      bind (&self->fixture, t, self->masks[t], self->targets[t], &energy);
      self->terms[t] = (PrismMisfitTerm) {
        t, 1.0f + t,
        knows_noise ? (float) (sum_of_squares / sum / pow (10.0, snr / 10.0)) : 0.0f
      };
    }
}

/* H by its definition: the mean over the normal distribution, with the trapezoidal rule. */
static double
expect_root (double s)
{
  double sum = 0.0, weights = 0.0;

  for (double x = -8.0; x <= 8.0; x += 0.01)
    {
      double weight = exp (-0.5 * x * x);

      sum += weight * sqrt (MAX (s * s + s * x, 0.0) + 0.25);
      weights += weight;
    }
  return sum / weights;
}

TEST (misfit_is_that_of_the_definition, "/engine/cpu-telescope-misfit/definition")
{
  g_autofree float *seen = g_aligned_alloc (N_FIELD * N_FIELD, sizeof (float), 64);
  float gradient[N_PIXELS];
  double naive = 0.0, tolerance = 0.0;
  Scene scene;

  scene_init (&scene, 10.0, 7, TRUE);
  double misfit = get_misfit (&scene, scene.image, gradient);
  for (int t = 0; t < N_TERMS; t++)
    {
      double v = scene.terms[t].noise;

      prism_cpu_telescope_measure (scene.fixture.telescope, scene.masks[t], scene.image, seen);
      for (int i = 0; i < N_FIELD * N_FIELD; i++)
        {
          double target = scene.targets[t][i];
          double d = sqrt (v) * expect_root (seen[i] / sqrt (v))
                     - sqrt (target * target + 0.25 * v);

          naive += scene.terms[t].weight * d * d;
          tolerance += scene.terms[t].weight * 2.0 * 0.01 * sqrt (v) * fabs (d);
        }
    }
  g_test_message ("%g, by definition %g, within %g", misfit, naive, tolerance);
  g_assert_cmpfloat (fabs (misfit - naive), <, tolerance);
  g_assert_cmpfloat (tolerance, <, 0.1 * naive);
}

TEST (sums_are_added_to, "/engine/cpu-telescope-misfit/sums-are-added-to")
{
  float gradient[N_PIXELS], twice[N_PIXELS];
  Scene scene;

  scene_init (&scene, 0.0, 7, FALSE);
  double misfit = get_misfit (&scene, scene.image, gradient);
  memcpy (twice, gradient, sizeof twice);
  prism_cpu_telescope_add_misfit_gradient (scene.fixture.telescope, scene.image, scene.terms,
                                           N_TERMS, twice, &misfit);
  for (int i = 0; i < N_PIXELS; i++)
    g_assert_cmpfloat_with_epsilon (twice[i], 2.0f * gradient[i], 1e-4f);
  g_assert_cmpfloat_with_epsilon (misfit, 2.0 * get_misfit (&scene, scene.image, gradient), 1e-6);
  g_assert_cmpfloat (get_misfit (&scene, scene.object, gradient), <, 1e-6);
}

/* Mean over many exposures of the slope at the truth. */
static double
get_bias (gboolean knows_noise)
{
  double mean[N_PIXELS] = { 0.0 }, sum = 0.0;

  for (guint64 seed = 0; seed < N_EXPOSURES; seed++)
    {
      float gradient[N_PIXELS];
      Scene scene;

      scene_init (&scene, 10.0, seed, knows_noise);
      get_misfit (&scene, scene.object, gradient);
      for (int i = 0; i < N_PIXELS; i++)
        mean[i] += gradient[i] / N_EXPOSURES;
    }
  for (int i = 0; i < N_PIXELS; i++)
    sum += mean[i] * mean[i];
  return sqrt (sum);
}

/* The truth is where the noise-aware misfit has no slope on average; a plain comparison of
 * amplitudes is drawn away from it by what the camera clamps at 0. */
TEST (noise_does_not_pull_from_the_truth, "/engine/cpu-telescope-misfit/truth-is-nearly-stationary")
{
  double aware = get_bias (TRUE), unaware = get_bias (FALSE);

  g_test_message ("%g with, %g without knowing the noise", aware, unaware);
  g_assert_cmpfloat (aware, <, 0.5 * unaware);
}
