#include "config.h"

#include "naive-decoder.h"
#include "prism-cpu-decoder.h"
#include "prism-error.h"
#include "prism-npy.h"
#include "prism-noise.h"

#include <math.h>
#include <string.h>

typedef struct
{
  int image_size;
  int object_size;
  PrismEdge edge;
  PrismActivation activation;
} Case;

/* Each kind of layout and edge: crop, frame, blocked layers only, doublings and 3×3 layers in both
 * layouts, one vector per row, each activation. */
static const Case cases[] = {
  { 64, 16, PRISM_EDGE_SAME, PRISM_ACTIVATION_SIGMOID },
  { 64, 16, PRISM_EDGE_VALID, PRISM_ACTIVATION_SIGMOID },
  { 64, 18, PRISM_EDGE_SAME, PRISM_ACTIVATION_TANH },
  { 64, 64, PRISM_EDGE_SAME, PRISM_ACTIVATION_SIGMOID },
  { 64, 62, PRISM_EDGE_VALID, PRISM_ACTIVATION_NONE },
  { 128, 34, PRISM_EDGE_VALID, PRISM_ACTIVATION_HARDSIGMOID },
  { 128, 128, PRISM_EDGE_VALID, PRISM_ACTIVATION_RELU },
  { 256, 16, PRISM_EDGE_SAME, PRISM_ACTIVATION_SIGMOID },
  { 256, 100, PRISM_EDGE_SAME, PRISM_ACTIVATION_SIGMOID },
  { 256, 128, PRISM_EDGE_SAME, PRISM_ACTIVATION_SIGMOID },
};

typedef struct
{
  PrismDecoderPlan plan;
  float *parameters;      /* [P] */
  float *output_gradient; /* [m][m] */
  float *gradient;        /* [P] */
  PrismPool *pool;
  PrismCpuDecoder *decoder;
} Fixture;

static void
fixture_free (Fixture *self)
{
  prism_cpu_decoder_free (self->decoder);
  prism_pool_free (self->pool);
  g_free (self->parameters);
  g_free (self->output_gradient);
  g_free (self->gradient);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Fixture, fixture_free)

/* Norm scales and shifts away from 1 and 0, so that their gradients mean something. */
static void
disturb_norms (Fixture *self)
{
  for (int i = 0; i < self->plan.n_layers - 1; i++)
    for (int c = 0; c < self->plan.layers[i].out_channels; c++)
      {
        self->parameters[self->plan.layers[i].scale + c] += 0.5f * sinf (c + i);
        self->parameters[self->plan.layers[i].shift + c] += 0.3f * cosf (2 * c + i);
      }
}

static Fixture *
fixture_new (const Case *test,
             guint n_threads)
{
  Fixture *self = g_new0 (Fixture, 1);
  g_autoptr (GError) error = NULL;
  gsize n_pixels = (gsize) test->object_size * test->object_size;

  g_assert_true (prism_decoder_plan_init (&self->plan, test->image_size, test->object_size, test->edge,
                                          &error));
  self->plan.layers[self->plan.n_layers - 1].activation = test->activation;
  self->parameters = g_new0 (float, self->plan.n_parameters);
  self->gradient = g_new0 (float, self->plan.n_parameters);
  self->output_gradient = g_new0 (float, n_pixels);
  prism_decoder_plan_initialise (&self->plan, 3, self->parameters);
  disturb_norms (self);
  for (gsize i = 0; i < n_pixels; i++)
    self->output_gradient[i] = prism_noise_normal (4, PRISM_STREAM_OBJECT, 0, i) / n_pixels;
  self->pool = prism_pool_new (n_threads, &error);
  g_assert_no_error (error);
  self->decoder = prism_cpu_decoder_new (&self->plan, self->pool, &error);
  g_assert_no_error (error);
  prism_cpu_decoder_set_parameters (self->decoder, self->parameters);
  return self;
}

/* Largest difference, relative to the largest value. */
static double
compare (const float *values,
         const double *expected,
         gsize n_values)
{
  double error = 0.0, largest = 1e-30;

  for (gsize i = 0; i < n_values; i++)
    {
      error = fmax (error, fabs (values[i] - expected[i]));
      largest = fmax (largest, fabs (expected[i]));
    }
  return error / largest;
}

typedef struct
{
  const float *values;
  const double *expected;
  double tolerance;
  gsize next;
} Comparison;

static void
compare_array (const char *name,
               gsize offset,
               gsize n_values,
               gpointer data)
{
  const Comparison *comparison = data;
  double error = compare (comparison->values + offset, comparison->expected + offset, n_values);

  g_test_message ("%s: %g", name, error);
  g_assert_cmpfloat (error, <, comparison->tolerance);
}

static NaiveDecoder *
new_naive (const Fixture *fixture)
{
  NaiveDecoder *naive = naive_decoder_new (&fixture->plan);

  for (gsize i = 0; i < fixture->plan.n_parameters; i++)
    naive->parameters[i] = fixture->parameters[i];
  naive_decoder_forward (naive);
  return naive;
}

static void
test_naive_gradient_is_a_difference_quotient (void)
{
  g_autoptr (Fixture) fixture = fixture_new (&cases[1], 1);
  g_autoptr (NaiveDecoder) naive = new_naive (fixture);
  gsize n_pixels = (gsize) fixture->plan.object_size * fixture->plan.object_size;
  const double step = 1e-6;

  naive_decoder_backward (naive, fixture->output_gradient);
  for (gsize i = 0; i < fixture->plan.n_parameters; i += 997)
    {
      double value = naive->parameters[i], quotient = 0.0;

      for (int sign = -1; sign <= 1; sign += 2)
        {
          naive->parameters[i] = value + sign * step;
          naive_decoder_forward (naive);
          for (gsize k = 0; k < n_pixels; k++)
            quotient += sign * naive->output[k] * fixture->output_gradient[k] / (2.0 * step);
        }
      naive->parameters[i] = value;
      g_assert_cmpfloat_with_epsilon (quotient, naive->gradient[i], 1e-7);
    }
}

static void
test_matches_the_naive_decoder (gconstpointer data)
{
  g_autoptr (Fixture) fixture = fixture_new (data, 2);
  g_autoptr (NaiveDecoder) naive = new_naive (fixture);
  gsize n_pixels = (gsize) fixture->plan.object_size * fixture->plan.object_size;
  const float *output = prism_cpu_decoder_forward (fixture->decoder);
  Comparison comparison = { fixture->gradient, naive->gradient, 2e-5 };
  double error = compare (output, naive->output, n_pixels);

  g_test_message ("output: %g", error);
  g_assert_cmpfloat (error, <, 1e-5);
  naive_decoder_backward (naive, fixture->output_gradient);
  g_assert_true (prism_cpu_decoder_backward (fixture->decoder, fixture->output_gradient, NULL));
  prism_cpu_decoder_get_gradient (fixture->decoder, fixture->gradient);
  prism_decoder_plan_foreach (&fixture->plan, compare_array, &comparison);
}

static void
add_case (const char *name,
          const Case *test,
          GTestDataFunc func)
{
  g_autofree char *path = g_strdup_printf ("/engine/cpu-decoder/%s/%d-%d-%s", name, test->image_size,
                                           test->object_size,
                                           test->edge == PRISM_EDGE_SAME ? "same" : "valid");

  g_test_add_data_func (path, test, func);
}

int
main (int argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/cpu-decoder/naive-gradient-is-a-difference-quotient",
                   test_naive_gradient_is_a_difference_quotient);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    add_case ("matches-the-naive-decoder", &cases[i], test_matches_the_naive_decoder);
  return g_test_run ();
}
