#include "config.h"

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
} Twins;

static void
twins_open (Twins *self)
{
  problem_open (&self->cpu, &prism_cpu_backend_ops);
  problem_open (&self->cuda, test_cuda_get_ops ());
}

static void
twins_close (Twins *self)
{
  problem_close (&self->cpu);
  problem_close (&self->cuda);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Twins, twins_close)

static void
test_twin_spectrum (void)
{
  g_auto (Twins) twins = { 0 };
  g_autofree float *a = g_new (float, PROBLEM_PLANE), *b = g_new (float, PROBLEM_PLANE);

  twins_open (&twins);
  twins.cpu.ops->get_spectrum (twins.cpu.backend, a);
  twins.cuda.ops->get_spectrum (twins.cuda.backend, b);
  problem_finish (&twins.cuda);
  assert_close (a, b, PROBLEM_PLANE, 1e-5);
}

/* A frame far out is faint, and the rounding that of the whole spectrum. */
static void
test_twin_measure (void)
{
  g_auto (Twins) twins = { 0 };
  g_autofree float *a = g_new (float, PROBLEM_PLANE), *b = g_new (float, PROBLEM_PLANE);

  twins_open (&twins);
  for (guint i = 0; i < PROBLEM_SAMPLES; i++)
    {
      problem_read_buffer (&twins.cpu, twins.cpu.buffers[i], i, a);
      problem_read_buffer (&twins.cuda, twins.cuda.buffers[i], i, b);
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

static void
test_twin_expose (void)
{
  g_auto (Twins) twins = { 0 };
  g_autofree float *a = g_new (float, PROBLEM_PLANE), *b = g_new (float, PROBLEM_PLANE);

  twins_open (&twins);
  for (int i = 0; i < 2; i++)
    {
      expose (&twins.cpu, 2, 15.0 * i, a);
      expose (&twins.cuda, 2, 15.0 * i, b);
      assert_close (a, b, PROBLEM_PLANE, 1e-4);
    }
}

static void
test_twin_bind (void)
{
  g_auto (Twins) twins = { 0 };

  twins_open (&twins);
  for (guint i = 0; i < PROBLEM_SAMPLES; i++)
    assert_same_double (problem_bind_again (&twins.cpu, i), problem_bind_again (&twins.cuda, i),
                        1e-5);
}

static void
test_twin_forward (void)
{
  g_auto (Twins) twins = { 0 };
  g_autofree float *a = g_new (float, PROBLEM_PIXELS), *b = g_new (float, PROBLEM_PIXELS);
  PrismMetrics p, q;

  twins_open (&twins);
  twins.cpu.ops->forward (twins.cpu.backend);
  twins.cpu.ops->read_image (twins.cpu.backend, PRISM_SOURCE_DECODER, a);
  twins.cuda.ops->forward (twins.cuda.backend);
  twins.cuda.ops->read_image (twins.cuda.backend, PRISM_SOURCE_DECODER, b);
  assert_close (a, b, PROBLEM_PIXELS, 1e-5);
  twins.cpu.ops->compute_metrics (twins.cpu.backend, PRISM_SOURCE_DECODER, &p, NULL);
  twins.cuda.ops->compute_metrics (twins.cuda.backend, PRISM_SOURCE_DECODER, &q, NULL);
  assert_same_double (p.psnr, q.psnr, 1e-4);
  assert_same_double (p.ssim, q.ssim, 1e-3);
  assert_same_double (p.rmse, q.rmse, 1e-4);
  problem_finish (&twins.cuda);
}

static void
compare_gradients (Twins *twins,
                   const PrismStep *step)
{
  gsize n = twins->cpu.backend->spec.decoder.n_parameters;
  g_autofree float *a = g_new (float, n), *b = g_new (float, n);
  PrismStepResult p, q;

  twins->cpu.ops->compute_gradient (twins->cpu.backend, step, &p);
  twins->cuda.ops->compute_gradient (twins->cuda.backend, step, &q);
  g_assert_false (q.skipped);
  assert_same_double (p.loss_new, q.loss_new, 1e-4);
  assert_same_double (p.loss_old, q.loss_old, 1e-4);
  twins->cpu.ops->get_gradient (twins->cpu.backend, a);
  twins->cuda.ops->get_gradient (twins->cuda.backend, b);
  problem_finish (&twins->cuda);
  assert_close (a, b, n, 1e-3);
}

static void
test_twin_gradient (gconstpointer data)
{
  guint n_old = GPOINTER_TO_UINT (data);
  g_auto (Twins) twins = { 0 };

  twins_open (&twins);
  for (int loss = PRISM_LOSS_L1; loss <= PRISM_LOSS_COMPOSITE; loss++)
    for (int domain = PRISM_DOMAIN_AMPLITUDE; domain <= PRISM_DOMAIN_INTENSITY; domain++)
      {
        PrismStep step = problem_make_step (1, n_old);

        step.loss = loss;
        step.weights[PRISM_LOSS_L1] = 0.7f;
        step.weights[PRISM_LOSS_SSIM] = 0.3f;
        step.domain = domain;
        step.normalise = n_old != 2;
        compare_gradients (&twins, &step);
      }
}

static void
test_twin_fit_start (void)
{
  g_auto (Twins) twins = { 0 };
  PrismStep step = { .fit_start = TRUE, .learning_rate = 2e-3 };

  twins_open (&twins);
  compare_gradients (&twins, &step);
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
static void
test_twin_train (void)
{
  g_auto (Twins) twins = { 0 };
  gsize n = problem_make_spec ().decoder.n_parameters;
  PrismStepResult p[3], q[3];
  PrismStep steps[3];

  twins_open (&twins);
  problem_make_steps (steps, 3);
  steps[2].with_metrics = TRUE;
  g_assert_cmpuint (twins.cpu.ops->train (twins.cpu.backend, steps, 3, p), ==, 3);
  g_assert_cmpuint (twins.cuda.ops->train (twins.cuda.backend, steps, 3, q), ==, 3);
  for (guint i = 0; i < 3; i++)
    compare_results (&p[i], &q[i], 1e-3);
  g_autofree float *a = problem_dup_state (&twins.cpu);
  g_autofree float *b = problem_dup_state (&twins.cuda);
  assert_close (a, b, n, 1e-2);
  assert_close (a + n, b + n, n, 1e-2);
}

static void
test_twin_hold (void)
{
  g_auto (Twins) twins = { 0 };
  PrismStep step = problem_make_step (0, 1);
  PrismStepResult p, q;
  g_autoptr (GError) error = NULL;

  twins_open (&twins);
  step.old_terms[0] = (PrismTerm) { PROBLEM_SAMPLES, 1.0f };
  g_assert_true (twins.cpu.ops->hold (twins.cpu.backend, PROBLEM_SAMPLES, twins.cpu.masks[1],
                                      &error));
  g_assert_true (twins.cuda.ops->hold (twins.cuda.backend, PROBLEM_SAMPLES, twins.cuda.masks[1],
                                       &error));
  twins.cpu.ops->compute_gradient (twins.cpu.backend, &step, &p);
  twins.cuda.ops->compute_gradient (twins.cuda.backend, &step, &q);
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

static void
test_twin_epie (void)
{
  g_auto (Twins) twins = { 0 };
  g_autofree float *a = g_new (float, PROBLEM_PIXELS), *b = g_new (float, PROBLEM_PIXELS);
  g_autofree float *start = problem_dup_random (PROBLEM_PIXELS, 9);
  const float *starts[] = { NULL, start };

  twins_open (&twins);
  for (guint i = 0; i < G_N_ELEMENTS (starts); i++)
    {
      double p[2], q[2];

      run_epie (&twins.cpu, starts[i], a, p);
      run_epie (&twins.cuda, starts[i], b, q);
      assert_close (a, b, PROBLEM_PIXELS, 1e-4);
      assert_same_double (p[0], q[0], 1e-3);
      assert_same_double (p[1], q[1], 1e-4);
      twins.cuda.ops->epie_collect (twins.cuda.backend, &q[0], &q[1]);
      g_assert_cmpfloat (q[0], ==, 0.0);
      g_assert_cmpfloat (q[1], ==, 0.0);
    }
}

/* More terms than a step has, each measurement several times: with noise, without, and weighted.
 * The slope is added to what is there. */
static void
test_twin_misfit_gradient (void)
{
  g_auto (Twins) twins = { 0 };
  g_autofree float *image = problem_dup_random (PROBLEM_PIXELS, 4);
  g_autofree float *a = problem_dup_random (PROBLEM_PIXELS, 5);
  g_autofree float *b = problem_dup_random (PROBLEM_PIXELS, 5);
  PrismMisfitTerm terms[70];
  double p = 0.25, q = 0.25;

  for (guint i = 0; i < G_N_ELEMENTS (terms); i++)
    terms[i] = (PrismMisfitTerm) { i % PROBLEM_SAMPLES, 0.5f + 0.01f * i, 1e-4f * (i % 3) };
  twins_open (&twins);
  twins.cpu.ops->add_misfit_gradient (twins.cpu.backend, image, terms, G_N_ELEMENTS (terms), a, &p);
  twins.cuda.ops->add_misfit_gradient (twins.cuda.backend, image, terms, G_N_ELEMENTS (terms), b,
                                       &q);
  assert_same_double (p, q, 1e-5);
  assert_close (a, b, PROBLEM_PIXELS, 1e-5);
  /* None: nothing is added. */
  p = q;
  twins.cuda.ops->add_misfit_gradient (twins.cuda.backend, image, terms, 0, b, &q);
  g_assert_cmpfloat (p, ==, q);
  problem_finish (&twins.cuda);
}

/* Read noise, whose slots have tables: with and without shot noise, beside a term without any, the
 * same slot with one noise and then another, out to where the table ends. */
static void
test_twin_read_noise (void)
{
  g_auto (Twins) twins = { 0 };
  g_autofree float *image = problem_dup_random (PROBLEM_PIXELS, 4);
  g_autofree float *a = g_new0 (float, PROBLEM_PIXELS), *b = g_new0 (float, PROBLEM_PIXELS);
  PrismMisfitTerm terms[40];
  double p = 0.0, q = 0.0;

  twins_open (&twins);
  for (guint i = 0; i < G_N_ELEMENTS (terms); i++)
    {
      const float read = i % 7 == 6 ? 0.0f : powf (10.0f, -9.0f + i / 10);

      terms[i] = (PrismMisfitTerm) { i % PROBLEM_SAMPLES, 0.5f + 0.01f * i, 1e-4f * (i % 3), read,
                                     0.25e-4f * (i % 3) + 0.1f * sqrtf (read) };
    }
  for (int pass = 0; pass < 2; pass++)
    {
      twins.cpu.ops->add_misfit_gradient (twins.cpu.backend, image, terms,
                                          G_N_ELEMENTS (terms), a, &p);
      twins.cuda.ops->add_misfit_gradient (twins.cuda.backend, image, terms,
                                           G_N_ELEMENTS (terms), b, &q);
      problem_finish (&twins.cuda);
      assert_same_double (p, q, 1e-5);
      assert_close (a, b, PROBLEM_PIXELS, 1e-4);
    }
}

static void
test_twin_misfit (void)
{
  g_auto (Twins) twins = { 0 };
  g_autofree float *image = problem_dup_random (PROBLEM_PIXELS, 4);
  guint slots[] = { 3, 0, 4 };
  double p[2], q[2];

  twins_open (&twins);
  twins.cpu.ops->compute_misfit (twins.cpu.backend, image, slots, 3, &p[0], &p[1]);
  twins.cuda.ops->compute_misfit (twins.cuda.backend, image, slots, 3, &q[0], &q[1]);
  assert_same_double (p[0], q[0], 1e-4);
  assert_same_double (p[1], q[1], 1e-4);
  problem_finish (&twins.cuda);
}

/* The same refusal as on the CPU, and the slot keeps what it held. */
static void
test_bind_not_finite (void)
{
  g_auto (Twins) twins = { 0 };
  Problem *problems[] = { &twins.cpu, &twins.cuda };
  g_autofree float *amplitude = problem_dup_random (PROBLEM_PLANE, 6);
  g_autofree char *sentence = NULL;

  twins_open (&twins);
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
  problem_finish (&twins.cuda);
}

void
test_cuda_twins_add (void)
{
  g_test_add_func ("/cuda/backend/twin/spectrum", test_twin_spectrum);
  g_test_add_func ("/cuda/backend/twin/measure", test_twin_measure);
  g_test_add_func ("/cuda/backend/twin/expose", test_twin_expose);
  g_test_add_func ("/cuda/backend/twin/bind", test_twin_bind);
  g_test_add_func ("/cuda/backend/twin/forward", test_twin_forward);
  g_test_add_data_func ("/cuda/backend/twin/gradient/1", GUINT_TO_POINTER (0), test_twin_gradient);
  g_test_add_data_func ("/cuda/backend/twin/gradient/3", GUINT_TO_POINTER (2), test_twin_gradient);
  g_test_add_data_func ("/cuda/backend/twin/gradient/5", GUINT_TO_POINTER (4), test_twin_gradient);
  g_test_add_func ("/cuda/backend/twin/fit-start", test_twin_fit_start);
  g_test_add_func ("/cuda/backend/twin/train", test_twin_train);
  g_test_add_func ("/cuda/backend/twin/hold", test_twin_hold);
  g_test_add_func ("/cuda/backend/twin/epie", test_twin_epie);
  g_test_add_func ("/cuda/backend/twin/misfit", test_twin_misfit);
  g_test_add_func ("/cuda/backend/twin/misfit-gradient", test_twin_misfit_gradient);
  g_test_add_func ("/cuda/backend/twin/read-noise", test_twin_read_noise);
  g_test_add_func ("/cuda/backend/twin/bind-not-finite", test_bind_not_finite);
}
