/* A whole run in mixed precision against one in single precision, on the same device. The problem's
 * decoder has a doubling from 16 to 32 px, which is done on tensor cores. */

#define PROBLEM_IMAGE 64
#define PROBLEM_OBJECT 32
#include "cuda-close.h"
#include "cuda-problem.h"
#include "prism-cuda-backend.h"
#include "prism-emulation.h"
#include "prism-test.h"

#define N_STEPS 24

static const char *const names[] = { "fp32", "bf16", "fp16", "tf32" };

static Problem
open_with (PrismPrecision precision)
{
  PrismBackendSpec spec = problem_make_spec ();

  spec.precision = precision;
  spec.amp = precision != PRISM_PRECISION_FP32;
  return problem_new_spec (prism_cuda_backend_get_ops (), &spec);
}

static float *
dup_gradient (Problem *self)
{
  PrismStep step = problem_make_step (0, 2);
  float *gradient = g_new0 (float, self->backend->spec.decoder.n_parameters);
  PrismStepResult result;

  self->ops->compute_gradient (self->backend, &step, &result);
  g_assert_false (result.skipped);
  self->ops->get_gradient (self->backend, gradient);
  problem_finish (self);
  return gradient;
}

/* bf16 has 8 bits of mantissa, fp16 and tf32 have 11. */
static void
test_gradient (gconstpointer data)
{
  PrismPrecision precision = GPOINTER_TO_INT (data);
  double distance;

  g_auto (Problem) single = open_with (PRISM_PRECISION_FP32);
  g_auto (Problem) mixed = open_with (precision);
  g_autofree float *expected = dup_gradient (&single);
  g_autofree float *gradient = dup_gradient (&mixed);
  distance = get_relative_distance (gradient, expected, single.backend->spec.decoder.n_parameters);
  g_test_message ("relative distance %g", distance);
  g_assert_cmpfloat (distance, <, precision == PRISM_PRECISION_BF16 ? 0.1 : 0.02);
  g_assert_cmpfloat (distance, >, 1e-7);
}

static double
train (Problem *self)
{
  PrismStep steps[N_STEPS];
  PrismStepResult results[N_STEPS];
  double sum = 0.0;

  for (guint i = 0; i < N_STEPS; i++)
    steps[i] = (PrismStep) { .fit_start = TRUE, .loss = PRISM_LOSS_L1, .learning_rate = 2e-3 };
  g_assert_cmpuint (self->ops->train (self->backend, steps, N_STEPS, results), ==, N_STEPS);
  problem_finish (self);
  for (guint i = N_STEPS - 4; i < N_STEPS; i++)
    {
      g_assert_true (isfinite (results[i].loss_new));
      sum += results[i].loss_new / 4.0;
    }
  return sum;
}

static void
test_training (gconstpointer data)
{
  PrismPrecision precision = GPOINTER_TO_INT (data);
  PrismDeviceCounters counters;

  g_auto (Problem) single = open_with (PRISM_PRECISION_FP32);
  g_auto (Problem) mixed = open_with (precision);
  double expected = train (&single);
  double loss = train (&mixed);
  mixed.ops->get_counters (mixed.backend, &counters);
  g_test_message ("loss %g, in single precision %g, loss scale %g, %u overflows", loss, expected,
                  counters.loss_scale, (guint) counters.n_overflows);
  g_assert_cmpfloat (fabs (loss - expected), <, 0.15 * expected);
  if (precision == PRISM_PRECISION_FP16)
    g_assert_cmpfloat (counters.loss_scale, ==, 65536.0 / pow (2.0, counters.n_overflows));
  else
    g_assert_cmpfloat (counters.loss_scale, ==, 1.0);
}

/* What a run is told to need is what is allocated, in every precision and size, and mixed precision
 * needs as much as single: masters and moments are most of it. Maps and their gradients are so
 * little that to make some of them again would save next to nothing. */
static void
test_memory_is_as_promised (gconstpointer data)
{
  static const int sizes[][2] = { { 64, 16 }, { 512, 128 }, { 1024, 512 } };
  const PrismBackendOps *ops = prism_cuda_backend_get_ops ();

  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      PrismBackendSpec spec = problem_make_spec (), single;
      PrismEmulationCounters before, after;
      guint64 promised, maps = 0;

      spec.image_size = sizes[i][0];
      spec.object_size = sizes[i][1];
      g_assert_true (prism_decoder_plan_init (&spec.decoder, spec.image_size, spec.object_size,
                                              PRISM_EDGE_SAME, NULL));
      single = spec;
      spec.precision = GPOINTER_TO_INT (data);
      spec.amp = spec.precision != PRISM_PRECISION_FP32;
      promised = ops->get_required_bytes (&spec);
      prism_emulation_get_counters (&before);
      g_autoptr (PrismBackend) backend = MUST (ops->open (&spec, &error));
      prism_emulation_get_counters (&after);
      g_assert_cmpuint (after.bytes_device - before.bytes_device, ==, promised);
      g_assert_cmpfloat_with_epsilon (promised, ops->get_required_bytes (&single), 0.02 * promised);
      for (int k = 0; k < spec.decoder.n_layers - 1; k++)
        maps += 2 * sizeof (float) * spec.decoder.layers[k].out_channels
                * spec.decoder.layers[k].out_size * spec.decoder.layers[k].out_size;
      g_test_message ("%d: %.1f MiB, maps %.1f MiB", spec.image_size, promised / 1048576.0,
                      maps / 1048576.0);
      g_assert_cmpfloat (maps, <, 0.1 * promised);
    }
}

/* What is shown and kept is computed in single precision whatever the training's. */
static void
test_output_is_single (gconstpointer data)
{
  g_autofree float *expected = g_new (float, PROBLEM_PIXELS);
  g_autofree float *image = g_new (float, PROBLEM_PIXELS);

  g_auto (Problem) single = open_with (PRISM_PRECISION_FP32);
  g_auto (Problem) mixed = open_with (GPOINTER_TO_INT (data));
  single.ops->forward (single.backend);
  single.ops->read_image (single.backend, PRISM_SOURCE_DECODER, expected);
  mixed.ops->forward (mixed.backend);
  mixed.ops->read_image (mixed.backend, PRISM_SOURCE_DECODER, image);
  g_assert_cmpmem (image, PROBLEM_PIXELS * sizeof (float), expected,
                   PROBLEM_PIXELS * sizeof (float));
}

static void
test_twice_the_same (gconstpointer data)
{
  g_auto (Problem) one = open_with (GPOINTER_TO_INT (data));
  g_auto (Problem) two = open_with (GPOINTER_TO_INT (data));
  train (&one);
  train (&two);
  g_autofree float *a = problem_dup_state (&one);
  g_autofree float *b = problem_dup_state (&two);
  g_assert_cmpmem (a, problem_get_state_bytes (&one), b, problem_get_state_bytes (&two));
}

TEST (advice, "/cuda/precision/advice")
{
  const PrismBackendOps *ops = prism_cuda_backend_get_ops ();
  PrismBackendSpec spec = problem_make_spec ();
  g_autofree char *none = ops->dup_precision_advice (&spec);

  spec.precision = PRISM_PRECISION_BF16;
  g_autofree char *mixed = ops->dup_precision_advice (&spec);
  g_assert_null (none);
  HAS (mixed, "amp=off");
}

static void
add_each (const char *name,
          GTestDataFunc function)
{
  for (int precision = PRISM_PRECISION_BF16; precision <= PRISM_PRECISION_TF32; precision++)
    {
      g_autofree char *path = g_strdup_printf ("/cuda/precision/%s/%s", name, names[precision]);

      g_test_add_data_func (path, GINT_TO_POINTER (precision), function);
    }
}

TESTS
{
  add_each ("gradient", test_gradient);
  add_each ("memory", test_memory_is_as_promised);
  add_each ("training", test_training);
  add_each ("output", test_output_is_single);
  add_each ("again", test_twice_the_same);
}
