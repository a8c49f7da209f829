#include "../support/test-run-parts.h"
#include "cpu/prism-cpu-backend.h"
#include "num/prism-fft.h"
#include "../support/test-config.h"

/* Dimensions of this file: n = 64, m = 16, N = 12. */

typedef Run Fixture;

static void
set_up (Run *run, gconstpointer data)
{
  PrismConfig *config = test_config_new ("image_size=64 object_size=16 aperture_radius=8 "
                                         "samples=12 threads=1");

  config->snr = GPOINTER_TO_INT (data);
  run_prepare (run, config, NULL, get_ops ());
  run_measure (run);
}

static void
tear_down (Run *run, gconstpointer data)
{
  run_close (run);
}

static void
use_all (Run *run)
{
  for (guint i = 0; i < 12; i++)
    {
      g_assert_true (prism_measurements_acquire (run->measurements, i, NULL));
      prism_measurements_note_use (run->measurements, i);
    }
}

/* Looking whether a frame is there is no use of it. */
TEST_FIXTURE (second_use_is_a_hit, "/engine/measurements/second-use-is-a-hit")
{
  PrismCacheStatistics statistics;

  run_acquire_all (self);
  prism_cache_get_statistics (self->cache, &statistics);
  g_assert_cmpuint (statistics.misses + statistics.hits, ==, 0);
  use_all (self);
  use_all (self); /* the same pass */
  prism_cache_get_statistics (self->cache, &statistics);
  g_assert_cmpuint (statistics.misses, ==, 12);
  g_assert_cmpuint (statistics.hits, ==, 12);
  g_assert_cmpfloat (statistics.pass_rate, ==, 0.5);
  prism_cache_begin_pass (self->cache);
  use_all (self);
  prism_cache_get_statistics (self->cache, &statistics);
  g_assert_cmpuint (statistics.misses, ==, 12);
  g_assert_cmpuint (statistics.hits, ==, 24);
  g_assert_cmpfloat (statistics.pass_rate, ==, 1.0);
  g_assert_cmpfloat (statistics.hit_rate, ==, 24.0 / 36.0);
  g_assert_cmpuint (statistics.n_entries, ==, 12);
  g_assert_cmpuint (statistics.aperture_misses, ==, 12);
  g_assert_cmpuint (statistics.aperture_hits, ==, 24);
  g_assert_cmpuint (statistics.transform_misses, ==, 1);
  g_assert_cmpuint (statistics.transform_hits, ==, 35);
}

/* Frames that leave before they are used again have to be taken again, but not their apertures. */
TEST_FIXTURE (small_cache_misses, "/engine/measurements/small-cache-misses")
{
  PrismCacheStatistics statistics;

  prism_cache_set_budget (self->cache, 4 * 64 * 64 * sizeof (float));
  use_all (self);
  use_all (self);
  prism_cache_get_statistics (self->cache, &statistics);
  g_assert_cmpuint (statistics.misses, ==, 24);
  g_assert_cmpuint (statistics.hits, ==, 0);
  g_assert_cmpfloat (statistics.aperture_rate, ==, 0.5);
}

TEST_WITH (another_snr_keeps_the_clean_images,
           "/engine/measurements/another-snr-keeps-the-clean-images",
           GINT_TO_POINTER (0))
{
  PrismCacheStatistics statistics;
  double difference = 0.0;

  use_all (self);
  g_autoptr (PrismImage) clean = prism_measurements_dup_image (self->measurements, 3, NULL);
  prism_cache_reset_statistics (self->cache);
  self->config->snr = 10.0;
  prism_measurements_set_noise (self->measurements, self->config);
  prism_cache_begin_pass (self->cache);
  use_all (self);
  prism_cache_get_statistics (self->cache, &statistics);
  g_assert_cmpuint (statistics.misses, ==, 0);
  g_assert_cmpuint (statistics.hits, ==, 12); /* the clean ones that they were made from */
  g_autoptr (PrismImage) noisy = prism_measurements_dup_image (self->measurements, 3, NULL);
  for (gsize i = 0; i < 64 * 64; i++)
    difference += fabsf (noisy->pixels[i] - clean->pixels[i]);
  g_assert_cmpfloat (difference, >, 0.1);
}

TEST_FIXTURE (budget_bounds_memory, "/engine/measurements/budget-bounds-memory")
{
  gsize plane = 64 * 64 * sizeof (float);
  PrismMemoryUse before, after;

  self->backend->ops->get_memory (self->backend, &before);
  prism_cache_set_budget (self->cache, 4 * plane);
  run_acquire_all (self);
  self->backend->ops->get_memory (self->backend, &after);
  g_assert_cmpuint (after.used - before.used, <=, 5 * plane);
}

TEST_FIXTURE (weights_follow_the_energy, "/engine/measurements/weights-follow-the-energy")
{
  run_acquire_all (self);
  double brightest = self->measurements->measurements[0].energy;
  double faint = self->measurements->measurements[11].energy;
  g_assert_cmpfloat (faint, <, brightest);
  g_assert_cmpfloat (prism_measurements_get_weight (self->measurements, 0, 0.5), ==, 1.0);
  g_assert_cmpfloat_with_epsilon (prism_measurements_get_weight (self->measurements, 11, 0.5),
                                  sqrt (faint / brightest), 1e-12);
  g_assert_cmpfloat (prism_measurements_get_weight (self->measurements, 11, 0.0), ==, 1.0);
}

/* The prediction knows only the noisy images; the truth is the misfit of the noise-free ones. */
TEST_WITH (noise_misfit_is_predicted, "/engine/measurements/noise-misfit-is-predicted",
           GINT_TO_POINTER (15))
{
  double residual, power, predicted;
  guint slots[12];

  run_acquire_all (self);
  for (guint i = 0; i < 12; i++)
    slots[i] = i;
  self->backend->ops->compute_misfit (self->backend, self->object->pixels, slots, 12,
                                      &residual, &power);
  g_assert_true (prism_measurements_compute_noise_misfit (self->measurements, &predicted, NULL));
  g_test_message ("misfit of the truth %.4g, predicted %.4g", residual / power, predicted);
  g_assert_cmpfloat (predicted, >, 0.6 * residual / power);
  g_assert_cmpfloat (predicted, <, 1.4 * residual / power);
}

TEST_FIXTURE (no_noise_no_misfit, "/engine/measurements/no-noise-no-misfit")
{
  double predicted = NAN;

  g_assert_true (prism_measurements_compute_noise_misfit (self->measurements, &predicted, NULL));
  g_assert_cmpfloat (predicted, ==, 0.0);
}

/* Σ of the intensity, and Σ of the squared difference from another image's. */
static double
compare_intensities (Run *run, guint i, PrismImage *clean, double *energy)
{
  g_autoptr (PrismImage) image = prism_measurements_dup_image (run->measurements, i, NULL);
  double sum = 0.0;

  *energy = 0.0;
  for (int k = 0; k < 64 * 64; k++)
    {
      double a = pow (image->pixels[k], 2.0), b = pow (clean->pixels[k], 2.0);

      *energy += b;
      sum += (a - b) * (a - b);
    }
  return sum;
}

/* Whoever asks for the noise weighs by the energy next. */
TEST_WITH (noise_that_ends_leaves_energies, "/engine/measurements/noise-that-ends-leaves-energies",
           GINT_TO_POINTER (20))
{
  run_acquire_all (self);
  g_assert_cmpfloat (
      MUST (prism_measurements_estimate_noise (self->measurements, 3, &error))->scale, >, 0.0);
  self->config->snr = 0.0;
  prism_measurements_set_noise (self->measurements, self->config);
  for (guint i = 0; i < 12; i++)
    {
      g_assert_cmpfloat (
          MUST (prism_measurements_estimate_noise (self->measurements, i, &error))->scale, ==, 0.0);
      g_assert_cmpfloat (self->measurements->measurements[i].energy, >, 0.0);
    }
}

/* The image at the centre has the photons that were asked for, each of the same energy as in the
 * others: the variance is energy · intensity. */
TEST_FIXTURE (photons, "/engine/measurements/photons")
{
  double photon = 0.0, ratio = 0.0;
  PrismImage *clean[12];

  for (guint i = 0; i < 12; i++)
    clean[i] = prism_measurements_dup_image (self->measurements, i, NULL);
  self->config->photons = 1e7;
  prism_measurements_set_noise (self->measurements, self->config);
  for (guint i = 0; i < 12; i++)
    {
      double energy, squares = compare_intensities (self, i, clean[i], &energy);

      if (i == 0)
        photon = energy / 1e7;
      ratio += squares / (photon * energy) / 12;
    }
  g_assert_cmpfloat_with_epsilon (ratio, 1.0, 0.15);
  for (guint i = 0; i < 12; i++)
    prism_image_unref (clean[i]);
}

TEST_FIXTURE (read_noise, "/engine/measurements/read-noise")
{
  g_autoptr (PrismImage) clean = prism_measurements_dup_image (self->measurements, 2, NULL);
  double energy, power = 0.0;

  for (int k = 0; k < 64 * 64; k++)
    power += pow (clean->pixels[k], 4.0);
  self->config->read_snr = 20.0;
  prism_measurements_set_noise (self->measurements, self->config);
  double squares = compare_intensities (self, 2, clean, &energy);
  /* The clamp takes away up to half of it where there is no light. */
  g_assert_cmpfloat (squares / power, <, 0.011);
  g_assert_cmpfloat (squares / power, >, 0.005);
}

/* An image belongs to the line along which it was taken. */
TEST_FIXTURE (lines_have_keys_of_their_own, "/engine/measurements/lines-have-keys-of-their-own")
{
  if (self->backend->ops != &prism_cpu_backend_ops)
    {
      g_test_skip ("The device has no telescope that moves.");
      return;
    }
  g_autoptr (PrismImage) still = prism_measurements_dup_image (self->measurements, 3, NULL);
  for (int i = 0; i < 3; i++)
    {
      g_autoptr (PrismMeasurements) moving = NULL;
      PrismCacheStatistics before, after;

      self->config->line_length = i == 0 ? 5 : 7;
      self->config->line_angle = i == 2 ? 30 : 0;
      g_autoptr (PrismPattern) pattern = prism_pattern_new (self->config, NULL);
      g_autoptr (PrismScene) scene = prism_scene_new_simulated (self->object, pattern, 1);
      moving = prism_measurements_new (self->config, self->backend, self->cache, scene);
      prism_cache_get_statistics (self->cache, &before);
      g_autoptr (PrismImage) image = prism_measurements_dup_image (moving, 3, NULL);
      prism_cache_get_statistics (self->cache, &after);
      g_assert_cmpuint (after.n_entries, ==, before.n_entries + 1);
      g_assert_cmpint (memcmp (image->pixels, still->pixels, 64 * 64 * sizeof (float)), !=, 0);
    }
}

/* The camera adds up what it sees of an object that moves 5 px at 30°, here at 200 moments. */
/* 65 columns send frequencies up to 64, whose ends may meet; 66 do not fit. */
TEST (sides, "/engine/measurements/sides")
{
  g_assert_cmpuint (prism_measurements_choose_side (1024, 32), ==, 128);
  g_assert_cmpuint (prism_measurements_choose_side (1024, 32.5), ==, 256);
  g_assert_cmpuint (prism_measurements_choose_side (64, 100), ==, 64);
}

TEST (motion_blur, "/engine/measurements/motion-blur")
{
  enum
  {
    SIDE = 64,
    MOMENTS = 200
  };
  static float spectrum[2 * SIDE * SIDE], moved[2 * SIDE * SIDE];
  static double sum[SIDE * SIDE];
  Run sharp = { 0 }, moving = { 0 };
  g_autoptr (PrismImage) frame = NULL, blurred = NULL;

  set_up (&sharp, NULL);
  set_up (&moving, NULL);
  moving.config->motion_blur = 5.0;
  moving.config->motion_angle = 30.0;
  prism_measurements_free (moving.measurements);
  run_measure (&moving);
  frame = MUST (prism_measurements_dup_image (sharp.measurements, 5, &error));
  blurred = MUST (prism_measurements_dup_image (moving.measurements, 5, &error));
  for (gsize i = 0; i < SIDE * SIDE; i++)
    spectrum[2 * i] = frame->pixels[i] * frame->pixels[i];
  prism_fft_complex_transform (spectrum, SIDE, TRUE);
  for (int t = 0; t < MOMENTS; t++)
    {
      const double way = 5.0 * ((t + 0.5) / MOMENTS - 0.5);

      for (int i = 0; i < SIDE * SIDE; i++)
        {
          const int y = (i / SIDE + SIDE / 2) % SIDE - SIDE / 2;
          const int x = (i + SIDE / 2) % SIDE - SIDE / 2;
          const double angle = -2 * G_PI * way / SIDE * (y * sin (G_PI / 6) + x * cos (G_PI / 6));
          const double re = spectrum[2 * i], im = spectrum[2 * i + 1];

          moved[2 * i] = (float) (re * cos (angle) - im * sin (angle));
          moved[2 * i + 1] = (float) (re * sin (angle) + im * cos (angle));
        }
      prism_fft_complex_transform (moved, SIDE, FALSE);
      for (gsize i = 0; i < SIDE * SIDE; i++)
        sum[i] += moved[2 * i] / (double) (SIDE * SIDE * MOMENTS);
    }
  for (gsize i = 0; i < SIDE * SIDE; i++)
    g_assert_cmpfloat_with_epsilon (blurred->pixels[i] * blurred->pixels[i], sum[i],
                                    1e-4 * frame->pixels[SIDE * SIDE / 2 + SIDE / 2]);
  tear_down (&sharp, NULL);
  tear_down (&moving, NULL);
}
