/* The decoder on the device against the naive one and the CPU's: forward, gradient, training. */

#include "base/prism-random.h"
#include "prism-cuda-decoder.h"
#include "../engine/support/naive-decoder.h"
#include "cpu/prism-cpu-decoder.h"
#include "prism-test.h"
#include "test-cuda-common.h"

#define WEIGHT_DECAY 0.5

typedef struct
{
  int image_size, object_size;
  PrismEdge edge;
  PrismActivation activation;
} Case;

/* Crop, frame, doublings only before the last layer, many 3×3 layers, each activation. The first
 * are the quick ones. */
static const Case cases[] = {
  { 64, 16, PRISM_EDGE_SAME, PRISM_ACTIVATION_SIGMOID },
  { 64, 16, PRISM_EDGE_VALID, PRISM_ACTIVATION_SIGMOID },
  { 64, 18, PRISM_EDGE_SAME, PRISM_ACTIVATION_TANH },
  { 64, 64, PRISM_EDGE_SAME, PRISM_ACTIVATION_SIGMOID },
  { 64, 62, PRISM_EDGE_VALID, PRISM_ACTIVATION_NONE },
  { 256, 64, PRISM_EDGE_VALID, PRISM_ACTIVATION_SIGMOID },
  { 128, 34, PRISM_EDGE_VALID, PRISM_ACTIVATION_HARDSIGMOID },
  { 128, 128, PRISM_EDGE_VALID, PRISM_ACTIVATION_RELU },
  { 256, 16, PRISM_EDGE_SAME, PRISM_ACTIVATION_SIGMOID },
  { 256, 128, PRISM_EDGE_SAME, PRISM_ACTIVATION_SIGMOID },
};

/* P = n_parameters, m = object_size. */
typedef struct
{
  PrismBackendSpec spec;
  gsize n;                /* P */
  gsize n_pixels;         /* m² */
  float *parameters;      /* [P] */
  float *output_gradient; /* [m][m] */
  PrismCudaArena *arena;
  PrismCudaControl *control; /* device */
  PrismCudaStreams streams;
  PrismCudaDecoder *decoder;
} Fixture;

static void
fixture_free (Fixture *self)
{
  assert_cuda (cudaStreamSynchronize (self->streams.main));
  assert_cuda (cudaStreamSynchronize (self->streams.side));
  assert_cuda (cudaEventDestroy (self->streams.fork));
  assert_cuda (cudaEventDestroy (self->streams.join));
  assert_cuda (cudaStreamDestroy (self->streams.main));
  assert_cuda (cudaStreamDestroy (self->streams.side));
  g_free (self->decoder);
  prism_cuda_arena_free (self->arena);
  g_free (self->parameters);
  g_free (self->output_gradient);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Fixture, fixture_free)

static void
write_device (Fixture *self,
              void *array,
              const void *values,
              gsize n_bytes)
{
  assert_cuda (cudaMemcpyAsync (array, values, n_bytes, cudaMemcpyHostToDevice,
                                self->streams.main));
  assert_cuda (cudaStreamSynchronize (self->streams.main));
}

static float *
dup_device (Fixture *self,
            const float *array,
            gsize n_values)
{
  assert_cuda (cudaStreamSynchronize (self->streams.main));
  return dup_device_array (array, n_values * sizeof (float));
}

static PrismCudaControl
read_control (Fixture *self)
{
  PrismCudaControl control;

  assert_cuda (cudaStreamSynchronize (self->streams.main));
  assert_cuda (cudaMemcpy (&control, self->control, sizeof control, cudaMemcpyDeviceToHost));
  return control;
}

/* What the kernels of a step find, as control's own kernels would set it. */
static void
set_control (Fixture *self,
             guint64 n_steps,
             gboolean no_update,
             gboolean done)
{
  PrismCudaControl control = { .loss_scale = 1.0f, .beta1 = 0.9, .beta2 = 0.999 };
  PrismAdam adam;

  prism_adam_init (&adam, 1e-3, n_steps);
  prism_adam_set_decay (&adam, WEIGHT_DECAY);
  control.learning_rate = adam.learning_rate;
  control.epsilon = adam.epsilon;
  control.correction1 = adam.correction1;
  control.correction2 = adam.correction2;
  control.decay = adam.decay;
  control.no_update = no_update;
  control.done = done;
  control.steps[0].update = 1;
  write_device (self, self->control, &control, sizeof control);
}

static void
set_parameters (Fixture *self,
                const float *parameters)
{
  write_device (self, self->decoder->values, parameters, self->n * sizeof (float));
  assert_cuda (prism_cuda_decoder_refresh (self->decoder, self->streams.main));
}

static void
open_device (Fixture *self)
{
  assert_cuda (cudaStreamCreateWithFlags (&self->streams.main, cudaStreamNonBlocking));
  assert_cuda (cudaStreamCreateWithFlags (&self->streams.side, cudaStreamNonBlocking));
  assert_cuda (cudaEventCreateWithFlags (&self->streams.fork, cudaEventDisableTiming));
  assert_cuda (cudaEventCreateWithFlags (&self->streams.join, cudaEventDisableTiming));
  self->arena = prism_cuda_arena_new ();
  prism_cuda_arena_add_array (self->arena, (void **) &self->control, sizeof (PrismCudaControl));
  self->decoder = prism_cuda_decoder_new (&self->spec, self->arena, &self->control);
  g_assert_true (MUST (prism_cuda_arena_allocate (self->arena, &error)));
}

static Fixture *
fixture_new (const Case *test)
{
  Fixture *self = g_new0 (Fixture, 1);
  PrismDecoderPlan *plan = &self->spec.decoder;

  g_assert_true (prism_decoder_plan_init (plan, test->image_size, test->object_size, test->edge,
                                          NULL));
  plan->layers[plan->n_layers - 1].activation = test->activation;
  self->spec.image_size = test->image_size;
  self->spec.object_size = test->object_size;
  self->n = plan->n_parameters;
  self->n_pixels = (gsize) test->object_size * test->object_size;
  self->parameters = g_new0 (float, self->n);
  self->output_gradient = g_new0 (float, self->n_pixels);
  prism_decoder_plan_initialise (plan, 3, self->parameters);
  naive_disturb_norms (plan, self->parameters);
  for (gsize i = 0; i < self->n_pixels; i++)
    self->output_gradient[i] = prism_random_normal (4, PRISM_STREAM_OBJECT, 0, i) / self->n_pixels;
  open_device (self);
  set_control (self, 1, FALSE, FALSE);
  set_parameters (self, self->parameters);
  write_device (self, self->decoder->output_gradient,
                self->output_gradient, self->n_pixels * sizeof (float));
  return self;
}

static void
forward (Fixture *self)
{
  assert_cuda (prism_cuda_decoder_forward (self->decoder, FALSE, FALSE, self->streams.main));
}

static void
train (Fixture *self,
       guint64 first,
       guint64 last)
{
  for (guint64 i = first; i <= last; i++)
    {
      set_control (self, i, FALSE, FALSE);
      forward (self);
      assert_cuda (prism_cuda_decoder_update (self->decoder, FALSE, &self->streams));
    }
}

static float *
dup_output (Fixture *self)
{
  return dup_device (self, self->decoder->output, self->n_pixels);
}

static float *
dup_parameters (Fixture *self)
{
  return dup_device (self, self->decoder->values, self->n);
}

/* Parameters and both moments: [3][P]. */
static float *
dup_state (Fixture *self)
{
  float *state = own (g_new (float, 3 * self->n));
  float *arrays[] = { self->decoder->values,
                      self->decoder->first,
                      self->decoder->second };

  for (int i = 0; i < 3; i++)
    {
      float *values = dup_device (self, arrays[i], self->n);

      memcpy (state + i * self->n, values, self->n * sizeof (float));
    }
  return state;
}

static float *
dup_gradient (Fixture *self)
{
  assert_cuda (prism_cuda_decoder_backward (self->decoder, &self->streams));
  return dup_device (self, self->decoder->gradient, self->n);
}

static void
test_matches_the_naive_decoder (gconstpointer data)
{
  const Case *test = data;
  g_autoptr (Fixture) fixture = fixture_new (test);
  NaiveDecoder *naive
      = naive_decoder_new_forward (&fixture->spec.decoder, fixture->parameters);
  NaiveComparison comparison = { .expected = naive->gradient, .tolerance = 2e-5 };

  forward (fixture);
  float *output = dup_output (fixture);
  g_assert_cmpfloat (naive_compare (output, naive->output, fixture->n_pixels), <, 1e-5);
  naive_decoder_backward (naive, fixture->output_gradient);
  float *gradient = dup_gradient (fixture);
  comparison.values = gradient;
  prism_decoder_plan_foreach (&fixture->spec.decoder, naive_compare_array, &comparison);
  g_assert_cmpint (read_control (fixture).not_finite, ==, 0);
}

/* Two steps, since the second one starts from moments and from what the first one left for it. */
static void
test_update_is_gradient_and_adam (gconstpointer data)
{
  const Case *test = data;
  g_autoptr (Fixture) fused = fixture_new (test);
  g_autoptr (Fixture) kept = fixture_new (test);
  gsize n = fused->n;
  g_autofree double *expected = g_new0 (double, 4 * n);
  const NaiveAdam adam = { .rate = 1e-3, .weight_decay = WEIGHT_DECAY };

  for (gsize i = 0; i < n; i++)
    expected[i] = fused->parameters[i];
  for (int i = 1; i <= 2; i++)
    {
      float *parameters = dup_parameters (fused);

      set_parameters (kept, parameters);
      forward (kept);
      float *gradient = dup_gradient (kept);
      train (fused, i, i);
      float *state = dup_state (fused);
      naive_adam_step (&adam, gradient, i, n, expected);
      for (int k = 0; k < 3; k++)
        g_assert_cmpfloat (naive_compare (state + k * n, expected + k * n, n), <, 1e-6);
    }
}

/* A step prepares the first layer of the next forward pass: it must give what a fresh start gives,
 * to the last bit, or a resumed run would differ from one that was never stopped. */
static void
test_step_equals_a_fresh_start (gconstpointer data)
{
  const Case *test = data;
  g_autoptr (Fixture) fixture = fixture_new (test);
  gsize n_bytes = fixture->n_pixels * sizeof (float);

  train (fixture, 1, 3);
  forward (fixture);
  float *output = dup_output (fixture);
  float *parameters = dup_parameters (fixture);
  set_parameters (fixture, parameters);
  forward (fixture);
  float *again = dup_output (fixture);
  g_assert_cmpmem (output, n_bytes, again, n_bytes);
}

/* Without an update nothing changes, and the next forward pass gives the same. */
static void
check_nothing_changes (const Case *test,
                       gboolean no_update,
                       gboolean done)
{
  g_autoptr (Fixture) fixture = fixture_new (test);
  gsize n_bytes = fixture->n_pixels * sizeof (float);
  gsize n_state = 3 * fixture->n * sizeof (float);

  train (fixture, 1, 2);
  forward (fixture);
  float *before = dup_state (fixture);
  float *output = dup_output (fixture);
  set_control (fixture, 3, no_update, done);
  for (int i = 0; i < 2; i++)
    {
      assert_cuda (prism_cuda_decoder_update (fixture->decoder, FALSE, &fixture->streams));
      forward (fixture);
    }
  float *after = dup_state (fixture);
  float *again = dup_output (fixture);
  g_assert_cmpmem (before, n_state, after, n_state);
  g_assert_cmpmem (output, n_bytes, again, n_bytes);
}

static void
test_no_update_changes_nothing (gconstpointer data)
{
  check_nothing_changes (data, TRUE, FALSE);
}

static void
test_done_changes_nothing (gconstpointer data)
{
  check_nothing_changes (data, TRUE, TRUE);
}

/* Kernels of a chunk that is done do no work: other weights do not show in what it has left. */
static void
test_done_stops_forward (gconstpointer data)
{
  const Case *test = data;
  g_autoptr (Fixture) fixture = fixture_new (test);
  gsize n_bytes = fixture->n_pixels * sizeof (float);
  g_autofree float *parameters = g_memdup2 (fixture->parameters, fixture->n * sizeof (float));

  train (fixture, 1, 1);
  float *output = dup_output (fixture);
  for (gsize i = 0; i < fixture->n; i++)
    parameters[i] *= 1.5f;
  set_parameters (fixture, parameters);
  set_control (fixture, 2, TRUE, TRUE);
  assert_cuda (prism_cuda_decoder_forward (fixture->decoder, FALSE, TRUE, fixture->streams.main));
  float *stopped = dup_output (fixture);
  forward (fixture);
  float *other = dup_output (fixture);
  g_assert_cmpmem (output, n_bytes, stopped, n_bytes);
  g_assert_true (memcmp (output, other, n_bytes) != 0);
}

/* One pixel that is not finite in the gradient: it is seen before anything is touched. */
static void
check_not_finite (const Case *test,
                  float pixel)
{
  g_autoptr (Fixture) fixture = fixture_new (test);
  gsize n_state = 3 * fixture->n * sizeof (float);
  gsize middle = fixture->n_pixels / 2 + fixture->spec.object_size / 2;

  train (fixture, 1, 1);
  float *before = dup_state (fixture);
  fixture->output_gradient[middle] = pixel;
  write_device (fixture, fixture->decoder->output_gradient,
                fixture->output_gradient, fixture->n_pixels * sizeof (float));
  train (fixture, 2, 2);
  g_assert_cmpint (read_control (fixture).not_finite, ==, 1);
  float *after = dup_state (fixture);
  g_assert_cmpmem (before, n_state, after, n_state);
  fixture->output_gradient[middle] = 0.0f;
  write_device (fixture, fixture->decoder->output_gradient,
                fixture->output_gradient, fixture->n_pixels * sizeof (float));
  train (fixture, 2, 2);
  float *next = dup_state (fixture);
  g_assert_cmpint (memcmp (before, next, n_state), !=, 0);
}

static void
test_not_finite_changes_nothing (gconstpointer data)
{
  check_not_finite (data, NAN);
  check_not_finite (data, INFINITY);
}

static void
test_runs_repeat (gconstpointer data)
{
  const Case *test = data;
  const float *first = NULL;

  for (int i = 0; i < 2; i++)
    {
      g_autoptr (Fixture) fixture = fixture_new (test);

      train (fixture, 1, 3);
      float *state = dup_state (fixture);
      if (i == 0)
        first = state;
      else
        g_assert_cmpmem (first, 3 * fixture->n * sizeof (float), state,
                         3 * fixture->n * sizeof (float));
    }
}

/* Trajectories part by rounding; a few steps stay together. */
static void
test_trains_as_the_cpu (gconstpointer data)
{
  const Case *test = data;
  g_autoptr (Fixture) fixture = fixture_new (test);
  g_autoptr (GError) error = NULL;
  PrismPool *pool = prism_pool_new (1, &error);
  PrismCpuDecoder *cpu
      = prism_cpu_decoder_new (&fixture->spec.decoder, PRISM_CPU_DECODER_TRAIN, pool, &error);
  double distance;

  g_assert_no_error (error);
  prism_cpu_decoder_set_parameters (cpu, fixture->parameters);
  for (int i = 1; i <= 3; i++)
    {
      PrismAdam adam;

      prism_adam_init (&adam, 1e-3, i);
      prism_adam_set_decay (&adam, WEIGHT_DECAY);
      prism_cpu_decoder_forward (cpu);
      g_assert_true (prism_cpu_decoder_backward (cpu, fixture->output_gradient, &adam));
    }
  train (fixture, 1, 3);
  forward (fixture);
  float *output = dup_output (fixture);
  distance = get_relative_distance (output, prism_cpu_decoder_forward (cpu), fixture->n_pixels);
  g_test_message ("distance: %g", distance);
  g_assert_cmpfloat (distance, <, 2e-4);
  prism_cpu_decoder_free (cpu);
  prism_pool_free (pool);
}

/* Gradients come out unscaled whatever the loss is scaled by: powers of two lose nothing. */
TEST_DATA (loss_scale_cancels, "/cuda/decoder/loss-scale-cancels", &cases[3])
{
  g_autoptr (Fixture) fixture = fixture_new (data);
  gsize n_bytes = fixture->n * sizeof (float);

  forward (fixture);
  float *plain = dup_gradient (fixture);
  PrismCudaControl control = read_control (fixture);
  control.loss_scale = 1024.0f;
  write_device (fixture, fixture->control, &control, sizeof control);
  float *scaled = dup_gradient (fixture);
  g_assert_cmpmem (plain, n_bytes, scaled, n_bytes);
}

/* (L(p + h·d) - L(p - h·d))/2h along a random direction d, L = Σ output·output_gradient. The kinks
 * of all the ReLUs want a small h, single precision a large one. */
TEST_DATA (gradient_is_a_difference_quotient, "/cuda/decoder/gradient-is-a-difference-quotient",
           &cases[2])
{
  const double h = 4e-6;
  g_autoptr (Fixture) fixture = fixture_new (data);
  g_autofree float *moved = g_new (float, fixture->n);
  double expected = 0.0, quotient = 0.0;

  forward (fixture);
  float *gradient = dup_gradient (fixture);
  for (gsize i = 0; i < fixture->n; i++)
    expected += gradient[i] * prism_random_normal (5, PRISM_STREAM_OBJECT, 0, i);
  for (int sign = -1; sign <= 1; sign += 2)
    {
      for (gsize i = 0; i < fixture->n; i++)
        moved[i] = fixture->parameters[i]
                   + sign * h * prism_random_normal (5, PRISM_STREAM_OBJECT, 0, i);
      set_parameters (fixture, moved);
      forward (fixture);
      float *output = dup_output (fixture);
      for (gsize i = 0; i < fixture->n_pixels; i++)
        quotient += sign * output[i] * fixture->output_gradient[i] / (2.0 * h);
    }
  g_test_message ("%g, %g", quotient, expected);
  g_assert_cmpfloat (fabs (quotient - expected), <, 0.03 * fabs (expected));
}

TEST_DATA (edge_valid_has_a_frame_of_zeros, "/cuda/decoder/edge-valid-has-a-frame-of-zeros",
           &cases[1])
{
  g_autoptr (Fixture) fixture = fixture_new (data);
  int m = fixture->spec.object_size;

  forward (fixture);
  float *output = dup_output (fixture);
  for (int i = 0; i < m * m; i++)
    {
      int row = i / m, column = i % m;

      if (row == 0 || row == m - 1 || column == 0 || column == m - 1)
        g_assert_cmpfloat (output[i], ==, 0.0f);
      else
        g_assert_cmpfloat (output[i], !=, 0.0f);
    }
}

TEST_DATA (nan_weights_are_seen, "/cuda/decoder/nan-weights-are-seen", &cases[6])
{
  g_autoptr (Fixture) fixture = fixture_new (data);
  const PrismDecoderPlan *plan = &fixture->spec.decoder;
  gsize middle = fixture->n_pixels / 2 + plan->object_size / 2;

  for (int i = 0; i < plan->n_layers; i++)
    {
      gsize weight = plan->layers[i].weight + plan->layers[i].n_weights / 2;
      float value = fixture->parameters[weight];

      fixture->parameters[weight] = NAN;
      set_parameters (fixture, fixture->parameters);
      forward (fixture);
      float *output = dup_output (fixture);
      g_assert_true (isnan (output[middle]));
      fixture->parameters[weight] = value;
    }
}

/* The plan alone: nothing is computed, every kernel must fit the smallest device. */
TEST (every_plan_fits, "/cuda/decoder/every-plan-fits")
{
  for (int n = 64; n <= 4096; n *= 2)
    for (int m = 16; m <= n; m *= 2)
      {
        g_autoptr (PrismCudaArena) arena = prism_cuda_arena_new ();
        PrismCudaControl *control = NULL;
        PrismBackendSpec spec = { .image_size = n, .object_size = m };

        g_assert_true (prism_decoder_plan_init (&spec.decoder, n, m, PRISM_EDGE_SAME, NULL));
        g_autofree PrismCudaDecoder *decoder = prism_cuda_decoder_new (&spec, arena, &control);
        g_assert_cmpuint (prism_cuda_arena_get_size (arena), >,
                          4 * spec.decoder.n_parameters * sizeof (float));
        g_assert_cmpuint (prism_cuda_arena_get_size (arena), <, (gsize) 8 << 30);
      }
}

static PrismDecoderPlan
make_plan_by_hand (const char *key,
                   const char *value)
{
  g_autoptr (PrismConfig) config = prism_config_new ();
  PrismDecoderPlan plan;

  MUST (prism_config_set_text (config, key, value, &error));
  MUST (prism_decoder_plan_init_config (&plan, config, &error));
  return plan;
}

/* What the kernels cannot do is said, never computed as something else. */
TEST (unsupported_plans_are_refused, "/cuda/decoder/unsupported-plans-are-refused")
{
  static const char *const refused[][3] = {
    { "norm", "none", "no decoder without batch norm" },
    { "latent", "300", "latent vector of 300" },
    { "latent", "32", "latent vector of 32" },
    { "latent", "64", "half the channels" },
    { "depth", "2", "half the channels" },
    { "depth", "4", "half the channels" },
    { "channels", "256 128 64 32 16 8 4 3 1", "half the channels" },
    { "channels", "256 128 64 32 16 32 1", "half the channels" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (refused); i++)
    {
      PrismDecoderPlan plan = make_plan_by_hand (refused[i][0], refused[i][1]);
      g_autofree char *reason = prism_cuda_decoder_dup_unsupported_reason (&plan);

      g_assert_nonnull (reason);
      g_test_message ("%s", reason);
      HAS (reason, refused[i][2]);
    }
}

TEST (supported_plans_are_taken, "/cuda/decoder/supported-plans-are-taken")
{
  static const char *const taken[][2] = {
    { "norm", "batch" },
    { "latent", "256" },
    { "latent", "1024" },
    { "depth", "3" },
    { "channels", "256 128 64 32 16 8 4 2 1" },
    { "output_activation", "hardsigmoid" },
    { "output_activation", "tanh" },
    { "output_activation", "relu" },
    { "output_activation", "none" },
    { "initialisation", "orthogonal" },
    { "edge", "valid" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (taken); i++)
    {
      PrismDecoderPlan plan = make_plan_by_hand (taken[i][0], taken[i][1]);

      g_assert_null (prism_cuda_decoder_dup_unsupported_reason (&plan));
    }
}

static void
add_cases (const char *name,
           GTestDataFunc func,
           guint n_cases)
{
  for (guint i = 0; i < n_cases; i++)
    {
      const Case *test = &cases[i];
      g_autofree char *path
          = g_strdup_printf ("/cuda/decoder/%s/%d-%d-%s", name, test->image_size,
                             test->object_size, test->edge == PRISM_EDGE_SAME ? "same" : "valid");

      g_test_add_data_func (path, test, func);
    }
}

TESTS
{
  const guint n_all = G_N_ELEMENTS (cases), n_most = 6, n_few = 2;
  add_cases ("matches-the-naive-decoder", test_matches_the_naive_decoder, n_all);
  add_cases ("update-is-gradient-and-adam", test_update_is_gradient_and_adam, n_most);
  add_cases ("step-equals-a-fresh-start", test_step_equals_a_fresh_start, n_most);
  add_cases ("no-update-changes-nothing", test_no_update_changes_nothing, n_few);
  add_cases ("done-changes-nothing", test_done_changes_nothing, n_few);
  add_cases ("done-stops-forward", test_done_stops_forward, n_few);
  add_cases ("not-finite-changes-nothing", test_not_finite_changes_nothing, n_few);
  add_cases ("runs-repeat", test_runs_repeat, n_few);
  add_cases ("trains-as-the-cpu", test_trains_as_the_cpu, n_most);
}
