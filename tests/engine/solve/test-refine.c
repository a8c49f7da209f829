#include "../support/test-run-parts.h"
#include "cpu/prism-cpu-backend.h"
#include "../support/test-config.h"

/* What runs come to is in tests/behaviour. Dimensions of this file: n = 64, m = 16, N = 40
 * overlapping apertures. */

#define N_PIXELS (16 * 16)
#define N_SAMPLES 40

typedef Run Fixture;

static void
set_up (Run *run, gconstpointer data)
{
  PrismConfig *config = test_config_new ("image_size=64 object_size=16 aperture_radius=10");

  config->samples = N_SAMPLES;
  config->threads = 1;
  config->snr = GPOINTER_TO_INT (data);
  run_prepare (run, config, NULL, &prism_cpu_backend_ops);
  run_measure (run);
  run_acquire_all (run);
}

static void
tear_down (Run *run, gconstpointer data)
{
  run_close (run);
}

static PrismSolver *
make_refine (Run *run, guint n_passes, const float *start)
{
  const PrismSolverSpec spec = {
    .n_passes = n_passes, .smoothness = 1.0, .start = start
  };
  g_autoptr (GError) error = NULL;
  PrismSolver *refine
      = prism_solver_new (&prism_refine_kind, run->backend, run->measurements, &error);

  MUST (prism_solver_begin (refine, &spec, &error));
  return refine;
}

static double
get_error (Run *run, const float *image)
{
  double sum = 0.0;

  for (int i = 0; i < N_PIXELS; i++)
    sum += pow (image[i] - run->object->pixels[i], 2.0);
  return sqrt (sum / N_PIXELS);
}

TEST_FIXTURE (truth_is_a_fixed_point, "/engine/refine/truth-is-a-fixed-point")
{
  g_autoptr (PrismSolver) refine = make_refine (self, 10, self->object->pixels);

  /* Runs until so many passes are done. */
  while (!prism_solver_describe (refine).is_done && prism_solver_describe (refine).pass < G_MAXUINT)
    run_piece (refine, 7);
  g_assert_cmpfloat (prism_solver_describe (refine).misfit, <, 1e-9);
  g_assert_cmpfloat (get_error (self, prism_solver_get_image (refine)), <, 1e-4);
}

/* Shot noise, read noise, both, and both by photons: the truth's misfit is what is expected. */
TEST_WITH (noise_is_estimated_with_read_noise, "/engine/refine/noise-is-estimated-with-read-noise",
           GINT_TO_POINTER (10))
{
  static const double noises[][3] = { { 0, 0, 15 }, { 15, 0, 15 }, { 10, 0, 25 }, { 0, 1e5, 20 } };

  for (gsize n = 0; n < G_N_ELEMENTS (noises); n++)
    {
      double expected = 0.0, misfit = 0.0;

      self->config->snr = noises[n][0];
      self->config->photons = noises[n][1];
      self->config->read_snr = noises[n][2];
      prism_measurements_set_noise (self->measurements, self->config);
      for (guint i = 0; i < 8; i++)
        {
          g_autofree float *gradient = g_new0 (float, N_PIXELS);
          PrismMisfitTerm term = { .slot = i, .weight = 1.0f };
          const PrismNoiseEstimate *estimate
              = MUST (prism_measurements_estimate_noise (self->measurements, i, &error));

          term.weight = (float) (1.0 / estimate->scale);
          term.noise = (float) estimate->noise;
          term.read = (float) estimate->read;
          term.offset = (float) estimate->offset;
          self->backend->ops->add_misfit_gradient (self->backend, self->object->pixels,
                                                   &term, 1, gradient, &misfit);
          expected += estimate->misfit / estimate->scale;
        }
      g_test_message ("misfit of the truth %g, expected %g: %g", misfit, expected,
                      misfit / expected);
      g_assert_cmpfloat (fabs (misfit - expected), <, 0.15 * expected);
    }
}

TEST_WITH (noise_is_estimated, "/engine/refine/noise-is-estimated", GINT_TO_POINTER (10))
{
  for (guint i = 0; i < 5; i++)
    {
      g_autofree float *gradient = g_new0 (float, N_PIXELS);
      double misfit = 0.0;
      PrismMisfitTerm term = { i, 1.0f, 0.0f };
      PrismMask *mask = prism_measurements_get_mask (self->measurements, i);
      PrismBuffer *clean = self->backend->ops->measure (self->backend, mask, NULL);
      g_autofree float *image = g_new (float, 64 * 64);
      double sum = 0.0, sum_of_squares = 0.0;

      self->backend->ops->read_buffer (self->backend, clean, mask, image);
      prism_buffer_unref (clean);
      for (int k = 0; k < 64 * 64; k++)
        {
          sum += pow (image[k], 2.0);
          sum_of_squares += pow (image[k], 4.0);
        }
      double truth = sum_of_squares / sum / pow (10.0, self->config->snr / 10.0);
      const PrismNoiseEstimate *estimate
          = MUST (prism_measurements_estimate_noise (self->measurements, i, &error));
      g_assert_cmpfloat (fabs (estimate->noise - truth), <, 0.25 * truth);
      term.noise = (float) estimate->noise;
      self->backend->ops->add_misfit_gradient (self->backend, self->object->pixels, &term,
                                               1, gradient, &misfit);
      g_test_message ("misfit of the truth %g, expected %g", misfit, estimate->misfit);
      g_assert_cmpfloat (fabs (misfit - estimate->misfit), <, 0.25 * estimate->misfit);
    }
}
