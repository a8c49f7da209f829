#include "config.h"

#include "prism-decoder.h"
#include "prism-error.h"
#include "prism-npy.h"

#include <math.h>

typedef struct
{
  gsize next; /* offset that the next array must have */
  PrismNpz *golden;
} Visit;

static PrismDecoderPlan
make_plan (int image_size,
           int object_size,
           PrismEdge edge)
{
  PrismDecoderPlan plan;
  g_autoptr (GError) error = NULL;

  g_assert_true (prism_decoder_plan_init (&plan, image_size, object_size, edge, &error));
  g_assert_no_error (error);
  return plan;
}

static void
test_standard_workload_has_2797431_parameters (void)
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
check_layers (const PrismDecoderPlan *plan,
              int object_size,
              PrismEdge edge)
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

static void
test_every_size_follows_the_rules (void)
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

static void
test_unsupported_sizes_are_errors (void)
{
  static const int sizes[][2] = {
    { 0, 16 },
    { -512, 16 },
    { 32, 16 },
    { 500, 128 },
    { 8192, 128 },
    { 512, 14 },
    { 512, 127 },
    { 512, 514 },
    { 512, -2 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      PrismDecoderPlan plan;
      g_autoptr (GError) error = NULL;

      g_assert_false (prism_decoder_plan_init (&plan, sizes[i][0], sizes[i][1], PRISM_EDGE_SAME,
                                               &error));
      g_assert_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG);
    }
}

static void
visit_array (const char *name,
             gsize offset,
             gsize n_values,
             gpointer data)
{
  Visit *visit = data;
  g_autofree char *key = g_strconcat ("init/", name, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismNpy) array = prism_npz_get (visit->golden, key, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (array->n_values, ==, n_values);
  g_assert_cmpuint (offset, ==, visit->next);
  visit->next = offset + n_values;
}

/* Each array of the plan has its golden twin of the same length, and together they leave no gap. */
static void
test_arrays_match_the_golden_names (gconstpointer data)
{
  g_autofree char *path = g_build_filename (g_getenv ("PRISM_TEST_DATA"), data, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismNpz) golden = prism_npz_load (path, &error);
  g_autoptr (PrismNpy) image_size = NULL;
  g_autoptr (PrismNpy) object_size = NULL;
  PrismDecoderPlan plan;
  Visit visit = { .golden = golden };

  g_assert_no_error (error);
  image_size = prism_npz_get (golden, "config.image", &error);
  g_assert_no_error (error);
  object_size = prism_npz_get (golden, "config.object", &error);
  g_assert_no_error (error);
  plan = make_plan (image_size->values[0], object_size->values[0], PRISM_EDGE_SAME);
  prism_decoder_plan_foreach (&plan, visit_array, &visit);
  g_assert_cmpuint (visit.next, ==, plan.n_parameters);
}

static void
check_uniform (const float *values,
               gsize n_values,
               double bound)
{
  double sum = 0.0, squares = 0.0, largest = 0.0;

  for (gsize i = 0; i < n_values; i++)
    {
      sum += values[i];
      squares += (double) values[i] * values[i];
      largest = MAX (largest, fabs (values[i]));
    }
  g_assert_cmpfloat (largest, <=, bound * (1.0 + 1e-6));
  g_assert_cmpfloat (largest, >, bound * 0.99);
  g_assert_cmpfloat (fabs (sum / n_values), <, 5.0 * bound / sqrt (3.0 * n_values));
  g_assert_cmpfloat_with_epsilon (squares / n_values, bound * bound / 3.0,
                                  5.0 * bound * bound / sqrt (5.0 * n_values));
}

static void
test_start_values_have_the_right_spread (void)
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

static void
test_start_values_follow_the_seed (void)
{
  PrismDecoderPlan plan = make_plan (64, 16, PRISM_EDGE_VALID);
  g_autofree float *a = g_new (float, plan.n_parameters);
  g_autofree float *b = g_new (float, plan.n_parameters);
  g_autofree float *c = g_new (float, plan.n_parameters);

  prism_decoder_plan_initialise (&plan, 1, a);
  prism_decoder_plan_initialise (&plan, 1, b);
  prism_decoder_plan_initialise (&plan, 2, c);
  g_assert_cmpmem (a, plan.n_parameters * sizeof (float), b, plan.n_parameters * sizeof (float));
  g_assert_cmpfloat (a[0], !=, c[0]);
  g_assert_cmpfloat (a[plan.layers[0].weight], !=, c[plan.layers[0].weight]);
  g_assert_cmpfloat (a[plan.layers[0].weight], !=, a[plan.layers[1].weight]);
}

int
main (int argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/decoder/standard-workload-has-2797431-parameters",
                   test_standard_workload_has_2797431_parameters);
  g_test_add_func ("/engine/decoder/every-size-follows-the-rules",
                   test_every_size_follows_the_rules);
  g_test_add_func ("/engine/decoder/unsupported-sizes-are-errors",
                   test_unsupported_sizes_are_errors);
  g_test_add_data_func ("/engine/decoder/arrays-match-the-golden-names/small", "small_same.npz",
                        test_arrays_match_the_golden_names);
  g_test_add_data_func ("/engine/decoder/arrays-match-the-golden-names/medium", "medium_same.npz",
                        test_arrays_match_the_golden_names);
  g_test_add_func ("/engine/decoder/start-values-have-the-right-spread",
                   test_start_values_have_the_right_spread);
  g_test_add_func ("/engine/decoder/start-values-follow-the-seed",
                   test_start_values_follow_the_seed);
  return g_test_run ();
}
