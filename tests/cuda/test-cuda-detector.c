#include "prism-test.h"
#include "test-cuda-detector-common.h"
#include "num/prism-metrics.h"

/* n = image_size, m = object_size. */

static void
check_measure (Fixture *fixture,
               const PrismMask *mask,
               const float *image)
{
  const gsize n_pixels = (gsize) fixture->n * fixture->n;
  float *seen = fixture_measure (fixture, mask, image);
  float *expected = fixture_measure_on_cpu (fixture, mask, image);

  g_assert_cmpfloat (get_relative_distance (seen, expected, n_pixels), <, 1e-6);
}

/* Objects of all relations to the field; apertures with real centres, also across its border, of
 * one pixel, of everything. */
TEST (measure_parity, "/cuda/detector/measure/parity")
{
  const struct
  {
    int n, m;
  } sizes[] = { { 64, 16 }, { 64, 18 }, { 64, 64 }, { 128, 50 }, { 128, 128 }, { 256, 66 } };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      const int n = sizes[i].n, m = sizes[i].m;
      float *object = new_random_floats (m * m, 1);
      float *image = new_random_floats (m * m, 2);
      g_autoptr (PrismMask) disk = new_disk (n, 3.4, -7.7, 9.3);
      g_autoptr (PrismMask) hexagon = new_aperture (n, PRISM_SHAPE_HEXAGON, -12.2, 5.5, 8.1);
      g_autoptr (PrismMask) obscured = new_aperture (n, PRISM_SHAPE_OBSCURED, 0.0, 0.0, 14.0);
      g_autoptr (PrismMask) corner = new_disk (n, n / 2 - 2.5, -n / 2 + 1.5, 8.0);
      g_autoptr (PrismMask) pixel = new_box_mask (n, -n / 2, n / 2 - 1, 1, 1);
      g_autoptr (PrismMask) wide = new_box_mask (n, -2, -n / 2, 3, n);
      g_autoptr (PrismMask) high = new_box_mask (n, -n / 2, 4, n, 5);
      g_autoptr (PrismMask) everything = new_noise_mask (n, i);
      const PrismMask *masks[] = {
        disk,
        hexagon,
        obscured,
        corner,
        pixel,
        wide,
        high,
        everything,
      };

      Fixture *fixture = fixture_new (n, m);
      fixture_set_object (fixture, object);
      for (guint j = 0; j < G_N_ELEMENTS (masks); j++)
        check_measure (fixture, masks[j], j % 2 == 0 ? image : NULL);
    }
}

/* The other sizes of transforms. */
TEST_NUMBERS (measure_large, "/cuda/detector/measure/%d", 512, 1024, 2048, 4096)
{
  const int n = GPOINTER_TO_INT (data), m = 64;
  float *object = new_random_floats (m * m, 1);
  float *image = new_random_floats (m * m, 2);
  g_autoptr (PrismMask) mask = new_disk (n, -n / 3 + 0.3, n / 5 - 0.7, n / 20);

  Fixture *fixture = fixture_new (n, m);
  fixture_set_object (fixture, object);
  check_measure (fixture, mask, n <= 1024 ? image : NULL);
}

/* All of the spectrum gives back the object, every pixel in its place. */
TEST (measure_whole_field, "/cuda/detector/measure/whole-field")
{
  const int n = 128, m = 42;
  g_autoptr (PrismMask) mask = new_box_mask (n, -n / 2, -n / 2, n, n);
  float *object = new_random_floats (m * m, 1);
  g_autofree float *natural = g_new0 (float, n *n);
  g_autofree float *expected = g_new (float, n *n);

  for (int y = 0; y < m; y++)
    memcpy (natural + (y + (n - m) / 2) * n + (n - m) / 2, object + y * m, m * sizeof *object);
  roll (expected, natural, n);
  Fixture *fixture = fixture_new (n, m);
  fixture_set_object (fixture, object);
  float *seen = fixture_measure (fixture, mask, NULL);
  g_assert_cmpfloat (get_relative_distance (seen, expected, n * n), <, 1e-6);
}

TEST (measure_nothing, "/cuda/detector/measure/nothing")
{
  g_autoptr (PrismMask) mask = new_box_mask (64, 0, 0, 0, 0);
  float *object = new_random_floats (16 * 16, 1);

  Fixture *fixture = fixture_new (64, 16);
  fixture_set_object (fixture, object);
  float *seen = fixture_measure (fixture, mask, NULL);
  for (int i = 0; i < 64 * 64; i++)
    g_assert_cmpfloat (seen[i], ==, 0.0f);
}

/* What moves in front of the telescope moves on the detector. */
TEST (measure_shift, "/cuda/detector/measure/shift")
{
  const int n = 64, m = 32, dy = 5, dx = -3;
  g_autoptr (PrismMask) mask = new_disk (n, 6.2, -9.1, 7.7);
  float *patch = new_random_floats (16 * 16, 1);
  g_autofree float *there = g_new0 (float, m *m);
  g_autofree float *here = g_new0 (float, m *m);
  g_autofree float *expected = g_new (float, n *n);

  for (int y = 0; y < 16; y++)
    for (int x = 0; x < 16; x++)
      {
        here[(y + 8) * m + x + 8] = patch[y * 16 + x];
        there[(y + 8 + dy) * m + x + 8 + dx] = patch[y * 16 + x];
      }
  Fixture *fixture = fixture_new (n, m);
  float *seen_here = fixture_measure (fixture, mask, here);
  float *seen_there = fixture_measure (fixture, mask, there);
  for (int y = 0; y < n; y++)
    for (int x = 0; x < n; x++)
      expected[(y + n + dy) % n * n + (x + n + dx) % n] = seen_here[y * n + x];
  g_assert_cmpfloat (get_relative_distance (seen_there, expected, n * n), <, 1e-6);
}

/* Energy on the detector is that of the spectrum within the mask; of everything, the object's. */
TEST (parseval, "/cuda/detector/parseval")
{
  const int n = 128, m = 30;
  g_autoptr (PrismMask) mask = new_disk (n, 3.3, 7.8, 12.4);
  g_autofree guint8 *plane = g_new0 (guint8, n * n);
  float *object = new_random_floats (m * m, 4);
  g_autofree float *spectrum = g_new (float, n *n);
  double within = 0.0, everywhere = 0.0, energy = 0.0, objects = 0.0;

  Fixture *fixture = fixture_new (n, m);
  fixture_set_object (fixture, object);
  float *seen = fixture_measure (fixture, mask, NULL);
  prism_cpu_telescope_get_spectrum (fixture->telescope, spectrum);
  prism_mask_accumulate (mask, plane);
  for (int i = 0; i < n * n; i++)
    {
      within += plane[i] ? (double) spectrum[i] * spectrum[i] : 0.0;
      everywhere += (double) spectrum[i] * spectrum[i];
      energy += (double) seen[i] * seen[i];
    }
  for (int i = 0; i < m * m; i++)
    objects += (double) object[i] * object[i];
  g_assert_cmpfloat_with_epsilon (energy, within, 1e-5 * within);
  g_assert_cmpfloat_with_epsilon (everywhere, objects, 1e-5 * objects);
}

/* From the object to what the camera stores, on both. */
TEST (expose, "/cuda/detector/expose")
{
  const int n = 128, m = 40;
  const PrismExposure exposure = { .snr = 12.0, .seed = 4, .sample = 7 };
  const PrismExposure none = { .snr = 0.0, .seed = 4, .sample = 7 };
  const gsize n_bytes = n * n * sizeof (float);
  g_autoptr (PrismMask) mask = new_disk (n, 3.0, -2.0, 11.0);
  float *object = new_random_floats (m * m, 3);
  g_autofree float *cpu_target = g_new (float, n *n);

  Fixture *fixture = fixture_new (n, m);
  fixture_set_object (fixture, object);
  float *clean = fixture_measure (fixture, mask, NULL);
  assert_cuda (prism_cuda_telescope_expose (fixture->detector, fixture->target, &none,
                                            fixture->targets, NULL));
  float *copy = dup_device_array (fixture->targets, n_bytes);
  g_assert_cmpmem (clean, n_bytes, copy, n_bytes);
  assert_cuda (prism_cuda_telescope_expose (fixture->detector, fixture->target, &exposure,
                                            fixture->target, NULL));
  float *noisy = dup_device_array (fixture->target, n_bytes);
  prism_cpu_telescope_measure (fixture->telescope, mask, NULL, cpu_target);
  prism_cpu_telescope_expose (fixture->telescope, mask, &exposure, cpu_target, cpu_target);
  float *expected = fixture_dup_cpu_target (fixture, mask, cpu_target);
  g_assert_cmpfloat (get_relative_distance (noisy, expected, n * n), <, 1e-5);
}

TEST (roll_and_sum, "/cuda/detector/roll-and-sum")
{
  const int n = 64;
  float *natural = new_random_floats (n * n, 1);
  g_autofree float *expected = g_new (float, n *n);
  double energy = 0.0;

  Fixture *fixture = fixture_new (n, 16);
  assert_cuda (cudaMemcpy (fixture->targets, natural, n * n * sizeof *natural,
                           cudaMemcpyHostToDevice));
  assert_cuda (prism_cuda_target_roll (fixture->target, fixture->targets, n, NULL));
  assert_cuda (prism_cuda_target_sum (fixture->sums, fixture->detector->target_partials,
                                      fixture->target, n, NULL));
  const float *target = dup_device_array (fixture->target, n * n * sizeof *target);
  const double *sums = dup_device_array (fixture->sums, 3 * sizeof *sums);
  roll (expected, natural, n);
  g_assert_cmpmem (target, n * n * sizeof *target, expected, n * n * sizeof *expected);
  for (int i = 0; i < n * n; i++)
    energy += (double) natural[i] * natural[i];
  g_assert_cmpfloat_with_epsilon (sums[1], energy, 1e-12 * energy);
}

TEST (metrics, "/cuda/detector/metrics")
{
  float *object = new_random_floats (50 * 50, 1);
  float *image = new_random_floats (50 * 50, 2);
  PrismMetrics metrics, expected;

  Fixture *fixture = fixture_new (64, 50);
  fixture_set_object (fixture, object);
  assert_cuda (prism_cuda_metrics_compute (
      fixture->control, fixture->detector->metrics_partials, fixture_load_image (fixture, image),
      fixture->detector->object, fixture->m, TRUE, NULL));
  const PrismCudaControl *control = dup_device_array (fixture->control, sizeof *control);
  g_assert_true (prism_metrics_compute (&expected, image, object, 50, 50, NULL));
  prism_metrics_finish (&metrics, (const PrismMetricsSums *) control->sums);
  g_assert_cmpfloat_with_epsilon (metrics.psnr, expected.psnr, 1e-9);
  g_assert_cmpfloat_with_epsilon (metrics.ssim, expected.ssim, 2e-6);
  g_assert_cmpfloat_with_epsilon (metrics.rmse, expected.rmse, 1e-9);
}

TEST (same_bits, "/cuda/detector/same-bits")
{
  const gsize n_bytes = 128 * 128 * sizeof (float);
  g_autoptr (PrismMask) mask = new_disk (128, 3.3, -7.8, 12.4);
  float *image = new_random_floats (50 * 50, 1);

  Fixture *fixture = fixture_new (128, 50);
  float *first = fixture_measure (fixture, mask, image);
  float *second = fixture_measure (fixture, mask, image);
  g_assert_cmpmem (first, n_bytes, second, n_bytes);
}
