#include "../support/naive-decoder.h"
#include "../support/test-sanitized.h"
#include "base/prism-random.h"
#include "cpu/prism-cpu-decoder.h"
#include "formats/prism-fields-readers.h"
#include "kernels/prism-cpu-kernels.h"
#include "prism-test.h"

/* Every test runs once for each of them; under the thread sanitizer once for the best. */
static const char *const isas[] = { "avx512", "avx2", "baseline" };

typedef struct
{
  int image_size, object_size;
  PrismEdge edge;
  PrismActivation activation;
  const char *channels; /* (nullable): automatic */
  PrismNormKind norm;
  int latent; /* 0: image_size */
  int depth;
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
  /* By hand: every activation with and without norm, channels that are odd, that grow, that fill no
   * block, more than one block of them where maps are wide, a latent vector that leaves a rest. */
  { 64, 16, PRISM_EDGE_SAME, PRISM_ACTIVATION_SIGMOID, "6 5 3 1", PRISM_NORM_NONE },
  { 64, 16, PRISM_EDGE_SAME, PRISM_ACTIVATION_HARDSIGMOID, "6 5 3 1" },
  { 64, 16, PRISM_EDGE_VALID, PRISM_ACTIVATION_HARDSIGMOID, "6 5 3 1", PRISM_NORM_NONE },
  { 64, 16, PRISM_EDGE_SAME, PRISM_ACTIVATION_TANH, "6 5 3 1" },
  { 64, 16, PRISM_EDGE_SAME, PRISM_ACTIVATION_TANH, "6 5 3 1", PRISM_NORM_NONE },
  { 64, 16, PRISM_EDGE_SAME, PRISM_ACTIVATION_RELU, "6 5 3 1" },
  { 64, 16, PRISM_EDGE_SAME, PRISM_ACTIVATION_RELU, "6 5 3 1", PRISM_NORM_NONE },
  { 64, 16, PRISM_EDGE_SAME, PRISM_ACTIVATION_NONE, "6 5 3 1" },
  { 64, 16, PRISM_EDGE_SAME, PRISM_ACTIVATION_NONE, "6 5 3 1", PRISM_NORM_NONE },
  { 64, 16, PRISM_EDGE_SAME, PRISM_ACTIVATION_SIGMOID, "24 10 20 7 1" },
  { 64, 16, PRISM_EDGE_SAME, PRISM_ACTIVATION_SIGMOID, "1 1 1 1", PRISM_NORM_BATCH, 3 },
  { 64, 34, PRISM_EDGE_VALID, PRISM_ACTIVATION_TANH, "3 5 3 37 3 1", PRISM_NORM_BATCH, 50 },
  { 64, 64, PRISM_EDGE_SAME, PRISM_ACTIVATION_NONE, "40 33 17 9 21 5 3 1", PRISM_NORM_NONE, 300 },
  { 64, 64, PRISM_EDGE_SAME, PRISM_ACTIVATION_SIGMOID, "8 16 16 35 20 19 1", PRISM_NORM_NONE },
  { 128, 64, PRISM_EDGE_VALID, PRISM_ACTIVATION_SIGMOID, NULL, PRISM_NORM_NONE, 30, 3 },
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
make_plan (const Case *test, PrismDecoderPlan *plan)
{
  g_autoptr (PrismConfig) config = prism_config_new ();

  config->image_size = test->image_size;
  config->object_size = test->object_size;
  config->edge = test->edge;
  config->latent = test->latent;
  config->depth = test->depth;
  config->norm = test->norm;
  if (test->channels != NULL)
    MUST (prism_config_set_text (config, "channels", test->channels, &error));
  MUST (prism_decoder_plan_init_config (plan, config, &error));
}

static Fixture *
fixture_new_for (const Case *test, PrismCpuDecoderMode mode, guint n_threads)
{
  Fixture *self = OWN (g_free, g_new0 (Fixture, 1));
  gsize n_pixels = (gsize) test->object_size * test->object_size;

  make_plan (test, &self->plan);
  self->plan.layers[self->plan.n_layers - 1].activation = test->activation;
  self->parameters = OWN (g_free, g_new0 (float, self->plan.n_parameters));
  self->gradient = OWN (g_free, g_new0 (float, self->plan.n_parameters));
  self->output_gradient = OWN (g_free, g_new0 (float, n_pixels));
  prism_decoder_plan_initialise (&self->plan, 3, self->parameters);
  naive_disturb_norms (&self->plan, self->parameters);
  for (gsize i = 0; i < n_pixels; i++)
    self->output_gradient[i] = prism_random_normal (4, PRISM_STREAM_OBJECT, 0, i) / n_pixels;
  self->pool = OWN (prism_pool_free, MUST (prism_pool_new (n_threads, &error)));
  self->decoder = OWN (prism_cpu_decoder_free,
                       MUST (prism_cpu_decoder_new (&self->plan, mode, self->pool, &error)));
  prism_cpu_decoder_set_parameters (self->decoder, self->parameters);
  return self;
}

static Fixture *
fixture_new (const Case *test, guint n_threads)
{
  return fixture_new_for (test, PRISM_CPU_DECODER_TRAIN, n_threads);
}

static void
test_matches_the_naive_decoder (gconstpointer data)
{
  Fixture *fixture = fixture_new (data, 2);
  NaiveDecoder *naive = naive_decoder_new_forward (&fixture->plan, fixture->parameters);
  gsize n_pixels = (gsize) fixture->plan.object_size * fixture->plan.object_size;
  const float *output = prism_cpu_decoder_forward (fixture->decoder);
  NaiveComparison comparison = { fixture->gradient, naive->gradient, 2e-5 };

  g_assert_cmpfloat (naive_compare (output, naive->output, n_pixels), <, 1e-5);
  naive_decoder_backward (naive, fixture->output_gradient);
  g_assert_true (prism_cpu_decoder_backward (fixture->decoder, fixture->output_gradient, NULL));
  prism_cpu_decoder_get_gradient (fixture->decoder, fixture->gradient);
  prism_decoder_plan_foreach (&fixture->plan, naive_compare_array, &comparison);
}

typedef struct
{
  PrismFields *golden;
  float *parameters; /* [P] */
} Golden;

static void
copy_golden_array (const char *name, gsize offset, gsize n_values, gpointer data)
{
  const Golden *self = data;
  g_autofree char *key = g_strconcat ("init/", name, NULL);
  const PrismField *array = MUST (prism_fields_find (self->golden, key));

  g_assert_cmpuint (array->n_values, ==, n_values);
  for (gsize i = 0; i < n_values; i++)
    self->parameters[offset + i] = array->values[i];
}

static void
load_golden (Fixture *fixture, PrismFields *golden)
{
  Golden data = { golden, fixture->parameters };

  prism_decoder_plan_foreach (&fixture->plan, copy_golden_array, &data);
  prism_cpu_decoder_set_parameters (fixture->decoder, fixture->parameters);
}

static const char *const golden_files[]
    = { "small_same.npz", "small_valid.npz", "medium_same.npz" };

static void
test_matches_the_golden_output (gconstpointer data)
{
  g_autofree char *path = g_build_filename (g_getenv ("PRISM_TEST_DATA"), data, NULL);
  g_autoptr (PrismFields) golden = MUST (prism_fields_load_npz (path, &error));
  gboolean medium = g_str_has_prefix (data, "medium");
  Case test = { medium ? 128 : 64, medium ? 32 : 16, PRISM_EDGE_SAME, PRISM_ACTIVATION_SIGMOID };

  if (g_str_has_suffix (data, "valid.npz"))
    test.edge = PRISM_EDGE_VALID;
  Fixture *fixture = fixture_new (&test, 2);
  load_golden (fixture, golden);
  const PrismField *expected = MUST (prism_fields_find (golden, "out"));
  g_assert_cmpfloat (naive_compare (prism_cpu_decoder_forward (fixture->decoder), expected->values,
                                    expected->n_values),
                     <, 1e-5);
}

/* Two steps, since the second one starts from moments and from what the first one left for it. */
static void
test_fused_adam_is_gradient_and_adam (gconstpointer data)
{
  Fixture *fused = fixture_new (data, 2), *kept = fixture_new (data, 2);
  gsize n = fused->plan.n_parameters;
  const NaiveAdam reference = { .rate = 1e-3 };
  g_autofree double *state = g_new0 (double, 4 * n);
  g_autofree float *m = g_new0 (float, n), *v = g_new0 (float, n);

  for (gsize i = 0; i < n; i++)
    state[i] = fused->parameters[i];
  for (int i = 1; i <= 2; i++)
    {
      PrismAdam adam;

      prism_adam_init (&adam, 1e-3, i);
      prism_cpu_decoder_forward (fused->decoder);
      prism_cpu_decoder_get_parameters (fused->decoder, kept->parameters);
      prism_cpu_decoder_set_parameters (kept->decoder, kept->parameters);
      prism_cpu_decoder_forward (kept->decoder);
      g_assert_true (prism_cpu_decoder_backward (kept->decoder, kept->output_gradient, NULL));
      prism_cpu_decoder_get_gradient (kept->decoder, kept->gradient);
      g_assert_true (prism_cpu_decoder_backward (fused->decoder, fused->output_gradient, &adam));
      naive_adam_step (&reference, kept->gradient, i, n, state);
      prism_cpu_decoder_get_parameters (fused->decoder, fused->parameters);
      prism_cpu_decoder_get_moments (fused->decoder, m, v, NULL);
      g_assert_cmpfloat (naive_compare (m, state + n, n), <, 1e-6);
      g_assert_cmpfloat (naive_compare (v, state + 2 * n, n), <, 1e-6);
      g_assert_cmpfloat (naive_compare (fused->parameters, state, n), <, 1e-6);
    }
}

/* A step prepares the first layer of the next forward pass: it must give what a fresh start gives,
 * to the last bit, or a resumed run would differ from one that was never stopped. */
static void
test_fused_step_equals_a_fresh_start (gconstpointer data)
{
  Fixture *fixture = fixture_new (data, 2);
  gsize n_bytes = (gsize) fixture->plan.object_size * fixture->plan.object_size * sizeof (float);
  g_autofree float *output = g_malloc (n_bytes);
  PrismAdam adam;

  for (int i = 1; i <= 3; i++)
    {
      prism_adam_init (&adam, 1e-3, i);
      prism_cpu_decoder_forward (fixture->decoder);
      g_assert_true (
          prism_cpu_decoder_backward (fixture->decoder, fixture->output_gradient, &adam));
    }
  memcpy (output, prism_cpu_decoder_forward (fixture->decoder), n_bytes);
  prism_cpu_decoder_get_parameters (fixture->decoder, fixture->parameters);
  prism_cpu_decoder_set_parameters (fixture->decoder, fixture->parameters);
  g_assert_cmpmem (output, n_bytes, prism_cpu_decoder_forward (fixture->decoder), n_bytes);
}

static const NaiveAdam variants[] = {
  { 0.01, 0.7, FALSE, 0.0 },
  { 0.01, 0.0, TRUE, 0.0 },
  { 0.01, 0.0, FALSE, 1e-3 },
  { 0.01, 0.0, FALSE, 1e9 },
  { 0.01, 0.3, TRUE, 0.05 },
};

/* Later gradients are smaller, so that AMSGrad divides by more than Adam. */
static void
check_variant (const Case *test, const NaiveAdam *variant)
{
  Fixture *fixture = fixture_new (test, 2), *kept = fixture_new (test, 1);
  gsize n = fixture->plan.n_parameters, n_pixels = (gsize) test->object_size * test->object_size;
  g_autofree double *state = g_new0 (double, 4 * n);
  g_autofree float *moments = g_new0 (float, 3 * n);

  for (gsize i = 0; i < n; i++)
    state[i] = fixture->parameters[i];
  g_assert_true (prism_cpu_decoder_reserve (fixture->decoder, variant->amsgrad,
                                            variant->clip_norm > 0.0, NULL));
  for (int i = 1; i <= 5; i++)
    {
      PrismAdam adam;

      prism_adam_init (&adam, 0.01, i);
      prism_adam_set_decay (&adam, variant->weight_decay);
      adam.clip_norm = variant->clip_norm;
      prism_cpu_decoder_get_parameters (fixture->decoder, kept->parameters);
      prism_cpu_decoder_set_parameters (kept->decoder, kept->parameters);
      prism_cpu_decoder_forward (kept->decoder);
      g_assert_true (prism_cpu_decoder_backward (kept->decoder, fixture->output_gradient, NULL));
      prism_cpu_decoder_get_gradient (kept->decoder, kept->gradient);
      prism_cpu_decoder_forward (fixture->decoder);
      g_assert_true (
          prism_cpu_decoder_backward (fixture->decoder, fixture->output_gradient, &adam));
      naive_adam_step (variant, kept->gradient, i, n, state);
      for (gsize k = 0; k < n_pixels; k++)
        fixture->output_gradient[k] *= 0.3f;
    }
  prism_cpu_decoder_get_parameters (fixture->decoder, fixture->parameters);
  prism_cpu_decoder_get_moments (fixture->decoder, moments, moments + n, moments + 2 * n);
  g_assert_cmpfloat (naive_compare (fixture->parameters, state, n), <, 1e-5);
  g_assert_cmpfloat (naive_compare (moments, state + n, n), <, 1e-5);
  g_assert_cmpfloat (naive_compare (moments + n, state + 2 * n, n), <, 1e-5);
  if (variant->amsgrad)
    g_assert_cmpfloat (naive_compare (moments + 2 * n, state + 3 * n, n), <, 1e-5);
  else
    for (gsize i = 0; i < n; i++)
      g_assert_cmpfloat (moments[2 * n + i], ==, 0.0f);
}

static void
test_variants_of_adam (gconstpointer data)
{
  for (gsize i = 0; i < G_N_ELEMENTS (variants); i++)
    check_variant (data, &variants[i]);
}

/* A run that is saved and restored goes on with the same bits, whatever the number of threads. */
static void
test_variant_goes_on_after_a_restore (void)
{
  Fixture *whole = fixture_new (&cases[3], 1), *halves = fixture_new (&cases[3], 3);
  gsize n = whole->plan.n_parameters;
  g_autofree float *moments = g_new0 (float, 3 * n);

  prism_cpu_decoder_reserve (whole->decoder, TRUE, TRUE, NULL);
  prism_cpu_decoder_reserve (halves->decoder, TRUE, TRUE, NULL);
  for (int i = 1; i <= 4; i++)
    {
      PrismAdam adam;

      prism_adam_init (&adam, 0.01, i);
      prism_adam_set_decay (&adam, 0.1);
      adam.clip_norm = 0.01;
      for (int k = 0; k < 2; k++)
        {
          Fixture *fixture = k == 0 ? whole : halves;

          prism_cpu_decoder_forward (fixture->decoder);
          g_assert_true (
              prism_cpu_decoder_backward (fixture->decoder, fixture->output_gradient, &adam));
          prism_cpu_decoder_get_parameters (fixture->decoder, fixture->parameters);
          for (int pixel = 0; pixel < 64 * 64; pixel++)
            fixture->output_gradient[pixel] *= 0.3f;
        }
      prism_cpu_decoder_get_moments (halves->decoder, moments, moments + n, moments + 2 * n);
      prism_cpu_decoder_set_moments (halves->decoder, NULL, NULL, NULL);
      prism_cpu_decoder_set_parameters (halves->decoder, halves->parameters);
      prism_cpu_decoder_set_moments (halves->decoder, moments, moments + n, moments + 2 * n);
    }
  g_assert_cmpmem (whole->parameters, n * sizeof (float), halves->parameters, n * sizeof (float));
}

static void
train (Fixture *fixture, int n_steps)
{
  for (int i = 1; i <= n_steps; i++)
    {
      PrismAdam adam;

      prism_adam_init (&adam, 1e-3, i);
      prism_cpu_decoder_forward (fixture->decoder);
      g_assert_true (
          prism_cpu_decoder_backward (fixture->decoder, fixture->output_gradient, &adam));
    }
  prism_cpu_decoder_get_parameters (fixture->decoder, fixture->parameters);
}

static void
test_threads_do_not_change_a_bit (gconstpointer data)
{
  Fixture *reference = fixture_new (data, 1);

  train (reference, 3);
  for (guint n_threads = 2; n_threads <= 4; n_threads++)
    {
      Fixture *fixture = fixture_new (data, n_threads);
      gsize n_bytes = fixture->plan.n_parameters * sizeof (float);

      train (fixture, 3);
      g_assert_cmpmem (fixture->parameters, n_bytes, reference->parameters, n_bytes);
    }
}

/* Layers take turns in two arrays: nothing of one may be left for the next. */
static void
test_forward_only_gives_the_same_bits (gconstpointer data)
{
  Fixture *plain = fixture_new (data, 2);
  Fixture *lean = fixture_new_for (data, PRISM_CPU_DECODER_FORWARD, 2);
  gsize n_bytes = (gsize) plain->plan.object_size * plain->plan.object_size * sizeof (float);
  const float *expected = prism_cpu_decoder_forward (plain->decoder);

  for (int i = 0; i < 2; i++)
    g_assert_cmpmem (prism_cpu_decoder_forward (lean->decoder), n_bytes, expected, n_bytes);
}

static void
test_round_trip_is_exact (gconstpointer data)
{
  Fixture *fixture = fixture_new (data, 1);
  gsize n = fixture->plan.n_parameters;
  g_autofree float *a = g_new0 (float, n), *b = g_new0 (float, n);

  prism_cpu_decoder_get_parameters (fixture->decoder, a);
  g_assert_cmpmem (a, n * sizeof (float), fixture->parameters, n * sizeof (float));
  for (gsize i = 0; i < n; i++)
    fixture->gradient[i] = i;
  prism_cpu_decoder_set_moments (fixture->decoder, fixture->gradient, fixture->parameters, NULL);
  prism_cpu_decoder_get_moments (fixture->decoder, a, b, NULL);
  g_assert_cmpmem (a, n * sizeof (float), fixture->gradient, n * sizeof (float));
  g_assert_cmpmem (b, n * sizeof (float), fixture->parameters, n * sizeof (float));
}

static void
test_edge_valid_has_a_frame_of_zeros (void)
{
  Fixture *fixture = fixture_new (&cases[1], 1);
  int m = fixture->plan.object_size;
  const float *output = prism_cpu_decoder_forward (fixture->decoder);

  for (int i = 0; i < m * m; i++)
    {
      int row = i / m, column = i % m;

      if (row == 0 || row == m - 1 || column == 0 || column == m - 1)
        g_assert_cmpfloat (output[i], ==, 0.0f);
      else
        g_assert_cmpfloat (output[i], !=, 0.0f);
    }
}

/* One NaN pixel makes every gradient NaN: nothing may change, and all must go on afterwards. */
static void
test_nan_leaves_everything_alone (void)
{
  Fixture *fixture = fixture_new (&cases[3], 2);
  gsize n_bytes = fixture->plan.n_parameters * sizeof (float);
  g_autofree float *before = g_malloc (n_bytes), *moments = g_malloc (2 * n_bytes);
  g_autofree float *after = g_malloc (2 * n_bytes);
  float pixel = fixture->output_gradient[100];
  gsize n = fixture->plan.n_parameters;
  PrismAdam adam;

  train (fixture, 1);
  memcpy (before, fixture->parameters, n_bytes);
  prism_cpu_decoder_get_moments (fixture->decoder, moments, moments + n, NULL);
  prism_adam_init (&adam, 1e-3, 2);
  for (int i = 0; i < 4; i++)
    {
      fixture->output_gradient[100] = i % 2 == 0 ? NAN : INFINITY;
      adam.clip_norm = i < 2 ? 0.0 : 1.0;
      prism_cpu_decoder_forward (fixture->decoder);
      g_assert_false (
          prism_cpu_decoder_backward (fixture->decoder, fixture->output_gradient, &adam));
      g_assert_false (
          prism_cpu_decoder_backward (fixture->decoder, fixture->output_gradient, NULL));
    }
  prism_cpu_decoder_get_parameters (fixture->decoder, fixture->parameters);
  g_assert_cmpmem (before, n_bytes, fixture->parameters, n_bytes);
  prism_cpu_decoder_get_moments (fixture->decoder, after, after + n, NULL);
  g_assert_cmpmem (after, 2 * n_bytes, moments, 2 * n_bytes);
  fixture->output_gradient[100] = pixel;
  train (fixture, 1);
  g_assert_cmpint (memcmp (before, fixture->parameters, n_bytes), !=, 0);
}

static void
test_nan_weights_are_seen (void)
{
  Fixture *fixture = fixture_new (&cases[8], 1);

  for (int i = 0; i < fixture->plan.n_layers; i++)
    {
      gsize weight = fixture->plan.layers[i].weight;
      float value = fixture->parameters[weight];

      fixture->parameters[weight] = NAN;
      prism_cpu_decoder_set_parameters (fixture->decoder, fixture->parameters);
      g_assert_true (isnan (prism_cpu_decoder_forward (fixture->decoder)[5000]));
      fixture->parameters[weight] = value;
    }
  prism_cpu_decoder_set_parameters (fixture->decoder, fixture->parameters);
  g_assert_true (isfinite (prism_cpu_decoder_forward (fixture->decoder)[5000]));
}

static void
test_gradient_is_nan_before_backward (void)
{
  Fixture *fixture = fixture_new (&cases[0], 1);

  prism_cpu_decoder_get_gradient (fixture->decoder, fixture->gradient);
  for (gsize i = 0; i < fixture->plan.n_parameters; i++)
    g_assert_true (isnan (fixture->gradient[i]));
}

#define N_STEP 96

/* Of a gradient with some values that are not finite, the others are used. */
static void
test_step_leaves_out_what_is_not_finite (void)
{
  const PrismCpuUpdateKernels *update = prism_cpu_kernels_get ()->update;
  float w[N_STEP], m[N_STEP] = { 0 }, v[N_STEP] = { 0 }, g[N_STEP];
  PrismCpuParameters parameters = { w, m, v };
  PrismAdam adam;

  for (int i = 0; i < N_STEP; i++)
    {
      w[i] = i;
      g[i] = i % 7 == 3 ? NAN : i % 7 == 5 ? -INFINITY
                                           : 1.0f;
    }
  prism_adam_init (&adam, 0.25, 1);
  g_assert_false (update->step (&adam, parameters, g, N_STEP));
  for (int i = 0; i < N_STEP; i++)
    {
      gboolean used = i % 7 != 3 && i % 7 != 5;

      g_assert_cmpfloat_with_epsilon (w[i], used ? i - 0.25f : i, 1e-4);
      g_assert_cmpfloat (m[i] != 0.0f, ==, used);
      g_assert_cmpfloat (v[i] != 0.0f, ==, used);
      g[i] = i % 2 == 0 ? FLT_MAX : 1e-30f;
    }
  g_assert_true (update->step (&adam, parameters, g, N_STEP));
  for (int i = 0; i < N_STEP; i++)
    g_assert_true (isfinite (w[i]) && isfinite (m[i]) && isfinite (v[i]));
}

/* The first layer's gradient is latent ⊗ g: rows whose product overflows stay, the others go on. */
static void
test_expand_leaves_out_rows_that_overflow (void)
{
  enum
  {
    N_ROWS = 4,
    WIDTH = 64
  };
  const PrismCpuUpdateKernels *update = prism_cpu_kernels_get ()->update;
  float z[N_ROWS] = { 1.0f, FLT_MAX, 2.0f, 0.5f }, zm[N_ROWS] = { 0 }, zv[N_ROWS] = { 0 };
  float w[N_ROWS * WIDTH], m[N_ROWS * WIDTH] = { 0 }, v[N_ROWS * WIDTH] = { 0 };
  float g[WIDTH], out[WIDTH];
  PrismAdam adam;

  for (int i = 0; i < N_ROWS * WIDTH; i++)
    w[i] = 0.01f;
  for (int i = 0; i < WIDTH; i++)
    g[i] = 8.0f;
  prism_adam_init (&adam, 0.001, 1);
  g_assert_false (update->expand_step (&adam, out, (PrismCpuParameters) { z, zm, zv },
                                       (PrismCpuParameters) { w, m, v }, g, N_ROWS, WIDTH));
  for (int i = 0; i < N_ROWS * WIDTH; i++)
    g_assert_cmpfloat_with_epsilon (w[i], i / WIDTH == 1 ? 0.01f : 0.009f, 1e-6);
  for (int i = 0; i < N_ROWS; i++)
    g_assert_true (zm[i] > 0.0f);
}

static void
test_activations_are_exact_everywhere (void)
{
  const PrismCpuActivationKernels *kernels = prism_cpu_kernels_get ()->activation;
  float y[1001], out[1001];

  for (int activation = PRISM_ACTIVATION_RELU; activation <= PRISM_ACTIVATION_NONE; activation++)
    for (double span = 1e-3; span < 1e5; span *= 10.0)
      {
        for (int i = 0; i < 1001; i++)
          y[i] = (i - 500) / 500.0 * span;
        kernels->apply (activation, out, y, 1001);
        for (int i = 0; i < 1001; i++)
          {
            double expected = naive_activate (activation, y[i]);

            double floor = activation == PRISM_ACTIVATION_HARDSIGMOID ? 1.0 : 1e-20;

            g_assert_cmpfloat_with_epsilon (out[i], expected, 4e-7 * fmax (fabs (expected), floor));
          }
      }
  for (int activation = PRISM_ACTIVATION_RELU; activation <= PRISM_ACTIVATION_NONE; activation++)
    {
      y[0] = NAN;
      kernels->apply (activation, out, y, 1);
      g_assert_true (isnan (out[0]));
    }
}

TEST (memory_is_known_before, "/engine/cpu-decoder/memory-is-known-before")
{
  PrismDecoderPlan plan;

  g_assert_true (prism_decoder_plan_init (&plan, 512, 128, PRISM_EDGE_SAME, NULL));
  guint64 train = prism_cpu_decoder_get_required_bytes (&plan, PRISM_CPU_DECODER_TRAIN);
  guint64 forward = prism_cpu_decoder_get_required_bytes (&plan, PRISM_CPU_DECODER_FORWARD);
  g_assert_cmpuint (train, >, 3 * 4 * plan.n_parameters);
  g_assert_cmpuint (train, <, 60 << 20);
  g_assert_cmpuint (forward + 8 * plan.n_parameters, <, train);
  g_assert_true (prism_decoder_plan_init (&plan, 2048, 1024, PRISM_EDGE_SAME, NULL));
  g_assert_cmpuint (prism_cpu_decoder_get_required_bytes (&plan, PRISM_CPU_DECODER_TRAIN), <,
                    1 << 30);
}

/* The wanted instruction set, or the reason why it cannot be had. */
static gboolean
choose_isa (const char *isa)
{
  if (IS_THREAD_SANITIZED)
    return TRUE;
  g_setenv ("PRISM_ISA", isa, TRUE);
  if (g_str_equal (prism_isa_get_id (prism_isa_get ()), isa))
    return TRUE;
  g_test_skip_printf ("This processor has no %s.", isa);
  return FALSE;
}

typedef struct
{
  const char *isa;
  void (*func) (void);
  GTestDataFunc data_func;
  gconstpointer data;
} Run;

static void
run (gconstpointer data)
{
  const Run *self = data;

  if (!choose_isa (self->isa))
    return;
  if (self->func != NULL)
    self->func ();
  else
    self->data_func (self->data);
}

static void
add (const char *name, void (*func) (void), GTestDataFunc data_func, gconstpointer data)
{
  for (guint i = 0; i < (IS_THREAD_SANITIZED ? 1 : G_N_ELEMENTS (isas)); i++)
    {
      const char *isa = IS_THREAD_SANITIZED ? "best" : isas[i];
      g_autofree char *path = g_strdup_printf ("/engine/cpu-decoder/%s/%s", isa, name);
      Run *self = g_new (Run, 1);

      *self = (Run) { isa, func, data_func, data };
      g_test_add_data_func_full (path, self, run, g_free);
    }
}

static void
add_cases (const char *name, GTestDataFunc func)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const Case *test = &cases[i];
      g_autofree char *path
          = g_strdup_printf ("%s/%u-%d-%d-%s", name, i, test->image_size, test->object_size,
                             test->edge == PRISM_EDGE_SAME ? "same" : "valid");

      add (path, NULL, func, test);
    }
}

static void
test_arithmetic_is_left_out (void)
{
  g_test_skip ("The thread sanitizer would watch one thread compute the same in double.");
}

/* What is compared with the decoder and its steps in double. */
static void
add_arithmetic (void)
{
  if (IS_THREAD_SANITIZED)
    {
      g_test_add_func ("/engine/cpu-decoder/arithmetic", test_arithmetic_is_left_out);
      return;
    }
  add_cases ("matches-the-naive-decoder", test_matches_the_naive_decoder);
  add_cases ("fused-adam-is-gradient-and-adam", test_fused_adam_is_gradient_and_adam);
  add_cases ("variants-of-adam", test_variants_of_adam);
}

TESTS
{
  add_arithmetic ();
  for (gsize i = 0; i < G_N_ELEMENTS (golden_files); i++)
    {
      g_autofree char *name = g_strconcat ("matches-the-golden-output/", golden_files[i], NULL);

      add (name, NULL, test_matches_the_golden_output, golden_files[i]);
    }
  add ("variant-goes-on-after-a-restore", test_variant_goes_on_after_a_restore, NULL, NULL);
  add_cases ("fused-step-equals-a-fresh-start", test_fused_step_equals_a_fresh_start);
  add_cases ("threads-do-not-change-a-bit", test_threads_do_not_change_a_bit);
  add_cases ("round-trip-is-exact", test_round_trip_is_exact);
  add_cases ("forward-only-gives-the-same-bits", test_forward_only_gives_the_same_bits);
  add ("edge-valid-has-a-frame-of-zeros", test_edge_valid_has_a_frame_of_zeros, NULL, NULL);
  add ("nan-leaves-everything-alone", test_nan_leaves_everything_alone, NULL, NULL);
  add ("nan-weights-are-seen", test_nan_weights_are_seen, NULL, NULL);
  add ("gradient-is-nan-before-backward", test_gradient_is_nan_before_backward, NULL, NULL);
  add ("step-leaves-out-what-is-not-finite", test_step_leaves_out_what_is_not_finite, NULL, NULL);
  add ("expand-leaves-out-rows-that-overflow", test_expand_leaves_out_rows_that_overflow, NULL,
       NULL);
  add ("activations-are-exact-everywhere", test_activations_are_exact_everywhere, NULL, NULL);
}
