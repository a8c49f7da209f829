#include "base/prism-number.h"
#include "test-cpu-telescope-common.h"

/* n = image_size, m = object_size, of most tests: */
#define N 64
#define M 20

/* The golden passes' disks: twice the radius, all centres. */
static guint
bind_golden_disks (PrismCpuTelescope *telescope, PrismFields *golden, float **targets)
{
  const int n = get_size (golden, "config.image");
  const double radius = 2.0 * get_number (golden, "config.radius", 0);
  const PrismField *centers = prism_fields_find (golden, "fermat");
  const guint n_samples = (guint) centers->shape[0];

  for (guint i = 0; i < n_samples; i++)
    {
      const double *center = centers->values + 2 * i;
      g_autoptr (PrismMask) mask = new_disk (n, center[0], center[1], radius);

      targets[i] = g_new (float, n *n);
      prism_cpu_telescope_measure (telescope, mask, NULL, targets[i]);
      g_assert_true (prism_cpu_telescope_bind (telescope, i, mask, targets[i], NULL, NULL));
    }
  return n_samples;
}

/* Largest difference on the object's pixels to a golden image [n][n]. */
static double
compare_epie (PrismFields *golden, const char *key, const float *image, int n, int m)
{
  prism_autofree_array float *expected = dup_floats (golden, key);
  int low = (n - m) / 2;
  double worst = 0.0;

  for (int y = 0; y < m; y++)
    for (int x = 0; x < m; x++)
      worst = prism_worst (worst, fabs (image[y * m + x] - expected[(y + low) * n + x + low]));
  return worst;
}

TEST_ROWS (epie_golden, "/engine/cpu-telescope/epie/golden", golden_files)
{
  g_autoptr (PrismFields) golden = load_golden (data);
  const int n = get_size (golden, "config.image"), m = get_size (golden, "config.object");
  prism_autofree_array float *object = dup_floats (golden, "object");
  g_autofree float *image = g_new (float, m *m);
  float *targets[PRISM_STEP_MAX_OLD + 1];
  double first = 0.0, residual = 0.0, power = 0.0;

  Fixture fixture = fixture_new (n, m, 2);
  g_assert_true (prism_cpu_telescope_set_object (fixture.telescope, object, NULL));
  guint n_samples = bind_golden_disks (fixture.telescope, golden, targets);
  prism_cpu_telescope_epie_start (fixture.telescope, NULL);
  for (int pass = 1; pass <= 10; pass++)
    {
      residual = power = 0.0;
      for (guint i = 0; i < n_samples; i++)
        prism_cpu_telescope_epie_update (fixture.telescope, i, 1.0, &residual, &power);
      prism_cpu_telescope_epie_project (fixture.telescope, image);
      if (pass == 1)
        {
          first = residual / power;
          g_assert_cmpfloat (compare_epie (golden, "epie/1", image, n, m), <, 1e-3);
        }
    }
  g_assert_cmpfloat (compare_epie (golden, "epie/10", image, n, m), <, 1e-3);
  g_assert_cmpfloat (residual / power, <, 0.1 * first);

  for (guint i = 0; i < n_samples; i++)
    g_free (targets[i]);
}

/* The object itself is a fixed point, and has no misfit; a blank image has the misfit of the naive
 * sums. */
TEST (epie_fixed_point, "/engine/cpu-telescope/epie/fixed-point")
{
  g_autoptr (PrismMask) mask = new_disk (N, -4.0, 3.0, 9.0);
  g_autofree float *object = new_image (M * M, 2), *image = g_new (float, M *M);
  g_autofree float *target = g_new (float, N *N);
  double residual = 0.0, power = 0.0;

  Fixture fixture = fixture_new (N, M, 1);
  prism_cpu_telescope_measure (fixture.telescope, mask, object, target);
  bind (&fixture, 3, mask, target, NULL);
  prism_cpu_telescope_epie_start (fixture.telescope, object);
  prism_cpu_telescope_epie_update (fixture.telescope, 3, 0.7, &residual, &power);
  prism_cpu_telescope_epie_project (fixture.telescope, image);
  g_assert_cmpfloat (residual / power, <, 1e-12);
  g_assert_cmpfloat (get_distance (image, object, M * M), <, 1e-6);

  residual = power = 0.0;
  prism_cpu_telescope_compute_misfit (fixture.telescope, object, 3, &residual, &power);
  g_assert_cmpfloat (residual / power, <, 1e-12);
}

/* Without clamping a step of s goes s of the way. */
TEST (epie_step_size, "/engine/cpu-telescope/epie/step-size")
{
  g_autoptr (PrismMask) mask = new_disk (N, -4.0, 3.0, 9.0);
  g_autofree float *object = new_image (M * M, 2), *target = g_new (float, N *N);
  float *moved[3];

  for (int i = 0; i < M * M; i++)
    object[i] = 0.4f + 0.2f * object[i];
  Fixture fixture = fixture_new (N, M, 1);
  prism_cpu_telescope_measure (fixture.telescope, mask, object, target);
  bind (&fixture, 0, mask, target, NULL);
  for (int i = 0; i < 3; i++)
    {
      double residual = 0.0, power = 0.0;

      moved[i] = g_new (float, M *M);
      prism_cpu_telescope_epie_start (fixture.telescope, NULL);
      prism_cpu_telescope_epie_update (fixture.telescope, 0, 0.5 * i, &residual, &power);
      prism_cpu_telescope_epie_project (fixture.telescope, moved[i]);
    }
  g_assert_cmpfloat (get_distance (moved[2], moved[0], M * M), >, 1e-3);
  for (int i = 0; i < M * M; i++)
    g_assert_cmpfloat_with_epsilon (moved[1][i], 0.5f * (moved[0][i] + moved[2][i]), 1e-6);
  for (int i = 0; i < 3; i++)
    g_free (moved[i]);
}

TEST (misfit_naive, "/engine/cpu-telescope/misfit/naive")
{
  g_autoptr (PrismMask) mask = new_noise_mask (N, 3);
  g_autofree float *image = new_image (M * M, 2), *natural = new_image (N * N, 3);
  g_autofree float *target = g_new (float, N *N);
  g_autofree double complex *field = new_detector_field (image, mask, M);
  double residual = 1.0, power = 2.0, expected = 1.0, expected_power = 2.0;

  for (int i = 0; i < N * N; i++)
    {
      expected += (cabs (field[i]) - natural[i]) * (cabs (field[i]) - natural[i]);
      expected_power += (double) natural[i] * natural[i];
    }
  Fixture fixture = fixture_new (N, M, 2);
  prism_cpu_telescope_load_target (fixture.telescope, mask, natural, target);
  bind (&fixture, 0, mask, target, NULL);
  prism_cpu_telescope_compute_misfit (fixture.telescope, image, 0, &residual, &power);
  g_assert_cmpfloat_with_epsilon (residual, expected, 1e-5 * expected);
  g_assert_cmpfloat_with_epsilon (power, expected_power, 1e-5 * expected_power);
}

TEST (epie_empty_mask, "/engine/cpu-telescope/epie/empty-mask")
{
  g_autoptr (PrismMask) mask = new_box_mask (N, 0, 0, 0, 0);
  g_autofree float *target = g_new (float, N *N), *image = new_image (M * M, 2);
  g_autofree float *projected = g_new (float, M *M);
  double residual = 0.0, power = 0.0;

  for (int i = 0; i < N * N; i++)
    target[i] = 0.5f;
  Fixture fixture = fixture_new (N, M, 1);
  bind (&fixture, 0, mask, target, NULL);
  prism_cpu_telescope_epie_start (fixture.telescope, image);
  prism_cpu_telescope_epie_update (fixture.telescope, 0, 1.0, &residual, &power);
  prism_cpu_telescope_compute_misfit (fixture.telescope, image, 0, &residual, &power);
  prism_cpu_telescope_epie_project (fixture.telescope, projected);
  g_assert_cmpfloat_with_epsilon (residual, 0.5 * N * N, 1e-6);
  g_assert_cmpfloat_with_epsilon (power, 0.5 * N * N, 1e-6);
  g_assert_cmpfloat (get_distance (projected, image, M * M), <, 1e-6);
}
