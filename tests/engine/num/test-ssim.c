#include "base/prism-random.h"
#include "num/prism-metrics.h"
#include "num/prism-ssim.h"
#include "prism-test.h"

/* h = height, w = width. The reference is the definition, in double precision. */

typedef struct
{
  int height, width;
  const float *a; /* [h][w] */
  const float *b;
  float *gradient;
} Pair;

static void
load_row (gpointer data, int y, float *a, float *b)
{
  const Pair *pair = data;

  memcpy (a, pair->a + y * pair->width, pair->width * sizeof *a);
  memcpy (b, pair->b + y * pair->width, pair->width * sizeof *b);
}

static void
store_row (gpointer data, int y, const float *gradient)
{
  const Pair *pair = data;

  memcpy (pair->gradient + y * pair->width, gradient, pair->width * sizeof *gradient);
}

/* In bands of band rows; without gradient where the pair has no place for it. */
static double
sum_pair (Pair *pair, gboolean luminance, int band)
{
  g_autoptr (PrismArena) arena = prism_arena_new ();
  PrismSsimBand memory;
  PrismSsimTask task = {
    .height = pair->height,
    .width = pair->width,
    .luminance = luminance,
    .load_row = load_row,
    .store_row = pair->gradient == NULL ? NULL : store_row,
    .data = pair,
  };
  double sum = 0.0;

  prism_ssim_band_plan (&memory, arena, pair->width);
  g_assert_true (prism_arena_allocate (arena, "a test", NULL));
  for (int y = 0; y < pair->height; y += band)
    sum += prism_ssim_band_sum (&memory, &task, y, MIN (y + band, pair->height));
  return sum;
}

static float *
new_image (int n_pixels, guint64 seed)
{
  float *image = g_new (float, n_pixels);

  for (int i = 0; i < n_pixels; i++)
    image[i] = (float) prism_random_uniform (seed, PRISM_STREAM_OBJECT, 0, i);
  return image;
}

static int
reflect (int i, int n)
{
  return i < 0 ? -i : MIN (i, 2 * (n - 1) - i);
}

static double
sum_naively (const double *a, const float *b, int height, int width, gboolean luminance)
{
  double sum = 0.0;

  for (int pixel = 0; pixel < height * width; pixel++)
    {
      double norm = 0.0, mean_a = 0.0, mean_b = 0.0, aa = 0.0, bb = 0.0, ab = 0.0;

      for (int t = 0; t < 11 * 11; t++)
        {
          int dy = t / 11 - 5, dx = t % 11 - 5;
          int y = reflect (pixel / width + dy, height), x = reflect (pixel % width + dx, width);
          int i = y * width + x;
          double weight = exp (-(dy * dy + dx * dx) / 4.5);

          norm += weight;
          mean_a += weight * a[i];
          mean_b += weight * b[i];
          aa += weight * a[i] * a[i];
          bb += weight * b[i] * b[i];
          ab += weight * a[i] * b[i];
        }
      mean_a /= norm;
      mean_b /= norm;
      double value = 2.0 * (ab / norm - mean_a * mean_b) + 9e-4;
      value /= aa / norm - mean_a * mean_a + bb / norm - mean_b * mean_b + 9e-4;
      if (luminance)
        value *= (2.0 * mean_a * mean_b + 1e-4) / (mean_a * mean_a + mean_b * mean_b + 1e-4);
      sum += value;
    }
  return sum;
}

static void
check_naive (int height, int width, gboolean luminance)
{
  const int n_pixels = height * width;
  g_autofree float *a = new_image (n_pixels, 1), *b = new_image (n_pixels, 2);
  g_autofree float *gradient = g_new (float, n_pixels);
  g_autofree double *moved = g_new (double, n_pixels);
  Pair pair = { height, width, a, b, NULL };

  for (int i = 0; i < n_pixels; i++)
    {
      b[i] = 0.6f * a[i] + 0.4f * b[i];
      moved[i] = a[i];
    }
  double ssim, sum = sum_naively (moved, b, height, width, luminance);
  g_assert_true (prism_metrics_compute_ssim (&ssim, a, b, height, width, NULL));
  if (luminance)
    g_assert_cmpfloat_with_epsilon (ssim, sum / n_pixels, 1e-5);
  g_assert_cmpfloat_with_epsilon (sum_pair (&pair, luminance, height), sum, 1e-5 * n_pixels);
  pair.gradient = gradient;
  g_assert_cmpfloat_with_epsilon (sum_pair (&pair, luminance, height), sum, 1e-5 * n_pixels);

  for (int i = 0; i < n_pixels; i += 7)
    {
      moved[i] = a[i] + 1e-5;
      double up = sum_naively (moved, b, height, width, luminance);
      moved[i] = a[i] - 1e-5;
      double down = sum_naively (moved, b, height, width, luminance);
      moved[i] = a[i];
      g_assert_cmpfloat_with_epsilon (gradient[i], (up - down) / 2e-5, 2e-4);
    }
}

TEST (naive, "/engine/ssim/naive")
{
  const int sizes[][2] = { { 6, 6 }, { 7, 19 }, { 11, 12 }, { 23, 14 }, { 40, 9 }, { 16, 16 } };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      check_naive (sizes[i][0], sizes[i][1], TRUE);
      check_naive (sizes[i][0], sizes[i][1], FALSE);
    }
}

/* Gradients do not depend on how the rows are cut into bands. */
TEST (bands_are_independent, "/engine/ssim/bands-are-independent")
{
  enum
  {
    HEIGHT = 41,
    WIDTH = 33,
    N_PIXELS = HEIGHT * WIDTH
  };
  g_autofree float *a = new_image (N_PIXELS, 1), *b = new_image (N_PIXELS, 2);
  g_autofree float *expected = g_new (float, N_PIXELS), *gradient = g_new (float, N_PIXELS);
  Pair pair = { HEIGHT, WIDTH, a, b, expected };
  double sum = sum_pair (&pair, TRUE, HEIGHT);

  pair.gradient = gradient;
  for (int band = 1; band < HEIGHT; band += 3)
    {
      memset (gradient, 0, N_PIXELS * sizeof *gradient);
      g_assert_cmpfloat_with_epsilon (sum_pair (&pair, TRUE, band), sum, 1e-9 * N_PIXELS);
      g_assert_cmpmem (gradient, N_PIXELS * sizeof (float), expected, N_PIXELS * sizeof (float));
    }
}

TEST (equal_images_are_a_maximum, "/engine/ssim/equal-images")
{
  enum
  {
    SIZE = 20,
    N_PIXELS = SIZE * SIZE
  };
  g_autofree float *a = new_image (N_PIXELS, 1), *gradient = g_new (float, N_PIXELS);
  Pair pair = { SIZE, SIZE, a, a, gradient };

  g_assert_cmpfloat_with_epsilon (sum_pair (&pair, TRUE, SIZE), N_PIXELS, 1e-4);
  for (int i = 0; i < N_PIXELS; i++)
    g_assert_cmpfloat_with_epsilon (gradient[i], 0.0f, 1e-4);
}

TEST (n_scales, "/engine/ssim/scales/number")
{
  g_assert_cmpint (prism_ssim_get_n_scales (6, 100), ==, 1);
  g_assert_cmpint (prism_ssim_get_n_scales (21, 21), ==, 1);
  g_assert_cmpint (prism_ssim_get_n_scales (22, 50), ==, 2);
  g_assert_cmpint (prism_ssim_get_n_scales (64, 64), ==, 3);
  g_assert_cmpint (prism_ssim_get_n_scales (175, 200), ==, 4);
  g_assert_cmpint (prism_ssim_get_n_scales (176, 200), ==, 5);
  g_assert_cmpint (prism_ssim_get_n_scales (4096, 4096), ==, 5);
}

TEST (combine_scales, "/engine/ssim/scales/combine")
{
  double terms[PRISM_SSIM_MAX_SCALES] = { 0.5, 0.6, 0.7, 0.8, 0.9 };
  double slopes[PRISM_SSIM_MAX_SCALES];

  /* All terms equal to x give x, but x^1.0001 at five scales. */
  for (int n_scales = 1; n_scales <= PRISM_SSIM_MAX_SCALES; n_scales++)
    {
      double equal[PRISM_SSIM_MAX_SCALES] = { 0.3, 0.3, 0.3, 0.3, 0.3 };
      double exponent = n_scales == PRISM_SSIM_MAX_SCALES ? 1.0001 : 1.0;

      g_assert_cmpfloat_with_epsilon (prism_ssim_combine_scales (equal, n_scales, NULL),
                                      pow (0.3, exponent), 1e-12);
      prism_ssim_combine_scales (terms, n_scales, slopes);
      for (int i = 0; i < n_scales; i++)
        {
          double up, down, term = terms[i];

          terms[i] = term + 1e-6;
          up = prism_ssim_combine_scales (terms, n_scales, NULL);
          terms[i] = term - 1e-6;
          down = prism_ssim_combine_scales (terms, n_scales, NULL);
          terms[i] = term;
          g_assert_cmpfloat_with_epsilon (slopes[i], (up - down) / 2e-6, 1e-7);
        }
    }

  /* A negative term is clamped and has no slope. */
  terms[1] = -0.5;
  prism_ssim_combine_scales (terms, 3, slopes);
  g_assert_cmpfloat (slopes[1], ==, 0.0);
  g_assert_cmpfloat (slopes[0], >, 0.0);
}
