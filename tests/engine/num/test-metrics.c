#include "base/prism-random.h"
#include "prism-npy-test.h"
#include "num/prism-metrics.h"
#include "prism-test.h"

static PrismFields *
load_golden (void)
{
  g_autofree char *path = g_build_filename (g_getenv ("PRISM_TEST_DATA"), "small_same.npz", NULL);
  return MUST (prism_fields_load_npz (path, &error));
}

static double
get_number (PrismFields *golden, const char *key)
{
  const PrismField *array = MUST (prism_fields_find (golden, key));

  return array->values[0];
}

static float *
dup_image (PrismFields *golden, const char *key, int *height, int *width)
{
  const PrismField *array = MUST (prism_fields_find (golden, key));

  g_assert_cmpint (array->n_dims, ==, 2);
  *height = (int) array->shape[0];
  *width = (int) array->shape[1];
  return test_dup_floats (array);
}

static float *
new_image (int height, int width, guint64 seed)
{
  const int n_pixels = height * width;
  float *image = g_new (float, n_pixels);

  for (int i = 0; i < n_pixels; i++)
    image[i] = (float) prism_random_uniform (seed, PRISM_STREAM_OBJECT, 0, i);
  return image;
}

TEST (golden, "/engine/metrics/golden")
{
  g_autoptr (PrismFields) golden = load_golden ();
  int height, width;
  PrismMetrics metrics;

  prism_autofree_array float *a = dup_image (golden, "metric.a", &height, &width);
  prism_autofree_array float *b = dup_image (golden, "metric.b", &height, &width);
  g_assert_true (MUST (prism_metrics_compute (&metrics, a, b, height, width, &error)));

  g_assert_cmpfloat_with_epsilon (metrics.psnr, get_number (golden, "metric.psnr"), 1e-4);
  g_assert_cmpfloat_with_epsilon (metrics.rmse, get_number (golden, "metric.rmse_percent"), 1e-4);
  g_assert_cmpfloat_with_epsilon (metrics.ssim, get_number (golden, "metric.ssim"), 2e-6);
}

TEST (equal_images, "/engine/metrics/equal-images")
{
  g_autofree float *a = new_image (33, 47, 1);
  PrismMetrics metrics;

  g_assert_true (prism_metrics_compute (&metrics, a, a, 33, 47, NULL));
  g_assert_cmpfloat (metrics.psnr, ==, INFINITY);
  g_assert_cmpfloat (metrics.rmse, ==, 0.0);
  g_assert_cmpfloat_with_epsilon (metrics.ssim, 1.0, 1e-6);
}

/* Rounding does not make two images more than equal. */
TEST (ssim_ends_at_one, "/engine/metrics/ssim/ends-at-one")
{
  g_autofree float *noise = new_image (16, 16, 1);
  float a[16 * 16];

  for (int grey = 1; grey <= 50; grey++)
    {
      PrismMetrics metrics;
      double ssim;

      for (gsize i = 0; i < G_N_ELEMENTS (a); i++)
        a[i] = 0.02f * grey + 0.1f * noise[i];

      g_assert_true (prism_metrics_compute (&metrics, a, a, 16, 16, NULL));
      g_assert_true (prism_metrics_compute_ssim (&ssim, a, a, 16, 16, NULL));
      g_assert_cmpfloat (metrics.ssim, <=, 1.0);
      g_assert_cmpfloat (ssim, <=, 1.0);
    }
}

TEST (known_error, "/engine/metrics/known-error")
{
  enum
  {
    SIZE = 16
  };
  float image[SIZE * SIZE], object[SIZE * SIZE];
  PrismMetrics metrics;

  for (int i = 0; i < SIZE * SIZE; i++)
    {
      object[i] = 0.5f;
      image[i] = i % 2 == 0 ? 0.4f : 0.6f;
    }
  g_assert_true (prism_metrics_compute (&metrics, image, object, SIZE, SIZE, NULL));
  g_assert_cmpfloat_with_epsilon (metrics.psnr, 20.0, 1e-5);
  g_assert_cmpfloat_with_epsilon (metrics.rmse, 20.0, 1e-5);
}

/* What the other errors say follows from it. */
TEST (mse, "/engine/metrics/mse")
{
  g_autofree float *a = new_image (9, 31, 1), *b = new_image (9, 31, 2);
  PrismMetrics metrics;
  double sum = 0.0;

  for (int i = 0; i < 9 * 31; i++)
    sum += ((double) a[i] - b[i]) * ((double) a[i] - b[i]);
  g_assert_true (prism_metrics_compute (&metrics, a, b, 9, 31, NULL));
  g_assert_cmpfloat_with_epsilon (metrics.mse, sum / (9 * 31), 1e-12);
  g_assert_cmpfloat_with_epsilon (metrics.psnr, -10.0 * log10 (metrics.mse), 1e-12);
  g_assert_true (prism_metrics_compute (&metrics, a, a, 9, 31, NULL));
  g_assert_cmpfloat (metrics.mse, ==, 0.0);
}

static double
compute_naive_correlation (const float *a, const float *b, int n)
{
  double mean_a = 0.0, mean_b = 0.0, product = 0.0, square_a = 0.0, square_b = 0.0;

  for (int i = 0; i < n; i++)
    {
      mean_a += a[i] / (double) n;
      mean_b += b[i] / (double) n;
    }
  for (int i = 0; i < n; i++)
    {
      product += (a[i] - mean_a) * (b[i] - mean_b);
      square_a += (a[i] - mean_a) * (a[i] - mean_a);
      square_b += (b[i] - mean_b) * (b[i] - mean_b);
    }
  return product / sqrt (square_a * square_b);
}

TEST (pearson, "/engine/metrics/pearson")
{
  g_autofree float *a = new_image (9, 31, 1), *b = new_image (9, 31, 2);
  const int n = 9 * 31;
  PrismMetrics metrics;

  for (int i = 0; i < n; i++)
    b[i] = 0.5f * a[i] + 0.5f * b[i];
  prism_metrics_compute_errors (&metrics, a, b, 9, 31);
  g_assert_cmpfloat_with_epsilon (metrics.pearson, compute_naive_correlation (a, b, n), 1e-12);
  /* Brightness and contrast do not count, a sign does. */
  for (int i = 0; i < n; i++)
    b[i] = 1.0f - 0.25f * a[i];
  prism_metrics_compute_errors (&metrics, a, b, 9, 31);
  g_assert_cmpfloat_with_epsilon (metrics.pearson, -1.0, 1e-6);
  prism_metrics_compute_errors (&metrics, a, a, 9, 31);
  g_assert_cmpfloat_with_epsilon (metrics.pearson, 1.0, 1e-12);
}

/* What does not vary has no correlation, whatever its value, and that is not 0. */
TEST (pearson_of_constant_images, "/engine/metrics/pearson/constant")
{
  g_autofree float *a = new_image (9, 31, 1), *flat = g_new (float, 9 * 31);
  PrismMetrics metrics;

  for (int i = 0; i < 9 * 31; i++)
    flat[i] = 0.1f;
  prism_metrics_compute_errors (&metrics, a, flat, 9, 31);
  g_assert_true (isnan (metrics.pearson));
  prism_metrics_compute_errors (&metrics, flat, a, 9, 31);
  g_assert_true (isnan (metrics.pearson));
  prism_metrics_compute_errors (&metrics, flat, flat, 9, 31);
  g_assert_true (isnan (metrics.pearson));
}

TEST (too_small_is_an_error, "/engine/metrics/too-small-is-an-error")
{
  g_autofree float *a = new_image (16, 5, 1);
  PrismMetrics metrics;

  FAILS (prism_metrics_compute (&metrics, a, a, 16, 5, &error), CONFIG, "");
}
