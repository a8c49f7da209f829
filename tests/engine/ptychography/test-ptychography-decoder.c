#include "../support/simulated-microscope.h"
#include "prism-test.h"
#include "ptychography/prism-ptychography-private.h"

/* The slope of the decoder's loss. What runs come to is in tests/behaviour, that they go on to the
 * same bits in test-ptychography. */

static PrismPtychography *
begin (const char *per_side)
{
  g_autoptr (PrismRecording) recording
      = simulated_microscope_new (NULL, "size", "32", "per_side", per_side, NULL);
  g_autoptr (PrismConfig) settings = prism_config_new_recorded ();
  g_autoptr (GError) error = NULL;
  PrismPtychography *solver;

  g_assert_true (prism_config_set_text (settings, "method", "complex", NULL));
  g_assert_true (prism_config_set_text (settings, "pupil", "flat", NULL));
  solver = prism_ptychography_new (prism_ptychogram_new (recording, settings, &error), settings,
                                   recording->wavelength, recording->na, &error);
  g_assert_no_error (error);
  g_assert_true (prism_ptychography_begin (solver));
  prism_ptychography_decoder_begin (solver);
  return solver;
}

static double
measure_at (PrismPtychography *solver,
            const float *parameters,
            const float *direction,
            float length)
{
  const gsize n = solver->decoder->plan.n_parameters;
  g_autofree float *moved = g_new (float, n);

  for (gsize i = 0; i < n; i++)
    moved[i] = parameters[i] + length * direction[i];
  prism_cpu_decoder_set_parameters (solver->decoder->network, moved);
  return prism_ptychography_decoder_measure (solver, 1);
}

/* Along the bias of either output, and along the gradient of a random half of all weights: the
 * difference quotient of the loss, from the weights through transform, pupil and camera. A phase of
 * the whole object changes nothing. */
static void
test_gradient (gconstpointer data)
{
  g_autoptr (PrismPtychography) solver = begin (data);
  const PrismDecoderPlan *plan = &solver->decoder->plan;
  const gsize n = plan->n_parameters, bias = plan->layers[plan->n_layers - 1].bias;
  g_autofree float *parameters = g_new (float, n), *gradient = g_new (float, n);
  g_autofree float *direction = g_new (float, n);

  prism_cpu_decoder_get_parameters (solver->decoder->network, parameters);
  g_assert_cmpint (plan->object_size > solver->frames->object_side, ==, strcmp (data, "5") != 0);
  double loss = prism_ptychography_decoder_measure (solver, 1);
  g_assert_true (prism_ptychography_decoder_learn (solver, NULL));
  prism_cpu_decoder_get_gradient (solver->decoder->network, gradient);
  for (int k = 0; k < 5; k++)
    {
      double expected = 0, quotient, step = 5e-3;

      for (gsize i = 0; i < n; i++)
        {
          direction[i] = k < 2                                                    ? i == bias + k
                         : prism_random_normal (k, PRISM_STREAM_OBJECT, 0, i) > 0 ? gradient[i]
                                                                                  : 0;
          expected += (double) direction[i] * gradient[i];
        }
      if (k >= 2)
        step = 1e-3 * loss / expected;
      quotient = (measure_at (solver, parameters, direction, (float) step)
                  - measure_at (solver, parameters, direction, (float) -step))
                 / (2 * step);
      g_test_message ("%g, %g expected", quotient, expected);
      g_assert_cmpfloat_with_epsilon (quotient, expected, 0.01 * fabs (expected) + 1e-4);
    }
}

/* The object that it makes is as the outputs say: with weights of nothing, even and white. */
TEST (object, "/engine/ptychography-decoder/object")
{
  g_autoptr (PrismPtychography) solver = begin ("5");
  const PrismDecoderPlan *plan = &solver->decoder->plan;
  const PrismPtychogram *frames = solver->frames;
  const float white = prism_ptychogram_get_white (frames);
  const gsize m = (gsize) frames->object_side;
  g_autofree float *parameters = g_new0 (float, plan->n_parameters);

  /* Amplitude 1.5, phase 0.5 rad. */
  parameters[plan->layers[plan->n_layers - 1].bias] = 0.5f;
  parameters[plan->layers[plan->n_layers - 1].bias + 1] = 0.5f;
  prism_cpu_decoder_set_parameters (solver->decoder->network, parameters);
  prism_ptychography_decoder_measure (solver, 1);
  const float *object = prism_ptychography_frame_get_object (solver->frame);
  for (gsize i = 0; i < m * m; i++)
    {
      const gboolean centre = i == m / 2 * m + m / 2;

      g_assert_cmpfloat_with_epsilon (object[2 * i], centre ? 1.5f * white * cosf (0.5f) : 0,
                                      1e-4 * (double) white);
      g_assert_cmpfloat_with_epsilon (object[2 * i + 1], centre ? 1.5f * white * sinf (0.5f) : 0,
                                      1e-4 * (double) white);
    }
}

TESTS
{
  /* The spectrum of what it makes is smaller than the frames', and larger. */
  g_test_add_data_func ("/engine/ptychography-decoder/gradient", "5", test_gradient);
  g_test_add_data_func ("/engine/ptychography-decoder/gradient-large", "11", test_gradient);
}
