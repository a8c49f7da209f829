#include "prism-test.h"
#include "test-cuda-common.h"
#include "prism-cuda-optics.h"

#define N_PARTIALS PRISM_CUDA_TARGET_N_PARTIALS

/* n = image_size. */

static void
sum (double sums[3],
     const float *target,
     int n)
{
  void *image = new_device_array (target, (gsize) n * n * sizeof *target);
  void *partials = new_device_array (NULL, N_PARTIALS * sizeof (double));
  void *result = new_device_array (NULL, 3 * sizeof *sums);

  assert_cuda (prism_cuda_target_sum (result, partials, image, n, NULL));
  double *values = dup_device_array (result, 3 * sizeof *sums);
  memcpy (sums, values, 3 * sizeof *sums);
}

TEST (sum, "/cuda/target/sum")
{
  const int sizes[] = { 64, 128, 512 };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      const int n_pixels = sizes[i] * sizes[i];
      float *target = new_random_floats (n_pixels, i);
      double expected[3] = { 0.0 }, sums[3], again[3];

      for (int j = 0; j < n_pixels; j++)
        for (int power = 0; power < 3; power++)
          expected[power] += pow (target[j], 1 << power);
      sum (sums, target, sizes[i]);
      sum (again, target, sizes[i]);
      for (int power = 0; power < 3; power++)
        g_assert_cmpfloat_with_epsilon (sums[power], expected[power], 1e-12 * expected[power]);
      g_assert_cmpmem (sums, sizeof sums, again, sizeof again);
    }
}

/* One pixel that is not finite shows, wherever it is. */
TEST (sum_not_finite, "/cuda/target/sum-not-finite")
{
  const int places[] = { 0, 1234, 64 * 64 - 1 };

  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    {
      float *target = new_random_floats (64 * 64, i);
      double sums[3];

      target[places[i]] = i == 1 ? NAN : INFINITY;
      sum (sums, target, 64);
      g_assert_false (isfinite (sums[1]));
    }
}

TEST (roll, "/cuda/target/roll")
{
  const int n = 64;
  const gsize n_bytes = n * n * sizeof (float);
  float *natural = new_random_floats (n * n, 1);
  void *from = new_device_array (natural, n_bytes);
  void *to = new_device_array (NULL, n_bytes);

  assert_cuda (prism_cuda_target_roll (to, from, n, NULL));
  float *target = dup_device_array (to, n_bytes);
  for (int y = 0; y < n; y++)
    for (int x = 0; x < n; x++)
      g_assert_cmpfloat (target[(y + n / 2) % n * n + (x + n / 2) % n], ==, natural[y * n + x]);
  assert_cuda (cudaMemset (from, 0, n_bytes));
  assert_cuda (prism_cuda_target_roll (from, to, n, NULL));
  float *back = dup_device_array (from, n_bytes);
  g_assert_cmpmem (back, n_bytes, natural, n_bytes);
}
