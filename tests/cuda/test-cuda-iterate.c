#include "prism-test.h"
#include "test-cuda-common.h"
#include "num/prism-variation.h"
#include "prism-cuda-optics.h"

#define MAX_SIZE 101
#define MAX_PIXELS (MAX_SIZE * MAX_SIZE)
#define STEP 0.3f
#define INERTIA 0.6f
#define N_PASSES 3

/* m = size: one tile, tiles that fit, and those that reach beyond the image. */
static const int sizes[] = { 16, 22, 50, MAX_SIZE };

enum
{
  IMAGE,
  POINT,
  ACROSS,
  DOWN,
  SLOPE,
  N_PLANES,
};

typedef struct
{
  int size;
  float *host[N_PLANES]; /* [m][m] */
  void *device[N_PLANES], *other, *sums, *pass, *end;
} Fixture;

static gsize
get_bytes (const Fixture *self)
{
  return (gsize) self->size * self->size * sizeof (float);
}

static void
fixture_set_up (Fixture *self,
                int size)
{
  static const PrismCudaPass blank;

  self->size = size;
  for (int i = 0; i < N_PLANES; i++)
    {
      gsize n_pixels = (gsize) size * size;

      self->host[i] = new_random_floats (n_pixels, i);
      if (i == ACROSS || i == DOWN)
        memset (self->host[i], 0, get_bytes (self));
      self->device[i] = new_device_array (self->host[i], get_bytes (self));
    }
  self->other = new_device_array (NULL, 2 * get_bytes (self));
  self->sums = new_device_array (NULL, PRISM_CUDA_ITERATE_N_SUMS * PRISM_CUDA_ITERATE_MAX_BLOCKS
                                           * sizeof (double));
  self->pass = new_device_array (&blank, sizeof blank);
  self->end = new_device_array (NULL, sizeof (PrismCudaPassEnd));
}

static PrismCudaIterate
get_arrays (Fixture *self)
{
  return (PrismCudaIterate) {
    .size = self->size,
    .image = self->device[IMAGE],
    .point = self->device[POINT],
    .across = self->device[ACROSS],
    .down = self->device[DOWN],
    .slope = self->device[SLOPE],
    .other = self->other,
    .sums = self->sums,
    .pass = self->pass,
    .end = self->end,
  };
}

static void
finish (Fixture *self,
        PrismCudaPassEnd end)
{
  const PrismCudaIterate arrays = get_arrays (self);

  assert_cuda (cudaMemcpy (self->end, &end, sizeof end, cudaMemcpyHostToDevice));
  assert_cuda (prism_cuda_iterate_finish (&arrays, end.least_mean > 0.0, end.variation > 0.0,
                                          NULL));
}

/* As the CPU does it. */
static gboolean
move_on_host (Fixture *self,
              float strength)
{
  const int n_pixels = self->size * self->size;
  g_autoptr (PrismVariation) variation = prism_variation_new (self->size, NULL, NULL);
  float *image = self->host[IMAGE], *point = self->host[POINT];
  g_autofree float *values = g_new (float, n_pixels);
  double uphill = 0.0;

  for (int i = 0; i < n_pixels; i++)
    values[i] = point[i] - STEP * self->host[SLOPE][i];
  prism_variation_lower (variation, strength, self->host[ACROSS], self->host[DOWN], values);
  for (int i = 0; i < n_pixels; i++)
    uphill += (double) (point[i] - values[i]) * (values[i] - image[i]);
  for (int i = 0; i < n_pixels; i++)
    {
      point[i] = values[i] + (uphill > 0.0 ? 0.0f : INERTIA * (values[i] - image[i]));
      image[i] = values[i];
    }
  return uphill > 0.0;
}

static void
assert_same (Fixture *self,
             int plane,
             double tolerance)
{
  const int n_pixels = self->size * self->size;
  float *values = dup_device_array (self->device[plane], get_bytes (self));

  for (int i = 0; i < n_pixels; i++)
    g_assert_cmpfloat (fabs ((double) values[i] - self->host[plane][i]), <=, tolerance);
}

static void
check_pass (Fixture *self,
            double weight,
            double least_mean)
{
  double mean = prism_variation_get_mean (self->size, self->host[IMAGE]);
  double divisor = least_mean > 0.0 ? MAX (mean, least_mean) : 1.0;

  assert_cuda (cudaMemcpy (self->device[SLOPE], self->host[SLOPE], get_bytes (self),
                           cudaMemcpyHostToDevice));
  finish (self, (PrismCudaPassEnd) { INFINITY, weight, least_mean, STEP, INERTIA });
  PrismCudaPass *pass = dup_device_array (self->pass, sizeof *pass);
  g_assert_true (pass->finite && pass->moved);
  g_assert_cmpint (pass->uphill, ==, move_on_host (self, STEP * (float) (weight / divisor)));
  assert_same (self, IMAGE, 2e-6);
  assert_same (self, POINT, 4e-6);
  assert_same (self, ACROSS, 1e-4);
  assert_same (self, DOWN, 1e-4);
}

TEST (moves_as_the_cpu, "/cuda/iterate/moves-as-the-cpu")
{
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      Fixture fixture;

      fixture_set_up (&fixture, sizes[i]);
      for (int pass = 0; pass < N_PASSES; pass++)
        check_pass (&fixture, 0.2, 0.0);
      check_pass (&fixture, 0.02, 1e-3);
      check_pass (&fixture, 0.02, 5.0);
      check_pass (&fixture, 0.0, 0.0);
    }
}

/* Slopes of parts of a pass add up. */
TEST (add, "/cuda/iterate/add")
{
  Fixture fixture;

  fixture_set_up (&fixture, MAX_SIZE);
  PrismCudaIterate arrays = get_arrays (&fixture);
  assert_cuda (prism_cuda_iterate_add (&arrays, fixture.device[IMAGE], NULL));
  for (int i = 0; i < MAX_PIXELS; i++)
    fixture.host[SLOPE][i] += fixture.host[IMAGE][i];
  assert_same (&fixture, SLOPE, 0.0);
}

static void
check_stays (Fixture *self,
             double most_misfit,
             gboolean finite)
{
  static const int kept[] = { IMAGE, POINT, ACROSS, DOWN };

  finish (self, (PrismCudaPassEnd) { most_misfit, 0.2, 0.0, STEP, INERTIA });
  PrismCudaPass *pass = dup_device_array (self->pass, sizeof *pass);
  g_assert_cmpint (pass->finite, ==, finite);
  g_assert_false (pass->moved);
  for (guint i = 0; i < G_N_ELEMENTS (kept); i++)
    assert_same (self, kept[i], 0.0);
}

/* One slope that is not finite, or too large a misfit, leaves all as it is. */
TEST (stays, "/cuda/iterate/stays")
{
  static const int places[] = { 0, 5000, MAX_PIXELS - 1 };
  Fixture fixture;

  fixture_set_up (&fixture, MAX_SIZE);
  check_stays (&fixture, -1.0, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    {
      const float spoiled = i == 1 ? INFINITY : NAN;

      assert_cuda (cudaMemcpy ((float *) fixture.device[SLOPE] + places[i], &spoiled,
                               sizeof spoiled, cudaMemcpyHostToDevice));
      check_stays (&fixture, INFINITY, FALSE);
      assert_cuda (cudaMemcpy (fixture.device[SLOPE], fixture.host[SLOPE], get_bytes (&fixture),
                               cudaMemcpyHostToDevice));
    }
}
