#include "prism-test.h"
#include "test-cuda-telescope-common.h"

/* n = image_size, m = object_size. */

#define TOLERANCE 3e-5 /* of gradients: pixels whose l1 slope hangs by rounding come first */

static void
compare_with_twin (Fixture *fixture,
                   const PrismStep *step)
{
  const int n_pixels = fixture->m * fixture->m;
  float *image = new_random_floats (n_pixels, 5);
  g_autofree float *gradient = g_new (float, n_pixels);
  g_autofree float *expected = g_new (float, n_pixels);
  PrismStepResult result, twin;

  prism_cpu_telescope_compute_gradient (fixture->twin, step, image, expected, &twin);
  compute (fixture, step, image, gradient, &result);
  g_assert_false (result.skipped);
  g_assert_cmpfloat_with_epsilon (result.loss_new, twin.loss_new, 1e-6 * twin.loss_new);
  g_assert_cmpfloat_with_epsilon (result.loss_old, twin.loss_old, 1e-6 * twin.loss_old + 1e-30);
  g_assert_cmpfloat (get_relative_distance (gradient, expected, n_pixels), <, TOLERANCE);
}

/* All losses and domains, with and without the normaliser. */
static void
compare_losses (Fixture *fixture,
                guint n_old)
{
  for (int i = 0; i < 8; i++)
    {
      PrismStep step = {
        .loss = i % 2 == 0 ? PRISM_LOSS_L1 : PRISM_LOSS_L2,
        .domain = i / 2 % 2 == 0 ? PRISM_DOMAIN_AMPLITUDE : PRISM_DOMAIN_INTENSITY,
        .normalise = i / 4 == 0,
        .new_term = { 0, 0.75f },
        .n_old = n_old,
      };

      for (guint j = 0; j < n_old; j++)
        step.old_terms[j] = (PrismTerm) { j + 1, 0.25f * (j + 1) };
      compare_with_twin (fixture, &step);
    }
}

/* Disks at and beside the origin, out to the field's edges. */
static void
test_twin_disks (gconstpointer data)
{
  const int n = GPOINTER_TO_INT (data);

  Fixture *fixture = fixture_new (n, n / 4 + 6);
  bind_random (fixture, 0, new_disk (n, 2.5, -1.0, n / 25.0));
  bind_random (fixture, 1, new_disk (n, -n / 5.0, n / 7.0, n / 25.0));
  bind_random (fixture, 2, new_disk (n, n / 2.0, -n / 2.0 + 1.0, n / 20.0));
  compare_losses (fixture, 2);
}

/* Sizes whose kernels share out lines in another way; m small, for the sake of time. */
static void
test_twin_large (gconstpointer data)
{
  const int n = GPOINTER_TO_INT (data);
  const PrismStep step = {
    .loss = PRISM_LOSS_L2,
    .normalise = TRUE,
    .new_term = { 0, 0.75f },
    .n_old = 1,
    .old_terms = { { 1, 0.5f } },
  };

  Fixture *fixture = fixture_new (n, 40);
  bind_random (fixture, 0, new_disk (n, 2.5, -1.0, 6.0));
  bind_random (fixture, 1, new_disk (n, -n / 5.0, 3.0, 7.0));
  compare_with_twin (fixture, &step);
}

/* Boxes that are odd, wide, high, at the edges, one pixel and everything. */
TEST (twin_boxes, "/cuda/telescope/twin/boxes")
{
  const struct
  {
    int n, m, y0, x0, height, width;
  } boxes[] = {
    { 64, 16, -3, 5, 9, 9 },
    { 64, 18, -32, -32, 20, 33 },
    { 64, 64, 31, 31, 1, 1 },
    { 64, 64, 0, 0, 1, 1 },
    { 64, 30, -32, 0, 64, 31 },
    { 64, 64, -32, -32, 64, 64 },
    { 128, 50, 3, -64, 61, 65 },
    { 128, 128, -64, -7, 128, 17 },
    { 256, 20, -100, -9, 33, 32 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (boxes); i++)
    {
      const int n = boxes[i].n;
      PrismStep step = { .loss = PRISM_LOSS_L2, .normalise = TRUE, .new_term = { 0, 1.5f } };
      PrismMask *mask = new_box_mask (n, boxes[i].y0, boxes[i].x0, boxes[i].height, boxes[i].width);

      for (int j = 0; j < boxes[i].height * boxes[i].width; j++)
        mask->bits[j] = j % 3 != 1;
      Fixture *fixture = fixture_new (n, boxes[i].m);
      bind_random (fixture, 0, mask);
      compare_with_twin (fixture, &step);
    }
}

/* Memory "self": one aperture, and all those before as one mask. */
TEST (twin_union, "/cuda/telescope/twin/union")
{
  Fixture *fixture = fixture_new (128, 44);
  bind_random (fixture, 0, new_disk (128, 20.0, -31.0, 9.0));
  bind_random (fixture, 1, new_noise_mask (128, 9));
  compare_losses (fixture, 1);
}

/* More terms than the planes hold at once, and as many as a step can have. */
TEST (twin_many_terms, "/cuda/telescope/twin/many-terms")
{
  Fixture *fixture = fixture_new (64, 40);
  for (guint i = 0; i < N_SLOTS; i++)
    {
      const double y = i - 12.0, x = 9.0 - 0.7 * i;

      bind_random (fixture, i, i % 5 == 4 ? new_noise_mask (64, i) : new_disk (64, y, x, 6.0));
    }
  compare_losses (fixture, N_SLOTS - 1);
}

static void
compare_similarities (Fixture *fixture)
{
  const PrismLossKind losses[] = { PRISM_LOSS_SSIM, PRISM_LOSS_MS_SSIM, PRISM_LOSS_COMPOSITE,
                                   PRISM_LOSS_COMPOSITE };

  for (int i = 0; i < 8; i++)
    {
      const PrismStep step = {
        .loss = losses[i / 2],
        .weights = { i < 6 ? 0.7f : 0.0f, i < 6 ? 0.0f : 0.3f, 0.3f, i < 6 ? 0.0f : 0.25f },
        .domain = i % 2 == 0 ? PRISM_DOMAIN_AMPLITUDE : PRISM_DOMAIN_INTENSITY,
        .new_term = { 0, 0.75f },
        .n_old = 2,
        .old_terms = { { 1, 0.25f }, { 2, 0.5f } },
      };

      compare_with_twin (fixture, &step);
    }
}

/* SSIM and MS-SSIM; sizes with 3, 4 and 5 scales. */
static void
test_twin_similarity (gconstpointer data)
{
  const int n = GPOINTER_TO_INT (data);

  Fixture *fixture = fixture_new (n, n / 4 + 6);
  bind_random (fixture, 0, new_disk (n, 2.5, -1.0, n / 12.0));
  bind_random (fixture, 1, new_box_mask (n, 0, 0, 0, 0));
  bind_random (fixture, 2, new_noise_mask (n, 9));
  compare_similarities (fixture);
}

TEST (empty_masks, "/cuda/telescope/empty-masks")
{
  const int n = 64, m = 16;
  g_autofree float *amplitude = g_new (float, n *n);
  float *image = new_random_floats (m * m, 2);
  g_autofree float *gradient = g_new (float, m *m);
  PrismStep step = { .normalise = TRUE, .new_term = { 0, 2.0f } };
  PrismStepResult result;

  for (int i = 0; i < n * n; i++)
    amplitude[i] = 0.5f;
  Fixture *fixture = fixture_new (n, m);
  bind (fixture, 0, new_box_mask (n, 0, 0, 0, 0), amplitude);
  bind_random (fixture, 1, new_disk (n, 3.0, 3.0, 4.0));

  /* Nothing is seen: the loss of a black image. */
  for (int i = 0; i < 2; i++)
    {
      step.loss = i == 0 ? PRISM_LOSS_L1 : PRISM_LOSS_L2;
      compute (fixture, &step, image, gradient, &result);
      g_assert_cmpfloat_with_epsilon (result.loss_new, 2.0, 1e-6);
      g_assert_cmpfloat (result.loss_old, ==, 0.0);
      for (int j = 0; j < m * m; j++)
        g_assert_cmpfloat (gradient[j], ==, 0.0f);
    }
  /* Beside one that sees something. */
  step.n_old = 2;
  step.old_terms[0] = (PrismTerm) { 1, 0.5f };
  step.old_terms[1] = (PrismTerm) { 0, 0.25f };
  compare_with_twin (fixture, &step);
}

/* A black image: |y| is 0 everywhere, and so is the gradient, whatever the loss. */
TEST (black_image, "/cuda/telescope/black-image")
{
  const int n = 64, m = 20;
  g_autofree float *image = g_new0 (float, m *m);
  g_autofree float *gradient = g_new (float, m *m);
  PrismStepResult result;

  Fixture *fixture = fixture_new (n, m);
  bind_random (fixture, 0, new_disk (n, 0.0, 0.0, 5.0));
  for (int i = 0; i < 4; i++)
    {
      PrismStep step = {
        .loss = i % 2 == 0 ? PRISM_LOSS_L1 : PRISM_LOSS_L2,
        .domain = i / 2 == 0 ? PRISM_DOMAIN_AMPLITUDE : PRISM_DOMAIN_INTENSITY,
        .normalise = TRUE,
        .new_term = { 0, 1.0f },
      };

      compute (fixture, &step, image, gradient, &result);
      g_assert_cmpfloat_with_epsilon (result.loss_new, 1.0, 1e-5);
      for (int j = 0; j < m * m; j++)
        g_assert_cmpfloat (gradient[j], ==, 0.0f);
    }
}

/* Along the gradient and at random, for smooth losses. */
static void
check_finite_differences (Fixture *fixture,
                          const PrismStep *step)
{
  const int n_pixels = fixture->m * fixture->m;
  const float size = 0.003f;
  float *image = new_random_floats (n_pixels, 5);
  float *direction = new_random_floats (n_pixels, 6);
  g_autofree float *moved = g_new (float, n_pixels);
  g_autofree float *gradient = g_new (float, n_pixels);
  g_autofree float *unused = g_new (float, n_pixels);
  PrismStepResult up, down;
  float largest = 0.0f;
  double slope = 0.0;

  compute (fixture, step, image, gradient, &up);
  for (int i = 0; i < n_pixels; i++)
    largest = MAX (largest, fabsf (gradient[i]));
  for (int i = 0; i < n_pixels; i++)
    {
      direction[i] += gradient[i] / largest - 0.5f;
      slope += gradient[i] * direction[i];
    }
  for (int i = 0; i < n_pixels; i++)
    moved[i] = image[i] + size * direction[i];
  compute (fixture, step, moved, unused, &up);
  for (int i = 0; i < n_pixels; i++)
    moved[i] = image[i] - size * direction[i];
  compute (fixture, step, moved, unused, &down);
  g_assert_cmpfloat_with_epsilon ((up.loss_new + up.loss_old - down.loss_new - down.loss_old)
                                      / (2.0 * size),
                                  slope, 5e-3 * slope);
}

TEST (finite_differences, "/cuda/telescope/finite-differences")
{
  Fixture *fixture = fixture_new (64, 32);
  bind_random (fixture, 0, new_disk (64, 3.0, -5.0, 8.0));
  bind_random (fixture, 1, new_disk (64, -9.0, 14.0, 8.0));
  for (int i = 0; i < 6; i++)
    {
      const PrismStep step = {
        .loss = i / 2 == 0 ? PRISM_LOSS_L2 : i / 2 == 1 ? PRISM_LOSS_SSIM
                                                        : PRISM_LOSS_MS_SSIM,
        .domain = i % 2 == 0 ? PRISM_DOMAIN_AMPLITUDE : PRISM_DOMAIN_INTENSITY,
        .normalise = TRUE,
        .new_term = { 0, 1.0f },
        .n_old = 1,
        .old_terms = { { 1, 0.5f } },
      };

      check_finite_differences (fixture, &step);
    }
}

/* ---- the start phase ---- */

static void
test_start (gconstpointer data)
{
  const int m = GPOINTER_TO_INT (data), n_pixels = m * m;
  const PrismStep step = { .fit_start = TRUE };
  float *image = new_random_floats (n_pixels, 1);
  float *start = new_random_floats (n_pixels, 2);
  g_autofree float *gradient = g_new (float, n_pixels);
  double sum = 0.0, norm = 0.0;
  PrismStepResult result;

  image[3] = start[3];
  Fixture *fixture = fixture_new (256, m);
  assert_cuda (cudaMemcpy (fixture->telescope->start_image, start,
                           n_pixels * sizeof *start, cudaMemcpyHostToDevice));
  for (int i = 0; i < n_pixels; i++)
    {
      sum += fabsf (image[i] - start[i]);
      norm += fabsf (start[i]);
    }
  norm += 1e-8 * n_pixels;
  compute (fixture, &step, image, gradient, &result);
  g_assert_cmpfloat_with_epsilon (result.loss_new, sum / norm, 1e-7 * sum / norm);
  g_assert_cmpfloat (result.loss_old, ==, 0.0);
  for (int i = 0; i < n_pixels; i++)
    {
      const int sign = (image[i] > start[i]) - (image[i] < start[i]);

      g_assert_cmpfloat (gradient[i], ==, sign * (float) (1.0 / norm));
    }
}

/* ---- what a run relies on ---- */

static const PrismStep two_terms
    = { .normalise = TRUE, .new_term = { 0, 1.0f }, .n_old = 1, .old_terms = { { 1, 0.5f } } };

static const PrismStep two_similarities = {
  .loss = PRISM_LOSS_MS_SSIM,
  .new_term = { 0, 1.0f },
  .n_old = 1,
  .old_terms = { { 1, 0.5f } },
};

static Fixture *
fixture_new_two (void)
{
  Fixture *fixture = fixture_new (128, 50);

  bind_random (fixture, 0, new_disk (128, 1.0, 2.0, 9.0));
  bind_random (fixture, 1, new_disk (128, -3.0, 1.0, 9.0));
  return fixture;
}

/* The same bits each time, with and without what other sizes of a chunk's steps leave behind. */
TEST (repeat, "/cuda/telescope/repeat")
{
  const int n_pixels = 50 * 50;
  const PrismStep other = { .loss = PRISM_LOSS_L2, .new_term = { 1, 1.0f } };
  float *image = new_random_floats (n_pixels, 5);
  g_autofree float *first = g_new (float, n_pixels);
  g_autofree float *again = g_new (float, n_pixels);
  PrismStepResult first_result, result;
  Fixture *fixture = fixture_new_two ();

  compute (fixture, &two_terms, image, first, &first_result);
  compute (fixture, &other, image, again, &result);
  compute (fixture, &two_terms, image, again, &result);
  g_assert_cmpmem (first, n_pixels * sizeof *first, again, n_pixels * sizeof *again);
  g_assert_cmpfloat (first_result.loss_new, ==, result.loss_new);
  g_assert_cmpfloat (first_result.loss_old, ==, result.loss_old);
}

/* A shape with room for more than the step has gives the same. */
TEST (larger_shape, "/cuda/telescope/larger-shape")
{
  const int n_pixels = 50 * 50;
  const gsize n_bytes = n_pixels * sizeof (float);
  float *image = new_random_floats (n_pixels, 5);
  g_autofree float *expected = g_new (float, n_pixels);
  PrismStepResult result;
  Fixture *fixture = fixture_new_two ();

  compute (fixture, &two_terms, image, expected, &result);
  PrismCudaShape shape = get_shape (fixture, &two_terms);
  shape.n_terms = 7;
  shape.max_width = shape.max_height = 60;
  upload_step (fixture, &two_terms);
  assert_cuda (prism_cuda_telescope_compute_gradient (fixture->telescope, &shape, fixture->image,
                                                      fixture->gradient, NULL));
  float *gradient = dup_device_array (fixture->gradient, n_bytes);
  g_assert_cmpfloat (get_relative_distance (gradient, expected, n_pixels), <, 1e-6);
  PrismCudaControl *control = dup_device_array (fixture->control, sizeof *control);
  g_assert_cmpfloat (control->loss_new, ==, result.loss_new);
  g_assert_cmpfloat (control->loss_old, ==, result.loss_old);
}

/* Once a chunk is done nothing changes any more. */
static void
check_done (Fixture *fixture,
            const PrismStep *step)
{
  const gsize n_bytes = (gsize) fixture->m * fixture->m * sizeof (float);
  const PrismCudaShape shape = get_shape (fixture, step);
  float *image = new_random_floats (fixture->m * fixture->m, 5);

  upload_step (fixture, step);
  PrismCudaControl *control = dup_device_array (fixture->control, sizeof *control);
  control->done = 1;
  control->loss_new = 7.0;
  assert_cuda (cudaMemcpy (fixture->control, control, sizeof *control, cudaMemcpyHostToDevice));
  assert_cuda (cudaMemcpy (fixture->image, image, n_bytes, cudaMemcpyHostToDevice));
  assert_cuda (cudaMemset (fixture->gradient, 0x5a, n_bytes));
  float *before = dup_device_array (fixture->gradient, n_bytes);
  assert_cuda (prism_cuda_telescope_compute_gradient (fixture->telescope, &shape, fixture->image,
                                                      fixture->gradient, NULL));
  float *after = dup_device_array (fixture->gradient, n_bytes);
  const PrismCudaControl *control_after = dup_device_array (fixture->control, sizeof *control);
  g_assert_cmpmem (before, n_bytes, after, n_bytes);
  g_assert_cmpmem (control, sizeof *control, control_after, sizeof *control);
}

TEST (done, "/cuda/telescope/done")
{
  const PrismStep start = { .fit_start = TRUE };
  Fixture *fixture = fixture_new_two ();

  check_done (fixture, &two_terms);
  check_done (fixture, &two_similarities);
  check_done (fixture, &start);
}

TEST (not_finite, "/cuda/telescope/not-finite")
{
  const int n_pixels = 50 * 50;
  const float values[] = { NAN, INFINITY, -INFINITY, 1e30f };
  const PrismStep start = { .fit_start = TRUE };
  float *image = new_random_floats (n_pixels, 5);
  g_autofree float *gradient = g_new (float, n_pixels);
  PrismStepResult result;
  Fixture *fixture = fixture_new_two ();

  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    {
      image[77] = values[i];
      compute (fixture, &two_terms, image, gradient, &result);
      g_assert_true (result.skipped);
      compute (fixture, &two_similarities, image, gradient, &result);
      g_assert_true (result.skipped);
      compute (fixture, &start, image, gradient, &result);
      g_assert_true (result.skipped == !isfinite (values[i]));
    }
  image[77] = 0.5f;
  compute (fixture, &two_terms, image, gradient, &result);
  g_assert_false (result.skipped);
}

TESTS
{
  const int sizes[] = { 64, 128, 256, 512, 1024 };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autofree char *path = g_strdup_printf ("/cuda/telescope/twin/disks/%d", sizes[i]);

      if (sizes[i] <= 256 || g_test_slow ())
        g_test_add_data_func (path, GINT_TO_POINTER (sizes[i]), test_twin_disks);
    }
  for (int n = 2048; n <= 4096 && g_test_slow (); n *= 2)
    {
      g_autofree char *path = g_strdup_printf ("/cuda/telescope/twin/large/%d", n);

      g_test_add_data_func (path, GINT_TO_POINTER (n), test_twin_large);
    }
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autofree char *path = g_strdup_printf ("/cuda/telescope/twin/similarity/%d", sizes[i]);

      if (sizes[i] <= 256)
        g_test_add_data_func (path, GINT_TO_POINTER (sizes[i]), test_twin_similarity);
    }
  g_test_add_data_func ("/cuda/telescope/start/16", GINT_TO_POINTER (16), test_start);
  g_test_add_data_func ("/cuda/telescope/start/130", GINT_TO_POINTER (130), test_start);
}
