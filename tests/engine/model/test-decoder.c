#include "base/prism-number.h"
#include "formats/prism-fields-readers.h"
#include "model/prism-config-check.h"
#include "model/prism-decoder.h"
#include "prism-test.h"

typedef struct
{
  gsize next; /* offset that the next array must have */
  PrismFields *golden;
} Visit;

static PrismDecoderPlan
make_plan (int image_size, int object_size, PrismEdge edge)
{
  PrismDecoderPlan plan;

  g_assert_true (MUST (prism_decoder_plan_init (&plan, image_size, object_size, edge, &error)));
  return plan;
}

TEST (standard_workload_has_2797431_parameters,
      "/engine/decoder/standard-workload-has-2797431-parameters")
{
  PrismDecoderPlan plan = make_plan (512, 128, PRISM_EDGE_SAME);

  g_assert_cmpuint (plan.n_parameters, ==, 2797431);
  g_assert_cmpint (plan.n_layers, ==, 9);
  g_assert_cmpint (plan.latent, ==, 512);
  g_assert_cmpint (plan.output_size, ==, 128);
  g_assert_cmpint (plan.layers[5].kind, ==, PRISM_LAYER_DOUBLE);
  g_assert_cmpint (plan.layers[5].out_channels, ==, 8);
  g_assert_cmpint (plan.layers[6].kind, ==, PRISM_LAYER_CONVOLVE);
  g_assert_cmpuint (make_plan (1024, 512, PRISM_EDGE_SAME).n_parameters / 10000, ==, 1118);
  g_assert_cmpuint (make_plan (2048, 1024, PRISM_EDGE_VALID).n_parameters / 10000, ==, 4474);
}

/* Rules of numerics.md § 6, for every size at which something changes. */
static void
check_layers (const PrismDecoderPlan *plan, int object_size, PrismEdge edge)
{
  int channels = plan->latent, size = 1;

  for (int i = 0; i < plan->n_layers; i++)
    {
      const PrismLayer *layer = &plan->layers[i];
      gboolean last = i == plan->n_layers - 1;
      gsize taps = layer->kind == PRISM_LAYER_CONVOLVE ? 9 : 16;

      g_assert_cmpint (layer->in_channels, ==, channels);
      g_assert_cmpint (layer->in_size, ==, size);
      g_assert_cmpint (layer->out_channels, ==, channels / 2);
      g_assert_cmpuint (layer->n_weights, ==, taps * channels * (channels / 2));
      g_assert_cmpint (layer->norm, ==, !last);
      g_assert_true ((layer->bias != PRISM_DECODER_NO_ARRAY) == last);
      g_assert_true ((layer->scale != PRISM_DECODER_NO_ARRAY) == !last);
      g_assert_cmpint (layer->activation, ==,
                       last ? PRISM_ACTIVATION_SIGMOID : PRISM_ACTIVATION_RELU);
      if (i == 0)
        g_assert_cmpint (layer->kind, ==, PRISM_LAYER_EXPAND);
      else
        g_assert_cmpint (layer->kind, ==,
                         size < object_size ? PRISM_LAYER_DOUBLE : PRISM_LAYER_CONVOLVE);
      if (layer->kind == PRISM_LAYER_CONVOLVE)
        g_assert_cmpint (layer->out_size, ==, last && edge == PRISM_EDGE_VALID ? size - 2 : size);
      else
        g_assert_cmpint (layer->out_size, ==, i == 0 ? 4 : 2 * size);
      channels /= 2;
      size = layer->out_size;
    }
  g_assert_cmpint (channels, ==, 1);
  g_assert_cmpint (plan->output_size, ==, size);
  g_assert_cmpint (size, >=, object_size - 2);
}

TEST (every_size_follows_the_rules, "/engine/decoder/every-size-follows-the-rules")
{
  static const int object_sizes[] = { 16, 18, 32, 62, 64, 100, 128, 130, 512, 1000, 4096 };

  for (int image_size = 64; image_size <= 4096; image_size *= 2)
    for (guint i = 0; i < G_N_ELEMENTS (object_sizes) && object_sizes[i] <= image_size; i++)
      for (int edge = PRISM_EDGE_SAME; edge <= PRISM_EDGE_VALID; edge++)
        {
          PrismDecoderPlan plan = make_plan (image_size, object_sizes[i], edge);

          g_assert_cmpint (plan.latent, ==, image_size);
          g_assert_cmpint (plan.object_size, ==, object_sizes[i]);
          check_layers (&plan, object_sizes[i], edge);
        }
}

TEST (unsupported_sizes_are_errors, "/engine/decoder/unsupported-sizes-are-errors")
{
  static const int images[] = { 0, -512, 32, 500, 8192, 512, 512, 512, 512 };
  static const int objects[] = { 16, 16, 16, 128, 128, 14, 127, 514, -2 };

  for (guint i = 0; i < G_N_ELEMENTS (images); i++)
    {
      PrismDecoderPlan plan;

      FAILS (prism_decoder_plan_init (&plan, images[i], objects[i], PRISM_EDGE_SAME,
                                      &error),
             CONFIG, "");
    }
}

static PrismConfig *
new_config (const char *const *settings)
{
  PrismConfig *config = prism_config_new ();

  for (; settings[0] != NULL; settings += 2)
    MUST (prism_config_set_text (config, settings[0], settings[1], &error));
  return config;
}

static PrismDecoderPlan
make_plan_by_hand (const char *const *settings)
{
  g_autoptr (PrismConfig) config = new_config (settings);
  PrismDecoderPlan plan;

  memset (&plan, 0xaa, sizeof plan);
  MUST (prism_decoder_plan_init_config (&plan, config, &error));
  return plan;
}

#define BY_HAND(...) make_plan_by_hand ((const char *const[]) { __VA_ARGS__, NULL })

/* To the last byte: an open device is used again when its plan is the same. */
TEST (default_by_hand_is_the_automatic_plan,
      "/engine/decoder/default-by-hand-is-the-automatic-plan")
{
  PrismDecoderPlan automatic, plan = BY_HAND ("latent", "0");

  memset (&automatic, 0x55, sizeof automatic);
  g_assert_true (prism_decoder_plan_init (&automatic, 512, 128, PRISM_EDGE_SAME, NULL));
  g_assert_cmpmem (&automatic, sizeof automatic, &plan, sizeof plan);
  plan = BY_HAND ("channels", "256, 128 64 32;16 8 4 2  1", "latent", "512", "depth", "3");
  g_assert_cmpmem (&automatic, sizeof automatic, &plan, sizeof plan);
}

static void
check_channels (const PrismDecoderPlan *plan, const char *expected)
{
  g_autoptr (GString) channels = g_string_new (NULL);

  for (int i = 0; i < plan->n_layers; i++)
    g_string_append_printf (channels, "%s%d", i > 0 ? " " : "", plan->layers[i].out_channels);
  g_assert_cmpstr (channels->str, ==, expected);
}

TEST (latent_and_depth_choose_channels, "/engine/decoder/latent-and-depth-choose-channels")
{
  static const char *const cases[][5] = {
    { "128 64 32 16 8 4 2 1", "latent", "256" },
    { "50 25 12 6 3 2 1", "latent", "100" },
    { "2 2 2 2 2 2 1", "latent", "1" },
    { "256 128 64 32 16 8 1", "depth", "1" },
    { "256 128 64 32 16 8 4 1", "depth", "2" },
    { "256 128 64 32 16 8 8 8 4 2 1", "depth", "5" },
    { "32 16 8 4 2 2 2 2 2 1", "latent", "64", "depth", "4" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const char *const settings[] = { cases[i][1], cases[i][2], cases[i][3], cases[i][4], NULL };
      const PrismDecoderPlan plan = make_plan_by_hand (settings);

      check_channels (&plan, cases[i][0]);
      g_assert_cmpint (plan.latent, ==, cases[i][1][0] == 'd' ? 512 : atoi (cases[i][2]));
    }
}

TEST (channels_by_hand_make_the_layers, "/engine/decoder/channels-by-hand-make-the-layers")
{
  PrismDecoderPlan plan = BY_HAND ("channels", "96 40 64 33 16 7 24 1", "latent", "10", "norm",
                                   "none", "output_activation", "relu", "edge", "valid");
  gsize n = 10;

  check_channels (&plan, "96 40 64 33 16 7 24 1");
  for (int i = 0; i < plan.n_layers; i++)
    {
      const PrismLayer *layer = &plan.layers[i];

      g_assert_cmpint (layer->in_channels, ==, i == 0 ? 10 : layer[-1].out_channels);
      g_assert_false (layer->norm);
      g_assert_cmpuint (layer->scale, ==, PRISM_DECODER_NO_ARRAY);
      g_assert_cmpuint (layer->bias, ==, layer->weight + layer->n_weights);
      n += (gsize) layer->kernel * layer->kernel * layer->in_channels * layer->out_channels
           + layer->out_channels;
    }
  g_assert_cmpuint (plan.n_parameters, ==, n);
  g_assert_cmpint (plan.layers[7].activation, ==, PRISM_ACTIVATION_RELU);
  g_assert_cmpint (plan.layers[6].activation, ==, PRISM_ACTIVATION_RELU);
  g_assert_cmpint (plan.output_size, ==, 126);
  plan = BY_HAND ("output_activation", "none", "initialisation", "orthogonal");
  g_assert_cmpint (plan.layers[8].activation, ==, PRISM_ACTIVATION_NONE);
  g_assert_cmpint (plan.layers[7].activation, ==, PRISM_ACTIVATION_RELU);
  g_assert_cmpuint (plan.n_parameters, ==, 2797431);
}

TEST (bad_lists_are_errors, "/engine/decoder/bad-lists-are-errors")
{
  static const char *const bad[][3] = {
    { "256 128 64 32 16 8", "0", "channels has 6 numbers, but must have from 7 to 32" },
    { "1", "0", "channels has 1 numbers" },
    { "256 128 64 32 16 8 4", "0", "does not end in 1" },
    { "256 128 64 32 16 8 x 1", "0", "“x”, which is no number from 1 to 4096" },
    { "256 128 64 32 16 0 1", "0", "“0”, which is no number" },
    { "256 128 64 32 16 -4 1", "0", "“-4”, which is no number" },
    { "256 128 64 32 16 4097 1", "0", "“4097”, which is no number" },
    { "256 128 64 32 16 8.5 1", "0", "“8.5”, which is no number" },
    { "99999999999999999999 1", "0", "which is no number" },
    { "2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 1", "0",
      "channels has 33 numbers" },
    { "256 128 64 32 16 8 4 2 1", "2",
      "depth is 2, but channels has numbers for 3 3×3 layers" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (PrismConfig) config
          = new_config ((const char *const[]) { "channels", bad[i][0], "depth", bad[i][1], NULL });
      g_autoptr (GError) error = NULL;
      PrismDecoderPlan plan;

      FAILS (prism_decoder_plan_init_config (&plan, config, &error), CONFIG, bad[i][2]);
      FAILS (prism_config_check (config, &error), CONFIG, "");
      config->method = PRISM_METHOD_EPIE;
      g_assert_true (prism_config_check (config, &error));
    }
}

static void
visit_array (const char *name, gsize offset, gsize n_values, gpointer data)
{
  Visit *visit = data;
  g_autofree char *key = g_strconcat ("init/", name, NULL);
  const PrismField *array = MUST (prism_fields_find (visit->golden, key));

  g_assert_cmpuint (array->n_values, ==, n_values);
  g_assert_cmpuint (offset, ==, visit->next);
  visit->next = offset + n_values;
}

/* Each array of the plan has its golden twin of the same length, and together they leave no gap. */
static const char *const golden_files[] = { "small_same.npz", "medium_same.npz" };

TEST_ROWS (arrays_match, "/engine/decoder/arrays-match-the-golden-names", golden_files)
{
  const char *path = in_folder (g_getenv ("PRISM_TEST_DATA"), *(const char *const *) data);
  g_autoptr (PrismFields) golden = MUST (prism_fields_load_npz (path, &error));
  PrismDecoderPlan plan;
  Visit visit = { .golden = golden };

  const PrismField *image_size = MUST (prism_fields_find (golden, "config.image"));
  const PrismField *object_size = MUST (prism_fields_find (golden, "config.object"));
  plan = make_plan (image_size->values[0], object_size->values[0], PRISM_EDGE_SAME);
  prism_decoder_plan_foreach (&plan, visit_array, &visit);
  g_assert_cmpuint (visit.next, ==, plan.n_parameters);
}

static void
check_uniform (const float *values, gsize n_values, double bound)
{
  double sum = 0.0, squares = 0.0, largest = 0.0;

  for (gsize i = 0; i < n_values; i++)
    {
      sum += values[i];
      squares += (double) values[i] * values[i];
      largest = prism_worst (largest, fabs (values[i]));
    }
  g_assert_cmpfloat (largest, <=, bound * (1.0 + 1e-6));
  g_assert_cmpfloat (largest, >, bound * 0.99);
  g_assert_cmpfloat (fabs (sum / n_values), <, 5.0 * bound / sqrt (3.0 * n_values));
  g_assert_cmpfloat_with_epsilon (squares / n_values, bound * bound / 3.0,
                                  5.0 * bound * bound / sqrt (5.0 * n_values));
}

TEST (start_values_have_the_right_spread, "/engine/decoder/start-values-have-the-right-spread")
{
  PrismDecoderPlan plan = make_plan (256, 64, PRISM_EDGE_SAME);
  g_autofree float *parameters = g_new (float, plan.n_parameters);
  const PrismLayer *last = &plan.layers[plan.n_layers - 1];
  double squares = 0.0;

  prism_decoder_plan_initialise (&plan, 7, parameters);
  for (int i = 0; i < plan.latent; i++)
    squares += (double) parameters[i] * parameters[i];
  g_assert_cmpfloat_with_epsilon (squares / plan.latent, 1.0, 5.0 * sqrt (2.0 / plan.latent));

  check_uniform (parameters + plan.layers[0].weight, plan.layers[0].n_weights,
                 1.0 / sqrt (128.0 * 16.0));
  check_uniform (parameters + plan.layers[2].weight, plan.layers[2].n_weights,
                 1.0 / sqrt (32.0 * 16.0));
  g_assert_cmpint (plan.layers[5].kind, ==, PRISM_LAYER_CONVOLVE);
  check_uniform (parameters + plan.layers[5].weight, plan.layers[5].n_weights,
                 1.0 / sqrt (8.0 * 9.0));
  g_assert_cmpfloat (fabsf (parameters[last->bias]), <=, 1.0f / sqrtf (2.0f * 9.0f));
  g_assert_cmpfloat (parameters[last->bias], !=, 0.0f);
  for (int i = 0; i < plan.n_layers - 1; i++)
    for (int c = 0; c < plan.layers[i].out_channels; c++)
      {
        g_assert_cmpfloat (parameters[plan.layers[i].scale + c], ==, 1.0f);
        g_assert_cmpfloat (parameters[plan.layers[i].shift + c], ==, 0.0f);
      }
}

/* Moments of a normal distribution. */
static void
check_normal (const float *values, gsize n_values, double variance)
{
  double sum = 0.0, squares = 0.0, fourth = 0.0;

  for (gsize i = 0; i < n_values; i++)
    {
      double square = (double) values[i] * values[i];

      sum += values[i];
      squares += square;
      fourth += square * square;
    }
  g_assert_cmpfloat (fabs (sum / n_values), <, 5.0 * sqrt (variance / n_values));
  g_assert_cmpfloat_with_epsilon (squares / n_values, variance,
                                  5.0 * variance * sqrt (2.0 / n_values));
  g_assert_cmpfloat_with_epsilon (fourth / n_values / (variance * variance), 3.0,
                                  5.0 * sqrt (96.0 / n_values));
}

TEST (xavier_has_its_variance, "/engine/decoder/xavier-has-its-variance")
{
  PrismDecoderPlan plan = BY_HAND ("image_size", "256", "object_size", "64", "initialisation",
                                   "xavier-normal", "norm", "none");
  g_autofree float *parameters = g_new (float, plan.n_parameters);

  prism_decoder_plan_initialise (&plan, 7, parameters);
  check_normal (parameters, plan.latent, 1.0);
  check_normal (parameters + plan.layers[0].weight, plan.layers[0].n_weights,
                2.0 / (16.0 * (256 + 128)));
  check_normal (parameters + plan.layers[2].weight, plan.layers[2].n_weights,
                2.0 / (16.0 * (64 + 32)));
  check_normal (parameters + plan.layers[5].weight, plan.layers[5].n_weights,
                2.0 / (9.0 * (8 + 4)));
  for (int i = 0; i < plan.n_layers; i++)
    for (int c = 0; c < plan.layers[i].out_channels; c++)
      g_assert_cmpfloat (parameters[plan.layers[i].bias + c], ==, 0.0f);
}

/* Rows [n_rows][n_columns], or columns where there are fewer: products are 1 with themselves, else
 * 0. */
static void
check_orthonormal (const float *matrix, int n_rows, int n_columns)
{
  int n = MIN (n_rows, n_columns), length = MAX (n_rows, n_columns);
  int stride = n_rows <= n_columns ? n_columns : 1, step = n_rows <= n_columns ? 1 : n_columns;

  for (int a = 0; a < n; a++)
    for (int b = a; b < n; b++)
      {
        double product = 0.0;

        for (int i = 0; i < length; i++)
          product += (double) matrix[a * stride + i * step] * matrix[b * stride + i * step];
        g_assert_cmpfloat_with_epsilon (product, a == b ? 1.0 : 0.0, 2e-6);
      }
}

/* Wide, tall and square matrices; the square one of 27 loses most of its length on the way. */
TEST (orthogonal_weights_are_orthonormal, "/engine/decoder/orthogonal-weights-are-orthonormal")
{
  PrismDecoderPlan plan = BY_HAND ("object_size", "64", "latent", "96", "initialisation",
                                   "orthogonal", "channels", "64 2 3 27 3 1");
  g_autofree float *parameters = g_new (float, plan.n_parameters);

  prism_decoder_plan_initialise (&plan, 3, parameters);
  for (int i = 0; i < plan.n_layers; i++)
    {
      const PrismLayer *layer = &plan.layers[i];
      int n_rows = layer->kind == PRISM_LAYER_CONVOLVE ? layer->out_channels : layer->in_channels;

      check_orthonormal (parameters + layer->weight, n_rows, layer->n_weights / n_rows);
    }
  check_normal (parameters, plan.latent, 1.0);
  /* Not one direction preferred: each value of the first layer is 1/√columns on average. */
  check_normal (parameters + plan.layers[0].weight, plan.layers[0].n_weights,
                1.0 / (16.0 * plan.layers[0].out_channels));
  g_assert_cmpfloat (parameters[plan.layers[5].bias], ==, 0.0f);
}

TEST (start_values_follow_the_seed, "/engine/decoder/start-values-follow-the-seed")
{
  PrismDecoderPlan plan = make_plan (64, 16, PRISM_EDGE_VALID);
  g_autofree float *a = g_new (float, plan.n_parameters), *b = g_new (float, plan.n_parameters);
  g_autofree float *c = g_new (float, plan.n_parameters);

  prism_decoder_plan_initialise (&plan, 1, a);
  prism_decoder_plan_initialise (&plan, 1, b);
  prism_decoder_plan_initialise (&plan, 2, c);
  g_assert_cmpmem (a, plan.n_parameters * sizeof (float), b, plan.n_parameters * sizeof (float));
  g_assert_cmpfloat (a[0], !=, c[0]);
  g_assert_cmpfloat (a[plan.layers[0].weight], !=, c[plan.layers[0].weight]);
  g_assert_cmpfloat (a[plan.layers[0].weight], !=, a[plan.layers[1].weight]);
}
