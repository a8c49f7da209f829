#include "prism-test.h"
#include "test-cuda-common.h"
#include "base/prism-random.h"
#include "model/prism-noise.h"
#include "prism-cuda-optics.h"

#define N_PARTIALS PRISM_CUDA_TARGET_N_PARTIALS

/* n = image_size; targets have their origin at [0][0]. */

static float *
expose_by (const PrismCudaNoise *noise,
           const float *clean,
           int n,
           gboolean in_place)
{
  const gsize n_bytes = (gsize) n * n * sizeof *clean;
  void *image = new_device_array (clean, n_bytes);
  void *partials = new_device_array (NULL, N_PARTIALS * sizeof (double));
  void *noisy = in_place ? NULL : new_device_array (NULL, n_bytes);
  float *target = in_place ? image : noisy;

  assert_cuda (prism_cuda_noise_expose (noise, target, image, partials, n, NULL));
  return dup_device_array (target, n_bytes);
}

static float *
expose (const float *clean,
        int n,
        double snr,
        guint64 seed,
        guint32 sample,
        gboolean in_place)
{
  const PrismCudaNoise noise = { pow (10.0, -snr / 10.0), 0.0, 0.0, seed, sample };

  return expose_by (&noise, clean, n, in_place);
}

/* What prism_cpu_telescope_expose() does to a natural image, in target order. */
static float *
expose_on_cpu (const float *clean,
               int n,
               double snr,
               guint64 seed,
               guint32 sample)
{
  g_autofree float *natural = g_new (float, n *n);
  float *target = g_new (float, n *n);
  double sum = 0.0, sum_of_squares = 0.0;
  PrismNoise noise = { 0 };

  roll (natural, clean, n);
  for (int i = 0; i < n * n; i++)
    {
      natural[i] *= natural[i];
      sum += natural[i];
      sum_of_squares += (double) natural[i] * natural[i];
    }
  /* A camera has no negative SNR; the energy of a photon says the same. */
  noise.photon = sum_of_squares / pow (10.0, snr / 10.0) / sum;
  prism_noise_expose (&noise, natural, n * n, seed, FALSE, sample);
  for (int i = 0; i < n * n; i++)
    natural[i] = sqrtf (MAX (natural[i], 0.0f));
  roll (target, natural, n);
  return target;
}

static void
check_parity (const float *clean,
              int n,
              double snr,
              guint64 seed,
              guint32 sample)
{
  float *noisy = expose (clean, n, snr, seed, sample, FALSE);
  g_autofree float *expected = expose_on_cpu (clean, n, snr, seed, sample);

  for (int i = 0; i < n * n; i++)
    g_assert_cmpfloat_with_epsilon (noisy[i], expected[i], 1e-6 * (1e-3 + expected[i]));
}

/* All 64 bits of the seed count, all signs of the SNR. */
TEST (parity, "/cuda/noise/parity")
{
  const int sizes[] = { 64, 128, 256 };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      const int n = sizes[i];
      float *clean = new_random_floats (n * n, n);

      check_parity (clean, n, 10.0, 1, 0);
      check_parity (clean, n, 35.0, G_GUINT64_CONSTANT (0xfedcba9876543210), 99);
      check_parity (clean, n, -3.0, 7, G_MAXUINT32);
    }
}

static double
get_power (double snr)
{
  return snr > 0.0 ? pow (10.0, -snr / 10.0) : 0.0;
}

/* A camera as the engine describes it, on both devices. */
static void
check_camera (const PrismNoise *camera,
              const float *clean,
              int n)
{
  const guint64 seed = G_GUINT64_CONSTANT (0xfedcba9876543210);
  const PrismCudaNoise noise = { get_power (camera->snr), camera->photon,
                                 get_power (camera->read_snr), seed, 6 };
  float *noisy = expose_by (&noise, clean, n, FALSE);
  g_autofree float *natural = g_new (float, n *n);
  g_autofree float *expected = g_new (float, n *n);

  roll (natural, clean, n);
  for (int i = 0; i < n * n; i++)
    natural[i] *= natural[i];
  prism_noise_expose (camera, natural, n * n, seed, FALSE, 6);
  for (int i = 0; i < n * n; i++)
    natural[i] = sqrtf (MAX (natural[i], 0.0f));
  roll (expected, natural, n);
  for (int i = 0; i < n * n; i++)
    g_assert_cmpfloat_with_epsilon (noisy[i], expected[i], 1e-6 * (1e-3 + expected[i]));
}

/* The energy of a photon takes the place of the SNR. */
TEST (photons, "/cuda/noise/photons")
{
  const PrismNoise camera = { .snr = 10.0, .photon = 3e-3 };
  float *clean = new_random_floats (128 * 128, 8);

  check_camera (&camera, clean, 128);
}

/* Alone, beside both kinds of shot noise, on a faint image and on a black one. */
TEST (read_noise, "/cuda/noise/read")
{
  const PrismNoise cameras[] = {
    { .read_snr = 12.0 },
    { .snr = 10.0, .read_snr = 20.0 },
    { .photon = 3e-3, .read_snr = 15.0 },
  };
  float *clean = new_random_floats (128 * 128, 9);
  g_autofree float *black = g_new0 (float, 128 * 128);

  for (guint i = 0; i < G_N_ELEMENTS (cameras); i++)
    {
      check_camera (&cameras[i], clean, 128);
      check_camera (&cameras[i], black, 128);
    }
  for (int i = 0; i < 128 * 128; i++)
    clean[i] *= i % 3 == 0 ? 0.0f : 1e-6f;
  clean[77] = 1000.0f;
  check_camera (&cameras[1], clean, 128);
}

/* Faint pixels, black ones and a bright one. */
TEST (range, "/cuda/noise/range")
{
  float *clean = new_random_floats (64 * 64, 2);

  for (int i = 0; i < 64 * 64; i++)
    clean[i] = i % 3 == 0 ? 0.0f : 1e-6f * clean[i];
  clean[77] = 1000.0f;
  check_parity (clean, 64, 20.0, 5, 4);
}

TEST (in_place, "/cuda/noise/in-place")
{
  float *clean = new_random_floats (64 * 64, 3);
  float *apart = expose (clean, 64, 12.0, 3, 1, FALSE);
  float *in_place = expose (clean, 64, 12.0, 3, 1, TRUE);

  g_assert_cmpmem (apart, 64 * 64 * sizeof *apart, in_place, 64 * 64 * sizeof *in_place);
}

/* Bright pixels are not clamped, so the noise is as large as was wanted. */
TEST (snr, "/cuda/noise/snr")
{
  const double wanted[] = { 10.0, 20.0, 30.0 };
  const int n = 256;
  float *clean = new_random_floats (n * n, 4);

  for (int i = 0; i < n * n; i++)
    clean[i] = 1.0f + 0.5f * clean[i];
  for (guint i = 0; i < G_N_ELEMENTS (wanted); i++)
    {
      float *noisy = expose (clean, n, wanted[i], 11, i, FALSE);
      double signal = 0.0, noise = 0.0, sum = 0.0;

      for (int j = 0; j < n * n; j++)
        {
          double intensity = (double) clean[j] * clean[j];
          double error = (double) noisy[j] * noisy[j] - intensity;

          signal += intensity * intensity;
          noise += error * error;
          sum += error;
        }
      g_assert_cmpfloat_with_epsilon (10.0 * log10 (signal / noise), wanted[i], 0.15);
      g_assert_cmpfloat (fabs (sum), <, 5.0 * sqrt (noise));
    }
}

TEST (black, "/cuda/noise/black")
{
  g_autofree float *clean = g_new0 (float, 64 * 64);
  float *noisy = expose (clean, 64, 10.0, 1, 1, FALSE);

  g_assert_cmpmem (noisy, 64 * 64 * sizeof *noisy, clean, 64 * 64 * sizeof *clean);
}

TEST (draws, "/cuda/noise/draws")
{
  const gsize n_bytes = 64 * 64 * sizeof (float);
  float *clean = new_random_floats (64 * 64, 6);
  float *first = expose (clean, 64, 10.0, 1, 1, FALSE);
  float *again = expose (clean, 64, 10.0, 1, 1, FALSE);
  float *sample = expose (clean, 64, 10.0, 1, 2, FALSE);
  float *seed = expose (clean, 64, 10.0, G_GUINT64_CONSTANT (1) << 32 | 1, 1, FALSE);

  g_assert_cmpmem (first, n_bytes, again, n_bytes);
  g_assert_cmpint (memcmp (first, sample, n_bytes), !=, 0);
  g_assert_cmpint (memcmp (first, seed, n_bytes), !=, 0);
}
