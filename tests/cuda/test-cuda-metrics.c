#include "prism-test.h"
#include "test-cuda-common.h"
#include "num/prism-metrics.h"
#include "prism-cuda-optics.h"

/* m = size of both images. */

typedef struct
{
  int m;
  void *image, *object, *control, *partials;
} Fixture;

static void
fixture_init (Fixture *self,
              const float *image,
              const float *object,
              int m,
              PrismCudaControl *control)
{
  self->m = m;
  self->image = new_device_array (image, m * m * sizeof *image);
  self->object = new_device_array (object, m * m * sizeof *object);
  self->control = new_device_array (control, sizeof *control);
  self->partials = new_device_array (NULL, prism_cuda_metrics_get_n_partials (m) * sizeof (double));
}

static PrismMetrics
fixture_compute (Fixture *self,
                 gboolean forced)
{
  PrismCudaControl *control;
  PrismMetrics metrics;

  assert_cuda (prism_cuda_metrics_compute (self->control, self->partials, self->image, self->object,
                                           self->m, forced, NULL));
  control = dup_device_array (self->control, sizeof *control);
  prism_metrics_finish (&metrics, (const PrismMetricsSums *) control->sums);
  return metrics;
}

static PrismMetrics
compute (const float *image,
         const float *object,
         int m)
{
  g_autofree PrismCudaControl *control = g_new0 (PrismCudaControl, 1);
  Fixture fixture;

  fixture_init (&fixture, image, object, m, control);
  return fixture_compute (&fixture, TRUE);
}

static void
check_parity (const float *image,
              const float *object,
              int m)
{
  const PrismMetrics metrics = compute (image, object, m);
  PrismMetrics expected;

  g_assert_true (prism_metrics_compute (&expected, image, object, m, m, NULL));
  for (gsize i = 0; i < PRISM_N_METRICS; i++)
    g_assert_cmpfloat_with_epsilon (metrics.values[i], expected.values[i],
                                    i == PRISM_METRICS_INDEX (ssim)
                                        ? 2e-6
                                        : 1e-9 * fabs (expected.values[i]));
}

/* One tile and less, tiles that hang over, more tiles than blocks. */
TEST (parity, "/cuda/metrics/parity")
{
  const int sizes[] = { 16, 18, 32, 50, 66, 128, 130, 600 };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      const int m = sizes[i];
      float *object = new_random_floats (m * m, m);
      g_autofree float *near = g_new (float, m *m);
      float *far = new_random_floats (m * m, m + 1);

      for (int j = 0; j < m * m; j++)
        near[j] = 0.9f * object[j] + 0.1f * far[j];
      check_parity (near, object, m);
      check_parity (far, object, m);
    }
}

/* Structure that lies across the border of tiles and at the image's own: a ramp and a corner. */
TEST (structure, "/cuda/metrics/structure")
{
  const int m = 70;
  g_autofree float *object = g_new (float, m *m);
  g_autofree float *image = g_new (float, m *m);

  for (int y = 0; y < m; y++)
    for (int x = 0; x < m; x++)
      {
        object[y * m + x] = x >= 30 && y >= 6 ? 1.0f : x / (float) m;
        image[y * m + x] = y < 3 || x > 66 ? 0.0f : object[y * m + x];
      }
  check_parity (image, object, m);
}

TEST (identical, "/cuda/metrics/identical")
{
  float *object = new_random_floats (50 * 50, 1);
  const PrismMetrics metrics = compute (object, object, 50);

  g_assert_cmpfloat (metrics.psnr, ==, INFINITY);
  g_assert_cmpfloat_with_epsilon (metrics.ssim, 1.0, 1e-6);
  g_assert_cmpfloat (metrics.rmse, ==, 0.0);
}

TEST (known_error, "/cuda/metrics/known-error")
{
  const int m = 40;
  g_autofree float *object = g_new (float, m *m);
  g_autofree float *image = g_new (float, m *m);

  for (int i = 0; i < m * m; i++)
    {
      object[i] = 0.5f;
      image[i] = i % 2 == 0 ? 0.625f : 0.375f;
    }
  PrismMetrics metrics = compute (image, object, m);
  g_assert_cmpfloat_with_epsilon (metrics.psnr, 20.0 * log10 (8.0), 1e-12);
  g_assert_cmpfloat_with_epsilon (metrics.rmse, 25.0, 1e-12);
}

TEST (not_finite, "/cuda/metrics/not-finite")
{
  float *object = new_random_floats (32 * 32, 1);
  float *image = new_random_floats (32 * 32, 2);

  image[100] = NAN;
  PrismMetrics metrics = compute (image, object, 32);
  g_assert_true (isnan (metrics.psnr));
  g_assert_true (isnan (metrics.ssim));
}

/* A step gets metrics where it asks for them, unless the chunk is done. */
TEST (steps, "/cuda/metrics/steps")
{
  g_autofree PrismCudaControl *control = g_new0 (PrismCudaControl, 1);
  float *object = new_random_floats (32 * 32, 1);
  float *image = new_random_floats (32 * 32, 2);
  const struct
  {
    int with_metrics, done;
    gboolean forced, expected;
  } cases[] = {
    { 0, 0, FALSE, FALSE },
    { 1, 0, FALSE, TRUE },
    { 1, 1, FALSE, FALSE },
    { 0, 0, TRUE, TRUE },
    { 1, 1, TRUE, TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      Fixture fixture;

      control->cursor = 3;
      control->done = cases[i].done;
      control->steps[3].with_metrics = cases[i].with_metrics;
      for (int j = 0; j < PRISM_CUDA_N_SUMS; j++)
        control->sums[j] = -7.0;
      fixture_init (&fixture, image, object, 32, control);
      fixture_compute (&fixture, cases[i].forced);
      PrismCudaControl *after = dup_device_array (fixture.control, sizeof *after);
      for (int j = 0; j < PRISM_CUDA_N_SUMS; j++)
        g_assert_cmpint (after->sums[j] != -7.0, ==, cases[i].expected);
    }
}

TEST (same_bits, "/cuda/metrics/same-bits")
{
  float *object = new_random_floats (130 * 130, 1);
  float *image = new_random_floats (130 * 130, 2);
  const PrismMetrics first = compute (image, object, 130), second = compute (image, object, 130);

  g_assert_cmpmem (&first, sizeof first, &second, sizeof second);
}
