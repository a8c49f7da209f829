#include "test-cpu-telescope-common.h"

#include "base/prism-system.h"
#include "model/prism-noise.h"

/* n = image_size, m = object_size, of most tests: */
#define N 64
#define M 16

static PrismMask *
new_golden_disk (PrismFields *golden, const char *key)
{
  return new_disk (get_size (golden, "config.image"), get_number (golden, key, 0),
                   get_number (golden, key, 1), get_number (golden, "config.radius", 0));
}

/* Loss of one term, and its gradient [m][m] added to gradient. */
static double
add_naive_term (double *gradient,
                const float *image,
                const PrismMask *mask,
                const float *amplitude,
                int m,
                const PrismStep *step,
                double weight)
{
  int n = mask->image_size, low = (n - m) / 2;
  g_autofree double complex *field = new_detector_field (image, mask, m);
  gboolean intensity = step->domain == PRISM_DOMAIN_INTENSITY;
  double sum = 0.0, norm = 0.0;

  for (int i = 0; i < n * n; i++)
    {
      double t = intensity ? (double) amplitude[i] * amplitude[i] : amplitude[i];

      norm += step->loss == PRISM_LOSS_L1 ? fabs (t) : t * t;
    }
  double factor = weight / (n * n * (step->normalise ? norm / (n * n) + 1e-8 : 1.0));

  for (int i = 0; i < n * n; i++)
    {
      double t = intensity ? (double) amplitude[i] * amplitude[i] : amplitude[i];
      double size = cabs (field[i]), p = intensity ? size * size : size, d = p - t;
      double slope = step->loss == PRISM_LOSS_L1 ? (d > 0.0) - (d < 0.0) : 2.0 * d;

      sum += step->loss == PRISM_LOSS_L1 ? fabs (d) : d * d;
      field[i] *= factor * slope * (intensity ? 2.0 : size > 0.0 ? 1.0 / size
                                                                 : 0.0);
    }

  transform_naively (field, n, -1);
  apply_mask (field, mask);
  transform_naively (field, n, +1);
  for (int y = 0; y < m; y++)
    for (int x = 0; x < m; x++)
      gradient[y * m + x] += creal (field[(y + low) * n + x + low]);
  return sum * factor;
}

/* ---- measurements ---- */

TEST_ROWS (measure_golden, "/engine/cpu-telescope/measure/golden", golden_files)
{
  g_autoptr (PrismFields) golden = load_golden (data);
  const int n = get_size (golden, "config.image"), m = get_size (golden, "config.object");
  prism_autofree_array float *object = dup_floats (golden, "object");
  prism_autofree_array float *expected = dup_floats (golden, "amplitude.new");
  prism_autofree_array float *expected_old = dup_floats (golden, "amplitude.old.of_object");
  g_autofree float *target = g_new (float, n *n), *amplitude = g_new (float, n *n);
  g_autoptr (PrismMask) new_mask = new_golden_disk (golden, "config.new_center");
  g_autoptr (PrismMask) old_mask = new_golden_disk (golden, "config.old_center");

  Fixture fixture = fixture_new (n, m, 1);
  g_assert_true (prism_cpu_telescope_set_object (fixture.telescope, object, NULL));
  prism_cpu_telescope_measure (fixture.telescope, new_mask, NULL, target);
  prism_cpu_telescope_read_target (fixture.telescope, new_mask, target, amplitude);
  g_assert_cmpfloat (get_distance (amplitude, expected, n * n), <, 1e-6);
  prism_cpu_telescope_measure (fixture.telescope, old_mask, object, target);
  prism_cpu_telescope_read_target (fixture.telescope, old_mask, target, amplitude);
  g_assert_cmpfloat (get_distance (amplitude, expected_old, n * n), <, 1e-6);
}

TEST_ROWS (spectrum_golden, "/engine/cpu-telescope/spectrum/golden", golden_files)
{
  g_autoptr (PrismFields) golden = load_golden (data);
  const int n = get_size (golden, "config.image"), m = get_size (golden, "config.object");
  prism_autofree_array float *object = dup_floats (golden, "object");
  prism_autofree_array float *expected = dup_floats (golden, "spectrum");
  g_autofree float *spectrum = g_new (float, n *n);

  Fixture fixture = fixture_new (n, m, 2);
  g_assert_true (prism_cpu_telescope_set_object (fixture.telescope, object, NULL));
  prism_cpu_telescope_get_spectrum (fixture.telescope, spectrum);
  for (int i = 0; i < n * n; i++)
    expected[i] = hypotf (expected[2 * i], expected[2 * i + 1]);
  g_assert_cmpfloat (get_distance (spectrum, expected, n * n), <, 1e-6);
}

static void
check_measure (int n, int m, const PrismMask *mask)
{
  g_autofree float *image = new_image (m * m, n + m), *target = g_new (float, n *n);
  g_autofree float *amplitude = g_new (float, n *n), *expected = g_new (float, n *n);
  g_autofree double complex *field = new_detector_field (image, mask, m);

  for (int i = 0; i < n * n; i++)
    expected[i] = (float) cabs (field[i]);
  Fixture fixture = fixture_new (n, m, 2);
  prism_cpu_telescope_measure (fixture.telescope, mask, image, target);
  prism_cpu_telescope_read_target (fixture.telescope, mask, target, amplitude);
  g_assert_cmpfloat (get_distance (amplitude, expected, n * n), <, 1e-6);
}

/* All lengths of transforms, boxes that are odd, wide, high, at the edges, one pixel and
 * everything. */
TEST (measure_naive, "/engine/cpu-telescope/measure/naive")
{
  const struct
  {
    int n, m, y0, x0, height, width;
  } boxes[] = {
    { 64, 16, -3, 5, 9, 9 },
    { 64, 18, -32, -32, 20, 33 },
    { 64, 64, 31, 31, 1, 1 },
    { 64, 30, -32, 0, 64, 31 },
    { 64, 64, -32, -32, 64, 64 },
    { 128, 50, 3, -64, 61, 65 },
    { 128, 128, -64, -7, 128, 17 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (boxes); i++)
    {
      g_autoptr (PrismMask) box = new_box_mask (boxes[i].n, boxes[i].y0, boxes[i].x0,
                                                boxes[i].height, boxes[i].width);
      g_autoptr (PrismMask) noise = new_noise_mask (boxes[i].n, i);
      g_autoptr (PrismMask) disk = new_disk (boxes[i].n, boxes[i].y0, boxes[i].x0, 7.3);

      check_measure (boxes[i].n, boxes[i].m, box);
      check_measure (boxes[i].n, boxes[i].m, noise);
      check_measure (boxes[i].n, boxes[i].m, disk);
    }
}

/* A whole field is seen as it is: Parseval, and every pixel in its place. */
TEST_NUMBERS (measure_whole_field, "/engine/cpu-telescope/measure/whole-field/%d", 64, 128, 256,
              512, 1024, 2048, 4096)
{
  const int n = GPOINTER_TO_INT (data), m = n / 2, low = (n - m) / 2;
  g_autoptr (PrismMask) mask = new_box_mask (n, -n / 2, -n / 2, n, n);
  g_autofree float *image = new_image (m * m, 1), *target = g_new (float, n *n);
  g_autofree float *amplitude = g_new (float, n *n), *expected = g_new0 (float, n *n);

  for (int y = 0; y < m; y++)
    memcpy (expected + (y + low) * n + low, image + y * m, m * sizeof *image);
  Fixture fixture = fixture_new (n, m, 2);
  prism_cpu_telescope_measure (fixture.telescope, mask, image, target);
  prism_cpu_telescope_read_target (fixture.telescope, mask, target, amplitude);
  g_assert_cmpfloat (get_distance (amplitude, expected, n * n), <, 1e-6);
}

TEST (measure_empty_mask, "/engine/cpu-telescope/measure/empty-mask")
{
  g_autoptr (PrismMask) mask = new_box_mask (64, 0, 0, 0, 0);
  g_autofree float *image = new_image (16 * 16, 1), *target = new_image (64 * 64, 2);

  Fixture fixture = fixture_new (64, 16, 1);
  prism_cpu_telescope_measure (fixture.telescope, mask, image, target);
  for (int i = 0; i < 64 * 64; i++)
    g_assert_cmpfloat (target[i], ==, 0.0f);
}

TEST (target_there_and_back, "/engine/cpu-telescope/target/there-and-back")
{
  g_autoptr (PrismMask) mask = new_disk (128, 3.0, -20.0, 11.0);
  g_autofree float *natural = new_image (128 * 128, 3), *target = g_new (float, 128 * 128);
  g_autofree float *back = g_new (float, 128 * 128);

  Fixture fixture = fixture_new (128, 40, 1);
  prism_cpu_telescope_load_target (fixture.telescope, mask, natural, target);
  prism_cpu_telescope_read_target (fixture.telescope, mask, target, back);
  g_assert_cmpmem (back, 128 * 128 * sizeof *back, natural, 128 * 128 * sizeof *natural);
}

TEST (expose, "/engine/cpu-telescope/expose/natural-pixels")
{
  const PrismExposure exposure = { .snr = 12.0, .seed = 4, .sample = 7 };
  const PrismNoise noise = { .snr = 12.0 };
  g_autoptr (PrismMask) mask = new_disk (N, 3.0, -2.0, 11.0);
  g_autofree float *natural = new_image (N * N, 3), *expected = g_new (float, N *N);
  g_autofree float *target = g_new (float, N *N), *noisy = g_new (float, N *N);

  for (int i = 0; i < N * N; i++)
    expected[i] = natural[i] * natural[i];
  prism_noise_expose (&noise, expected, N * N, 4, FALSE, 7);
  for (int i = 0; i < N * N; i++)
    expected[i] = sqrtf (MAX (expected[i], 0.0f));

  Fixture fixture = fixture_new (N, 16, 1);
  prism_cpu_telescope_load_target (fixture.telescope, mask, natural, target);
  prism_cpu_telescope_expose (fixture.telescope, mask, &exposure, target, target);
  prism_cpu_telescope_read_target (fixture.telescope, mask, target, noisy);
  g_assert_cmpmem (noisy, N * N * sizeof *noisy, expected, N * N * sizeof *expected);
}

TEST (expose_without_noise, "/engine/cpu-telescope/expose/without-noise")
{
  const PrismExposure exposure = { .snr = 0.0, .seed = 4, .sample = 7 };
  g_autoptr (PrismMask) mask = new_disk (64, 3.0, -2.0, 11.0);
  g_autofree float *clean = new_image (64 * 64, 3), *target = g_new (float, 64 * 64);

  Fixture fixture = fixture_new (64, 16, 1);
  prism_cpu_telescope_expose (fixture.telescope, mask, &exposure, clean, target);
  g_assert_cmpmem (target, 64 * 64 * sizeof *target, clean, 64 * 64 * sizeof *clean);
}

/* ---- losses ---- */

static void
check_golden_losses (PrismCpuTelescope *telescope,
                     PrismFields *golden,
                     PrismLossKind loss,
                     const char *key)
{
  const int m = get_size (golden, "config.object");
  PrismStep step = { .loss = loss, .normalise = TRUE, .new_term = { 0, 1.0f }, .n_old = 1 };
  prism_autofree_array float *image = dup_floats (golden, "out");
  g_autofree float *gradient = g_new (float, m *m);
  PrismStepResult result;

  step.old_terms[0] = (PrismTerm) { 1, 1.0f };
  prism_cpu_telescope_compute_gradient (telescope, &step, image, gradient, &result);
  g_assert_cmpfloat_with_epsilon (result.loss_old, get_number (golden, key, 0), 1e-6);
  g_assert_cmpfloat_with_epsilon (result.loss_new, get_number (golden, key, 1), 1e-6);
}

TEST_ROWS (loss_golden, "/engine/cpu-telescope/loss/golden", golden_files)
{
  static const char *const keys[] = { "loss.l1", "loss.l2", "loss.ssim", "loss.ms-ssim" };
  g_autoptr (PrismFields) golden = load_golden (data);
  const int n = get_size (golden, "config.image"), m = get_size (golden, "config.object");
  prism_autofree_array float *held = dup_floats (golden, "held");
  prism_autofree_array float *seen = dup_floats (golden, "amplitude.new");
  g_autofree float *old_target = g_new (float, n *n), *new_target = g_new (float, n *n);
  g_autoptr (PrismMask) new_mask = new_golden_disk (golden, "config.new_center");
  g_autoptr (PrismMask) old_mask = new_golden_disk (golden, "config.old_center");
  double energy, sum = 0.0;

  Fixture fixture = fixture_new (n, m, 1);
  prism_cpu_telescope_load_target (fixture.telescope, new_mask, seen, new_target);
  prism_cpu_telescope_load_target (fixture.telescope, old_mask, held, old_target);
  bind (&fixture, 0, new_mask, new_target, &energy);
  bind (&fixture, 1, old_mask, old_target, NULL);

  for (int i = 0; i < n * n; i++)
    sum += (double) seen[i] * seen[i];
  g_assert_cmpfloat_with_epsilon (energy, sum, 1e-9 * sum);
  for (PrismLossKind loss = PRISM_LOSS_L1; loss <= PRISM_LOSS_MS_SSIM; loss++)
    if (loss == PRISM_LOSS_L1 || prism_fields_find (golden, keys[loss]) != NULL)
      check_golden_losses (fixture.telescope, golden, loss, keys[loss]);
}

/* Slots 0, 1 …: disks of radius r, then a mask of everything at random; targets in natural order.
 * */
static void
bind_views (Fixture *fixture,
            guint n_slots,
            double radius,
            float **natural,
            float **targets,
            PrismMask **masks)
{
  const int n = fixture->n;

  for (guint i = 0; i < n_slots; i++)
    {
      masks[i] = OWN (prism_mask_unref, i == n_slots - 1
                                            ? new_noise_mask (n, 9)
                                            : new_disk (n, 2.5 * i, -7.0 + 3.0 * i, radius));
      natural[i] = OWN (g_free, new_image (n * n, 100 + i));
      targets[i] = OWN (g_free, g_new (float, n *n));
      for (int j = 0; j < n * n; j++)
        natural[i][j] *= 0.3f;
      prism_cpu_telescope_load_target (fixture->telescope, masks[i], natural[i], targets[i]);
      bind (fixture, i, masks[i], targets[i], NULL);
    }
}

static void
check_gradient (int n, int m, double radius, PrismStep *step)
{
  const guint n_slots = step->n_old + 1;
  float *natural[PRISM_STEP_MAX_OLD + 1], *targets[PRISM_STEP_MAX_OLD + 1];
  PrismMask *masks[PRISM_STEP_MAX_OLD + 1];
  g_autofree float *image = new_image (m * m, 5), *gradient = g_new (float, m *m);
  g_autofree float *expected = g_new (float, m *m);
  g_autofree double *sum = g_new0 (double, m *m);
  PrismStepResult result;
  double loss_old = 0.0;

  Fixture fixture = fixture_new (n, m, 2);
  bind_views (&fixture, n_slots, radius, natural, targets, masks);
  step->new_term = (PrismTerm) { 0, 0.75f };
  double loss_new = add_naive_term (sum, image, masks[0], natural[0], m, step, 0.75);
  for (guint i = 1; i < n_slots; i++)
    {
      step->old_terms[i - 1] = (PrismTerm) { i, 0.25f * i };
      loss_old += add_naive_term (sum, image, masks[i], natural[i], m, step, 0.25 * i);
    }
  for (int i = 0; i < m * m; i++)
    expected[i] = (float) sum[i];

  prism_cpu_telescope_compute_gradient (fixture.telescope, step, image, gradient, &result);
  g_assert_false (result.skipped);
  g_assert_cmpfloat_with_epsilon (result.loss_new, loss_new, 2e-6 * loss_new);
  g_assert_cmpfloat_with_epsilon (result.loss_old, loss_old, 2e-6 * loss_old);
  g_assert_cmpfloat (get_distance (gradient, expected, m * m), <, 1e-4);
}

TEST (gradient_naive, "/engine/cpu-telescope/gradient/naive")
{
  for (int i = 0; i < 8; i++)
    {
      PrismStep step = {
        .loss = i % 2 == 0 ? PRISM_LOSS_L1 : PRISM_LOSS_L2,
        .domain = i / 2 % 2 == 0 ? PRISM_DOMAIN_AMPLITUDE : PRISM_DOMAIN_INTENSITY,
        .normalise = i / 4 == 0,
        .n_old = 2,
      };

      check_gradient (64, 22, 5.0, &step);
      step.n_old = 1;
      check_gradient (128, 40, 21.0, &step);
    }
}

/* More terms than planes fit at once. */
TEST (gradient_of_many_terms, "/engine/cpu-telescope/gradient/many-terms")
{
  PrismStep step = { .loss = PRISM_LOSS_L2, .normalise = TRUE, .n_old = PRISM_STEP_MAX_OLD };

  check_gradient (64, 64, 13.0, &step);
}

/* The loss and its slope are the weighted sums of those of its parts. */
static void
check_composite (PrismDomain domain, const float weights[PRISM_STEP_N_WEIGHTS])
{
  const int n = 128, m = 50, n_pixels = m * m;
  float *natural[3], *targets[3];
  PrismMask *masks[3];
  PrismStep step = {
    .domain = domain,
    .normalise = TRUE,
    .new_term = { 0, 0.8f },
    .n_old = 2,
    .old_terms = { { 1, 0.5f }, { 2, 1.5f } },
  };
  g_autofree float *image = new_image (n_pixels, 5), *part = g_new (float, n_pixels);
  g_autofree float *expected = g_new0 (float, n_pixels), *gradient = new_image (n_pixels, 6);
  PrismStepResult result;
  double loss_new = 0.0, loss_old = 0.0;

  Fixture fixture = fixture_new (n, m, 2);
  bind_views (&fixture, 3, 9.0, natural, targets, masks);
  for (step.loss = 0; step.loss < PRISM_STEP_N_WEIGHTS; step.loss++)
    {
      prism_cpu_telescope_compute_gradient (fixture.telescope, &step, image, part, &result);
      loss_new += weights[step.loss] * result.loss_new;
      loss_old += weights[step.loss] * result.loss_old;
      for (int i = 0; i < n_pixels; i++)
        expected[i] += weights[step.loss] * part[i];
    }
  step.loss = PRISM_LOSS_COMPOSITE;
  memcpy (step.weights, weights, sizeof step.weights);
  prism_cpu_telescope_compute_gradient (fixture.telescope, &step, image, gradient, &result);
  g_assert_cmpfloat_with_epsilon (result.loss_new, loss_new, 1e-6 * (1.0 + loss_new));
  g_assert_cmpfloat_with_epsilon (result.loss_old, loss_old, 1e-6 * (1.0 + loss_old));
  for (int i = 0; i < n_pixels; i++)
    g_assert_cmpfloat_with_epsilon (gradient[i], expected[i], 1e-6);
}

TEST (composite_is_a_sum, "/engine/cpu-telescope/loss/composite")
{
  const float weights[][PRISM_STEP_N_WEIGHTS] = {
    { 0.7f, 0.0f, 0.3f, 0.0f },
    { 0.1f, 0.2f, 0.3f, 0.4f },
    { 0.0f, 0.0f, 0.0f, 2.0f },
    { 0.0f, 3.0f, 0.0f, 0.5f },
    { 0.0f, 0.0f, 0.0f, 0.0f },
  };

  for (guint i = 0; i < G_N_ELEMENTS (weights); i++)
    {
      check_composite (PRISM_DOMAIN_AMPLITUDE, weights[i]);
      check_composite (PRISM_DOMAIN_INTENSITY, weights[i]);
    }
}

static void
check_empty_mask (PrismLossKind loss, const float *target, double expected)
{
  g_autoptr (PrismMask) mask = new_box_mask (N, 0, 0, 0, 0);
  g_autofree float *image = new_image (M * M, 2), *gradient = new_image (M * M, 3);
  PrismStep step = { .loss = loss, .normalise = TRUE, .new_term = { 0, 2.0f } };
  PrismStepResult result;

  Fixture fixture = fixture_new (N, M, 1);
  bind (&fixture, 0, mask, target, NULL);
  prism_cpu_telescope_compute_gradient (fixture.telescope, &step, image, gradient, &result);
  g_assert_cmpfloat_with_epsilon (result.loss_new, expected, 1e-6);
  g_assert_cmpfloat (result.loss_old, ==, 0.0);
  for (int i = 0; i < M * M; i++)
    g_assert_cmpfloat (gradient[i], ==, 0.0f);
}

/* Nothing is seen: the loss of a black image, which for SSIM is that of black against white. */
TEST (empty_mask, "/engine/cpu-telescope/loss/empty-mask")
{
  g_autofree float *target = g_new (float, N *N);

  for (int i = 0; i < N * N; i++)
    target[i] = 1.0f;
  check_empty_mask (PRISM_LOSS_L1, target, 2.0);
  check_empty_mask (PRISM_LOSS_L2, target, 2.0);
  check_empty_mask (PRISM_LOSS_SSIM, target, 1.0 - 1e-4 / (1.0 + 1e-4));
}

/* A black image: |z| has no slope at 0, and a perfect one: |x| has none either. */
TEST (gradient_at_zero, "/engine/cpu-telescope/gradient/at-zero")
{
  g_autoptr (PrismMask) mask = new_disk (N, 0.0, 3.0, 6.0);
  g_autofree float *target = g_new0 (float, N *N), *image = g_new0 (float, M *M);
  g_autofree float *gradient = new_image (M * M, 3);
  PrismStepResult result;

  Fixture fixture = fixture_new (N, M, 1);
  for (int i = 0; i < 4; i++)
    {
      PrismStep step = { .loss = i % 2 == 0 ? PRISM_LOSS_L1 : PRISM_LOSS_L2, .normalise = TRUE };

      step.new_term = (PrismTerm) { 0, 1.0f };
      for (int j = 0; j < N * N; j++)
        target[j] = i / 2;
      bind (&fixture, 0, mask, target, NULL);
      prism_cpu_telescope_compute_gradient (fixture.telescope, &step, image, gradient, &result);
      g_assert_false (result.skipped);
      g_assert_cmpfloat_with_epsilon (result.loss_new, i / 2, 1e-6);
      for (int j = 0; j < M * M; j++)
        g_assert_cmpfloat (gradient[j], ==, 0.0f);
    }
}

TEST (not_a_number_is_skipped, "/engine/cpu-telescope/loss/not-a-number")
{
  const float values[] = { NAN, INFINITY, 3e30f };
  g_autoptr (PrismMask) mask = new_disk (N, 0.0, 3.0, 6.0);
  g_autofree float *target = new_image (N * N, 1), *gradient = g_new (float, M *M);

  Fixture fixture = fixture_new (N, M, 1);
  bind (&fixture, 0, mask, target, NULL);
  for (guint i = 0; i < 10 * G_N_ELEMENTS (values); i++)
    {
      g_autofree float *image = new_image (M * M, 2);
      PrismStep step = {
        .loss = i % 5,
        .weights = { 0.7f, 0.0f, 0.3f, 0.0f },
        .domain = i / 5 % 2 == 0 ? PRISM_DOMAIN_AMPLITUDE : PRISM_DOMAIN_INTENSITY,
        .new_term = { 0, 1.0f },
      };
      PrismStepResult result;

      image[77] = values[i / 10];
      prism_cpu_telescope_compute_gradient (fixture.telescope, &step, image, gradient, &result);
      g_assert_true (result.skipped);
    }
}

TEST (threshold, "/engine/cpu-telescope/loss/threshold")
{
  g_autoptr (PrismMask) mask = new_disk (N, 0.0, 3.0, 6.0);
  g_autofree float *image = new_image (M * M, 2), *target = g_new (float, N *N);
  g_autofree float *gradient = g_new (float, M *M);
  PrismStep step = { .normalise = TRUE, .new_term = { 0, 1.0f }, .threshold = 1e-3 };
  PrismStepResult result;

  Fixture fixture = fixture_new (N, M, 1);
  prism_cpu_telescope_measure (fixture.telescope, mask, image, target);
  bind (&fixture, 0, mask, target, NULL);
  prism_cpu_telescope_compute_gradient (fixture.telescope, &step, image, gradient, &result);
  g_assert_cmpfloat (result.loss_new, <, 1e-5);
  g_assert_true (result.below_threshold);
  image[0] += 1.0f;
  prism_cpu_telescope_compute_gradient (fixture.telescope, &step, image, gradient, &result);
  g_assert_false (result.below_threshold);
}

/* ---- threads and instruction sets ---- */

static void
compute_on_threads (guint n_threads, PrismLossKind loss, float *gradient, PrismStepResult *result)
{
  const int n = 256, m = 90;
  PrismStep step = {
    .loss = loss,
    .weights = { 0.7f, 0.0f, 0.3f, 0.0f },
    .normalise = TRUE,
    .n_old = 3,
    .new_term = { 0, 1.0f },
  };
  float *natural[4], *targets[4];
  PrismMask *masks[4];
  g_autofree float *image = new_image (m * m, 5);

  for (guint i = 1; i < 4; i++)
    step.old_terms[i - 1] = (PrismTerm) { i, 0.5f };
  Fixture fixture = fixture_new (n, m, n_threads);
  bind_views (&fixture, 4, 17.0, natural, targets, masks);
  prism_cpu_telescope_compute_gradient (fixture.telescope, &step, image, gradient, result);
}

TEST (threads_agree, "/engine/cpu-telescope/gradient/threads-agree")
{
  const PrismLossKind losses[] = { PRISM_LOSS_L1, PRISM_LOSS_MS_SSIM, PRISM_LOSS_COMPOSITE };
  const gsize n_bytes = 90 * 90 * sizeof (float);
  g_autofree float *expected = g_malloc (n_bytes), *gradient = g_malloc (n_bytes);
  PrismStepResult first, result;

  for (guint i = 0; i < G_N_ELEMENTS (losses); i++)
    {
      compute_on_threads (1, losses[i], expected, &first);
      for (guint n_threads = 2; n_threads <= 3; n_threads++)
        {
          compute_on_threads (n_threads, losses[i], gradient, &result);
          g_assert_cmpmem (gradient, n_bytes, expected, n_bytes);
          g_assert_cmpfloat (result.loss_new, ==, first.loss_new);
          g_assert_cmpfloat (result.loss_old, ==, first.loss_old);
        }
    }
}

static void
check_instruction_set (const char *name,
                       PrismLossKind loss,
                       const float *expected,
                       const PrismStepResult *first)
{
  const int n_pixels = 90 * 90;
  g_autofree float *gradient = g_new (float, n_pixels);
  PrismStepResult result;

  g_setenv ("PRISM_ISA", name, TRUE);
  compute_on_threads (1, loss, gradient, &result);
  g_assert_cmpfloat_with_epsilon (result.loss_new, first->loss_new, 2e-6 * first->loss_new);
  g_assert_cmpfloat_with_epsilon (result.loss_old, first->loss_old, 2e-6 * first->loss_old);
  g_assert_cmpfloat (get_distance (gradient, expected, n_pixels), <, 1e-3);
}

TEST (instruction_sets_agree, "/engine/cpu-telescope/gradient/instruction-sets-agree")
{
  const PrismLossKind losses[] = { PRISM_LOSS_L1, PRISM_LOSS_SSIM };
  g_autofree char *old = g_strdup (g_getenv ("PRISM_ISA"));
  g_autofree float *expected = g_new (float, 90 * 90);
  PrismStepResult first;

  for (guint i = 0; i < G_N_ELEMENTS (losses); i++)
    {
      g_setenv ("PRISM_ISA", "baseline", TRUE);
      compute_on_threads (1, losses[i], expected, &first);
      check_instruction_set ("avx2", losses[i], expected, &first);
      check_instruction_set ("avx512", losses[i], expected, &first);
    }
  if (old != NULL)
    g_setenv ("PRISM_ISA", old, TRUE);
  else
    g_unsetenv ("PRISM_ISA");
}

/* ---- bad input ---- */

TEST (bad_input, "/engine/cpu-telescope/bad-input")
{
  g_autoptr (PrismMask) mask = new_disk (N, 0.0, 0.0, 5.0);
  g_autofree float *object = new_image (M * M, 1), *target = new_image (N * N, 2);

  Fixture fixture = fixture_new (N, M, 1);
  object[5] = NAN;
  FAILS (prism_cpu_telescope_set_object (fixture.telescope, object, &error), CONFIG, "");
  target[100] = INFINITY;
  FAILS (prism_cpu_telescope_bind (fixture.telescope, 0, mask, target, NULL, &error), CONFIG, "");
}

TEST (slots_hold_masks, "/engine/cpu-telescope/slots-hold-masks")
{
  g_autoptr (PrismMask) mask = new_disk (N, 0.0, 0.0, 5.0);
  g_autofree float *target = new_image (N * N, 2);
  g_autoptr (PrismPool) pool = MUST (prism_pool_new (1, &error));
  Fixture fixture = { N, M, MUST (prism_cpu_telescope_new (N, M, 6, pool, &error)) };

  bind (&fixture, 0, mask, target, NULL);
  bind (&fixture, 0, mask, target, NULL);
  bind (&fixture, 5, mask, target, NULL);
  g_assert_cmpint (mask->ref_count, ==, 3);
  g_assert_true (prism_cpu_telescope_bind (fixture.telescope, 5, NULL, NULL, NULL, NULL));
  g_assert_cmpint (mask->ref_count, ==, 2);
  prism_cpu_telescope_free (fixture.telescope);
  g_assert_cmpint (mask->ref_count, ==, 1);
}

TEST (required_bytes, "/engine/cpu-telescope/required-bytes")
{
  guint64 small = prism_cpu_telescope_get_required_bytes (512, 128);
  guint64 large = prism_cpu_telescope_get_required_bytes (4096, 1024);

  /* Two complex planes at least, and not much more. */
  g_assert_cmpuint (small, >, 2 * 8 * 512 * 512);
  g_assert_cmpuint (large, >, 2 * 8 * 4096 * 4096);
  g_assert_cmpuint (large, <,
                    4 * 8 * 4096ull * 4096ull + prism_available_get_processors () * (3ull << 20));
}
