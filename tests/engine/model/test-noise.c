#include "model/prism-noise.h"
#include "prism-test.h"

#define N_DRAWS 200000

/* Known answers of the Random123 distribution (kat_vectors, philox4x32 10). */
static const guint32 known[][10] = {
  /* counter, key, output */
  { 0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 },
  { 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff,
    0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd },
  { 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0,
    0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 },
};

TEST (philox_known_answers, "/engine/noise/philox/known-answers")
{
  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    {
      guint32 output[4];

      prism_random_philox (known[i], known[i] + 4, output);
      g_assert_cmpmem (output, sizeof output, known[i] + 6, 4 * sizeof *known[i]);
    }
}

TEST (uniform_moments, "/engine/noise/uniform/moments")
{
  double sum = 0.0, sum_of_squares = 0.0;

  for (int i = 0; i < N_DRAWS; i++)
    {
      double u = prism_random_uniform (7, PRISM_STREAM_WEIGHTS, 3, i);

      g_assert_cmpfloat (u, >=, 0.0);
      g_assert_cmpfloat (u, <, 1.0);
      sum += u;
      sum_of_squares += u * u;
    }
  g_assert_cmpfloat_with_epsilon (sum / N_DRAWS, 0.5, 0.003);
  g_assert_cmpfloat_with_epsilon (sum_of_squares / N_DRAWS, 1.0 / 3.0, 0.003);
}

TEST (normal_moments, "/engine/noise/normal/moments")
{
  double moments[5] = { 0 };
  double neighbours = 0.0, last = 0.0;

  for (int i = 0; i < N_DRAWS; i++)
    {
      double x = prism_random_normal (7, PRISM_STREAM_SHOT, 3, i);

      for (int k = 1; k < 5; k++)
        moments[k] += pow (x, k) / N_DRAWS;
      neighbours += x * last / N_DRAWS;
      last = x;
    }
  g_assert_cmpfloat_with_epsilon (moments[1], 0.0, 0.01);
  g_assert_cmpfloat_with_epsilon (moments[2], 1.0, 0.015);
  g_assert_cmpfloat_with_epsilon (moments[3], 0.0, 0.04);
  g_assert_cmpfloat_with_epsilon (moments[4], 3.0, 0.12);
  g_assert_cmpfloat_with_epsilon (neighbours, 0.0, 0.01);
}

TEST (each_coordinate_matters, "/engine/noise/each-coordinate-matters")
{
  const guint64 high = G_GUINT64_CONSTANT (1) << 34;
  double x = prism_random_normal (1, PRISM_STREAM_SHOT, 2, 3);

  g_assert_cmpfloat (x, ==, prism_random_normal (1, PRISM_STREAM_SHOT, 2, 3));
  g_assert_cmpfloat (x, !=, prism_random_normal (2, PRISM_STREAM_SHOT, 2, 3));
  g_assert_cmpfloat (x, !=, prism_random_normal (1 + high, PRISM_STREAM_SHOT, 2, 3));
  g_assert_cmpfloat (x, !=, prism_random_normal (1, PRISM_STREAM_READ, 2, 3));
  g_assert_cmpfloat (x, !=, prism_random_normal (1, PRISM_STREAM_SHOT, 3, 3));
  g_assert_cmpfloat (x, !=, prism_random_normal (1, PRISM_STREAM_SHOT, 2, 4));
  g_assert_cmpfloat (x, !=, prism_random_normal (1, PRISM_STREAM_SHOT, 2, 3 + high));
}

/* A ramp of 0…1 with a dark pixel; not a multiple of the block of four. */
static float *
new_ramp (gsize n_pixels)
{
  float *intensity = g_new (float, n_pixels);

  for (gsize i = 0; i < n_pixels; i++)
    intensity[i] = (float) i / n_pixels;
  return intensity;
}

static void
add_noise (float *intensity, gsize n_pixels, double snr, PrismStream stream)
{
  const PrismNoise noise = {
    .snr = stream == PRISM_STREAM_SHOT ? snr : 0.0,
    .read_snr = stream == PRISM_STREAM_READ ? snr : 0.0,
  };

  prism_noise_expose (&noise, intensity, n_pixels, 5, FALSE, 9);
}

static const struct
{
  const char *name;
  PrismStream stream;
} streams[] = { { "shot", PRISM_STREAM_SHOT }, { "read", PRISM_STREAM_READ } };

TEST_ROWS (apply_reaches_snr, "/engine/noise/apply", streams)
{
  const PrismStream stream = ((const typeof (*streams) *) data)->stream;
  const gsize n_pixels = 40003;
  g_autofree float *clean = new_ramp (n_pixels), *noisy = new_ramp (n_pixels);
  double signal = 0.0, noise = 0.0;

  add_noise (noisy, n_pixels, 20.0, stream);
  for (gsize i = 0; i < n_pixels; i++)
    {
      signal += (double) clean[i] * clean[i];
      noise += (double) (noisy[i] - clean[i]) * (noisy[i] - clean[i]);
    }
  g_assert_cmpfloat_with_epsilon (10.0 * log10 (signal / noise), 20.0, 0.15);
  g_assert_cmpint (noisy[0] == clean[0], ==, stream == PRISM_STREAM_SHOT);
}

TEST (apply_uses_the_pixel_as_counter, "/engine/noise/apply/pixel-is-counter")
{
  const gsize n_pixels = 1002;
  g_autofree float *noisy = g_new (float, n_pixels);

  /* Constant intensity 1: σ² = 1/10^(SNR/10). */
  for (gsize i = 0; i < n_pixels; i++)
    noisy[i] = 1.0f;
  add_noise (noisy, n_pixels, 10.0, PRISM_STREAM_SHOT);
  for (gsize i = 0; i < n_pixels; i++)
    {
      double normal = prism_random_normal (5, PRISM_STREAM_SHOT, 9, i);

      g_assert_cmpfloat_with_epsilon (noisy[i], 1.0 + sqrt (0.1) * normal, 1e-6);
    }
}

TEST (apply_without_noise, "/engine/noise/apply/without-noise")
{
  g_autofree float *clean = new_ramp (100), *image = new_ramp (100);
  float dark[6] = { 0 };

  add_noise (image, 100, 0.0, PRISM_STREAM_SHOT);
  g_assert_cmpmem (image, 100 * sizeof *image, clean, 100 * sizeof *clean);
  add_noise (dark, 6, 10.0, PRISM_STREAM_READ);
  for (int i = 0; i < 6; i++)
    g_assert_cmpfloat (dark[i], ==, 0.0f);
}
