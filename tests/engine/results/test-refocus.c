#include "prism-test.h"
#include "results/prism-refocus.h"

/* Dimensions of this file: an object of N×N pixels, of which P are a period of a grating. */

#define N 64
#define P 8
#define PIXEL 0.5e-6
#define WAVELENGTH 0.5e-6

static float object[2 * N * N], amplitude[N * N], phase[N * N];

/* Light and dark bars, whose mirror image at the edges goes on as they do. */
static PrismRefocus *
refocus_grating (void)
{
  const PrismFinding finding = { .object = object,
                                 .object_height = N,
                                 .object_width = N,
                                 .pixel_size = PIXEL,
                                 .wavelength = WAVELENGTH };

  for (int i = 0; i < N * N; i++)
    {
      object[2 * i] = (float) (1 + 0.5 * cos (2 * G_PI * (i % N + 0.5) / P));
      object[2 * i + 1] = 0;
    }
  return prism_refocus_new (&finding, NULL);
}

/* At which a grating of such a period comes back. */
static double
get_talbot_distance (void)
{
  const double period = P * PIXEL;

  return 1 / (1 / WAVELENGTH - sqrt (1 / (WAVELENGTH * WAVELENGTH) - 1 / (period * period)));
}

TEST (focus, "/engine/refocus/focus")
{
  g_autoptr (PrismRefocus) refocus = refocus_grating ();

  prism_refocus_compute (refocus, 0, amplitude, phase);
  for (int i = 0; i < N * N; i++)
    {
      g_assert_cmpfloat_with_epsilon (amplitude[i], object[2 * i], 1e-5);
      g_assert_cmpfloat_with_epsilon (phase[i], 0, 1e-5);
    }
}

/* Talbot's distance brings a grating back, half of it puts bright bars where dark ones were. */
TEST (talbot, "/engine/refocus/talbot")
{
  const double distance = get_talbot_distance ();
  g_autoptr (PrismRefocus) refocus = refocus_grating ();

  for (int sign = -1; sign <= 1; sign += 2)
    {
      prism_refocus_compute (refocus, sign * distance, amplitude, phase);
      for (int i = 0; i < N * N; i++)
        g_assert_cmpfloat_with_epsilon (amplitude[i], object[2 * i], 1e-4);
      prism_refocus_compute (refocus, sign * distance / 2, amplitude, phase);
      for (int i = 0; i < N * N; i++)
        g_assert_cmpfloat_with_epsilon (amplitude[i], 2 - object[2 * i], 1e-4);
    }
}

/* A quarter of it turns what differs from the mean by a quarter wave: forwards where z has the sign
 * of a defocus whose phase grows towards the rim. */
TEST (sign, "/engine/refocus/sign")
{
  g_autoptr (PrismRefocus) refocus = refocus_grating ();

  prism_refocus_compute (refocus, 0.25 * get_talbot_distance (), amplitude, phase);
  g_assert_cmpfloat_with_epsilon (phase[0], atan2 (object[0] - 1, 1), 1e-4);
}

TEST (unknown, "/engine/refocus/unknown")
{
  const PrismFinding finding = { .object = object,
                                 .object_height = N,
                                 .object_width = N,
                                 .pixel_size = PIXEL,
                                 .wavelength = NAN };
  g_autoptr (GError) error = NULL;

  g_assert_null (prism_refocus_new (&finding, &error));
  HAS (error->message, "wavelength");
}
