#include "../support/forward-model.h"
#include "../support/test-run-parts.h"
#include "cpu/prism-cpu-backend.h"
#include "num/prism-tuning.h"
#include "num/prism-variation.h"
#include "../support/test-config.h"
#include "solve/prism-descent.h"

/* Dimensions of this file: n = 64, m = 16, N = 40 apertures that overlap and see everything. */

#define N_PIXELS (16 * 16)
#define N_SAMPLES 40

typedef struct
{
  Run run;
  PrismDescent *descent;
  float disturbed[N_PIXELS]; /* the object and an error of 0.1 */
} Scene;

static void
scene_init (Scene *self, int snr, int n_threads)
{
  PrismConfig *config = test_config_new ("method=decoder frames=full image_size=64 "
                                         "object_size=16 aperture_radius=10");
  g_autoptr (GError) error = NULL;

  config->samples = N_SAMPLES;
  config->threads = n_threads;
  config->snr = snr;
  run_prepare (&self->run, config, NULL, &prism_cpu_backend_ops);
  run_measure (&self->run);
  run_acquire_all (&self->run);
  self->descent = MUST (prism_descent_new (self->run.backend, self->run.measurements, 0, &error));
  g_assert_true (prism_descent_add_samples (self->descent, N_SAMPLES, &error));
  g_assert_true (prism_descent_set_exponent (self->descent, 0.0, &error));
  for (int i = 0; i < N_PIXELS; i++)
    self->disturbed[i] = CLAMP (self->run.object->pixels[i] + 0.14f * sinf (3.0f * i), 0.0f, 1.0f);
}

static void
scene_clear (Scene *self)
{
  prism_descent_free (self->descent);
  run_close (&self->run);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Scene, scene_clear)

static void
do_pass (PrismDescent *descent)
{
  PrismControl control = { 0 };

  prism_pace_init (&control.pace, 7);
  control.pace.n = 7;
  g_assert_true (prism_descent_pass (descent, &control, NULL));
}

static void
do_passes (PrismDescent *descent, int n_passes)
{
  for (int i = 0; i < n_passes; i++)
    do_pass (descent);
}

/* Largest error of a pixel. */
static double
get_error (Scene *self)
{
  const float *image = self->descent->planes.image;
  double largest = 0.0;

  for (int i = 0; i < N_PIXELS; i++)
    largest = fmax (largest, fabs (image[i] - self->run.object->pixels[i]));
  return largest;
}

/* From ten passes to the next ten; the momentum is forgotten before it leads uphill by much. */
TEST (misfit_falls, "/engine/descent/misfit-falls")
{
  g_auto (Scene) scene;
  double before, first, tenth, rise = 0.0;

  scene_init (&scene, 0, 1);
  prism_descent_set_image (scene.descent, scene.disturbed);
  scene.descent->smoothness = 0.0;
  do_pass (scene.descent);
  first = tenth = before = scene.descent->last_misfit;
  for (int pass = 1; pass < 100; pass++)
    {
      do_pass (scene.descent);
      double misfit = scene.descent->last_misfit;
      rise = fmax (rise, misfit / before);
      before = misfit;
      if (pass % 10 != 0)
        continue;
      g_assert_cmpfloat (misfit, <, tenth);
      tenth = misfit;
    }
  g_test_message ("from %g to %g, at most times %g in a pass", first, before, rise);
  g_assert_cmpfloat (rise, <, 1.1);
  g_assert_cmpfloat (before, <, 1e-5 * first);
}

TEST (known_object_is_recovered, "/engine/descent/known-object")
{
  g_auto (Scene) scene;

  scene_init (&scene, 0, 1);
  prism_descent_set_image (scene.descent, scene.disturbed);
  scene.descent->smoothness = 0.0;
  do_passes (scene.descent, 400);
  g_test_message ("largest error %g", get_error (&scene));
  g_assert_cmpfloat (get_error (&scene), <, 1e-3);
}

TEST (stops_where_nothing_is_left, "/engine/descent/stops")
{
  for (int snr = 0; snr <= 20; snr += 20)
    {
      g_auto (Scene) scene;

      scene_init (&scene, snr, 1);
      prism_descent_set_image (scene.descent, scene.disturbed);
      do_pass (scene.descent);
      g_assert_false (scene.descent->exact);
      prism_descent_set_image (scene.descent, scene.run.object->pixels);
      do_pass (scene.descent);
      g_assert_true (scene.descent->exact == (snr == 0));
    }
}

/* Steps that are eight times too long are shortened, and nothing but the time is lost. */
TEST (divergence_is_mended, "/engine/descent/divergence")
{
  g_auto (Scene) scene;

  prism_tuning_scale (PRISM_TUNING_DESCENT_STEP, 8.0);
  scene_init (&scene, 0, 1);
  prism_tuning_scale (PRISM_TUNING_DESCENT_STEP, 1.0);
  double longest = scene.descent->step_size;
  prism_descent_set_image (scene.descent, scene.disturbed);
  do_pass (scene.descent);
  double first = scene.descent->last_misfit;
  do_passes (scene.descent, 200);
  g_test_message ("step %g to %g, misfit %g to %g", longest, scene.descent->step_size, first,
                  scene.descent->last_misfit);
  g_assert_cmpfloat (scene.descent->step_size, <, longest);
  g_assert_cmpfloat (scene.descent->last_misfit, <, 1e-2 * first);
}

TEST (bounds_are_kept, "/engine/descent/bounds")
{
  for (int snr = 0; snr <= 10; snr += 10)
    {
      g_auto (Scene) scene;

      scene_init (&scene, snr, 1);
      for (int i = 0; i < N_PIXELS; i++)
        scene.disturbed[i] = i % 3 == 0 ? 1.0f : 0.0f;
      prism_descent_set_image (scene.descent, scene.disturbed);
      for (int pass = 0; pass < 20; pass++)
        {
          scene.descent->smoothness = pass % 2;
          do_pass (scene.descent);
          const float *image = scene.descent->planes.image;
          for (int i = 0; i < N_PIXELS; i++)
            g_assert_true (image[i] >= 0.0f && image[i] <= 1.0f);
        }
    }
}

TEST (threads_agree, "/engine/descent/threads-agree")
{
  float images[2][N_PIXELS];
  double misfits[2];

  for (int i = 0; i < 2; i++)
    {
      g_auto (Scene) scene;

      scene_init (&scene, 15, 1 + i);
      do_passes (scene.descent, 12);
      memcpy (images[i], scene.descent->planes.image, sizeof images[i]);
      misfits[i] = scene.descent->last_misfit;
    }
  g_assert_cmpmem (images[0], sizeof images[0], images[1], sizeof images[1]);
  g_assert_cmpfloat (misfits[0], ==, misfits[1]);
}

/* Saved in the middle of a pass, which is then done again from its beginning. */
TEST (goes_on_where_it_was_saved, "/engine/descent/saved")
{
  for (int snr = 0; snr <= 15; snr += 15)
    {
      g_autoptr (PrismBundle) bundle = prism_bundle_new ();
      g_auto (Scene) scene, other;
      PrismControl control = { .is_stepped = TRUE };

      scene_init (&scene, snr, 1);
      scene_init (&other, snr, 1);
      scene.descent->smoothness = 1.5;
      g_assert_true (prism_descent_set_exponent (scene.descent, 0.5, NULL));
      do_passes (scene.descent, 9);
      g_assert_false (prism_descent_pass (scene.descent, &control, NULL));
      g_assert_cmpuint (scene.descent->sample, >, 0);
      MUST (prism_descent_save (scene.descent, bundle, "x", &error));
      MUST (prism_descent_load (other.descent, bundle, "x", TRUE, &error));
      other.descent->smoothness = scene.descent->smoothness; /* which each pass is given anew */
      g_assert_cmpuint (other.descent->sample, ==, 0);
      for (int pass = 0; pass < 8; pass++)
        {
          do_pass (scene.descent);
          do_pass (other.descent);
          g_assert_cmpfloat (scene.descent->last_misfit, ==, other.descent->last_misfit);
          g_assert_cmpmem (scene.descent->planes.image, N_PIXELS * sizeof (float),
                           other.descent->planes.image, N_PIXELS * sizeof (float));
        }
    }
}

/* What a pass of a very small step without momentum moves is the gradient of what it lowers: the
 * misfit and the total variation. */
static double
evaluate_objective (gpointer data, const float *in, float *gradient)
{
  PrismDescent *descent = ((Scene *) data)->descent;
  double variation = descent->smoothness * prism_tuning_get (PRISM_TUNING_VARIATION) * 2.0
                     * descent->overlap;

  prism_descent_set_image (descent, in);
  g_assert_true (prism_descent_set_exponent (descent, 0.0, NULL));
  descent->step_size *= 0.01;
  PrismDescent before = *descent;
  do_pass (descent);
  const float *image = descent->planes.image;
  for (int i = 0; i < N_PIXELS; i++)
    gradient[i] = (float) (((double) in[i] - image[i]) / before.step_size);
  return descent->last_misfit + variation * N_PIXELS * prism_variation_get_mean (16, in);
}

TEST_DATA (gradient_of_the_objective, "/engine/descent/gradient/misfit", GINT_TO_POINTER (0))
{
  g_auto (Scene) scene;
  ForwardModel model = {
    .name = "misfit and total variation",
    .n_in = N_PIXELS,
    .evaluate = evaluate_objective,
    .quotient = 1e-3, /* of a step that is small, not 0 */
    .data = &scene,
  };

  scene_init (&scene, 0, 1);
  scene.descent->smoothness = GPOINTER_TO_INT (data);
  for (guint64 seed = 1; seed <= 4; seed++)
    forward_model_check (&model, seed);
}

TEST_DATA_ALSO (gradient_of_the_objective, "/engine/descent/gradient/total-variation",
                GINT_TO_POINTER (30000))

/* What the estimates of all frames say that noise leaves of the truth. */
static double
expect_misfit (Run *run, double exponent)
{
  double least = INFINITY, sum = 0.0;

  for (int turn = 0; turn < 2; turn++)
    for (guint i = 0; i < run->measurements->n_measurements; i++)
      {
        const PrismNoiseEstimate *estimate
            = MUST (prism_measurements_estimate_noise (run->measurements, i, &error));

        least = MIN (least, estimate->scale);
        sum += turn * pow (least / estimate->scale, exponent) * estimate->misfit;
      }
  return sum;
}

/* The first pass tells the misfit of the image that it begins with. */
TEST_DATA (truth_has_the_misfit_of_noise, "/engine/descent/noise/10-db", GINT_TO_POINTER (10))
{
  static const double exponents[] = { 0.0, 0.75, 1.0 };
  g_auto (Scene) scene;

  scene_init (&scene, GPOINTER_TO_INT (data), 1);
  for (guint i = 0; i < G_N_ELEMENTS (exponents); i++)
    {
      g_assert_true (prism_descent_set_exponent (scene.descent, exponents[i], NULL));
      prism_descent_set_image (scene.descent, scene.run.object->pixels);
      do_pass (scene.descent);
      double misfit = scene.descent->last_misfit;
      double expected = expect_misfit (&scene.run, exponents[i]);
      g_test_message ("p = %g: misfit %g, expected %g", exponents[i], misfit, expected);
      g_assert_cmpfloat (fabs (misfit / expected - 1.0), <, 0.12);
    }
}

TEST_DATA_ALSO (truth_has_the_misfit_of_noise, "/engine/descent/noise/20-db", GINT_TO_POINTER (20))
