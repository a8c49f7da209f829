#include "base/prism-random.h"
#include "num/prism-expect.h"
#include "prism-test.h"

#define N_DRAWS 200000

/* Mean and variance of T by drawing it. */
static void
draw (double noise, double read, double amplitude, double offset, double *mean, double *variance)
{
  double intensity = amplitude * amplitude, deviation = sqrt (noise * intensity + read);
  double sum = 0.0, squares = 0.0;

  for (int i = 0; i < N_DRAWS; i++)
    {
      double normal = prism_random_normal (3, PRISM_STREAM_READ, 0, i);
      double recorded = MAX (0.0, intensity + deviation * normal) + offset;

      sum += sqrt (recorded);
      squares += recorded;
    }
  *mean = sum / N_DRAWS;
  *variance = squares / N_DRAWS - *mean * *mean;
}

TEST (definition, "/engine/expect/definition")
{
  static const double noises[][2] = { { 0.01, 1e-4 }, { 0, 2.5e-3 }, { 0.3, 1e-6 }, { 1e-4, 0.1 } };

  for (gsize n = 0; n < G_N_ELEMENTS (noises); n++)
    {
      double scale = prism_expect_get_scale (noises[n][0], noises[n][1]);
      double offset = 0.25 * scale + noises[n][1] / scale;
      g_autoptr (PrismExpect) expect = prism_expect_new (noises[n][0], noises[n][1], offset);

      for (double s = 0.0; s < 9.0; s += 0.37)
        {
          double amplitude = s * sqrt (offset), mean, variance;
          float slope, value = prism_expect_get (expect, (float) amplitude, &slope);

          draw (noises[n][0], noises[n][1], amplitude, offset, &mean, &variance);
          g_assert_cmpfloat_with_epsilon (value, mean, 0.005 * sqrt (offset));
          g_assert_cmpfloat_with_epsilon (prism_expect_get_variance (expect, amplitude) / variance,
                                          1.0, 0.15);
        }
    }
}

/* The slope is that of the function, and the table joins what is beyond it. */
TEST (slope, "/engine/expect/slope")
{
  g_autoptr (PrismExpect) expect = prism_expect_new (0.02, 1e-3, 0.06);
  const double unit = sqrt (prism_expect_get_offset (expect));
  double before = 0.0;

  for (double s = 0.0; s < 12.0; s += 0.0131)
    {
      float slope, unused;
      float h = (float) (1e-3 * unit), a = (float) (s * unit);
      float value = prism_expect_get (expect, a, &slope);
      float next = prism_expect_get (expect, a + h, &unused);

      g_assert_cmpfloat (value, >=, before);
      before = value;
      g_assert_cmpfloat_with_epsilon ((next - value) / h, slope, 0.03);
    }
}
