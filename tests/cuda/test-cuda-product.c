/* The kernels of doublings and 3×3 layers against sums in double, and their plans. */

#include "../engine/support/naive-decoder.h"
#include "base/prism-random.h"
#include "prism-cuda-decoder-kernels.h"
#include "prism-test.h"
#include "test-cuda-common.h"

typedef struct
{
  PrismLayerKind kind;
  int in_channels, out_channels, in_size;
  int pixels; /* of a doubling's forward and data gradient: the variants that are meant */
  int backward_pixels;
} Shape;

/* Odd channels, one and many of them, more than fit at once, one tile and many; both variants. */
static const Shape shapes[] = {
  { PRISM_LAYER_DOUBLE, 5, 3, 4, 1, 1 },
  { PRISM_LAYER_DOUBLE, 7, 1, 8, 1, 1 },
  { PRISM_LAYER_DOUBLE, 3, 33, 8, 1, 1 },
  { PRISM_LAYER_DOUBLE, 300, 2, 4, 1, 1 },
  { PRISM_LAYER_DOUBLE, 2, 310, 4, 1, 1 },
  { PRISM_LAYER_DOUBLE, 9, 5, 32, 1, 1 },
  { PRISM_LAYER_DOUBLE, 5, 11, 64, 2, 1 },
  { PRISM_LAYER_DOUBLE, 11, 3, 64, 1, 2 },
  { PRISM_LAYER_DOUBLE, 5, 2, 128, 2, 2 },
  { PRISM_LAYER_DOUBLE, 1, 3, 256, 2, 2 },
  { PRISM_LAYER_CONVOLVE, 5, 3, 8 },
  { PRISM_LAYER_CONVOLVE, 3, 7, 16 },
  { PRISM_LAYER_CONVOLVE, 67, 5, 16 },
  { PRISM_LAYER_CONVOLVE, 4, 2, 64 },
  { PRISM_LAYER_CONVOLVE, 2, 3, 256 },
};

/* One side of a product. C = channels, s = size. */
typedef struct
{
  PrismCudaMap map; /* device */
  int n_channels;
  gsize n_pixels;          /* s² */
  gsize n;                 /* C·s² */
  float *y;                /* [C][s][s] */
  float *gradient;         /* dZ [C][s][s] */
  float *scale;            /* [C] */
  float *shift;            /* [C] */
  double *x;               /* after norm and ReLU [C][s][s] */
  double *xhat;            /* [C][s][s] */
  double *gradient_before; /* dY [C][s][s] */
} Side;

/* Norm and gradient of channel c in double; dZ is zero where the ReLU is. */
static void
compute_channel (Side *self,
                 int c,
                 PrismCudaMoments *moments,
                 PrismCudaNorm *norm,
                 PrismCudaSums *sums)
{
  gsize first = c * self->n_pixels;
  double mean = 0.0, squares = 0.0, deviation, sum = 0.0, product = 0.0;

  for (gsize i = first; i < first + self->n_pixels; i++)
    mean += self->y[i] / self->n_pixels;
  for (gsize i = first; i < first + self->n_pixels; i++)
    squares += (self->y[i] - mean) * (self->y[i] - mean);
  deviation = 1.0 / sqrt (squares / self->n_pixels + PRISM_DECODER_NORM_EPSILON);
  for (gsize i = first; i < first + self->n_pixels; i++)
    {
      self->xhat[i] = (self->y[i] - mean) * deviation;
      self->x[i] = fmax (self->xhat[i] * self->scale[c] + self->shift[c], 0.0);
      if (self->x[i] == 0.0)
        self->gradient[i] = 0.0f;
      sum += self->gradient[i];
      product += self->gradient[i] * self->xhat[i];
    }
  for (gsize i = first; i < first + self->n_pixels; i++)
    self->gradient_before[i]
        = self->scale[c] * deviation
          * (self->gradient[i] - (sum + self->xhat[i] * product) / self->n_pixels);
  *moments = (PrismCudaMoments) { mean, squares };
  *norm = (PrismCudaNorm) { mean, self->scale[c] * deviation, self->shift[c], deviation };
  *sums = (PrismCudaSums) { sum, product };
}

static void
side_init (Side *self,
           int n_channels,
           int size,
           guint64 seed)
{
  g_autofree PrismCudaMoments *moments = g_new (PrismCudaMoments, n_channels);
  g_autofree PrismCudaNorm *norms = g_new (PrismCudaNorm, n_channels);
  g_autofree PrismCudaSums *sums = g_new (PrismCudaSums, n_channels);
  gsize n_bytes = n_channels * sizeof (float);

  *self = (Side) { .n_channels = n_channels, .n_pixels = (gsize) size * size };
  self->n = n_channels * self->n_pixels;
  self->y = new_normal_floats (self->n, seed);
  self->gradient = new_normal_floats (self->n, seed + 1);
  self->scale = new_normal_floats (n_channels, seed + 2);
  self->shift = new_normal_floats (n_channels, seed + 3);
  self->x = own (g_new0 (double, self->n));
  self->xhat = own (g_new0 (double, self->n));
  self->gradient_before = own (g_new0 (double, self->n));
  for (int c = 0; c < n_channels; c++)
    compute_channel (self, c, &moments[c], &norms[c], &sums[c]);
  self->map = (PrismCudaMap) {
    .channels = n_channels,
    .size = size,
    .y = new_device_array (self->y, self->n * sizeof (float)),
    .moments = new_device_array (moments, n_channels * sizeof *moments),
    .n_moments = 1,
    .scale = new_device_array (self->scale, n_bytes),
    .shift = new_device_array (self->shift, n_bytes),
    .norm = new_device_array (norms, n_channels * sizeof *norms),
    .gradient = new_device_array (self->gradient, self->n * sizeof (float)),
    .sums = new_device_array (sums, n_channels * sizeof *sums),
    .n_sums = 1,
  };
}

typedef struct
{
  PrismLayer layer;
  PrismCudaProduct product;
  Side in, out;
  gsize n_weights;
  float *weight; /* [in][out][4][4] or [out][in][3][3] */
  double *weight_double;
} Fixture;

static void
fill_layer (PrismLayer *layer,
            const Shape *shape)
{
  gboolean doubling = shape->kind == PRISM_LAYER_DOUBLE;

  *layer = (PrismLayer) { .kind = shape->kind,
                          .in_channels = shape->in_channels,
                          .out_channels = shape->out_channels,
                          .in_size = shape->in_size,
                          .out_size = doubling ? 2 * shape->in_size : shape->in_size,
                          .kernel = doubling ? 4 : 3,
                          .padding = 1 };
}

static void
plan_product (Fixture *self)
{
  PrismCudaProduct *product = &self->product;

  product->in = self->in.map;
  product->out = self->out.map;
  product->padding = 1;
  product->kind = self->layer.kind == PRISM_LAYER_DOUBLE ? PRISM_CUDA_DOUBLE : PRISM_CUDA_CONVOLVE;
  prism_cuda_tiling_plan (product);
}

static Fixture *
fixture_new (const Shape *shape)
{
  Fixture *self = own (g_new0 (Fixture, 1));
  PrismCudaControl control = { .loss_scale = 1.0f };

  fill_layer (&self->layer, shape);
  self->n_weights = (gsize) shape->in_channels * shape->out_channels * self->layer.kernel
                    * self->layer.kernel;
  side_init (&self->in, shape->in_channels, self->layer.in_size, 10);
  side_init (&self->out, shape->out_channels, self->layer.out_size, 20);
  plan_product (self);
  self->weight = new_normal_floats (self->n_weights, 30);
  self->weight_double = own (g_new (double, self->n_weights));
  for (gsize i = 0; i < self->n_weights; i++)
    self->weight_double[i] = self->weight[i];
  self->product.weight = new_device_array (self->weight, self->n_weights * sizeof (float));
  self->product.weight_gradient = new_device_array (
      NULL, self->product.weights.n_splits * self->n_weights * sizeof (float));
  self->product.control = new_device_array (&control, sizeof control);
  return self;
}

/* The tiles' moments, merged by the kernel that is there for many, against those of the map. */
static void
check_moments (const Fixture *self,
               const PrismCudaMoments *parts,
               int n_parts,
               const double *y)
{
  int n_channels = self->out.n_channels;
  gsize n = self->out.n_pixels;
  void *merged = new_device_array (NULL, n_channels * sizeof *parts);

  assert_cuda (
      prism_cuda_norm_merge_moments (merged, parts, n_channels, n_parts, n / n_parts, NULL, 0));
  PrismCudaMoments *moments = dup_device_array (merged, n_channels * sizeof *moments);
  for (int c = 0; c < n_channels; c++)
    {
      double mean = 0.0, squares = 0.0;

      for (gsize i = 0; i < n; i++)
        mean += y[c * n + i] / n;
      for (gsize i = 0; i < n; i++)
        squares += (y[c * n + i] - mean) * (y[c * n + i] - mean);
      g_assert_cmpfloat (fabs (moments[c].mean - mean), <, 1e-5 * sqrt (squares / n));
      g_assert_cmpfloat (fabs (moments[c].squares - squares), <, 1e-5 * squares);
    }
}

static void
test_forward (gconstpointer data)
{
  Fixture *self = fixture_new (data);
  const Shape *shape = data;
  PrismCudaProduct product = self->product;
  gboolean doubling = shape->kind == PRISM_LAYER_DOUBLE;
  int n_parts = prism_cuda_tiling_count (&product.forward,
                                         doubling ? shape->in_size : self->layer.out_size);
  void *y = new_device_array (NULL, self->out.n * sizeof (float));
  void *parts
      = new_device_array (NULL, self->out.n_channels * n_parts * sizeof (PrismCudaMoments));
  g_autofree double *expected = g_new0 (double, self->out.n);

  if (doubling)
    g_assert_cmpint (product.forward.pixels, ==, shape->pixels);
  product.out.y = y;
  product.out.moments = parts;
  product.out.n_moments = n_parts;
  assert_cuda (prism_cuda_product_launch (&product, PRISM_CUDA_FORWARD, 0));
  naive_multiply (&self->layer, NAIVE_FORWARD, self->in.x, self->weight_double, expected);
  float *values = dup_device_array (y, self->out.n * sizeof (float));
  g_assert_cmpfloat (naive_compare (values, expected, self->out.n), <, 2e-6);
  check_moments (self, parts, n_parts, expected);
}

/* dZ of the input: the product's, where its ReLU lets it through, and its sums. */
static void
check_data_gradient (const Fixture *self,
                     const float *gradient,
                     const PrismCudaSums *sums,
                     double *expected)
{
  gsize n = self->in.n_pixels;

  for (gsize i = 0; i < self->in.n; i++)
    if (self->in.x[i] == 0.0)
      expected[i] = 0.0;
  g_assert_cmpfloat (naive_compare (gradient, expected, self->in.n), <, 2e-6);
  for (int c = 0; c < self->in.n_channels; c++)
    {
      double sum = 0.0, product = 0.0, size = 1e-30;

      for (gsize i = c * n; i < (c + 1) * n; i++)
        {
          sum += expected[i];
          product += expected[i] * self->in.xhat[i];
          size += fabs (expected[i]) * fmax (1.0, fabs (self->in.xhat[i]));
        }
      g_assert_cmpfloat (fabs (sums[c].gradient - sum), <, 2e-6 * size);
      g_assert_cmpfloat (fabs (sums[c].product - product), <, 2e-6 * size);
    }
}

static void
test_data_gradient (gconstpointer data)
{
  Fixture *self = fixture_new (data);
  const Shape *shape = data;
  PrismCudaProduct product = self->product;
  gboolean doubling = shape->kind == PRISM_LAYER_DOUBLE;
  int n_parts = prism_cuda_tiling_count (&product.backward, shape->in_size);
  int n_channels = shape->in_channels;
  void *gradient = new_device_array (NULL, self->in.n * sizeof (float));
  void *parts
      = new_device_array (NULL, n_channels * n_parts * sizeof (PrismCudaSums));
  void *merged = new_device_array (NULL, n_channels * sizeof (PrismCudaSums));
  g_autofree double *expected = g_new0 (double, self->in.n);
  PrismCudaSums *sums;

  if (doubling)
    g_assert_cmpint (product.backward.pixels, ==, shape->backward_pixels);
  product.in.gradient = gradient;
  product.in.sums = parts;
  product.in.n_sums = n_parts;
  assert_cuda (prism_cuda_product_launch (&product, PRISM_CUDA_BACKWARD, 0));
  assert_cuda (prism_cuda_norm_merge_sums (merged, parts, n_channels, n_parts, NULL, 0));
  naive_multiply (&self->layer, NAIVE_DATA, expected, self->weight_double,
                  self->out.gradient_before);
  float *values = dup_device_array (gradient, self->in.n * sizeof (float));
  sums = dup_device_array (merged, n_channels * sizeof *sums);
  check_data_gradient (self, values, sums, expected);
}

static void
test_weight_gradient (gconstpointer data)
{
  Fixture *self = fixture_new (data);
  const PrismCudaProduct *product = &self->product;
  int n_splits = product->weights.n_splits;
  g_autofree double *expected = g_new0 (double, self->n_weights);
  g_autofree float *values = g_new0 (float, self->n_weights);

  assert_cuda (prism_cuda_product_launch (product, PRISM_CUDA_WEIGHTS, 0));
  naive_multiply (&self->layer, NAIVE_WEIGHTS, self->in.x, expected, self->out.gradient_before);
  const float *parts
      = dup_device_array (product->weight_gradient, n_splits * self->n_weights * sizeof (float));
  for (gsize i = 0; i < n_splits * self->n_weights; i++)
    values[i % self->n_weights] += parts[i];
  g_assert_cmpfloat (naive_compare (values, expected, self->n_weights), <, 5e-6);
}

/* While stop is set no kernel writes anything. */
TEST_DATA (stop, "/cuda/double/stop", &shapes[0])
{
  Fixture *self = fixture_new (data);
  PrismCudaProduct product = self->product;
  const int32_t one = 1;
  void *stop = new_device_array (&one, sizeof one);
  const float *y, *gradient;

  product.stop = stop;
  assert_cuda (prism_cuda_product_launch (&product, PRISM_CUDA_FORWARD, 0));
  assert_cuda (prism_cuda_product_launch (&product, PRISM_CUDA_BACKWARD, 0));
  assert_cuda (prism_cuda_product_launch (&product, PRISM_CUDA_WEIGHTS, 0));
  y = dup_device_array (self->out.map.y, self->out.n * sizeof (float));
  gradient = dup_device_array (self->in.map.gradient, self->in.n * sizeof (float));
  g_assert_cmpmem (y, self->out.n * sizeof (float), self->out.y, self->out.n * sizeof (float));
  g_assert_cmpmem (gradient, self->in.n * sizeof (float), self->in.gradient,
                   self->in.n * sizeof (float));
}

TEST_DATA_ALSO (stop, "/cuda/convolve/stop", &shapes[10])

static void
check_tiling (const PrismCudaTiling *tiling,
              int n_places,
              int most_threads)
{
  g_assert_cmpint (tiling->n_threads, <=, most_threads);
  g_assert_cmpint (tiling->n_threads % (32 * tiling->n_channels), ==, 0);
  g_assert_cmpint (n_places * tiling->n_slices, <=, tiling->n_threads);
  g_assert_cmpint (tiling->n_slices, <=, tiling->chunk);
  g_assert_cmpuint (tiling->shared_bytes, <=, 60 << 10);
}

static void
check_layer (const PrismLayer *layer,
             gboolean is_last)
{
  PrismCudaProduct product = { .in = { .channels = layer->in_channels, .size = layer->in_size },
                               .out = { .channels = layer->out_channels, .size = layer->out_size },
                               .padding = layer->padding };
  const PrismCudaTiling *tilings[] = { &product.forward, &product.backward };
  const PrismCudaSplitting *weights = &product.weights;
  gboolean doubling = layer->kind == PRISM_LAYER_DOUBLE;

  product.kind = doubling ? PRISM_CUDA_DOUBLE : is_last ? PRISM_CUDA_OUTPUT
                                                        : PRISM_CUDA_CONVOLVE;
  prism_cuda_tiling_plan (&product);
  for (int i = 0; i < 2; i++)
    {
      int n_pixels = tilings[i]->tile_height * tilings[i]->tile_width;
      int share = doubling ? tilings[i]->pixels * tilings[i]->pixels : 4;

      check_tiling (tilings[i], n_pixels / share, doubling && tilings[i]->pixels == 1 ? 512 : 256);
    }
  g_assert_cmpint (weights->n_windows * weights->n_groups * weights->n_slices, ==, 128);
  g_assert_cmpint (weights->n_splits, <=, PRISM_CUDA_MAX_SPLITS);
  g_assert_cmpuint (weights->shared_bytes, <=, 58 << 10);
}

/* Threads that a kernel is compiled for, and memory that the smallest device has: 64 KiB with what
 * a kernel has besides. */
TEST (plans_fit_every_device, "/cuda/tiling/plans-fit-every-device")
{
  for (int n = 64; n <= 4096; n *= 2)
    for (int m = 16; m <= n; m *= 2)
      for (int edge = PRISM_EDGE_SAME; edge <= PRISM_EDGE_VALID; edge++)
        {
          PrismDecoderPlan plan;

          g_assert_true (prism_decoder_plan_init (&plan, n, m, edge, NULL));
          for (int i = 1; i < plan.n_layers; i++)
            check_layer (&plan.layers[i], i == plan.n_layers - 1);
        }
}

static void
add_shapes (const char *name,
            GTestDataFunc func)
{
  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++)
    {
      const Shape *shape = &shapes[i];
      const char *kind = shape->kind == PRISM_LAYER_DOUBLE ? "double" : "convolve";
      g_autofree char *path
          = g_strdup_printf ("/cuda/%s/%s/%d-%d-%d", kind, name, shape->in_channels,
                             shape->out_channels, shape->in_size);

      g_test_add_data_func (path, shape, func);
    }
}

TESTS
{
  add_shapes ("forward", test_forward);
  add_shapes ("data-gradient", test_data_gradient);
  add_shapes ("weight-gradient", test_weight_gradient);
}
