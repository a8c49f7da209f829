#include "config.h"

#include "num/prism-spectrum.h"
#include "prism-test.h"

/* Dimensions of this file: n = 128, m = 32. */

#define N 128
#define M 32

static void
fill_disc (float *image)
{
  for (int y = 0; y < M; y++)
    for (int x = 0; x < M; x++)
      {
        double distance = hypot (y - 15.5, x - 15.5);

        image[y * M + x] = (float) (0.6 * CLAMP (12.0 - distance, 0.0, 1.0));
      }
}

static double
get_distance (const float *a,
              const float *b)
{
  double sum = 0.0;

  for (gsize i = 0; i < M * M; i++)
    sum += pow (a[i] - b[i], 2.0);
  return sqrt (sum / (M * M));
}

TEST (checkerboard_goes, "/engine/band/checkerboard-goes")
{
  PrismBand band = { N, M, 70.0, 12.0 };
  float truth[M * M], image[M * M];
  double before, after;

  fill_disc (truth);
  for (int y = 0; y < M; y++)
    for (int x = 0; x < M; x++)
      image[y * M + x] = truth[y * M + x] * ((x + y) % 2 == 0 ? 1.1f : 0.9f);
  before = get_distance (image, truth);
  g_assert_true (prism_band_apply (&band, image, NULL));
  after = get_distance (image, truth);
  g_test_message ("distance %g, then %g", before, after);
  g_assert_cmpfloat (after, <, 0.35 * before);
}

TEST (clean_image_stays, "/engine/band/clean-image-stays")
{
  PrismBand band = { N, M, 70.0, 12.0 };
  float truth[M * M], image[M * M];

  fill_disc (truth);
  fill_disc (image);
  g_assert_true (prism_band_apply (&band, image, NULL));
  g_assert_cmpfloat (get_distance (image, truth), <, 1e-3);
}

/* Inside the band nothing is judged: stripes of a frequency that was measured stay. */
TEST (measured_frequencies_stay, "/engine/band/measured-frequencies-stay")
{
  PrismBand band = { N, M, 70.0, 12.0 };
  float stripes[M * M], image[M * M];

  fill_disc (stripes);
  for (int y = 0; y < M; y++)
    for (int x = 0; x < M; x++)
      stripes[y * M + x] *= 1.0f + 0.3f * cosf (2.0f * (float) G_PI * 32.0f / N * x);
  memcpy (image, stripes, sizeof image);
  g_assert_true (prism_band_apply (&band, image, NULL));
  g_assert_cmpfloat (get_distance (image, stripes), <, 2e-3);
}

/* Damped wholly, an image has nothing beyond the band: doing it again changes hardly anything, and
 * stripes from beyond are gone. */
TEST (damping_leaves_nothing_beyond, "/engine/band/damping")
{
  PrismBand band = { N, M, 40.0, 12.0, 1.0 };
  float once[M * M], twice[M * M], disc[M * M];

  fill_disc (disc);
  for (int i = 0; i < M * M; i++)
    disc[i] = 0.2f + 0.5f * disc[i];
  for (int i = 0; i < M * M; i++)
    once[i] = disc[i] * (1.0f + 0.2f * cosf (2.0f * (float) G_PI * 70.0f / N * (i % M)));
  g_assert_true (prism_band_apply (&band, once, NULL));
  memcpy (twice, once, sizeof twice);
  g_assert_true (prism_band_apply (&band, twice, NULL));
  g_assert_true (prism_band_apply (&band, disc, NULL));
  g_test_message ("%g, %g", get_distance (once, twice), get_distance (once, disc));
  g_assert_cmpfloat (get_distance (once, twice), <, 0.02);
  g_assert_cmpfloat (get_distance (once, disc), <, 0.02);
}

TEST (full_band_changes_nothing, "/engine/band/full-band")
{
  PrismBand band = { N, M, 91.0, 12.0 };
  float truth[M * M], image[M * M];

  fill_disc (truth);
  fill_disc (image);
  g_assert_true (prism_band_apply (&band, image, NULL));
  g_assert_cmpmem (image, sizeof image, truth, sizeof truth);
}
