#include "../support/test-run-parts.h"
#include "cpu/prism-cpu-backend.h"
#include "../support/test-config.h"
#include "solve/prism-replay.h"

/* The images that the decoder learns first. n = image_size, m = object_size. */

static void
open_run (Run *run, PrismStartTarget target)
{
  PrismConfig *config = test_config_new ("image_size=64 object_size=20 aperture_radius=7 "
                                         "samples=5 threads=1");

  config->start_target = target;
  run_prepare (run, config, NULL, &prism_cpu_backend_ops);
  run_measure (run);
}

/* The object's window of the first n_used measurements, added up, with a largest value of 1. */
static void
check_window (PrismStartTarget target, guint n_used)
{
  double expected[20][20] = { 0 }, largest = 0.0;
  g_auto (Run) run;

  open_run (&run, target);
  g_autoptr (PrismImage) image = prism_start_new_image (run.config, run.measurements, NULL);
  for (guint i = 0; i < n_used; i++)
    {
      g_autoptr (PrismImage) seen = prism_measurements_dup_image (run.measurements, i, NULL);

      for (int y = 0; y < 20; y++)
        for (int x = 0; x < 20; x++)
          {
            expected[y][x] += seen->pixels[(y + 22) * 64 + x + 22];
            largest = MAX (largest, expected[y][x]);
          }
    }
  for (int y = 0; y < 20; y++)
    for (int x = 0; x < 20; x++)
      g_assert_cmpfloat_with_epsilon (image->pixels[y * 20 + x], expected[y][x] / largest, 1e-6);
}

TEST (measurement, "/engine/start/measurement")
{
  check_window (PRISM_START_MEASUREMENT, 1);
}

TEST (synthetic, "/engine/start/synthetic")
{
  check_window (PRISM_START_SYNTHETIC, 5);
}

/* Nine tenths of the width, in the middle; nothing is measured for it. */
TEST (disk, "/engine/start/disk")
{
  PrismCacheStatistics statistics;
  g_auto (Run) run;
  double area = 0.0;

  open_run (&run, PRISM_START_DISK);
  g_autoptr (PrismImage) image = prism_start_new_image (run.config, run.measurements, NULL);
  for (int i = 0; i < 20 * 20; i++)
    {
      g_assert_true (image->pixels[i] == 0.0f || image->pixels[i] == 1.0f);
      g_assert_cmpfloat (image->pixels[i], ==, image->pixels[20 * 20 - 1 - i]);
      area += image->pixels[i];
    }
  g_assert_cmpfloat_with_epsilon (area, G_PI * 81.0, 0.04 * G_PI * 81.0);
  g_assert_cmpfloat (image->pixels[0], ==, 0.0f);
  g_assert_cmpfloat (image->pixels[10 * 20 + 10], ==, 1.0f);
  prism_cache_get_statistics (run.cache, &statistics);
  g_assert_cmpuint (statistics.misses, ==, 0);
}
