/* The first layer's kernels for rows of every width, and Adam of all other parameters. */

#include "base/prism-random.h"
#include "prism-cuda-decoder-kernels.h"
#include "prism-test.h"
#include "test-cuda-common.h"

#include <float.h>

#define PIXELS 16
#define RATE 1e-2

typedef struct
{
  int latent, channels;
} Shape;

/* Each number of vectors that a thread may have; rows that do not fill a block, odd channels. */
static const Shape shapes[] = {
  { 7, 3 },
  { 300, 5 },
  { 5, 256 },
  { 3, 300 },
  { 3, 512 },
  { 2, 700 },
  { 2, 1024 },
  { 2, 2048 },
  { 130, 1100 },
};

/* L = latent, N = 16·channels. */
typedef struct
{
  PrismCudaExpand expand; /* device */
  gsize n_columns;        /* N */
  gsize n;                /* L·N */
  float *values;          /* [L] */
  float *weight;          /* [L][N] */
  float *gradient;        /* dY0 [N] */
} Fixture;

static float *
new_zeros (gsize n)
{
  g_autofree float *zeros = g_new0 (float, n);

  return new_device_array (zeros, n * sizeof (float));
}

static void
set_control (PrismCudaControl *device,
             gboolean no_update)
{
  PrismCudaControl control = { .loss_scale = 1.0f, .beta1 = 0.9, .beta2 = 0.999 };

  control.learning_rate = RATE;
  control.epsilon = 1e-8f;
  control.correction1 = 1.0 - 0.9;
  control.correction2 = 1.0 - 0.999;
  control.no_update = no_update;
  assert_cuda (cudaMemcpy (device, &control, sizeof control, cudaMemcpyHostToDevice));
}

static void
allocate_device (Fixture *self,
                 const Shape *shape)
{
  PrismCudaExpand *expand = &self->expand;
  gsize n_columns = self->n_columns;

  expand->values = new_device_array (self->values, shape->latent * sizeof (float));
  expand->first = new_zeros (shape->latent);
  expand->second = new_zeros (shape->latent);
  expand->weight = new_device_array (self->weight, self->n * sizeof (float));
  expand->weight_first = new_zeros (self->n);
  expand->weight_second = new_zeros (self->n);
  expand->values_gradient = new_device_array (NULL, shape->latent * sizeof (float));
  expand->weight_gradient = new_device_array (NULL, self->n * sizeof (float));
  expand->partials = new_device_array (NULL, expand->n_blocks * n_columns * sizeof (float));
  expand->map_gradient = new_device_array (self->gradient, n_columns * sizeof (float));
  expand->out.y = new_device_array (NULL, n_columns * sizeof (float));
  expand->out.moments = new_device_array (NULL, shape->channels * sizeof (PrismCudaMoments));
  expand->control = new_device_array (NULL, sizeof (PrismCudaControl));
  set_control (expand->control, FALSE);
}

static Fixture *
fixture_new (const Shape *shape)
{
  Fixture *self = own (g_new0 (Fixture, 1));

  self->n_columns = (gsize) shape->channels * PIXELS;
  self->n = shape->latent * self->n_columns;
  self->values = new_normal_floats (shape->latent, 1);
  self->weight = new_normal_floats (self->n, 2);
  self->gradient = new_normal_floats (self->n_columns, 3);
  self->expand.latent = shape->latent;
  self->expand.out = (PrismCudaMap) { .channels = shape->channels, .size = 4, .n_moments = 1 };
  prism_cuda_expand_split (&self->expand);
  allocate_device (self, shape);
  return self;
}

static float *
dup_floats (const float *array,
            gsize n)
{
  return dup_device_array (array, n * sizeof (float));
}

/* y0 and its moments after prism_cuda_expand_merge() against z·W in double. */
static void
check_product (Fixture *self,
               const float *z,
               const float *w)
{
  gsize n_channels = self->n_columns / PIXELS;

  assert_cuda (prism_cuda_expand_merge (&self->expand, 0));
  float *y = dup_floats (self->expand.out.y, self->n_columns);
  const PrismCudaMoments *moments
      = dup_device_array (self->expand.out.moments, n_channels * sizeof *moments);
  for (gsize c = 0; c < n_channels; c++)
    {
      double mean = 0.0, squares = 0.0;

      for (gsize i = c * PIXELS; i < (c + 1) * PIXELS; i++)
        {
          double sum = 0.0;

          for (int row = 0; row < self->expand.latent; row++)
            sum += (double) z[row] * w[row * self->n_columns + i];
          g_assert_cmpfloat_with_epsilon (y[i], sum, 2e-6 * self->expand.latent);
          mean += y[i] / (double) PIXELS;
        }
      for (gsize i = c * PIXELS; i < (c + 1) * PIXELS; i++)
        squares += (y[i] - mean) * (y[i] - mean);
      g_assert_cmpfloat_with_epsilon (moments[c].mean, mean, 1e-5);
      g_assert_cmpfloat_with_epsilon (moments[c].squares, squares, 1e-5 * (1.0 + squares));
    }
}

static void
test_multiply (gconstpointer data)
{
  Fixture *self = fixture_new (data);

  assert_cuda (prism_cuda_expand_multiply (&self->expand, 0));
  check_product (self, self->values, self->weight);
}

static double
get_value_gradient (const Fixture *self,
                    int row)
{
  double sum = 0.0;

  for (gsize i = 0; i < self->n_columns; i++)
    sum += (double) self->weight[row * self->n_columns + i] * self->gradient[i];
  return sum;
}

static void
test_differentiate (gconstpointer data)
{
  Fixture *self = fixture_new (data);

  assert_cuda (prism_cuda_expand_differentiate (&self->expand, 0));
  float *values = dup_floats (self->expand.values_gradient, self->expand.latent);
  float *weight = dup_floats (self->expand.weight_gradient, self->n);
  for (int row = 0; row < self->expand.latent; row++)
    g_assert_cmpfloat_with_epsilon (values[row], get_value_gradient (self, row), 1e-3);
  for (gsize i = 0; i < self->n; i++)
    g_assert_cmpfloat (weight[i], ==,
                       self->values[i / self->n_columns] * self->gradient[i % self->n_columns]);
}

/* The first step of Adam goes by the rate against the sign of the gradient, unless the largest
 * second moment so far is another. */
static double
step (double value,
      double gradient,
      double largest)
{
  return value - RATE * gradient / (sqrt (fmax (largest / 0.001, gradient * gradient)) + 1e-8);
}

/* before: (nullable): largest moments. */
static void
check_sweep (Fixture *self,
             const float *before)
{
  assert_cuda (prism_cuda_expand_sweep (&self->expand, 0));
  const float *values = dup_floats (self->expand.values, self->expand.latent);
  const float *weight = dup_floats (self->expand.weight, self->n);
  const float *first = dup_floats (self->expand.weight_first, self->n);
  const float *second = dup_floats (self->expand.weight_second, self->n);
  const float *largest
      = before != NULL ? dup_floats (self->expand.weight_largest, self->n) : NULL;
  for (int row = 0; row < self->expand.latent; row++)
    g_assert_cmpfloat_with_epsilon (values[row],
                                    step (self->values[row], get_value_gradient (self, row),
                                          before != NULL ? before[row] : 0.0),
                                    1e-6);
  for (gsize i = 0; i < self->n; i++)
    {
      double g = (double) self->values[i / self->n_columns] * self->gradient[i % self->n_columns];
      double most = before != NULL ? before[i] : 0.0;

      if (fabs (g) > 1e-4)
        g_assert_cmpfloat_with_epsilon (weight[i], step (self->weight[i], g, most), 1e-6);
      g_assert_cmpfloat_with_epsilon (first[i], 0.1 * g, 1e-6 * (1.0 + fabs (g)));
      g_assert_cmpfloat_with_epsilon (second[i], 0.001 * g * g, 1e-8 * (1.0 + g * g));
      if (largest != NULL)
        g_assert_cmpfloat_with_epsilon (largest[i], fmax (most, 0.001 * g * g),
                                        1e-8 * (1.0 + g * g));
    }
  check_product (self, values, weight);
}

static void
test_sweep (gconstpointer data)
{
  Fixture *self = fixture_new (data);

  check_sweep (self, NULL);
}

/* AMSGrad for rows of every width, from largest moments of which some will be passed. */
static void
test_sweep_amsgrad (gconstpointer data)
{
  Fixture *self = fixture_new (data);
  float *before = new_random_floats (self->n, 7);

  for (gsize i = 0; i < self->n; i++)
    before[i] *= 0.002f;
  self->expand.largest = new_device_array (before, self->expand.latent * sizeof (float));
  self->expand.weight_largest = new_device_array (before, self->n * sizeof (float));
  check_sweep (self, before);
}

/* What a sweep leaves for the next forward pass is what the product of the new values is. */
static void
test_sweep_leaves_the_same_bits (gconstpointer data)
{
  Fixture *self = fixture_new (data);
  gsize n_partials = self->expand.n_blocks * self->n_columns;

  assert_cuda (prism_cuda_expand_sweep (&self->expand, 0));
  float *swept = dup_floats (self->expand.partials, n_partials);
  float *weight = dup_floats (self->expand.weight, self->n);
  set_control (self->expand.control, TRUE);
  assert_cuda (prism_cuda_expand_sweep (&self->expand, 0));
  float *idle = dup_floats (self->expand.partials, n_partials);
  float *same = dup_floats (self->expand.weight, self->n);
  assert_cuda (prism_cuda_expand_multiply (&self->expand, 0));
  float *multiplied = dup_floats (self->expand.partials, n_partials);
  g_assert_cmpmem (swept, n_partials * sizeof (float), multiplied, n_partials * sizeof (float));
  g_assert_cmpmem (idle, n_partials * sizeof (float), multiplied, n_partials * sizeof (float));
  g_assert_cmpmem (weight, self->n * sizeof (float), same, self->n * sizeof (float));
}

/* A row whose products overflow stays; the others go on. */
TEST (sweep_leaves_out_what_overflows, "/cuda/expand/sweep-leaves-out-what-overflows")
{
  const Shape shape = { 4, 4 };
  Fixture *self = fixture_new (&shape);
  float huge = FLT_MAX;

  for (gsize i = 0; i < self->n_columns; i++)
    self->gradient[i] = 8.0f;
  assert_cuda (cudaMemcpy (self->expand.map_gradient, self->gradient,
                           self->n_columns * sizeof (float), cudaMemcpyHostToDevice));
  assert_cuda (cudaMemcpy (self->expand.values + 1, &huge, sizeof huge, cudaMemcpyHostToDevice));
  assert_cuda (prism_cuda_expand_sweep (&self->expand, 0));
  float *weight = dup_floats (self->expand.weight, self->n);
  for (gsize i = 0; i < self->n; i++)
    g_assert_cmpint (weight[i] == self->weight[i], ==, i / self->n_columns == 1);
}

#define N_WEIGHTS 2048
#define N_SMALL 18
#define N_PARTS 5

/* Three arrays: a large one in parts, one that is no multiple of four, and strided sums. */
static void
add_arrays (PrismCudaUpdate *update,
            const float *large,
            const float *small,
            const float *strided)
{
  prism_cuda_update_add (update, (PrismCudaUpdateArray) { .source = large,
                                                          .n_values = N_WEIGHTS,
                                                          .part_stride = N_WEIGHTS,
                                                          .stride = 1,
                                                          .n_parts = N_PARTS });
  prism_cuda_update_add (update, (PrismCudaUpdateArray) { .source = small,
                                                          .offset = N_WEIGHTS,
                                                          .n_values = N_SMALL,
                                                          .part_stride = N_SMALL,
                                                          .stride = 1,
                                                          .n_parts = N_PARTS });
  prism_cuda_update_add (update, (PrismCudaUpdateArray) { .source = strided + 1,
                                                          .offset = N_WEIGHTS + N_SMALL,
                                                          .n_values = 3,
                                                          .part_stride = 2,
                                                          .stride = 2 * 100,
                                                          .n_parts = 100 });
}

static double
get_sum (const float *large,
         const float *small,
         const float *strided,
         int i)
{
  double sum = 0.0;

  if (i >= N_WEIGHTS + N_SMALL)
    {
      for (int part = 0; part < 100; part++)
        sum += strided[1 + 200 * (i - N_WEIGHTS - N_SMALL) + 2 * part];
      return sum;
    }
  for (int part = 0; part < N_PARTS; part++)
    sum += i < N_WEIGHTS ? large[part * N_WEIGHTS + i] : small[part * N_SMALL + i - N_WEIGHTS];
  return sum;
}

TEST (update, "/cuda/update/sums-parts-and-steps")
{
  const int n = N_WEIGHTS + N_SMALL + 3;
  float *large = new_normal_floats (N_PARTS * N_WEIGHTS, 1);
  float *small = new_normal_floats (N_PARTS * N_SMALL, 2);
  float *strided = new_normal_floats (601, 3);
  float *values = new_normal_floats (n, 4);
  void *large_device
      = new_device_array (large, N_PARTS * N_WEIGHTS * sizeof (float));
  void *small_device = new_device_array (small, N_PARTS * N_SMALL * sizeof (float));
  void *strided_device = new_device_array (strided, 601 * sizeof (float));
  void *values_device = new_device_array (values, n * sizeof (float));
  void *first = new_zeros (n);
  void *second = new_zeros (n);
  void *gradient_device = new_zeros (n);
  void *control = new_device_array (NULL, sizeof (PrismCudaControl));
  PrismCudaUpdate update = { .values = values_device,
                             .first = first,
                             .second = second,
                             .gradient = gradient_device,
                             .control = control };

  add_arrays (&update, large_device, small_device, strided_device);
  set_control (control, TRUE);
  assert_cuda (prism_cuda_update_collect (&update, 0));
  assert_cuda (prism_cuda_update_step (&update, 0));
  float *gradient = dup_floats (gradient_device, n);
  float *same = dup_floats (values_device, n);
  g_assert_cmpmem (values, n * sizeof (float), same, n * sizeof (float));
  set_control (control, FALSE);
  assert_cuda (prism_cuda_update_step (&update, 0));
  float *next = dup_floats (values_device, n);
  for (int i = 0; i < n; i++)
    {
      double g = get_sum (large, small, strided, i);

      g_assert_cmpfloat_with_epsilon (gradient[i], g, 1e-4);
      if (fabs (g) > 1e-3)
        g_assert_cmpfloat_with_epsilon (next[i], step (values[i], g, 0.0), 1e-6);
    }
}

static void
add_shapes (const char *name,
            GTestDataFunc func)
{
  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++)
    {
      g_autofree char *path
          = g_strdup_printf ("/cuda/expand/%s/%d-%d", name, shapes[i].latent, shapes[i].channels);

      g_test_add_data_func (path, &shapes[i], func);
    }
}

TESTS
{
  add_shapes ("multiply", test_multiply);
  add_shapes ("differentiate", test_differentiate);
  add_shapes ("sweep", test_sweep);
  add_shapes ("sweep-amsgrad", test_sweep_amsgrad);
  add_shapes ("sweep-leaves-the-same-bits", test_sweep_leaves_the_same_bits);
}
