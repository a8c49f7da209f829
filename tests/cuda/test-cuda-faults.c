#include "cuda-problem.h"
#include "base/prism-error.h"
#include "prism-cuda-backend.h"
#include "prism-cuda-context.h"
#include "prism-emulation.h"
#include "prism-test.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* What goes wrong on a device, at every place where it can: the sentence that is said, and that
 * nothing crashes, hangs or goes on with wrong numbers. */

#define N_STEPS 6
#define EXIT_LOST 3
#define EXIT_GOOD 4

/* What is left behind on purpose once a device may never answer again, and the stacks of threads
 * that a fork leaves to the parent; the sanitizer asks. */
const char *__lsan_default_suppressions (void);

const char *
__lsan_default_suppressions (void)
{
  return "leak:cudaEventCreate\nleak:cudaStreamCreate\nleak:cudaGraphInstantiate\n"
         "leak:cudaStreamBeginCapture\nleak:cudaStreamEndCapture\nleak:cudaMallocHost\n"
         "leak:cudaMalloc\nleak:cudaLaunchKernel\nleak:cudaMemcpy\nleak:cudaMemset\n"
         "leak:cudaGraphLaunch\nleak:cudaEventRecord\nleak:run_blocks\n";
}

static const PrismBackendOps *
get_cuda (void)
{
  return prism_cuda_backend_get_ops ();
}

/* Every operation that touches the device, whatever comes of it. */
static void
use_everything (Problem *self)
{
  gsize n = self->backend->spec.decoder.n_parameters;
  g_autofree float *values = problem_dup_random (MAX (n, PROBLEM_PLANE), 1);
  g_autofree float *others = g_new0 (float, n), *image = g_new0 (float, PROBLEM_PIXELS);
  PrismStep steps[N_STEPS];
  PrismStepResult results[N_STEPS];
  PrismMetrics metrics;
  PrismMemoryUse use;
  guint64 n_steps;
  guint slots[] = { 0, 1 };
  PrismMisfitTerm term = { 0, 1.0f, 1e-4f, 1e-6f, 1e-3f };
  PrismIterate planes = { 0, image, image, image, image, NULL };
  PrismPassPart part = {
    .begins = TRUE,
    .terms = &term,
    .n_terms = 1,
    .ends = TRUE,
    .most_misfit = INFINITY,
    .step_size = 0.1f,
    .variation = 0.01,
  };
  PrismPassResult result;
  PrismWaveMove move = { 16, 2, 0.8f };
  PrismWaveJob job = { self->masks[0], values, values, 0.0, 0.0 };
  PrismAlignedFrame frame = { self->masks[0], values, values, TRUE };
  PrismAlignedFrames frames = { &frame, 1, 16, FALSE };
  double residual, power;

  problem_make_steps (steps, N_STEPS);
  steps[1].clip_norm = 1e-3;
  self->ops->train (self->backend, steps, N_STEPS, results);
  self->ops->request_frame (self->backend);
  self->ops->train (self->backend, steps, N_STEPS, results);
  self->ops->collect_frame (self->backend, image, &metrics);
  self->ops->compute_gradient (self->backend, &steps[0], results);
  self->ops->get_gradient (self->backend, others);
  self->ops->hold (self->backend, PROBLEM_SAMPLES, self->masks[1], NULL);
  self->ops->forward (self->backend);
  self->ops->read_image (self->backend, PRISM_SOURCE_DECODER, image);
  self->ops->compute_metrics (self->backend, PRISM_SOURCE_DECODER, &metrics, NULL);
  self->ops->get_moments (self->backend, others, others, NULL, &n_steps);
  self->ops->set_moments (self->backend, values, values, NULL, 3);
  self->ops->epie_start (self->backend, NULL);
  self->ops->epie_update (self->backend, 0, 1.0);
  self->ops->epie_project (self->backend);
  self->ops->epie_collect (self->backend, &residual, &power);
  self->ops->compute_misfit (self->backend, image, slots, 2, &residual, &power);
  self->ops->add_misfit_gradient (self->backend, image, &term, 1, image, &residual);
  self->ops->put_iterate (self->backend, &planes);
  self->ops->descend (self->backend, &planes, &part, &result);
  self->ops->get_iterate (self->backend, &planes);
  self->ops->move_waves (self->backend, &move, &job, 1);
  self->ops->take_frames (self->backend, &frames);
  self->ops->search (self->backend, 2, 1.0f, values, others, image);
  self->ops->get_spectrum (self->backend, values);
  self->ops->get_memory (self->backend, &use);
  g_autofree char *name = self->ops->dup_device_name (self->backend);
}

static void
assert_sentence (const GError *error)
{
  g_assert_true (g_str_has_suffix (error->message, "."));
  g_assert_cmpuint (strlen (error->message), >, 30);
}

/* From here on nothing works and nothing harms. */
static void
check_lost (Problem *self)
{
  g_autoptr (GError) error = NULL, again = NULL;

  g_assert_false (self->ops->finish (self->backend, &error));
  g_assert_error (error, PRISM_ERROR, PRISM_ERROR_DEVICE_LOST);
  assert_sentence (error);
  use_everything (self);
  g_clear_error (&error);
  FAILS (self->ops->measure (self->backend, self->masks[0], &error), DEVICE_LOST, "");
  g_assert_false (self->ops->finish (self->backend, &again));
  g_assert_error (again, PRISM_ERROR, PRISM_ERROR_DEVICE_LOST);
}

/* A buffer may outlive its backend when that was lost. */
static void
close_lost (Problem *self)
{
  PrismBuffer *kept = self->buffers[0] != NULL ? prism_buffer_ref (self->buffers[0]) : NULL;
  g_autofree char *reason = get_cuda ()->dup_unavailable_reason ();
  PrismBackendSpec spec = problem_make_spec ();

  problem_close (self);
  if (kept != NULL)
    prism_buffer_unref (kept);
  g_assert_nonnull (reason);
  g_assert_true (g_str_has_prefix (reason, "The GPU failed earlier: "));
  FAILS (get_cuda ()->open (&spec, &error), DEVICE_LOST, "");
}

static int
run_with_fault (const char *fault)
{
  g_autoptr (GError) error = NULL;
  Problem problem;

  prism_emulation_set_fault (fault);
  if (!problem_try_open (&problem, get_cuda (), &error))
    {
      g_assert_error (error, PRISM_ERROR, PRISM_ERROR_DEVICE_LOST);
      assert_sentence (error);
      if (problem.backend != NULL)
        check_lost (&problem);
      close_lost (&problem);
      return EXIT_LOST;
    }
  use_everything (&problem);
  if (problem.ops->finish (problem.backend, &error))
    {
      problem_close (&problem);
      return EXIT_GOOD;
    }
  check_lost (&problem);
  close_lost (&problem);
  return EXIT_LOST;
}

/* In a process of its own: a lost device stays lost. */
static int
run_in_child (const char *fault)
{
  int status;

  fflush (NULL);
  pid_t child = fork ();
  g_assert_cmpint (child, >=, 0);
  if (child == 0)
    exit (run_with_fault (fault));
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  if (!WIFEXITED (status))
    g_error ("%s: the child ended with signal %d", fault, WTERMSIG (status));
  return WEXITSTATUS (status);
}

static guint64
count_launches (void)
{
  PrismEmulationCounters before, after;

  prism_emulation_get_counters (&before);
  Problem problem = problem_new (get_cuda ());
  use_everything (&problem);
  problem_finish (&problem);
  problem_close (&problem);
  prism_emulation_get_counters (&after);
  return after.n_launches - before.n_launches;
}

/* At the first launches, the last ones, and many between. */
static void
test_sticky (gconstpointer data)
{
  const char *name = data;
  guint64 n_launches = count_launches ();
  guint64 n, stride = MAX (n_launches / 8, 1);

  for (n = 1; n <= n_launches; n += n < 6 ? 1 : stride)
    {
      g_autofree char *fault = g_strdup_printf ("%s:%" G_GUINT64_FORMAT, name, n);
      int status = run_in_child (fault);

      if (status != EXIT_LOST)
        g_error ("%s: exit status %d", fault, status);
    }
  g_assert_cmpint (run_in_child ("illegal-address:1000000000"), ==, EXIT_GOOD);
}

/* Opens, works and closes with fault: what was reported. */
static gboolean
try_everything (const char *fault,
                float **state,
                GError **error)
{
  g_auto (Problem) problem = { 0 };
  PrismStep steps[N_STEPS];
  PrismStepResult results[N_STEPS];

  prism_emulation_set_fault (fault);
  if (!problem_try_open (&problem, get_cuda (), error))
    return FALSE;
  problem_make_steps (steps, N_STEPS);
  problem.ops->train (problem.backend, steps, N_STEPS, results);
  problem.ops->request_frame (problem.backend);
  if (!problem.ops->finish (problem.backend, error)
      || !problem.ops->hold (problem.backend, PROBLEM_SAMPLES, problem.masks[1], error))
    return FALSE;
  if (state != NULL)
    *state = problem_dup_state (&problem);
  return TRUE;
}

static void
check_memory_sentence (const GError *error)
{
  g_assert_error (error, PRISM_ERROR, PRISM_ERROR_MEMORY);
  assert_sentence (error);
  HAS (error->message, "smaller image", "the CPU");
}

/* Each allocation fails once: an ordinary error, and afterwards everything works. */
TEST (out_of_memory, "/cuda/faults/out-of-memory")
{
  gsize n_bytes = 3 * problem_make_spec ().decoder.n_parameters * sizeof (float);
  g_autofree float *expected = NULL;
  PrismEmulationCounters before, after;
  gboolean failed = TRUE;

  g_assert_true (try_everything (NULL, &expected, NULL));
  prism_emulation_get_counters (&before);
  for (guint i = 1; failed; i++)
    {
      g_autofree char *fault = g_strdup_printf ("allocation:%u", i);
      g_autofree float *state = NULL;
      g_autoptr (GError) error = NULL;

      failed = !try_everything (fault, NULL, &error);
      if (failed)
        check_memory_sentence (error);
      else
        g_assert_cmpuint (i, >, 5);
      g_assert_true (try_everything (NULL, &state, NULL));
      g_assert_cmpmem (state, n_bytes, expected, n_bytes);
    }
  prism_emulation_get_counters (&after);
  g_assert_cmpuint (after.n_live_allocations, ==, before.n_live_allocations);
}

/* A run that does not fit is refused before anything is allocated, with the numbers. */
TEST (too_little_memory, "/cuda/faults/too-little-memory")
{
  g_autoptr (GError) error = NULL;

  g_assert_false (try_everything ("memory:67108864", NULL, &error));
  prism_emulation_set_fault (NULL);
  check_memory_sentence (error);
  HAS (error->message, "of 64.0");
  g_assert_true (try_everything (NULL, NULL, NULL));
}

/* Memory that runs out in the middle of a run leaves the run as it is. */
TEST (memory_in_a_run, "/cuda/faults/memory-in-a-run")
{
  g_auto (Problem) problem = { 0 };
  g_autoptr (GError) error = NULL;
  PrismBuffer *buffers[8] = { 0 };
  PrismStep steps[N_STEPS];
  PrismStepResult results[N_STEPS];

  problem = problem_new (get_cuda ());
  gsize n_bytes = problem_get_state_bytes (&problem);
  problem_make_steps (steps, N_STEPS);
  problem.ops->train (problem.backend, steps, N_STEPS, results);
  g_autofree float *before = problem_dup_state (&problem);
  prism_emulation_set_fault ("allocation:1+");
  for (guint i = 0; i < G_N_ELEMENTS (buffers) && error == NULL; i++)
    buffers[i] = problem.ops->measure (problem.backend, problem.masks[0], &error);
  check_memory_sentence (error);
  prism_emulation_set_fault (NULL);
  g_autofree float *after = problem_dup_state (&problem);
  g_assert_cmpmem (before, n_bytes, after, n_bytes);
  g_assert_cmpuint (problem.ops->train (problem.backend, steps, N_STEPS, results), ==, N_STEPS);
  problem_finish (&problem);
  for (guint i = 0; i < G_N_ELEMENTS (buffers); i++)
    prism_buffer_unref (buffers[i]);
}

static void
check_reason (const char *fault,
              const char *part)
{
  PrismBackendSpec spec = problem_make_spec ();
  g_autoptr (GError) error = NULL;

  prism_emulation_set_fault (fault);
  g_autofree char *reason = get_cuda ()->dup_unavailable_reason ();
  g_assert_null (get_cuda ()->open (&spec, &error));
  prism_emulation_set_fault (NULL);
  g_assert_nonnull (reason);
  HAS (reason, part);
  g_assert_error (error, PRISM_ERROR, PRISM_ERROR_BACKEND);
  g_assert_cmpstr (error->message, ==, reason);
}

TEST (unavailable, "/cuda/faults/unavailable")
{
  g_autofree char *reason = get_cuda ()->dup_unavailable_reason ();

  g_assert_null (reason);
  check_reason ("no-driver", "No NVIDIA driver is installed.");
  check_reason ("old-driver", "too old: it knows CUDA 11.4, this program needs 13.0."
                              " Install driver 580 or newer.");
  check_reason ("no-device", "No NVIDIA GPU was found.");
}

/* What a fault at opening comes to, and whether the device is as good as new after it. */
static void
check_opening (const char *fault,
               const char *part)
{
  PrismBackendSpec spec = problem_make_spec ();
  g_autoptr (GError) error = NULL;

  prism_emulation_set_fault (fault);
  g_assert_null (get_cuda ()->open (&spec, &error));
  prism_emulation_set_fault (NULL);
  g_assert_error (error, PRISM_ERROR, PRISM_ERROR_BACKEND);
  assert_sentence (error);
  HAS (error->message, part);
  g_assert_true (try_everything (NULL, NULL, NULL));
}

/* Another program has the first GPU: the second one is taken. */
TEST (busy, "/cuda/faults/busy")
{
  int device = -1;

  g_assert_true (try_everything ("busy:1", NULL, NULL));
  cudaGetDevice (&device);
  g_assert_cmpint (device, ==, 1);
  check_opening ("busy:2", "Other programs have taken every GPU");
  check_opening ("open:808", "Other programs have taken every GPU");
  check_opening ("open:222", "Install driver 580 or newer");
}

/* Errors of the server that shares a GPU: two of them end the process's context. */
TEST (shared_device, "/cuda/faults/shared-device")
{
  for (int status = 805; status <= 810; status++)
    {
      gboolean sticky = status == 806 || status == 810;

      g_assert_cmpint (prism_cuda_error_is_sticky ((cudaError_t) status), ==, sticky);
      g_assert_cmpint (prism_cuda_error_is_busy ((cudaError_t) status), ==, !sticky);
    }
}

TEST (old_device, "/cuda/faults/old-device")
{
  g_setenv ("PRISM_EMULATION_ARCHITECTURE", "70", TRUE);
  prism_emulation_reset ();
  g_autofree char *reason = get_cuda ()->dup_unavailable_reason ();
  g_unsetenv ("PRISM_EMULATION_ARCHITECTURE");
  prism_emulation_reset ();
  g_assert_nonnull (reason);
  HAS (reason, "compute capability is 7.0, this program needs 7.5.");
}

static cudaError_t
wait_impatiently (cudaEvent_t event,
                  const char *fault)
{
  prism_emulation_set_fault (fault);
  cudaError_t status = prism_cuda_wait_event (event, 0.0);
  prism_emulation_set_fault (NULL);
  return status;
}

/* The process stands still between two looks at the device, which has ended its work meanwhile:
 * the deadline has passed, and the GPU is not lost. Here it passes at once. */
TEST (stopped_while_waiting, "/cuda/faults/stopped-while-waiting")
{
  g_autofree char *patience = g_strdup (g_getenv ("PRISM_CUDA_WAIT"));
  cudaEvent_t event = NULL;

  g_assert_cmpint (cudaEventCreateWithFlags (&event, cudaEventDisableTiming), ==, cudaSuccess);
  g_assert_cmpint (cudaEventRecord (event, NULL), ==, cudaSuccess);
  g_setenv ("PRISM_CUDA_WAIT", "1e-9", TRUE);
  g_assert_cmpint (wait_impatiently (event, NULL), ==, cudaSuccess);
  g_assert_cmpint (wait_impatiently (event, "late:1"), ==, cudaSuccess);
  g_assert_cmpint (wait_impatiently (event, "late:2"), ==, cudaSuccess);
  g_assert_cmpint (wait_impatiently (event, "late:3"), ==, cudaErrorLaunchTimeout);
  g_setenv ("PRISM_CUDA_WAIT", patience, TRUE);
  g_assert_cmpint (cudaEventDestroy (event), ==, cudaSuccess);
}

/* Without a device nothing has to be asked of it. */
TEST (required_bytes, "/cuda/faults/required-bytes")
{
  PrismBackendSpec spec = problem_make_spec ();

  prism_emulation_set_fault ("no-driver");
  guint64 n_bytes = get_cuda ()->get_required_bytes (&spec);
  prism_emulation_set_fault (NULL);
  g_assert_cmpuint (n_bytes, >, 3 * spec.decoder.n_parameters * sizeof (float));
}

int
main (int argc,
      char *argv[])
{
  /* A hang is one after this many seconds. */
  g_setenv ("PRISM_CUDA_WAIT", "0.05", TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/cuda/faults/illegal-address", "illegal-address", test_sticky);
  g_test_add_data_func ("/cuda/faults/launch-failure", "launch-failure", test_sticky);
  g_test_add_data_func ("/cuda/faults/lost", "lost", test_sticky);
  g_test_add_data_func ("/cuda/faults/hang", "hang", test_sticky);
  return prism_test_run ();
}
