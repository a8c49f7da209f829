/* Doublings in mixed precision against those in single precision. Where every factor is a small
 * multiple of 1/8 both are exact, whatever the order of the sum: the results must be equal. */

#include "prism-cuda-decoder-kernels.h"
#include "prism-test.h"
#include "test-cuda-common.h"

#define TAPS 16
#define EPSILON 1e-5

/* I = channels of the input, h = size of the input. */
typedef struct
{
  PrismCudaPrecision precision;
  int channels, size;
} Case;

static const int shapes[][2] = { { 8, 16 }, { 16, 32 }, { 32, 16 }, { 64, 32 }, { 128, 16 } };
static const char *const names[] = { "fp32", "bf16", "fp16", "tf32" };

/* Everything that the three kernels read and write, on the device, for one of the two ways. */
typedef struct
{
  PrismCudaProduct product;
  gsize n_in;  /* values of the input's map */
  gsize n_out; /* of the output's */
  gsize n_weights;
} Doubling;

static void *
new_cleared_array (const void *values,
                   gsize n_bytes)
{
  void *array = new_device_array (values, n_bytes);

  if (values == NULL)
    assert_cuda (cudaMemset (array, 0, n_bytes));
  return array;
}

/* -16/8 … 16/8 */
static float *
new_eighths (gsize n_values,
             guint64 seed)
{
  float *values = new_random_floats (n_values, seed);

  for (gsize i = 0; i < n_values; i++)
    values[i] = (floorf (values[i] * 33.0f) - 16.0f) / 8.0f;
  return values;
}

static float *
new_constant (gsize n_values,
              float value)
{
  float *values = own (g_new (float, n_values));

  for (gsize i = 0; i < n_values; i++)
    values[i] = value;
  return values;
}

/* Mean 0, and a variance that with ε is 1. */
static void
add_map (PrismCudaMap *map,
         gsize n_values,
         guint64 seed)
{
  gsize n_pixels = (gsize) map->size * map->size;
  float *y = new_eighths (n_values, seed);
  float *gradient = new_eighths (n_values, seed + 1);
  float *ones = new_constant (map->channels, 1.0f);
  g_autofree PrismCudaMoments *moments = g_new (PrismCudaMoments, map->channels);
  g_autofree PrismCudaNorm *norms = g_new (PrismCudaNorm, map->channels);

  for (int i = 0; i < map->channels; i++)
    {
      moments[i] = (PrismCudaMoments) { 0.0f, (float) (n_pixels * (1.0 - EPSILON)) };
      norms[i] = (PrismCudaNorm) { 0.0f, 1.0f, 0.0f, 1.0f };
    }
  map->y = new_cleared_array (y, n_values * sizeof (float));
  map->gradient = new_cleared_array (gradient, n_values * sizeof (float));
  map->moments = new_cleared_array (moments, map->channels * sizeof *moments);
  map->n_moments = 1;
  map->scale = new_cleared_array (ones, map->channels * sizeof (float));
  map->shift = new_cleared_array (NULL, map->channels * sizeof (float));
  map->norm = new_cleared_array (norms, map->channels * sizeof *norms);
  map->sums = new_cleared_array (NULL, map->channels * sizeof *map->sums);
  map->n_sums = 1;
}

static void
doubling_init (Doubling *self,
               const Case *test,
               gboolean mixed)
{
  PrismCudaProduct *product = &self->product;

  memset (self, 0, sizeof *self);
  product->in.channels = test->channels;
  product->in.size = test->size;
  product->out.channels = test->channels / 2;
  product->out.size = 2 * test->size;
  product->padding = 1;
  self->n_in = (gsize) test->channels * test->size * test->size;
  self->n_out = 2 * self->n_in;
  self->n_weights = (gsize) test->channels * test->channels / 2 * TAPS;
  prism_cuda_tiling_plan (product);
  if (mixed)
    g_assert_true (prism_cuda_mixed_plan_double (product, test->precision));
  float *weights = new_eighths (self->n_weights, 5);
  product->weight = new_cleared_array (weights, self->n_weights * sizeof (float));
  add_map (&product->in, self->n_in, 1);
  add_map (&product->out, self->n_out, 3);
  product->control = new_cleared_array (NULL, sizeof *product->control);
}

static float *
run_forward (Doubling *self,
             PrismCudaNorm *norm)
{
  PrismCudaProduct product = self->product;
  int n_tiles = prism_cuda_tiling_count (&product.forward, product.in.size);
  gsize n_bytes = product.out.channels * n_tiles * sizeof (PrismCudaMoments);
  void *moments = new_device_array (NULL, n_bytes);

  product.out.moments = moments;
  product.out.n_moments = n_tiles;
  assert_cuda (prism_cuda_product_launch (&product, PRISM_CUDA_FORWARD, NULL));
  PrismCudaMoments *merged = dup_device_array (moments, n_bytes);
  *norm = (PrismCudaNorm) { 0 };
  for (int i = 0; i < n_tiles; i++)
    norm->mean += merged[i].mean / n_tiles;
  for (int i = 0; i < n_tiles; i++)
    norm->deviation += merged[i].squares
                       + powf (merged[i].mean - norm->mean, 2.0f) * 4.0f
                             * product.in.size * product.in.size / n_tiles;
  return dup_device_array (product.out.y, self->n_out * sizeof (float));
}

static void
test_forward (gconstpointer data)
{
  const Case *test = data;
  Doubling single, mixed;
  PrismCudaNorm wanted, found;

  doubling_init (&single, test, FALSE);
  doubling_init (&mixed, test, TRUE);
  float *expected = run_forward (&single, &wanted);
  float *y = run_forward (&mixed, &found);
  g_assert_cmpmem (y, single.n_out * sizeof (float), expected, single.n_out * sizeof (float));
  /* of the first channel */
  g_assert_cmpfloat_with_epsilon (found.mean, wanted.mean, 1e-4);
  g_assert_cmpfloat_with_epsilon (found.deviation, wanted.deviation, 1e-4 * wanted.deviation);
}

/* sums [I][2]: of the whole map */
static float *
run_data_gradient (Doubling *self,
                   float *sums)
{
  PrismCudaProduct product = self->product;
  int n_tiles = prism_cuda_tiling_count (&product.backward, product.in.size);
  gsize n_bytes = product.in.channels * n_tiles * sizeof (PrismCudaSums);
  void *parts = new_device_array (NULL, n_bytes);

  product.in.sums = parts;
  product.in.n_sums = n_tiles;
  assert_cuda (prism_cuda_product_launch (&product, PRISM_CUDA_BACKWARD, NULL));
  PrismCudaSums *values = dup_device_array (parts, n_bytes);
  memset (sums, 0, 2 * product.in.channels * sizeof *sums);
  for (int i = 0; i < product.in.channels * n_tiles; i++)
    {
      sums[i / n_tiles * 2] += values[i].gradient;
      sums[i / n_tiles * 2 + 1] += values[i].product;
    }
  return dup_device_array (product.in.gradient, self->n_in * sizeof (float));
}

static void
test_data_gradient (gconstpointer data)
{
  const Case *test = data;
  Doubling single, mixed;
  g_autofree float *wanted = g_new (float, 2 * test->channels);
  g_autofree float *found = g_new (float, 2 * test->channels);

  doubling_init (&single, test, FALSE);
  doubling_init (&mixed, test, TRUE);
  float *expected = run_data_gradient (&single, wanted);
  float *gradient = run_data_gradient (&mixed, found);
  g_assert_cmpmem (gradient, single.n_in * sizeof (float), expected, single.n_in * sizeof (float));
  g_assert_cmpfloat (get_relative_distance (found, wanted, 2 * test->channels), <, 1e-4);
}

static float *
run_weight_gradient (Doubling *self)
{
  PrismCudaProduct product = self->product;
  int n_splits = product.weights.n_splits;
  gsize n_bytes = n_splits * self->n_weights * sizeof (float);
  void *parts = new_device_array (NULL, n_bytes);
  float *sums = new_constant (self->n_weights, 0.0f);

  product.weight_gradient = parts;
  assert_cuda (prism_cuda_product_launch (&product, PRISM_CUDA_WEIGHTS, NULL));
  float *values = dup_device_array (parts, n_bytes);
  for (int split = 0; split < n_splits; split++)
    for (gsize i = 0; i < self->n_weights; i++)
      sums[i] += values[split * self->n_weights + i];
  return sums;
}

static void
test_weight_gradient (gconstpointer data)
{
  const Case *test = data;
  Doubling single, mixed;

  doubling_init (&single, test, FALSE);
  doubling_init (&mixed, test, TRUE);
  float *expected = run_weight_gradient (&single);
  float *gradient = run_weight_gradient (&mixed);
  g_assert_cmpmem (gradient, single.n_weights * sizeof (float), expected,
                   single.n_weights * sizeof (float));
}

/* 70,000 does not fit into fp16: its gradient is not finite and says so. In bf16 it fits. */
static void
test_overflow (gconstpointer data)
{
  const PrismCudaPrecision precision = GPOINTER_TO_INT (data);
  const Case test = { precision, 16, 16 };
  Doubling doubling;
  g_autofree float *sums = g_new (float, 2 * test.channels);

  doubling_init (&doubling, &test, TRUE);
  float *large = new_constant (doubling.n_out, 70000.0f);
  assert_cuda (cudaMemcpy (doubling.product.out.gradient, large, doubling.n_out * sizeof (float),
                           cudaMemcpyHostToDevice));
  run_data_gradient (&doubling, sums);
  PrismCudaControl *control = dup_device_array (doubling.product.control, sizeof *control);
  g_assert_cmpint (control->not_finite, ==, precision == PRISM_CUDA_PRECISION_FP16 ? 1 : 0);
}

TEST (plan, "/cuda/mixed/plan")
{
  PrismCudaProduct product = { .in = { .channels = 64, .size = 16 },
                               .out = { .channels = 32, .size = 32 } };

  g_assert_true (prism_cuda_mixed_plan_double (&product, PRISM_CUDA_PRECISION_BF16));
  g_assert_false (prism_cuda_mixed_plan_double (&product, PRISM_CUDA_PRECISION_FP32));
  product.in.size = 8;
  g_assert_false (prism_cuda_mixed_plan_double (&product, PRISM_CUDA_PRECISION_BF16));
  product.in = (PrismCudaMap) { .channels = 4, .size = 64 };
  product.out = (PrismCudaMap) { .channels = 2, .size = 128 };
  g_assert_false (prism_cuda_mixed_plan_double (&product, PRISM_CUDA_PRECISION_BF16));
}

static void
add_test (const char *name,
          const Case *test,
          GTestDataFunc function)
{
  g_autofree char *path = g_strdup_printf ("/cuda/mixed/%s/%s/%d-%d", name, names[test->precision],
                                           test->channels, test->size);

  g_test_add_data_func_full (path, g_memdup2 (test, sizeof *test), function, g_free);
}

TESTS
{
  for (int precision = PRISM_CUDA_PRECISION_BF16; precision <= PRISM_CUDA_PRECISION_TF32;
       precision++)
    for (guint i = 0; i < G_N_ELEMENTS (shapes); i++)
      {
        const Case test = { precision, shapes[i][0], shapes[i][1] };

        add_test ("forward", &test, test_forward);
        add_test ("data-gradient", &test, test_data_gradient);
        add_test ("weight-gradient", &test, test_weight_gradient);
      }
  g_test_add_data_func ("/cuda/mixed/overflow/fp16", GINT_TO_POINTER (PRISM_CUDA_PRECISION_FP16),
                        test_overflow);
  g_test_add_data_func ("/cuda/mixed/overflow/bf16", GINT_TO_POINTER (PRISM_CUDA_PRECISION_BF16),
                        test_overflow);
}
