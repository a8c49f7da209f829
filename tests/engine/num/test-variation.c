#include "num/prism-variation.h"
#include "prism-test.h"

/* m = 24. */

#define SIZE 24
#define N_PIXELS (SIZE * SIZE)
#define STRENGTH 0.05f

typedef struct
{
  PrismVariation *variation;
  float across[N_PIXELS], down[N_PIXELS];
} Fixture;

static Fixture
begin (void)
{
  return (Fixture) { prism_variation_new (SIZE, NULL, NULL), { 0.0f }, { 0.0f } };
}

static void
forget (Fixture *self)
{
  memset (self->across, 0, sizeof self->across);
  memset (self->down, 0, sizeof self->down);
}

static void
end (Fixture *self)
{
  prism_variation_free (self->variation);
}

static void
lower (Fixture *self, float strength, float *image)
{
  prism_variation_lower (self->variation, strength, self->across, self->down, image);
}

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
get_objective (const float *a, const float *b)
{
  double sum = 0.0;

  for (int i = 0; i < N_PIXELS; i++)
    sum += 0.5 * pow ((double) a[i] - b[i], 2.0);
  return sum + STRENGTH * N_PIXELS * prism_variation_get_mean (SIZE, a);
}

TEST (mean, "/engine/variation/mean")
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
TEST (is_the_minimum, "/engine/variation/is-the-minimum")
{
  _GLIB_CLEANUP (end)
  Fixture variation = begin ();
  float before[N_PIXELS], image[N_PIXELS], other[N_PIXELS];

  fill (before);
  for (int i = 0; i < 100; i++)
    {
      memcpy (image, before, sizeof image);
      lower (&variation, STRENGTH, image);
    }
  double least = get_objective (image, before);
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
TEST (goes_on, "/engine/variation/goes-on")
{
  _GLIB_CLEANUP (end)
  Fixture variation = begin ();
  _GLIB_CLEANUP (end)
  Fixture fresh = begin ();
  float before[N_PIXELS], image[N_PIXELS], first[N_PIXELS];

  fill (before);
  for (int i = 0; i < 20; i++)
    {
      memcpy (image, before, sizeof image);
      lower (&variation, STRENGTH, image);
    }
  memcpy (first, before, sizeof first);
  lower (&fresh, STRENGTH, first);
  g_assert_cmpfloat (get_objective (image, before), <, get_objective (first, before));
  forget (&variation);
  memcpy (image, before, sizeof image);
  lower (&variation, STRENGTH, image);
  g_assert_cmpmem (image, sizeof image, first, sizeof first);
}

/* A single edge stays where it is and loses 2·μ/width of its height on each side. */
TEST (edge_stays, "/engine/variation/edge-stays")
{
  _GLIB_CLEANUP (end)
  Fixture variation = begin ();
  float before[N_PIXELS], image[N_PIXELS];

  for (int i = 0; i < N_PIXELS; i++)
    before[i] = i % SIZE < SIZE / 2 ? 0.2f : 0.8f;
  for (int i = 0; i < 300; i++)
    {
      memcpy (image, before, sizeof image);
      lower (&variation, STRENGTH, image);
    }
  for (int i = 0; i < N_PIXELS; i++)
    g_assert_cmpfloat_with_epsilon (image[i],
                                    before[i] < 0.5f ? 0.2f + STRENGTH / (SIZE / 2)
                                                     : 0.8f - STRENGTH / (SIZE / 2),
                                    1e-4);
}

TEST (is_kept_in_range, "/engine/variation/is-kept-in-range")
{
  _GLIB_CLEANUP (end)
  Fixture variation = begin ();
  float image[N_PIXELS];

  for (int i = 0; i < N_PIXELS; i++)
    image[i] = (i % 3) - 0.5f;
  lower (&variation, 0.0f, image);
  for (int i = 0; i < N_PIXELS; i++)
    g_assert_cmpfloat (image[i], ==, CLAMP ((i % 3) - 0.5f, 0.0f, 1.0f));
  lower (&variation, STRENGTH, image);
  for (int i = 0; i < N_PIXELS; i++)
    g_assert_true (image[i] >= 0.0f && image[i] <= 1.0f);
}

/* Not a whole number of vectors in a row, and large enough for bands of rows. */
#define WIDE 301
#define N_CALLS 24 /* after which some of the dual field are denormals */

typedef struct
{
  float across[WIDE * WIDE], down[WIDE * WIDE];
  float image[WIDE * WIDE];
} Planes;

static void
fill_planes (Planes *self)
{
  guint32 state = 7;

  for (int i = 0; i < WIDE * WIDE; i++)
    {
      state = state * 1664525u + 1013904223u;
      self->image[i] = 0.35f + (i / WIDE / 16 + i % WIDE / 16) % 2 * 0.3f
                       + 0.3f * ((state >> 8) / 16777216.0f - 0.5f);
    }
}

static float
get_row_sum (const Planes *self, int y, int x)
{
  const float *across = self->across + y * WIDE, *down = self->down + y * WIDE;

  if (x == 0)
    return across[0] + down[0] - (y > 0 ? down[-WIDE] : 0.0f);
  return across[x] - across[x - 1] + down[x] - (y > 0 ? down[x - WIDE] : 0.0f);
}

static void __attribute__ ((optimize ("fp-contract=off")))
make_plain_image (const Planes *self, float strength, float *image)
{
  for (int i = 0; i < WIDE * WIDE; i++)
    {
      float value = self->image[i] + strength * get_row_sum (self, i / WIDE, i % WIDE);

      image[i] = CLAMP (value, 0.0f, 1.0f);
    }
}

/* The formulas pixel by pixel, each operation rounded by itself. */
static void __attribute__ ((optimize ("fp-contract=off")))
lower_plainly (Planes *self, float strength)
{
  g_autofree float *image = g_new (float, WIDE *WIDE);
  float step = 1.0f / (8.0f * strength);

  for (int k = 0; k < 20; k++)
    {
      make_plain_image (self, strength, image);
      for (int i = 0; i < WIDE * WIDE; i++)
        {
          float right = i % WIDE + 1 < WIDE ? image[i + 1] - image[i] : 0.0f;
          float below = i / WIDE + 1 < WIDE ? image[i + WIDE] - image[i] : 0.0f;
          float a = self->across[i] + step * right, d = self->down[i] + step * below;
          float length = sqrtf (a * a + d * d), factor = 1.0f / MAX (length, 1.0f);

          self->across[i] = a * factor;
          self->down[i] = i % WIDE + 1 < WIDE ? d * factor : CLAMP (d, -1.0f, 1.0f);
        }
    }
  make_plain_image (self, strength, image);
  memcpy (self->image, image, sizeof self->image);
}

/* Neither threads nor vectors nor the order of rows show in the result. */
TEST (same_bits, "/engine/variation/same-bits")
{
  static const char *const isas[] = { "avx512", "avx2", "baseline" };
  g_autofree Planes *plain = g_new0 (Planes, 1);

  for (int k = 0; k < N_CALLS; k++)
    {
      fill_planes (plain);
      lower_plainly (plain, 0.03f);
    }
  for (guint i = 0; i < 3 * G_N_ELEMENTS (isas); i++)
    {
      g_autoptr (PrismPool) pool = prism_pool_new (1 + i % 3, NULL);
      g_autofree Planes *planes = g_new0 (Planes, 1);

      g_setenv ("PRISM_ISA", isas[i / 3], TRUE);
      g_autoptr (PrismVariation) variation = prism_variation_new (WIDE, pool, NULL);
      for (int k = 0; k < N_CALLS; k++)
        {
          fill_planes (planes);
          prism_variation_lower (variation, 0.03f, planes->across, planes->down, planes->image);
        }
      g_assert_cmpmem (planes, sizeof *planes, plain, sizeof *plain);
    }
  g_unsetenv ("PRISM_ISA");
}
