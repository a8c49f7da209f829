#include "config.h"

#include "prism-object.h"
#include "prism-start.h"

#include <math.h>

/* The images that the decoder learns first. n = image_size, m = object_size. */

typedef struct
{
  PrismConfig *config;
  PrismImage *object;
  PrismPattern *pattern;
  PrismBackend *backend;
  PrismCache *cache;
  PrismMeasurements *measurements;
} Fixture;

static void
fixture_init (Fixture *self,
              PrismStartTarget target)
{
  PrismBackendSpec spec = { .image_size = 64, .object_size = 20, .n_slots = 6, .n_threads = 1 };
  g_autoptr (GError) error = NULL;

  self->config = prism_config_new ();
  self->config->image_size = 64;
  self->config->object_size = 20;
  self->config->aperture_radius = 7.0;
  self->config->samples = 5;
  self->config->start_target = target;
  g_assert_true (prism_decoder_plan_init_config (&spec.decoder, self->config, &error));
  self->object = prism_object_load (self->config, &error);
  g_assert_no_error (error);
  self->pattern = prism_pattern_new (self->config, &error);
  g_assert_no_error (error);
  self->backend = prism_cpu_backend_ops.open (&spec, &error);
  g_assert_no_error (error);
  g_assert_true (
      self->backend->ops->set_object (self->backend, self->object->pixels, &error));
  self->cache = prism_cache_new (1 << 28);
  self->measurements = prism_measurements_new (self->config, self->backend, self->cache, 1,
                                               self->pattern);
}

static void
fixture_clear (Fixture *self)
{
  prism_measurements_free (self->measurements);
  prism_cache_free (self->cache);
  prism_backend_free (self->backend);
  prism_pattern_unref (self->pattern);
  prism_image_unref (self->object);
  prism_config_free (self->config);
}

/* The object's window of the first n_used measurements, added up, with a largest value of 1. */
static void
check_window (PrismStartTarget target,
              guint n_used)
{
  double expected[20][20] = { 0 }, largest = 0.0;
  g_autoptr (PrismImage) image = NULL;
  Fixture fixture;

  fixture_init (&fixture, target);
  image = prism_start_new_image (fixture.config, fixture.measurements, NULL);
  for (guint i = 0; i < n_used; i++)
    {
      g_autoptr (PrismImage) seen = prism_measurements_dup_image (fixture.measurements, i, NULL);

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
  fixture_clear (&fixture);
}

static void
test_measurement (void)
{
  check_window (PRISM_START_MEASUREMENT, 1);
}

static void
test_synthetic (void)
{
  check_window (PRISM_START_SYNTHETIC, 5);
}

/* Nine tenths of the width, in the middle; nothing is measured for it. */
static void
test_disk (void)
{
  g_autoptr (PrismImage) image = NULL;
  PrismCacheStatistics statistics;
  Fixture fixture;
  double area = 0.0;

  fixture_init (&fixture, PRISM_START_DISK);
  image = prism_start_new_image (fixture.config, fixture.measurements, NULL);
  for (int i = 0; i < 20 * 20; i++)
    {
      g_assert_true (image->pixels[i] == 0.0f || image->pixels[i] == 1.0f);
      g_assert_cmpfloat (image->pixels[i], ==, image->pixels[20 * 20 - 1 - i]);
      area += image->pixels[i];
    }
  g_assert_cmpfloat_with_epsilon (area, G_PI * 81.0, 0.04 * G_PI * 81.0);
  g_assert_cmpfloat (image->pixels[0], ==, 0.0f);
  g_assert_cmpfloat (image->pixels[10 * 20 + 10], ==, 1.0f);
  prism_cache_get_statistics (fixture.cache, &statistics);
  g_assert_cmpuint (statistics.misses, ==, 0);
  fixture_clear (&fixture);
}

int
main (int argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/start/measurement", test_measurement);
  g_test_add_func ("/engine/start/disk", test_disk);
  g_test_add_func ("/engine/start/synthetic", test_synthetic);
  return g_test_run ();
}
