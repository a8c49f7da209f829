#include "config.h"

#include "cuda-close.h"
#include "cuda-problem.h"
#include "test-cuda-descent.h"
#include "base/prism-error.h"
#include "cpu/prism-cpu-backend.h"
#include "device/prism-registry.h"

#ifdef PRISM_CUDA_EMULATION
#include "prism-cuda-backend.h"
#include "prism-emulation.h"
#endif

/* The device's table of operations against the CPU's, and what it promises on its own: linked with
 * the emulated device, or, as test-cuda-device, on the one that the module in PRISM_MODULE_DIR
 * finds. n = image_size, m = object_size. */

#define MAX_STEPS 64
/* Steps of the long run, unless PRISM_TEST_STEPS says otherwise, and of one of its chunks. */
#ifdef PRISM_CUDA_EMULATION
#define LONG_RUN 12
#define LONG_CHUNK 4
#else
#define LONG_RUN 1280
#define LONG_CHUNK MAX_STEPS
#endif

static const PrismBackendOps *
get_cuda (void)
{
#ifdef PRISM_CUDA_EMULATION
  return prism_cuda_backend_get_ops ();
#else
  return prism_registry_get_ops ("cuda");
#endif
}

/* A telescope that moves is refused in words, one that stands still is not. */
static void
test_unsupported (void)
{
  PrismBackendSpec spec = problem_make_spec ();
  g_autofree char *reason = NULL;

  spec.n_line_points = 1;
  g_assert_null (get_cuda ()->dup_unsupported_reason (&spec));
  spec.n_line_points = 7;
  reason = get_cuda ()->dup_unsupported_reason (&spec);
  g_assert_true (g_str_has_suffix (reason, "moves during the exposure."));
}

static void
test_supported (void)
{
  PrismBackendSpec spec = problem_make_spec ();

  spec.amsgrad = TRUE;
  spec.clips = TRUE;
  spec.read_noise = TRUE;
  g_assert_null (get_cuda ()->dup_unsupported_reason (&spec));
}

typedef struct
{
  Problem cpu, cuda;
} Twins;

static void
twins_open (Twins *self)
{
  problem_open (&self->cpu, &prism_cpu_backend_ops);
  problem_open (&self->cuda, get_cuda ());
}

static void
twins_close (Twins *self)
{
  problem_close (&self->cpu);
  problem_close (&self->cuda);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Twins, twins_close)

/* After the number of the interface, nothing but pointers, the size of a chunk, and that passes
 * take whole frames, which leaves nothing to measure points for. Weights are looked at where they
 * arrive on the host: what may be lost has a place for them anyway. */
static void
test_complete (void)
{
  const gpointer *words = (const gpointer *) get_cuda ();
  const gsize without = G_STRUCT_OFFSET (PrismBackendOps, is_finite) / sizeof (gpointer);
  const gsize whole = G_STRUCT_OFFSET (PrismBackendOps, samples_frames) / sizeof (gpointer);
  const gsize points = G_STRUCT_OFFSET (PrismBackendOps, measure_points) / sizeof (gpointer);

  g_assert_cmpuint (get_cuda ()->abi, ==, PRISM_BACKEND_ABI);
  g_assert_cmpstr (get_cuda ()->name, ==, "cuda");
  for (gsize i = 1; i < sizeof (PrismBackendOps) / sizeof (gpointer); i++)
    if (i != without && i != whole && i != points)
      g_assert_nonnull (words[i]);
}

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

static void
read_buffer (Problem *self,
             PrismBuffer *buffer,
             guint i,
             float *amplitude)
{
  self->ops->read_buffer (self->backend, buffer, self->masks[i], amplitude);
  problem_finish (self);
}

static void
test_twin_measure (void)
{
  g_auto (Twins) twins = { 0 };
  g_autofree float *a = g_new (float, PROBLEM_PLANE), *b = g_new (float, PROBLEM_PLANE);

  twins_open (&twins);
  for (guint i = 0; i < PROBLEM_SAMPLES; i++)
    {
      read_buffer (&twins.cpu, twins.cpu.buffers[i], i, a);
      read_buffer (&twins.cuda, twins.cuda.buffers[i], i, b);
      assert_close (a, b, PROBLEM_PLANE, 1e-5);
    }
}

static void
expose (Problem *self,
        guint i,
        double read_snr,
        float *amplitude)
{
  PrismExposure exposure = { .snr = 20.0, .seed = 5, .sample = i, .read_snr = read_snr };
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismBuffer) buffer = self->ops->expose (self->backend, self->buffers[i],
                                                      self->masks[i], &exposure, &error);

  g_assert_no_error (error);
  read_buffer (self, buffer, i, amplitude);
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
test_load_and_read (void)
{
  g_auto (Problem) cuda = { 0 };
  g_autofree float *a = problem_dup_random (PROBLEM_PLANE, 3), *b = g_new (float, PROBLEM_PLANE);
  g_autoptr (PrismBuffer) buffer = NULL;
  g_autoptr (GError) error = NULL;

  problem_open (&cuda, get_cuda ());
  buffer = cuda.ops->load_buffer (cuda.backend, cuda.masks[0], a, &error);
  g_assert_no_error (error);
  read_buffer (&cuda, buffer, 0, b);
  g_assert_cmpmem (a, PROBLEM_PLANE * sizeof *a, b, PROBLEM_PLANE * sizeof *b);
}

static double
bind_again (Problem *self,
            guint i)
{
  g_autoptr (GError) error = NULL;
  double energy = NAN;

  self->ops->bind (self->backend, i, self->masks[i], self->buffers[i], &energy, &error);
  g_assert_no_error (error);
  return energy;
}

static void
test_twin_bind (void)
{
  g_auto (Twins) twins = { 0 };

  twins_open (&twins);
  for (guint i = 0; i < PROBLEM_SAMPLES; i++)
    assert_same_double (bind_again (&twins.cpu, i), bind_again (&twins.cuda, i), 1e-5);
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
  g_autofree float *a = NULL, *b = NULL;
  PrismStepResult p[3], q[3];
  PrismStep steps[3];

  twins_open (&twins);
  problem_make_steps (steps, 3);
  steps[2].with_metrics = TRUE;
  g_assert_cmpuint (twins.cpu.ops->train (twins.cpu.backend, steps, 3, p), ==, 3);
  g_assert_cmpuint (twins.cuda.ops->train (twins.cuda.backend, steps, 3, q), ==, 3);
  for (guint i = 0; i < 3; i++)
    compare_results (&p[i], &q[i], 1e-3);
  a = problem_dup_state (&twins.cpu);
  b = problem_dup_state (&twins.cuda);
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
check_read_noise (Twins *twins)
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
      twins->cpu.ops->add_misfit_gradient (twins->cpu.backend, image, terms,
                                           G_N_ELEMENTS (terms), a, &p);
      twins->cuda.ops->add_misfit_gradient (twins->cuda.backend, image, terms,
                                            G_N_ELEMENTS (terms), b, &q);
      problem_finish (&twins->cuda);
      assert_same_double (p, q, 1e-5);
      assert_close (a, b, PROBLEM_PIXELS, 1e-4);
    }
}

static void
test_twin_read_noise (void)
{
  g_auto (Twins) twins = { 0 };

  twins_open (&twins);
  check_read_noise (&twins);
}

#ifdef PRISM_CUDA_EMULATION
/* The same by the reference transform. */
static void
test_twin_read_noise_by_reference (void)
{
  g_auto (Twins) twins = { 0 };
  PrismBackendSpec spec = problem_make_spec ();

  spec.reference_transform = TRUE;
  problem_open (&twins.cpu, &prism_cpu_backend_ops);
  problem_open_spec (&twins.cuda, get_cuda (), &spec);
  check_read_noise (&twins);
}
#endif

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

static void
test_frame (void)
{
  g_auto (Problem) cuda = { 0 };
  g_autofree float *a = g_new (float, PROBLEM_PIXELS), *b = g_new (float, PROBLEM_PIXELS);
  PrismStep steps[2] = { problem_make_step (0, 1), problem_make_step (1, 1) };
  PrismStepResult results[2];
  PrismMetrics metrics, expected;
  guint n_polls = 0;

  problem_open (&cuda, get_cuda ());
  g_assert_false (cuda.ops->collect_frame (cuda.backend, b, &metrics));
  cuda.ops->train (cuda.backend, &steps[0], 1, results);
  cuda.ops->read_image (cuda.backend, PRISM_SOURCE_DECODER, a);
  cuda.ops->compute_metrics (cuda.backend, PRISM_SOURCE_DECODER, &expected, NULL);
  cuda.ops->request_frame (cuda.backend);
  /* It is of the moment of the request, whatever comes after. */
  cuda.ops->train (cuda.backend, &steps[1], 1, results);
  cuda.ops->request_frame (cuda.backend);
  while (!cuda.ops->collect_frame (cuda.backend, b, &metrics))
    g_assert_cmpuint (++n_polls, <, 1000000);
  g_assert_cmpmem (a, PROBLEM_PIXELS * sizeof *a, b, PROBLEM_PIXELS * sizeof *b);
  g_assert_cmpfloat (metrics.psnr, ==, expected.psnr);
  g_assert_cmpfloat (metrics.ssim, ==, expected.ssim);
  g_assert_cmpfloat (metrics.rmse, ==, expected.rmse);
  g_assert_false (cuda.ops->collect_frame (cuda.backend, b, &metrics));
  problem_finish (&cuda);
}

static guint64
count_transfers (const PrismDeviceCounters *counters)
{
  guint64 n = 0;

  for (int kind = 0; kind < PRISM_N_TRANSFERS; kind++)
    n += counters->n_to_device[kind] + counters->n_to_host[kind];
  return n;
}

/* A chunk: its steps go over, its results come back, the host waits once. */
static void
test_chunk_is_one_transfer (void)
{
  g_auto (Problem) cuda = { 0 };
  PrismStep steps[MAX_STEPS];
  PrismStepResult results[MAX_STEPS];
  PrismDeviceCounters before, after;

  problem_open (&cuda, get_cuda ());
  problem_make_steps (steps, MAX_STEPS);
  cuda.ops->get_counters (cuda.backend, &before);
  for (guint k = 1; k <= 16; k *= 4)
    {
      g_assert_cmpuint (cuda.ops->train (cuda.backend, steps, k, results), ==, k);
      cuda.ops->get_counters (cuda.backend, &after);
      g_assert_cmpuint (after.n_to_device[PRISM_TRANSFER_STEP], ==,
                        before.n_to_device[PRISM_TRANSFER_STEP] + 1);
      g_assert_cmpuint (after.n_to_host[PRISM_TRANSFER_STEP], ==,
                        before.n_to_host[PRISM_TRANSFER_STEP] + 1);
      g_assert_cmpuint (count_transfers (&after), ==, count_transfers (&before) + 2);
      g_assert_cmpuint (after.n_waits, ==, before.n_waits + 1);
      g_assert_cmpuint (after.n_steps, ==, before.n_steps + k);
      before = after;
    }
}

static void
test_captured_once (void)
{
  g_auto (Problem) cuda = { 0 };
  PrismStep steps[MAX_STEPS];
  PrismStepResult results[MAX_STEPS];
  PrismDeviceCounters counters;

  problem_open (&cuda, get_cuda ());
  for (guint i = 0; i < 12; i++)
    {
      steps[i] = problem_make_step (0, 1);
      steps[i].learning_rate = 1e-3 / (i + 1);
      steps[i].old_terms[0].weight = 0.1f * i;
    }
  cuda.ops->train (cuda.backend, steps, 12, results);
  cuda.ops->train (cuda.backend, steps, 5, results);
  cuda.ops->get_counters (cuda.backend, &counters);
  g_assert_cmpuint (counters.n_captures, ==, 1);
  g_assert_cmpuint (counters.n_launches, ==, 17);
  bind_again (&cuda, 0);
  cuda.ops->train (cuda.backend, steps, 5, results);
  cuda.ops->get_counters (cuda.backend, &counters);
  g_assert_cmpuint (counters.n_captures, ==, 1);
  steps[0].fit_start = TRUE;
  cuda.ops->train (cuda.backend, steps, 2, results);
  cuda.ops->get_counters (cuda.backend, &counters);
  g_assert_cmpuint (counters.n_captures, ==, 2);
}

/* n_steps in chunks: the results in results, what is left behind is returned. */
static float *
run_in_chunks (guint n_steps,
               guint chunk,
               PrismStepResult *results)
{
  g_auto (Problem) cuda = { 0 };
  PrismStep steps[MAX_STEPS];

  problem_open (&cuda, get_cuda ());
  problem_make_steps (steps, n_steps);
  steps[0].fit_start = TRUE;
  for (guint done = 0; done < n_steps; done += chunk)
    {
      guint n = MIN (chunk, n_steps - done);

      g_assert_cmpuint (cuda.ops->train (cuda.backend, steps + done, n, results + done), ==, n);
    }
  return problem_dup_state (&cuda);
}

static gsize
get_state_bytes (void)
{
  return 3 * problem_make_spec ().decoder.n_parameters * sizeof (float);
}

static void
assert_same_results (const PrismStepResult *a,
                     const PrismStepResult *b,
                     guint n_steps)
{
  for (guint i = 0; i < n_steps; i++)
    {
      g_assert_cmpmem (&a[i].loss_new, sizeof (double), &b[i].loss_new, sizeof (double));
      g_assert_cmpmem (&a[i].loss_old, sizeof (double), &b[i].loss_old, sizeof (double));
      g_assert_cmpint (a[i].below_threshold, ==, b[i].below_threshold);
      g_assert_cmpint (a[i].skipped, ==, b[i].skipped);
      g_assert_cmpmem (&a[i].metrics, sizeof a[i].metrics, &b[i].metrics, sizeof b[i].metrics);
    }
}

static void
test_chunk_sizes (void)
{
  static const guint chunks[] = { 1, 7 };
  const guint n_steps = 10;
  PrismStepResult expected[MAX_STEPS], results[MAX_STEPS];
  g_autofree float *reference = run_in_chunks (n_steps, 64, expected);

  for (guint i = 0; i < G_N_ELEMENTS (chunks); i++)
    {
      g_autofree float *state = run_in_chunks (n_steps, chunks[i], results);

      assert_same_results (expected, results, n_steps);
      g_assert_cmpmem (reference, get_state_bytes (), state, get_state_bytes ());
    }
}

static void
test_without_graphs (void)
{
  const guint n_steps = 7;
  PrismStepResult expected[MAX_STEPS], results[MAX_STEPS];
  g_autofree float *reference = run_in_chunks (n_steps, 5, expected), *state = NULL;

  g_setenv ("PRISM_CUDA_NO_GRAPH", "1", TRUE);
  state = run_in_chunks (n_steps, 5, results);
  g_unsetenv ("PRISM_CUDA_NO_GRAPH");
  assert_same_results (expected, results, n_steps);
  g_assert_cmpmem (reference, get_state_bytes (), state, get_state_bytes ());
}

/* Any number of steps a graph and of blocks for the first layer; fewer launches with more steps. */
static void
test_choices_of_the_environment (void)
{
  static const struct
  {
    const char *name, *value;
    gboolean same_bits; /* sums of other blocks are rounded otherwise */
  } choices[] = {
    { "PRISM_CUDA_GRAPH_STEPS", "4", TRUE },
    { "PRISM_CUDA_GRAPH_STEPS", "1000000", TRUE },
    { "PRISM_CUDA_EARLY", "0", TRUE },
    { "PRISM_CUDA_SWEEP_BLOCKS", "3", FALSE },
    { "PRISM_CUDA_SWEEP_BLOCKS", "256", FALSE },
  };
  const guint n_steps = 14;
  PrismStepResult expected[MAX_STEPS], results[MAX_STEPS];
  g_autofree float *reference = run_in_chunks (n_steps, 64, expected);

  for (guint i = 0; i < G_N_ELEMENTS (choices); i++)
    {
      g_autofree float *state = NULL;

      g_setenv (choices[i].name, choices[i].value, TRUE);
      state = run_in_chunks (n_steps, 64, results);
      g_unsetenv (choices[i].name);
      assert_close (reference, state, get_state_bytes () / sizeof (float), 2e-2);
      if (!choices[i].same_bits)
        continue;
      assert_same_results (expected, results, n_steps);
      g_assert_cmpmem (reference, get_state_bytes (), state, get_state_bytes ());
    }
}

/* Steps alike go together while there are enough of them, and end where the threshold is met. */
static void
test_several_steps_a_graph (void)
{
  g_auto (Problem) cuda = { 0 };
  PrismStep steps[11];
  PrismStepResult results[11];
  PrismDeviceCounters counters;

  g_setenv ("PRISM_CUDA_GRAPH_STEPS", "4", TRUE);
  problem_open (&cuda, get_cuda ());
  g_unsetenv ("PRISM_CUDA_GRAPH_STEPS");
  for (guint i = 0; i < 11; i++)
    steps[i] = problem_make_step (0, 1);
  g_assert_cmpuint (cuda.ops->train (cuda.backend, steps, 11, results), ==, 11);
  cuda.ops->get_counters (cuda.backend, &counters);
  g_assert_cmpuint (counters.n_launches, ==, 2 + 3);
  g_assert_cmpuint (counters.n_captures, ==, 2);
  steps[5].threshold = 1e30;
  g_assert_cmpuint (cuda.ops->train (cuda.backend, steps, 11, results), ==, 6);
  problem_finish (&cuda);
}

static PrismStep
make_single_step (double threshold)
{
  PrismStep step = problem_make_step (0, 0);

  step.threshold = threshold;
  step.learning_rate = 1e-2;
  return step;
}

/* Between the losses of step 4 and of all before it. */
static double
find_threshold (guint *first)
{
  g_auto (Problem) cuda = { 0 };
  PrismStep steps[10];
  PrismStepResult results[10];
  guint best = 1;

  problem_open (&cuda, get_cuda ());
  for (guint i = 0; i < 10; i++)
    steps[i] = make_single_step (0.0);
  cuda.ops->train (cuda.backend, steps, 10, results);
  for (guint i = 1; i < 7; i++)
    if (results[i].loss_new < results[best].loss_new)
      best = i;
  g_assert_cmpfloat (results[best].loss_new, <, results[0].loss_new);
  *first = best;
  return nextafter (results[best].loss_new, INFINITY);
}

static void
test_below_threshold (void)
{
  g_auto (Problem) whole = { 0 }, part = { 0 };
  g_autofree float *a = NULL, *b = NULL;
  PrismStepResult results[10];
  PrismStep steps[10];
  guint first = 0;
  double threshold = find_threshold (&first);

  problem_open (&whole, get_cuda ());
  problem_open (&part, get_cuda ());
  for (guint i = 0; i < 10; i++)
    steps[i] = make_single_step (threshold);
  g_assert_cmpuint (whole.ops->train (whole.backend, steps, 10, results), ==, first + 1);
  g_assert_true (results[first].below_threshold);
  g_assert_false (results[first - 1].below_threshold);
  g_assert_cmpuint (part.ops->train (part.backend, steps, first, results), ==, first);
  a = problem_dup_state (&whole);
  b = problem_dup_state (&part);
  g_assert_cmpmem (a, get_state_bytes (), b, get_state_bytes ());
  /* The next chunk is not held up by what ended this one. */
  steps[0] = make_single_step (0.0);
  g_assert_cmpuint (whole.ops->train (whole.backend, steps, 1, results), ==, 1);
  g_assert_false (results[0].below_threshold);
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

static void
test_not_finite (void)
{
  g_auto (Problem) cuda = { 0 };
  g_autofree float *before = NULL, *after = NULL;
  PrismStep steps[3];
  PrismStepResult results[3];

  problem_open (&cuda, get_cuda ());
  for (guint i = 0; i < 3; i++)
    steps[i] = problem_make_step (0, 1);
  cuda.ops->train (cuda.backend, steps, 3, results);
  before = problem_dup_state (&cuda);
  for (guint i = 0; i < 3; i++)
    steps[i].old_terms[0].weight = NAN;
  g_assert_cmpuint (cuda.ops->train (cuda.backend, steps, 3, results), ==, 3);
  for (guint i = 0; i < 3; i++)
    {
      g_assert_true (results[i].skipped);
      g_assert_true (isnan (results[i].loss_old));
    }
  after = problem_dup_state (&cuda);
  g_assert_cmpmem (before, get_state_bytes (), after, get_state_bytes ());
  steps[0].old_terms[0].weight = 0.5f;
  cuda.ops->train (cuda.backend, steps, 1, results);
  g_assert_false (results[0].skipped);
}

static void
test_state_round_trip (void)
{
  g_auto (Problem) cuda = { 0 };
  gsize n = problem_make_spec ().decoder.n_parameters;
  g_autofree float *first = problem_dup_random (n, 11), *second = problem_dup_random (n, 12);
  g_autofree float *a = g_new (float, n), *b = g_new (float, n);
  guint64 n_steps = 0;

  problem_open (&cuda, get_cuda ());
  cuda.ops->get_gradient (cuda.backend, a);
  g_assert_true (isnan (a[0]) && isnan (a[n - 1]));
  cuda.ops->set_parameters (cuda.backend, second);
  cuda.ops->get_parameters (cuda.backend, a);
  g_assert_cmpmem (a, n * sizeof *a, second, n * sizeof *second);
  cuda.ops->set_moments (cuda.backend, first, second, NULL, 1234567890123);
  cuda.ops->get_moments (cuda.backend, a, b, NULL, &n_steps);
  g_assert_cmpmem (a, n * sizeof *a, first, n * sizeof *first);
  g_assert_cmpmem (b, n * sizeof *b, second, n * sizeof *second);
  g_assert_cmpuint (n_steps, ==, 1234567890123);
  cuda.ops->reset_optimizer (cuda.backend);
  cuda.ops->get_moments (cuda.backend, a, b, NULL, &n_steps);
  g_assert_cmpuint (n_steps, ==, 0);
  for (gsize i = 0; i < n; i++)
    g_assert_true (a[i] == 0.0f && b[i] == 0.0f);
}

static void
test_object_with_nan (void)
{
  g_auto (Problem) cuda = { 0 };
  g_autofree float *object = problem_dup_object ();
  g_autoptr (GError) error = NULL;

  problem_open (&cuda, get_cuda ());
  object[3 * PROBLEM_OBJECT + 4] = INFINITY;
  g_assert_false (cuda.ops->set_object (cuda.backend, object, &error));
  g_assert_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG);
  g_assert_nonnull (strstr (error->message, "row 3, column 4"));
}

static void
test_part_times (void)
{
  g_auto (Problem) captured = { 0 }, queued = { 0 };
  PrismStep steps[4];
  PrismStepResult results[4];
  const char *name = NULL;

  problem_make_steps (steps, 4);
  problem_open (&captured, get_cuda ());
  captured.ops->train (captured.backend, steps, 4, results);
  g_assert_cmpfloat (captured.ops->get_part_time (captured.backend, 0, &name), >, 0.0);
  g_assert_nonnull (name);
  g_assert_cmpfloat (captured.ops->get_part_time (captured.backend, 0, &name), ==, 0.0);
  g_assert_cmpfloat (captured.ops->get_part_time (captured.backend, 1, &name), ==, -1.0);

  g_setenv ("PRISM_CUDA_NO_GRAPH", "1", TRUE);
  problem_open (&queued, get_cuda ());
  g_unsetenv ("PRISM_CUDA_NO_GRAPH");
  queued.ops->train (queued.backend, steps, 4, results);
  for (guint part = 0; part < 3; part++)
    g_assert_cmpfloat (queued.ops->get_part_time (queued.backend, part, &name), >, 0.0);
  g_assert_cmpfloat (queued.ops->get_part_time (queued.backend, 3, &name), ==, -1.0);
}

/* No advice where it pays, but that an old device has no bf16. */
static void
test_precision_advice (void)
{
  PrismBackendSpec spec = problem_make_spec ();
  g_autofree char *none = get_cuda ()->dup_precision_advice (&spec), *small = NULL, *large = NULL;

  spec.precision = PRISM_PRECISION_BF16;
  spec.image_size = 512;
  small = get_cuda ()->dup_precision_advice (&spec);
  spec.image_size = 1024;
  large = get_cuda ()->dup_precision_advice (&spec);
  g_assert_null (none);
  g_assert_nonnull (small);
  g_assert_true (large == NULL || strstr (large, "fp16") != NULL);
}

/* cuFFT in the place of the own transforms. Who has none hears of it and sees the other tests. */
static void
test_reference_transform (void)
{
  PrismBackendSpec spec = problem_make_spec ();
  g_autoptr (GError) error = NULL;
  g_auto (Twins) twins = { 0 };
  PrismStep step = problem_make_step (0, 2);

  spec.reference_transform = TRUE;
  problem_open (&twins.cpu, get_cuda ());
  if (!problem_try_open_spec (&twins.cuda, get_cuda (), &spec, &error))
    {
      g_assert_error (error, PRISM_ERROR, PRISM_ERROR_BACKEND);
      g_test_skip (error->message);
      return;
    }
  compare_gradients (&twins, &step);
}

/* As many steps as one likes: what the device could still give does not change. */
static void
test_long_run (void)
{
  const char *text = g_getenv ("PRISM_TEST_STEPS");
  guint64 n_steps = text != NULL ? g_ascii_strtoull (text, NULL, 10) : LONG_RUN;
  g_auto (Problem) cuda = { 0 };
  PrismStep steps[MAX_STEPS];
  PrismStepResult results[MAX_STEPS];
  PrismMemoryUse begin, end;

  problem_open (&cuda, get_cuda ());
  problem_make_steps (steps, LONG_CHUNK);
  cuda.ops->train (cuda.backend, steps, LONG_CHUNK, results);
  cuda.ops->get_memory (cuda.backend, &begin);
  for (guint64 i = 0; i < n_steps; i += LONG_CHUNK)
    g_assert_cmpuint (cuda.ops->train (cuda.backend, steps, LONG_CHUNK, results), ==, LONG_CHUNK);
  g_assert_true (isfinite (results[LONG_CHUNK - 1].loss_new));
  cuda.ops->get_memory (cuda.backend, &end);
  g_assert_cmpuint (end.used, ==, begin.used);
  g_assert_cmpuint (end.available, ==, begin.available);
}

#ifdef PRISM_CUDA_EMULATION
/* The runtime counts what it sees, whatever the module counts. */
static void
test_chunk_is_one_transfer_indeed (void)
{
  g_auto (Problem) cuda = { 0 };
  PrismStep steps[8];
  PrismStepResult results[8];
  PrismEmulationCounters before, after;

  problem_open (&cuda, get_cuda ());
  problem_make_steps (steps, 8);
  cuda.ops->train (cuda.backend, steps, 8, results);
  prism_emulation_get_counters (&before);
  cuda.ops->train (cuda.backend, steps, 8, results);
  prism_emulation_get_counters (&after);
  g_assert_cmpuint (after.n_to_device, ==, before.n_to_device + 1);
  g_assert_cmpuint (after.n_to_host, ==, before.n_to_host + 1);
  g_assert_cmpuint (after.n_waits, ==, before.n_waits);
  g_assert_cmpuint (after.n_allocations, ==, before.n_allocations);
  g_assert_cmpuint (after.n_live_allocations, ==, before.n_live_allocations);
  g_assert_cmpuint (after.n_graph_launches, ==, before.n_graph_launches + 8);
  g_assert_cmpuint (after.n_events, ==, before.n_events);
}

/* Whatever order the device picks among what may run at the same time: a dependency that is
 * missing shows as other bits. */
static void
test_random_order (void)
{
  const guint n_steps = 6;
  PrismStepResult expected[MAX_STEPS], results[MAX_STEPS];
  g_autofree float *reference = run_in_chunks (n_steps, 3, expected);

  for (guint seed = 1; seed <= 4; seed++)
    {
      g_autofree float *state = NULL;

      prism_emulation_set_order (seed);
      state = run_in_chunks (n_steps, 3, results);
      prism_emulation_set_order (0);
      assert_same_results (expected, results, n_steps);
      g_assert_cmpmem (reference, get_state_bytes (), state, get_state_bytes ());
    }
}

/* The second of two small uploads goes through another piece of the staging memory. */
static void
test_uploads_do_not_wait (void)
{
  g_auto (Problem) cuda = { 0 };
  g_autofree float *image = problem_dup_random (PROBLEM_PIXELS, 2);
  PrismDeviceCounters before, after;

  problem_open (&cuda, get_cuda ());
  prism_emulation_set_order (1);
  cuda.ops->get_counters (cuda.backend, &before);
  cuda.ops->set_start_image (cuda.backend, image);
  cuda.ops->set_start_image (cuda.backend, image);
  cuda.ops->get_counters (cuda.backend, &after);
  g_assert_cmpuint (after.n_waits, ==, before.n_waits);
  problem_finish (&cuda);
  prism_emulation_set_order (0);
}

/* More shapes than graphs are kept: the oldest go, and come back with the same results. */
static void
test_many_shapes (void)
{
  g_auto (Problem) cuda = { 0 };
  PrismEmulationCounters before, after;
  PrismDeviceCounters counters;
  PrismStep steps[24];
  PrismStepResult first[24], again[24];

  for (guint i = 0; i < 24; i++)
    {
      steps[i] = problem_make_step (0, i % 3);
      steps[i].loss = i / 3 % 2 == 0 ? PRISM_LOSS_L1 : PRISM_LOSS_L2;
      steps[i].domain = i / 6 % 2 == 0 ? PRISM_DOMAIN_AMPLITUDE : PRISM_DOMAIN_INTENSITY;
      steps[i].normalise = i / 12 == 0;
      steps[i].learning_rate = 0.0;
    }
  problem_open (&cuda, get_cuda ());
  prism_emulation_get_counters (&before);
  g_assert_cmpuint (cuda.ops->train (cuda.backend, steps, 24, first), ==, 24);
  g_assert_cmpuint (cuda.ops->train (cuda.backend, steps, 24, again), ==, 24);
  prism_emulation_get_counters (&after);
  cuda.ops->get_counters (cuda.backend, &counters);
  assert_same_results (first, again, 24);
  g_assert_cmpuint (counters.n_captures, ==, 48);
  g_assert_cmpuint (after.n_executables, ==, before.n_executables + 16);
  problem_finish (&cuda);
}

static void
test_memory_is_constant (void)
{
  g_auto (Problem) cuda = { 0 };
  PrismEmulationCounters before, after;
  PrismMemoryUse opened, use;
  PrismBackendSpec spec = problem_make_spec ();
  g_autoptr (GError) error = NULL;
  guint64 plane = PROBLEM_PLANE * sizeof (float);

  problem_open (&cuda, get_cuda ());
  cuda.ops->get_memory (cuda.backend, &opened);
  g_assert_cmpuint (opened.used, >=,
                    cuda.ops->get_required_bytes (&spec) + PROBLEM_SAMPLES * plane);
  g_assert_cmpuint (opened.peak, >=, opened.used);
  g_assert_cmpuint (opened.available, >, 0);
  for (guint i = 0; i < 20; i++)
    {
      g_autoptr (PrismBuffer) buffer = cuda.ops->measure (cuda.backend, cuda.masks[i % 5], &error);

      g_assert_no_error (error);
      if (i == 5)
        prism_emulation_get_counters (&before);
    }
  prism_emulation_get_counters (&after);
  cuda.ops->get_memory (cuda.backend, &use);
  g_assert_cmpuint (use.used, ==, opened.used);
  g_assert_cmpuint (after.bytes_device, ==, before.bytes_device);
  g_assert_cmpuint (after.n_allocations, ==, before.n_allocations);
}

static void
test_nothing_is_left (void)
{
  PrismEmulationCounters before, after;
  PrismStep steps[4];
  PrismStepResult results[4];

  problem_make_steps (steps, 4);
  prism_emulation_get_counters (&before);
  for (guint i = 0; i < 2; i++)
    {
      g_auto (Problem) cuda = { 0 };

      problem_open (&cuda, get_cuda ());
      cuda.ops->train (cuda.backend, steps, 4, results);
      cuda.ops->request_frame (cuda.backend);
    }
  prism_emulation_get_counters (&after);
  g_assert_cmpuint (after.n_live_allocations, ==, before.n_live_allocations);
  g_assert_cmpuint (after.n_streams, ==, before.n_streams);
  g_assert_cmpuint (after.n_events, ==, before.n_events);
  g_assert_cmpuint (after.n_graphs, ==, before.n_graphs);
  g_assert_cmpuint (after.n_executables, ==, before.n_executables);
}
#endif

int
main (int argc,
      char *argv[])
{
  g_autofree char *reason = NULL;

  g_test_init (&argc, &argv, NULL);
  reason = get_cuda () != NULL ? get_cuda ()->dup_unavailable_reason ()
                               : g_strdup ("There is no CUDA module in PRISM_MODULE_DIR.");
  if (reason != NULL)
    {
      g_print ("1..0 # SKIP %s\n", reason);
      return 0;
    }
  g_test_add_func ("/cuda/backend/complete", test_complete);
  g_test_add_func ("/cuda/backend/unsupported", test_unsupported);
  g_test_add_func ("/cuda/backend/supported", test_supported);
  g_test_add_func ("/cuda/backend/twin/spectrum", test_twin_spectrum);
  g_test_add_func ("/cuda/backend/twin/measure", test_twin_measure);
  g_test_add_func ("/cuda/backend/twin/expose", test_twin_expose);
  g_test_add_func ("/cuda/backend/load-and-read", test_load_and_read);
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
  test_cuda_descent_add (get_cuda ());
  g_test_add_func ("/cuda/backend/twin/read-noise", test_twin_read_noise);
  g_test_add_func ("/cuda/backend/frame", test_frame);
  g_test_add_func ("/cuda/backend/one-transfer", test_chunk_is_one_transfer);
  g_test_add_func ("/cuda/backend/captured-once", test_captured_once);
  g_test_add_func ("/cuda/backend/chunk-sizes", test_chunk_sizes);
  g_test_add_func ("/cuda/backend/without-graphs", test_without_graphs);
  g_test_add_func ("/cuda/backend/choices-of-the-environment", test_choices_of_the_environment);
  g_test_add_func ("/cuda/backend/several-steps-a-graph", test_several_steps_a_graph);
  g_test_add_func ("/cuda/backend/below-threshold", test_below_threshold);
  g_test_add_func ("/cuda/backend/not-finite", test_not_finite);
  g_test_add_func ("/cuda/backend/twin/bind-not-finite", test_bind_not_finite);
  g_test_add_func ("/cuda/backend/state", test_state_round_trip);
  g_test_add_func ("/cuda/backend/object-with-nan", test_object_with_nan);
  g_test_add_func ("/cuda/backend/part-times", test_part_times);
  g_test_add_func ("/cuda/backend/precision-advice", test_precision_advice);
  g_test_add_func ("/cuda/backend/reference-transform", test_reference_transform);
  g_test_add_func ("/cuda/backend/long-run", test_long_run);
#ifdef PRISM_CUDA_EMULATION
  g_test_add_func ("/cuda/backend/twin/read-noise-by-reference", test_twin_read_noise_by_reference);
  g_test_add_func ("/cuda/backend/one-transfer-indeed", test_chunk_is_one_transfer_indeed);
  g_test_add_func ("/cuda/backend/random-order", test_random_order);
  g_test_add_func ("/cuda/backend/uploads-do-not-wait", test_uploads_do_not_wait);
  g_test_add_func ("/cuda/backend/many-shapes", test_many_shapes);
  g_test_add_func ("/cuda/backend/memory", test_memory_is_constant);
  g_test_add_func ("/cuda/backend/nothing-left", test_nothing_is_left);
#endif
  return g_test_run ();
}
