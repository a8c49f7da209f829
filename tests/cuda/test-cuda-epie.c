#include "prism-test.h"
#include "test-cuda-detector-common.h"
#include "prism-npy-test.h"

/* n = image_size, m = object_size. */

static void
clear_sums (Fixture *fixture)
{
  assert_cuda (cudaMemset (fixture->sums, 0, 2 * sizeof *fixture->sums));
}

/* residual and power as far as they have been added up. */
static void
get_sums (Fixture *fixture,
          double sums[2])
{
  assert_cuda (cudaMemcpy (sums, fixture->sums, 2 * sizeof *sums, cudaMemcpyDeviceToHost));
}

static void
start (Fixture *fixture,
       const float *image)
{
  const PrismCudaOptics optics = prism_cuda_telescope_get_optics (fixture->detector);
  const gsize n_pixels = (gsize) fixture->m * fixture->m;
  g_autofree float *blank = g_new (float, n_pixels);

  for (gsize i = 0; i < n_pixels; i++)
    blank[i] = 0.5f;
  assert_cuda (prism_cuda_spectrum_transform (
      &optics, fixture_load_image (fixture, image != NULL ? image : blank), TRUE,
      fixture->detector->half, fixture->detector->spectrum, NULL));
}

/* The launch may be larger than the slot's box, as where many slots share one. */
static void
update (Fixture *fixture,
        guint slot,
        double step_size,
        int excess)
{
  const PrismCudaTelescope *detector = fixture->detector;
  const PrismCudaOptics optics = prism_cuda_telescope_get_optics (detector);

  assert_cuda (prism_cuda_spectrum_update (&optics, fixture->slots + slot,
                                           MIN (fixture->masks[slot]->width + excess, fixture->n),
                                           step_size, detector->views, detector->planes,
                                           detector->sums, fixture->sums, detector->spectrum,
                                           NULL));
}

static float *
project (Fixture *fixture)
{
  const PrismCudaOptics optics = prism_cuda_telescope_get_optics (fixture->detector);

  assert_cuda (prism_cuda_spectrum_project (&optics, fixture->detector->half, fixture->image,
                                            fixture->detector->spectrum, NULL));
  return dup_device_array (fixture->image, fixture->m * fixture->m * sizeof (float));
}

/* Slots 0 … 5: one aperture of each kind. */
static void
bind_all (Fixture *fixture,
          const float *object,
          double snr)
{
  const int n = fixture->n;
  g_autoptr (PrismMask) center = new_disk (n, 0.0, 0.0, 9.0);
  g_autoptr (PrismMask) hexagon = new_aperture (n, PRISM_SHAPE_HEXAGON, -12.2, 5.5, 8.1);
  g_autoptr (PrismMask) obscured = new_aperture (n, PRISM_SHAPE_OBSCURED, 4.4, 3.0, 14.0);
  g_autoptr (PrismMask) corner = new_disk (n, n / 2 - 2.5, -n / 2 + 1.5, 8.0);
  g_autoptr (PrismMask) everything = new_noise_mask (n, 5);
  g_autoptr (PrismMask) nothing = new_box_mask (n, 0, 0, 0, 0);

  fixture_bind (fixture, 0, center, object, snr);
  fixture_bind (fixture, 1, hexagon, object, snr);
  fixture_bind (fixture, 2, obscured, object, snr);
  fixture_bind (fixture, 3, corner, object, snr);
  fixture_bind (fixture, 4, everything, object, snr);
  fixture_bind (fixture, 5, nothing, object, snr);
}

/* Passes of ePIE on both, from the same start; sums after every update, images after every pass. */
static void
check_parity (int n,
              int m,
              const float *image,
              double snr)
{
  float *object = new_random_floats (m * m, n + m);
  g_autofree float *expected = g_new (float, m *m);

  Fixture *fixture = fixture_new (n, m);
  bind_all (fixture, object, snr);
  start (fixture, image);
  prism_cpu_telescope_epie_start (fixture->telescope, image);
  for (int pass = 0; pass < 3; pass++)
    {
      double sums[2], residual = 0.0, power = 0.0;

      clear_sums (fixture);
      for (guint i = 0; i < 6; i++)
        {
          update (fixture, i, 0.8, i);
          prism_cpu_telescope_epie_update (fixture->telescope, i, 0.8, &residual, &power);
          get_sums (fixture, sums);
          g_assert_cmpfloat_with_epsilon (sums[0], residual, 1e-4 * residual + 1e-9 * power);
          g_assert_cmpfloat_with_epsilon (sums[1], power, 1e-6 * power);
        }
      float *projected = project (fixture);
      prism_cpu_telescope_epie_project (fixture->telescope, expected);
      g_assert_cmpfloat (get_relative_distance (projected, expected, m * m), <, 1e-4);
    }
}

TEST (parity, "/cuda/epie/parity")
{
  float *image = new_random_floats (50 * 50, 9);

  check_parity (64, 16, NULL, 0.0);
  check_parity (64, 64, NULL, 15.0);
  check_parity (128, 50, image, 0.0);
  check_parity (128, 50, image, 10.0);
}

/* The other sizes of transforms. The largest takes half a minute where threads are emulated. */
TEST_NUMBERS (large, "/cuda/epie/%d", 256, 512, 1024, 2048, 4096)
{
  const int n = GPOINTER_TO_INT (data), m = 32;
  const char *reason = n == 4096 && !g_test_slow () ? "takes long; run it with -m slow" : NULL;
  float *object = new_random_floats (m * m, 1);
  g_autofree float *expected = g_new (float, m *m);
  g_autoptr (PrismMask) mask = new_disk (n, 3.0, -2.0, n / 16);
  double sums[2], residual = 0.0, power = 0.0;

  if (reason != NULL)
    {
      g_test_skip (reason);
      return;
    }
  Fixture *fixture = fixture_new (n, m);
  fixture_bind (fixture, 0, mask, object, 0.0);
  start (fixture, NULL);
  update (fixture, 0, 1.0, 0);
  float *projected = project (fixture);
  get_sums (fixture, sums);
  prism_cpu_telescope_epie_start (fixture->telescope, NULL);
  prism_cpu_telescope_epie_update (fixture->telescope, 0, 1.0, &residual, &power);
  prism_cpu_telescope_epie_project (fixture->telescope, expected);
  g_assert_cmpfloat_with_epsilon (sums[0], residual, 1e-5 * residual);
  g_assert_cmpfloat_with_epsilon (sums[1], power, 1e-6 * power);
  g_assert_cmpfloat (get_relative_distance (projected, expected, m * m), <, 1e-5);
}

/* The object itself is left as it is, and explains everything. */
TEST (fixed_point, "/cuda/epie/fixed-point")
{
  const int n = 128, m = 40;
  float *object = new_random_floats (m * m, 2);
  double sums[2];

  Fixture *fixture = fixture_new (n, m);
  bind_all (fixture, object, 0.0);
  start (fixture, object);
  for (guint i = 0; i < 6; i++)
    update (fixture, i, 0.7, 0);
  float *image = project (fixture);
  get_sums (fixture, sums);
  g_assert_cmpfloat (sums[1], >, 0.0);
  g_assert_cmpfloat (sums[0] / sums[1], <, 1e-12);
  g_assert_cmpfloat (get_relative_distance (image, object, m * m), <, 1e-5);
}

/* A whole step through all frequencies leaves nothing to be explained: the second finds that. */
TEST (whole_step, "/cuda/epie/whole-step")
{
  const int n = 64, m = 20;
  g_autoptr (PrismMask) mask = new_box_mask (n, -n / 2, -n / 2, n, n);
  float *object = new_random_floats (m * m, 2);
  double first[2], second[2];

  Fixture *fixture = fixture_new (n, m);
  fixture_bind (fixture, 0, mask, object, 0.0);
  start (fixture, NULL);
  update (fixture, 0, 1.0, 0);
  get_sums (fixture, first);
  clear_sums (fixture);
  update (fixture, 0, 1.0, 0);
  get_sums (fixture, second);
  g_assert_cmpfloat (first[0] / first[1], >, 0.1);
  g_assert_cmpfloat (second[0] / second[1], <, 1e-10);
}

/* Real, within the support and from 0 to 1; what is not a number stays to be seen. */
TEST (project, "/cuda/epie/project")
{
  const int m = 30;
  float *image = new_random_floats (m * m, 2);

  for (int i = 0; i < m * m; i++)
    image[i] = 3.0f * image[i] - 1.0f;
  Fixture *fixture = fixture_new (64, m);
  start (fixture, image);
  float *projected = project (fixture);
  float *again = project (fixture);
  for (int i = 0; i < m * m; i++)
    {
      g_assert_cmpfloat_with_epsilon (projected[i], CLAMP (image[i], 0.0f, 1.0f), 1e-5);
      g_assert_cmpfloat_with_epsilon (again[i], projected[i], 1e-5);
    }
  image[7] = NAN;
  start (fixture, image);
  float *broken = project (fixture);
  g_assert_true (isnan (broken[7]));
}

TEST (blank, "/cuda/epie/blank")
{
  Fixture *fixture = fixture_new (64, 22);
  start (fixture, NULL);
  float *image = project (fixture);
  for (int i = 0; i < 22 * 22; i++)
    g_assert_cmpfloat_with_epsilon (image[i], 0.5f, 1e-6);
}

TEST (same_bits, "/cuda/epie/same-bits")
{
  const int m = 50;
  float *object = new_random_floats (m * m, 2);
  const float *images[2];
  double sums[2][2];

  Fixture *fixture = fixture_new (128, m);
  bind_all (fixture, object, 12.0);
  for (int run = 0; run < 2; run++)
    {
      clear_sums (fixture);
      start (fixture, NULL);
      for (guint i = 0; i < 6; i++)
        update (fixture, i, 0.9, 0);
      images[run] = project (fixture);
      get_sums (fixture, sums[run]);
    }
  g_assert_cmpmem (sums[0], sizeof sums[0], sums[1], sizeof sums[1]);
  g_assert_cmpmem (images[0], m * m * sizeof (float), images[1], m * m * sizeof (float));
}

static double
get_golden_number (PrismFields *golden,
                   const char *key)
{
  const PrismField *array = prism_fields_find (golden, key);

  return array->values[0];
}

static float *
dup_golden (PrismFields *golden,
            const char *key)
{
  const PrismField *array = prism_fields_find (golden, key);

  return test_dup_floats (array);
}

/* One pass over the golden disks from a blank image. */
TEST (golden, "/cuda/epie/golden")
{
  g_autofree char *path = g_build_filename (g_getenv ("PRISM_TEST_DATA"), "small_same.npz", NULL);
  g_autoptr (PrismFields) golden = prism_fields_load_npz (path, NULL);
  const int n = get_golden_number (golden, "config.image");
  const int m = get_golden_number (golden, "config.object"), low = (n - m) / 2;
  const double radius = 2.0 * get_golden_number (golden, "config.radius");
  const PrismField *centers = prism_fields_find (golden, "fermat");
  prism_autofree_array float *object = dup_golden (golden, "object");
  prism_autofree_array float *expected = dup_golden (golden, "epie/1");

  Fixture *fixture = fixture_new (n, m);
  start (fixture, NULL);
  for (guint i = 0; i < centers->shape[0]; i++)
    {
      g_autoptr (PrismMask) mask = new_disk (n, centers->values[2 * i], centers->values[2 * i + 1],
                                             radius);

      fixture_bind (fixture, 0, mask, object, 0.0);
      update (fixture, 0, 1.0, 0);
    }
  float *image = project (fixture);
  for (int y = 0; y < m; y++)
    for (int x = 0; x < m; x++)
      g_assert_cmpfloat_with_epsilon (image[y * m + x], expected[(y + low) * n + x + low], 1e-3);
}
