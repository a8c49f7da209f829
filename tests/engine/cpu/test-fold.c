#include "cpu/prism-cpu-fold.h"

#include "../support/naive-decoder.h"
#include "base/prism-number.h"
#include "formats/prism-fields-readers.h"
#include "../support/test-remove-tree.h"
#include "prism-test.h"

/* Sizes and what is set by hand besides. */
typedef struct
{
  const char *name;
  double tolerance;         /* rounding: an output that is not squeezed has more of it */
  const char *settings[12]; /* key and value in turn */
} Case;

static const Case cases[] = {
  { "standard", 1e-6, { NULL } },
  { "small", 1e-6, { "image_size", "64", "object_size", "18" } },
  { "frame", 1e-6, { "image_size", "64", "object_size", "16", "edge", "valid" } },
  { "odd",
    4e-6,
    { "object_size", "64", "latent", "33", "channels", "40 33 17 9 21 5 1", "output_activation",
      "none" } },
  { "no-norm",
    1e-6,
    { "object_size", "32", "norm", "none", "output_activation", "tanh", "initialisation",
      "xavier-normal" } },
};

static void
make_decoder (const Case *test, PrismDecoderPlan *plan, float **parameters)
{
  g_autoptr (PrismConfig) config = prism_config_new ();

  for (int i = 0; test->settings[i] != NULL; i += 2)
    MUST (prism_config_set_text (config, test->settings[i], test->settings[i + 1], &error));
  MUST (prism_decoder_plan_init_config (plan, config, &error));
  *parameters = g_new (float, plan->n_parameters);
  prism_decoder_plan_initialise (plan, 5, *parameters);
  naive_disturb_norms (plan, *parameters);
}

static double
get_largest_difference (const double *a, const double *b, gsize n_values)
{
  double largest = 0.0;

  for (gsize i = 0; i < n_values; i++)
    largest = prism_worst (largest, fabs (a[i] - b[i]));
  return largest;
}

/* In double, by the definition, both decoders give the same image. */
TEST_ROWS (image_is_the_same, "/engine/fold/image-is-the-same", cases)
{
  const Case *test = data;
  PrismDecoderPlan plan;
  g_autofree float *parameters = NULL;

  make_decoder (test, &plan, &parameters);
  g_autoptr (PrismFold) fold = MUST (prism_cpu_fold_new (&plan, parameters, &error));
  NaiveDecoder *before = naive_decoder_new_forward (&plan, parameters);
  NaiveDecoder *after = naive_decoder_new_forward (&fold->plan, fold->parameters);
  double difference = get_largest_difference (before->output, after->output,
                                              (gsize) plan.object_size * plan.object_size);
  g_test_message ("%g in double, %g as computed", difference, fold->difference);
  g_assert_cmpfloat (difference, <, test->tolerance);
  g_assert_cmpfloat (difference, >, 0.0);
  g_assert_cmpfloat (fold->difference, <, 4.0 * test->tolerance);
  g_assert_cmpuint (fold->n_parameters_before, ==, plan.n_parameters);
  g_assert_cmpuint (fold->plan.n_parameters, <, plan.n_parameters);
  g_assert_cmpuint (fold->n_bytes, <, fold->n_bytes_before);
  g_assert_cmpfloat (fold->milliseconds, >, 0.0);
}

/* The file alone gives the image: read as NumPy would, put into a decoder without norm. */
TEST (file_gives_the_image, "/engine/fold/file-gives-the-image")
{
  g_autoptr (TestFolder) directory = test_folder_new ();
  g_autofree char *path = g_build_filename (directory, "decoder.npz", NULL);
  PrismDecoderPlan plan;
  g_autofree float *parameters = NULL;

  make_decoder (&cases[3], &plan, &parameters);
  g_autoptr (PrismFold) fold = MUST (prism_cpu_fold_new (&plan, parameters, &error));
  MUST (prism_fold_save (fold, path, &error));
  g_autoptr (PrismFields) file = MUST (prism_fields_load_npz (path, &error));
  NaiveDecoder *after = naive_decoder_new (&fold->plan);
  after->parameters[0] = 1.0;
  for (int i = 0; i < plan.n_layers; i++)
    {
      const PrismLayer *layer = &fold->plan.layers[i];
      g_autofree char *weight = g_strdup_printf ("layer%d.%s", i, i == 0 ? "map" : "weight");
      g_autofree char *bias = g_strdup_printf ("layer%d.bias", i);
      const PrismField *weights = prism_fields_find (file, weight);
      const PrismField *biases = MUST (prism_fields_find (file, bias));

      g_assert_cmpint (weights->n_dims, ==, i == 0 ? 3 : 4);
      g_assert_cmpuint (weights->shape[weights->n_dims - 1], ==, layer->kernel);
      g_assert_cmpuint (weights->n_values, ==, layer->n_weights);
      g_assert_cmpuint (biases->n_values, ==, layer->out_channels);
      memcpy (after->parameters + layer->weight, weights->values,
              layer->n_weights * sizeof (double));
      memcpy (after->parameters + layer->bias, biases->values,
              layer->out_channels * sizeof (double));
    }
  naive_decoder_forward (after);
  NaiveDecoder *before = naive_decoder_new_forward (&plan, parameters);
  g_assert_cmpfloat (get_largest_difference (before->output, after->output, 64 * 64), <,
                     cases[3].tolerance);
}

/* The latent vector, three quarters of the weights and all norms are gone; so are the moments. */
TEST (standard_decoder_becomes_small, "/engine/fold/standard-decoder-becomes-small")
{
  PrismDecoderPlan plan;
  g_autofree float *parameters = NULL;

  make_decoder (&cases[0], &plan, &parameters);
  g_autoptr (PrismFold) fold = MUST (prism_cpu_fold_new (&plan, parameters, &error));
  g_assert_cmpuint (fold->plan.n_parameters, ==, 703354);
  g_assert_cmpuint (8 * fold->n_bytes, <, fold->n_bytes_before);
}

TEST (broken_decoder_is_refused, "/engine/fold/broken-decoder-is-refused")
{
  PrismDecoderPlan plan;
  g_autofree float *parameters = NULL;

  make_decoder (&cases[1], &plan, &parameters);
  parameters[plan.layers[2].weight] = NAN;
  FAILS (prism_cpu_fold_new (&plan, parameters, &error), BACKEND, "");
}
