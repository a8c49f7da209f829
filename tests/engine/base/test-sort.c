#include "base/prism-number.h"
#include "prism-test.h"

static int
compare (gconstpointer a, gconstpointer b)
{
  const float x = *(const float *) a, y = *(const float *) b;

  return (x > y) - (x < y);
}

/* Of both signs and all magnitudes, many of them several times. */
TEST (floats, "/engine/sort/floats")
{
  const gsize counts[] = { 0, 1, 2, 511, 512, 513, 16384, 100000 };
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);

  for (guint c = 0; c < G_N_ELEMENTS (counts); c++)
    {
      const gsize n = counts[c];
      g_autofree float *values = g_new (float, n + 1), *expected = g_new (float, n + 1);

      for (gsize i = 0; i < n; i++)
        values[i] = ldexpf ((float) g_rand_int_range (rand, -50, 51),
                            g_rand_int_range (rand, -130, 120));
      values[n] = -INFINITY;
      if (n > 2)
        values[n / 2] = INFINITY;
      memcpy (expected, values, (n + 1) * sizeof *values);
      qsort (expected, n, sizeof *expected, compare);
      prism_sort_floats (values, n);
      for (gsize i = 0; i <= n; i++)
        g_assert_true (values[i] == expected[i]);
    }
}

TEST (median, "/engine/sort/median")
{
  double odd[] = { 5, -1, 2 }, even[] = { 4, 1, 8, 2 };

  g_assert_cmpfloat (prism_sort_median (odd, 3), ==, 2);
  g_assert_cmpfloat (prism_sort_median (even, 4), ==, 3);
  g_assert_true (isnan (prism_sort_median (even, 0)));
}
