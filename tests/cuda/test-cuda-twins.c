#include "test-cuda-backend.h"
#include "base/prism-error.h"
#include "cpu/prism-cpu-backend.h"
#include "cuda-close.h"
#include "cuda-problem.h"
#include "prism-test.h"

/* Each operation of the device beside the same of the CPU. n = image_size, m = object_size. */

typedef struct
{
  Problem cpu, cuda;
} Fixture;

static void
set_up (Fixture *self,
        gconstpointer data)
{
  self->cpu = problem_new (&prism_cpu_backend_ops);
  self->cuda = problem_new (test_cuda_get_ops ());
}

static void
tear_down (Fixture *self,
           gconstpointer data)
{
  problem_close (&self->cpu);
  problem_close (&self->cuda);
}

TEST_FIXTURE (twin_spectrum, "/cuda/backend/twin/spectrum")
{
  g_autofree float *a = g_new (float, PROBLEM_PLANE), *b = g_new (float, PROBLEM_PLANE);

  self->cpu.ops->get_spectrum (self->cpu.backend, a);
  self->cuda.ops->get_spectrum (self->cuda.backend, b);
  problem_finish (&self->cuda);
  assert_close (a, b, PROBLEM_PLANE, 1e-5);
}

/* A frame far out is faint, and the rounding that of the whole spectrum. */
TEST_FIXTURE (twin_measure, "/cuda/backend/twin/measure")
{
  g_autofree float *a = g_new (float, PROBLEM_PLANE), *b = g_new (float, PROBLEM_PLANE);

  for (guint i = 0; i < PROBLEM_SAMPLES; i++)
    {
      problem_read_buffer (&self->cpu, self->cpu.buffers[i], i, a);
      problem_read_buffer (&self->cuda, self->cuda.buffers[i], i, b);
      assert_close (a, b, PROBLEM_PLANE, 1e-5 * MAX (1.0, PROBLEM_IMAGE / 512.0));
    }
}

static void
expose (Problem *self,
        guint i,
        double read_snr,
        float *amplitude)
{
  PrismExposure exposure = { .snr = 20.0, .seed = 5, .sample = i, .read_snr = read_snr };
  g_autoptr (PrismBuffer) buffer = MUST (self->ops->expose (self->backend, self->buffers[i],
                                                            self->masks[i], &exposure, &error));

  problem_read_buffer (self, buffer, i, amplitude);
}

TEST_FIXTURE (twin_expose, "/cuda/backend/twin/expose")
{
  g_autofree float *a = g_new (float, PROBLEM_PLANE), *b = g_new (float, PROBLEM_PLANE);

  for (int i = 0; i < 2; i++)
    {
      expose (&self->cpu, 2, 15.0 * i, a);
      expose (&self->cuda, 2, 15.0 * i, b);
      assert_close (a, b, PROBLEM_PLANE, 1e-4);
    }
}

TEST_FIXTURE (twin_bind, "/cuda/backend/twin/bind")
{
  for (guint i = 0; i < PROBLEM_SAMPLES; i++)
    assert_same_double (problem_bind_again (&self->cpu, i), problem_bind_again (&self->cuda, i),
                        1e-5);
}

TEST_FIXTURE (twin_forward, "/cuda/backend/twin/forward")
{
  g_autofree float *a = g_new (float, PROBLEM_PIXELS), *b = g_new (float, PROBLEM_PIXELS);
  PrismMetrics p, q;

  self->cpu.ops->forward (self->cpu.backend);
  self->cpu.ops->read_image (self->cpu.backend, PRISM_SOURCE_DECODER, a);
  self->cuda.ops->forward (self->cuda.backend);
  self->cuda.ops->read_image (self->cuda.backend, PRISM_SOURCE_DECODER, b);
  assert_close (a, b, PROBLEM_PIXELS, 1e-5);
  self->cpu.ops->compute_metrics (self->cpu.backend, PRISM_SOURCE_DECODER, &p, NULL);
  self->cuda.ops->compute_metrics (self->cuda.backend, PRISM_SOURCE_DECODER, &q, NULL);
  assert_same_double (p.psnr, q.psnr, 1e-4);
  assert_same_double (p.ssim, q.ssim, 1e-3);
  assert_same_double (p.rmse, q.rmse, 1e-4);
  problem_finish (&self->cuda);
}

static void
compare_gradients (Fixture *self,
                   const PrismStep *step)
{
  gsize n = self->cpu.backend->spec.decoder.n_parameters;
  g_autofree float *a = g_new (float, n), *b = g_new (float, n);
  PrismStepResult p, q;

  self->cpu.ops->compute_gradient (self->cpu.backend, step, &p);
  self->cuda.ops->compute_gradient (self->cuda.backend, step, &q);
  g_assert_false (q.skipped);
  assert_same_double (p.loss_new, q.loss_new, 1e-4);
  assert_same_double (p.loss_old, q.loss_old, 1e-4);
  self->cpu.ops->get_gradient (self->cpu.backend, a);
  self->cuda.ops->get_gradient (self->cuda.backend, b);
  problem_finish (&self->cuda);
  assert_close (a, b, n, 1e-3);
}

static void
test_twin_gradient (Fixture *self,
                    gconstpointer data)
{
  guint n_old = GPOINTER_TO_UINT (data);

  for (int loss = PRISM_LOSS_L1; loss <= PRISM_LOSS_COMPOSITE; loss++)
    for (int domain = PRISM_DOMAIN_AMPLITUDE; domain <= PRISM_DOMAIN_INTENSITY; domain++)
      {
        PrismStep step = problem_make_step (1, n_old);

        step.loss = loss;
        step.weights[PRISM_LOSS_L1] = 0.7f;
        step.weights[PRISM_LOSS_SSIM] = 0.3f;
        step.domain = domain;
        step.normalise = n_old != 2;
        compare_gradients (self, &step);
      }
}

TEST_FIXTURE (twin_fit_start, "/cuda/backend/twin/fit-start")
{
  PrismStep step = { .fit_start = TRUE, .learning_rate = 2e-3 };

  compare_gradients (self, &step);
}

static void
compare_results (const PrismStepResult *a,
                 const PrismStepResult *b,
                 double tolerance)
{
  assert_same_double (a->loss_new, b->loss_new, tolerance);
  assert_same_double (a->loss_old, b->loss_old, tolerance);
  g_assert_cmpint (a->below_threshold, ==, b->below_threshold);
  g_assert_cmpint (a->skipped, ==, b->skipped);
  g_assert_cmpint (isnan (a->metrics.psnr), ==, isnan (b->metrics.psnr));
  if (!isnan (a->metrics.psnr))
    {
      assert_same_double (a->metrics.psnr, b->metrics.psnr, 100 * tolerance);
      assert_same_double (a->metrics.rmse, b->metrics.rmse, 100 * tolerance);
    }
}

/* Few steps: the path of an optimiser is chaotic. */
TEST_FIXTURE (twin_train, "/cuda/backend/twin/train")
{
  gsize n = problem_make_spec ().decoder.n_parameters;
  PrismStepResult p[3], q[3];
  PrismStep steps[3];

  problem_make_steps (steps, 3);
  steps[2].with_metrics = TRUE;
  g_assert_cmpuint (self->cpu.ops->train (self->cpu.backend, steps, 3, p), ==, 3);
  g_assert_cmpuint (self->cuda.ops->train (self->cuda.backend, steps, 3, q), ==, 3);
  for (guint i = 0; i < 3; i++)
    compare_results (&p[i], &q[i], 1e-3);
  g_autofree float *a = problem_dup_state (&self->cpu);
  g_autofree float *b = problem_dup_state (&self->cuda);
  assert_close (a, b, n, 1e-2);
  assert_close (a + n, b + n, n, 1e-2);
}

TEST_FIXTURE (twin_hold, "/cuda/backend/twin/hold")
{
  PrismStep step = problem_make_step (0, 1);
  PrismStepResult p, q;
  g_autoptr (GError) error = NULL;

  step.old_terms[0] = (PrismTerm) { PROBLEM_SAMPLES, 1.0f };
  g_assert_true (self->cpu.ops->hold (self->cpu.backend, PROBLEM_SAMPLES, self->cpu.masks[1],
                                      &error));
  g_assert_true (self->cuda.ops->hold (self->cuda.backend, PROBLEM_SAMPLES, self->cuda.masks[1],
                                       &error));
  self->cpu.ops->compute_gradient (self->cpu.backend, &step, &p);
  self->cuda.ops->compute_gradient (self->cuda.backend, &step, &q);
  assert_same_double (p.loss_new, q.loss_new, 1e-4);
  g_assert_cmpfloat (q.loss_old, <=, 1e-5);
}

static void
run_epie (Problem *self,
          const float *start,
          float *image,
          double *sums)
{
  self->ops->epie_start (self->backend, start);
  for (guint pass = 0; pass < 2; pass++)
    {
      for (guint i = 0; i < PROBLEM_SAMPLES; i++)
        self->ops->epie_update (self->backend, i, 1.0);
      self->ops->epie_project (self->backend);
    }
  self->ops->read_image (self->backend, PRISM_SOURCE_EPIE, image);
  self->ops->epie_collect (self->backend, &sums[0], &sums[1]);
  problem_finish (self);
}

TEST_FIXTURE (twin_epie, "/cuda/backend/twin/epie")
{
  g_autofree float *a = g_new (float, PROBLEM_PIXELS), *b = g_new (float, PROBLEM_PIXELS);
  g_autofree float *start = problem_dup_random (PROBLEM_PIXELS, 9);
  const float *starts[] = { NULL, start };

  for (guint i = 0; i < G_N_ELEMENTS (starts); i++)
    {
      double p[2], q[2];

      run_epie (&self->cpu, starts[i], a, p);
      run_epie (&self->cuda, starts[i], b, q);
      assert_close (a, b, PROBLEM_PIXELS, 1e-4);
      assert_same_double (p[0], q[0], 1e-3);
      assert_same_double (p[1], q[1], 1e-4);
      self->cuda.ops->epie_collect (self->cuda.backend, &q[0], &q[1]);
      g_assert_cmpfloat (q[0], ==, 0.0);
      g_assert_cmpfloat (q[1], ==, 0.0);
    }
}

/* More terms than a step has, each measurement several times: with noise, without, and weighted.
 * The slope is added to what is there. */
TEST_FIXTURE (twin_misfit_gradient, "/cuda/backend/twin/misfit-gradient")
{
  g_autofree float *image = problem_dup_random (PROBLEM_PIXELS, 4);
  g_autofree float *a = problem_dup_random (PROBLEM_PIXELS, 5);
  g_autofree float *b = problem_dup_random (PROBLEM_PIXELS, 5);
  PrismMisfitTerm terms[70];
  double p = 0.25, q = 0.25;

  for (guint i = 0; i < G_N_ELEMENTS (terms); i++)
    terms[i] = (PrismMisfitTerm) { i % PROBLEM_SAMPLES, 0.5f + 0.01f * i, 1e-4f * (i % 3) };
  self->cpu.ops->add_misfit_gradient (self->cpu.backend, image, terms, G_N_ELEMENTS (terms), a, &p);
  self->cuda.ops->add_misfit_gradient (self->cuda.backend, image, terms, G_N_ELEMENTS (terms), b,
                                       &q);
  assert_same_double (p, q, 1e-5);
  assert_close (a, b, PROBLEM_PIXELS, 1e-5);
  /* None: nothing is added. */
  p = q;
  self->cuda.ops->add_misfit_gradient (self->cuda.backend, image, terms, 0, b, &q);
  g_assert_cmpfloat (p, ==, q);
  problem_finish (&self->cuda);
}

/* Read noise, whose slots have tables: with and without shot noise, beside a term without any, the
 * same slot with one noise and then another, out to where the table ends. */
TEST_FIXTURE (twin_read_noise, "/cuda/backend/twin/read-noise")
{
  g_autofree float *image = problem_dup_random (PROBLEM_PIXELS, 4);
  g_autofree float *a = g_new0 (float, PROBLEM_PIXELS), *b = g_new0 (float, PROBLEM_PIXELS);
  PrismMisfitTerm terms[40];
  double p = 0.0, q = 0.0;

  for (guint i = 0; i < G_N_ELEMENTS (terms); i++)
    {
      const float read = i % 7 == 6 ? 0.0f : powf (10.0f, -9.0f + i / 10);

      terms[i] = (PrismMisfitTerm) { i % PROBLEM_SAMPLES, 0.5f + 0.01f * i, 1e-4f * (i % 3), read,
                                     0.25e-4f * (i % 3) + 0.1f * sqrtf (read) };
    }
  for (int pass = 0; pass < 2; pass++)
    {
      self->cpu.ops->add_misfit_gradient (self->cpu.backend, image, terms,
                                          G_N_ELEMENTS (terms), a, &p);
      self->cuda.ops->add_misfit_gradient (self->cuda.backend, image, terms,
                                           G_N_ELEMENTS (terms), b, &q);
      problem_finish (&self->cuda);
      assert_same_double (p, q, 1e-5);
      assert_close (a, b, PROBLEM_PIXELS, 1e-4);
    }
}

TEST_FIXTURE (twin_misfit, "/cuda/backend/twin/misfit")
{
  g_autofree float *image = problem_dup_random (PROBLEM_PIXELS, 4);
  guint slots[] = { 3, 0, 4 };
  double p[2], q[2];

  self->cpu.ops->compute_misfit (self->cpu.backend, image, slots, 3, &p[0], &p[1]);
  self->cuda.ops->compute_misfit (self->cuda.backend, image, slots, 3, &q[0], &q[1]);
  assert_same_double (p[0], q[0], 1e-4);
  assert_same_double (p[1], q[1], 1e-4);
  problem_finish (&self->cuda);
}

/* The same refusal as on the CPU, and the slot keeps what it held. */
TEST_FIXTURE (bind_not_finite, "/cuda/backend/twin/bind-not-finite")
{
  Problem *problems[] = { &self->cpu, &self->cuda };
  g_autofree float *amplitude = problem_dup_random (PROBLEM_PLANE, 6);
  g_autofree char *sentence = NULL;

  amplitude[PROBLEM_PLANE / 2 + 3] = NAN;
  for (guint i = 0; i < 2; i++)
    {
      Problem *self = problems[i];
      g_autoptr (GError) error = NULL;
      g_autoptr (PrismBuffer) bad = self->ops->load_buffer (self->backend, self->masks[1],
                                                            amplitude, &error);
      double energy;

      g_assert_false (self->ops->bind (self->backend, 1, self->masks[1], bad, &energy, &error));
      g_assert_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG);
      if (sentence != NULL)
        g_assert_cmpstr (error->message, ==, sentence);
      else
        sentence = g_strdup (error->message);
    }
  problem_finish (&self->cuda);
}

TESTS
{
  for (guint n = 0; n < 5; n += 2)
    {
      g_autofree char *path = g_strdup_printf ("/cuda/backend/twin/gradient/%u", n + 1);

      g_test_add (path, Fixture, GUINT_TO_POINTER (n), set_up, test_twin_gradient, tear_down);
    }
}
