#include "config.h"

#include "num/prism-variation.h"

#include <math.h>
#include <string.h>

/* m = 24. */

#define SIZE 24
#define N_PIXELS (SIZE * SIZE)
#define STRENGTH 0.05f

/* A disk on a slope, with a noise that always is the same. */
static void
fill (float image[N_PIXELS])
{
  guint32 state = 1;

  for (int i = 0; i < N_PIXELS; i++)
    {
      int y = i / SIZE, x = i % SIZE;

      state = state * 1664525u + 1013904223u;
      image[i] = 0.3f + 0.01f * x + (hypot (y - 11, x - 12) < 7 ? 0.4f : 0.0f)
                 + 0.2f * ((state >> 8) / 16777216.0f - 0.5f);
    }
}

/* ½·Σ(a − b)² + μ·Σ|∇a|, in double precision. */
static double
get_objective (const float *a,
               const float *b)
{
  double sum = 0.0;

  for (int i = 0; i < N_PIXELS; i++)
    sum += 0.5 * pow ((double) a[i] - b[i], 2.0);
  return sum + STRENGTH * N_PIXELS * prism_variation_get_mean (SIZE, a);
}

static void
test_mean (void)
{
  float image[N_PIXELS] = { 0.0f };

  image[5 * SIZE + 7] = 1.0f;
  /* Of the pixel itself √2, of its neighbours above and to the left 1 each. */
  g_assert_cmpfloat_with_epsilon (prism_variation_get_mean (SIZE, image) * N_PIXELS,
                                  G_SQRT2 + 2.0, 1e-12);
  memset (image, 0, sizeof image);
  image[N_PIXELS - 1] = 0.5f;
  g_assert_cmpfloat_with_epsilon (prism_variation_get_mean (SIZE, image) * N_PIXELS, 1.0, 1e-12);
}

/* No image near the one that is found has less of the objective. */
static void
test_is_the_minimum (void)
{
  g_autoptr (PrismVariation) variation = prism_variation_new (SIZE, NULL);
  float before[N_PIXELS], image[N_PIXELS], other[N_PIXELS];
  double least;

  fill (before);
  for (int i = 0; i < 100; i++)
    {
      memcpy (image, before, sizeof image);
      prism_variation_lower (variation, STRENGTH, image);
    }
  least = get_objective (image, before);
  g_assert_cmpfloat (least, <, 0.6 * get_objective (before, before));
  for (int trial = 0; trial < 200; trial++)
    {
      double size = trial % 2 == 0 ? 0.01 : 0.1;

      memcpy (other, image, sizeof other);
      for (int i = trial % 7; i < N_PIXELS; i += 1 + trial % 5)
        other[i] += (float) (size * sin (i * (trial + 1.0)));
      g_assert_cmpfloat (get_objective (other, before), >, least - 1e-4);
    }
  for (int i = 0; i < N_PIXELS; i++)
    other[i] = 0.98f * image[i] + 0.02f * before[i];
  g_assert_cmpfloat (get_objective (other, before), >, least);
}

/* Twenty iterations that go on from the last image are nearly as good as two thousand. */
static void
test_goes_on (void)
{
  g_autoptr (PrismVariation) variation = prism_variation_new (SIZE, NULL);
  g_autoptr (PrismVariation) fresh = prism_variation_new (SIZE, NULL);
  float before[N_PIXELS], image[N_PIXELS], first[N_PIXELS];

  fill (before);
  for (int i = 0; i < 20; i++)
    {
      memcpy (image, before, sizeof image);
      prism_variation_lower (variation, STRENGTH, image);
    }
  memcpy (first, before, sizeof first);
  prism_variation_lower (fresh, STRENGTH, first);
  g_assert_cmpfloat (get_objective (image, before), <, get_objective (first, before));
  prism_variation_forget (variation);
  memcpy (image, before, sizeof image);
  prism_variation_lower (variation, STRENGTH, image);
  g_assert_cmpmem (image, sizeof image, first, sizeof first);
}

/* A single edge stays where it is and loses 2·μ/width of its height on each side. */
static void
test_edge_stays (void)
{
  g_autoptr (PrismVariation) variation = prism_variation_new (SIZE, NULL);
  float before[N_PIXELS], image[N_PIXELS];

  for (int i = 0; i < N_PIXELS; i++)
    before[i] = i % SIZE < SIZE / 2 ? 0.2f : 0.8f;
  for (int i = 0; i < 300; i++)
    {
      memcpy (image, before, sizeof image);
      prism_variation_lower (variation, STRENGTH, image);
    }
  for (int i = 0; i < N_PIXELS; i++)
    g_assert_cmpfloat_with_epsilon (image[i],
                                    before[i] < 0.5f ? 0.2f + STRENGTH / (SIZE / 2)
                                                     : 0.8f - STRENGTH / (SIZE / 2),
                                    1e-4);
}

static void
test_is_kept_in_range (void)
{
  g_autoptr (PrismVariation) variation = prism_variation_new (SIZE, NULL);
  float image[N_PIXELS];

  for (int i = 0; i < N_PIXELS; i++)
    image[i] = (i % 3) - 0.5f;
  prism_variation_lower (variation, 0.0f, image);
  for (int i = 0; i < N_PIXELS; i++)
    g_assert_cmpfloat (image[i], ==, CLAMP ((i % 3) - 0.5f, 0.0f, 1.0f));
  prism_variation_lower (variation, STRENGTH, image);
  for (int i = 0; i < N_PIXELS; i++)
    g_assert_true (image[i] >= 0.0f && image[i] <= 1.0f);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/variation/mean", test_mean);
  g_test_add_func ("/engine/variation/is-the-minimum", test_is_the_minimum);
  g_test_add_func ("/engine/variation/goes-on", test_goes_on);
  g_test_add_func ("/engine/variation/edge-stays", test_edge_stays);
  g_test_add_func ("/engine/variation/is-kept-in-range", test_is_kept_in_range);
  return g_test_run ();
}
