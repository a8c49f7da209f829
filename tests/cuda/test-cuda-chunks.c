#include "config.h"

#include "test-cuda-backend.h"
#include "cuda-close.h"
#include "cuda-problem.h"

#include <math.h>

#ifdef PRISM_CUDA_EMULATION
#include "prism-emulation.h"
#endif

/* Training in chunks: what goes over, what is captured, and that no chunk, graph or order changes a
 * bit. n = image_size, m = object_size. */

#define MAX_STEPS 64
/* At PROBLEM_OBJECT; one more begins a chunk, and one ends it. */
#define KERNELS_OF_A_STEP 25

static guint64
count_transfers (const PrismDeviceCounters *counters)
{
  guint64 n = 0;

  for (int kind = 0; kind < PRISM_N_TRANSFERS; kind++)
    n += counters->n_to_device[kind] + counters->n_to_host[kind];
  return n;
}

/* A chunk: its steps go over, its results come back, the host waits once. */
TEST (chunk_is_one_transfer, "/cuda/backend/one-transfer")
{
  PrismStep steps[MAX_STEPS];
  PrismStepResult results[MAX_STEPS];
  PrismDeviceCounters before, after;

  g_auto (Problem) cuda = problem_new (test_cuda_get_ops ());
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

TEST (captured_once, "/cuda/backend/captured-once")
{
  PrismStep steps[MAX_STEPS];
  PrismStepResult results[MAX_STEPS];
  PrismDeviceCounters counters;

  g_auto (Problem) cuda = problem_new (test_cuda_get_ops ());
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
  problem_bind_again (&cuda, 0);
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
  PrismStep steps[MAX_STEPS];

  g_auto (Problem) cuda = problem_new (test_cuda_get_ops ());
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

TEST (chunk_sizes, "/cuda/backend/chunk-sizes")
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

TEST (without_graphs, "/cuda/backend/without-graphs")
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
  PrismStep steps[10];
  PrismStepResult results[10];
  guint best = 1;

  g_auto (Problem) cuda = problem_new (test_cuda_get_ops ());
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

TEST (below_threshold, "/cuda/backend/below-threshold")
{
  PrismStepResult results[10];
  PrismStep steps[10];
  guint first = 0;
  double threshold = find_threshold (&first);

  g_auto (Problem) whole = problem_new (test_cuda_get_ops ());
  g_auto (Problem) part = problem_new (test_cuda_get_ops ());
  for (guint i = 0; i < 10; i++)
    steps[i] = make_single_step (threshold);
  g_assert_cmpuint (whole.ops->train (whole.backend, steps, 10, results), ==, first + 1);
  g_assert_true (results[first].below_threshold);
  g_assert_false (results[first - 1].below_threshold);
  g_assert_cmpuint (part.ops->train (part.backend, steps, first, results), ==, first);
  g_autofree float *a = problem_dup_state (&whole);
  g_autofree float *b = problem_dup_state (&part);
  g_assert_cmpmem (a, get_state_bytes (), b, get_state_bytes ());
  /* The next chunk is not held up by what ended this one. */
  steps[0] = make_single_step (0.0);
  g_assert_cmpuint (whole.ops->train (whole.backend, steps, 1, results), ==, 1);
  g_assert_false (results[0].below_threshold);
}

TEST (not_finite, "/cuda/backend/not-finite")
{
  PrismStep steps[3];
  PrismStepResult results[3];

  g_auto (Problem) cuda = problem_new (test_cuda_get_ops ());
  for (guint i = 0; i < 3; i++)
    steps[i] = problem_make_step (0, 1);
  cuda.ops->train (cuda.backend, steps, 3, results);
  g_autofree float *before = problem_dup_state (&cuda);
  for (guint i = 0; i < 3; i++)
    steps[i].old_terms[0].weight = NAN;
  g_assert_cmpuint (cuda.ops->train (cuda.backend, steps, 3, results), ==, 3);
  for (guint i = 0; i < 3; i++)
    {
      g_assert_true (results[i].skipped);
      g_assert_true (isnan (results[i].loss_old));
    }
  g_autofree float *after = problem_dup_state (&cuda);
  g_assert_cmpmem (before, get_state_bytes (), after, get_state_bytes ());
  steps[0].old_terms[0].weight = 0.5f;
  cuda.ops->train (cuda.backend, steps, 1, results);
  g_assert_false (results[0].skipped);
}

#ifdef PRISM_CUDA_EMULATION
/* The runtime counts what it sees, whatever the module counts. */
TEST (chunk_is_one_transfer_indeed, "/cuda/backend/one-transfer-indeed")
{
  PrismStep steps[8];
  PrismStepResult results[8];
  PrismEmulationCounters before, after;

  g_auto (Problem) cuda = problem_new (test_cuda_get_ops ());
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

/* Counted where they run, so that one more is noticed: it would cost every step of every run. Old
 * measurements add none. */
TEST (kernels_of_a_step, "/cuda/backend/kernels-of-a-step")
{
  PrismEmulationCounters before, after;
  PrismStepResult results[4];

  g_auto (Problem) cuda = problem_new (test_cuda_get_ops ());
  for (guint n_old = 0; n_old <= 4; n_old++)
    {
      PrismStep steps[4];

      for (guint i = 0; i < 4; i++)
        steps[i] = problem_make_step (0, n_old);
      prism_emulation_get_counters (&before);
      cuda.ops->train (cuda.backend, steps, 4, results);
      prism_emulation_get_counters (&after);
      g_assert_cmpuint (after.n_launches - before.n_launches, <=, 2 + 4 * KERNELS_OF_A_STEP);
    }
  problem_finish (&cuda);
}

/* Whatever order the device picks among what may run at the same time: a dependency that is
 * missing shows as other bits. */
TEST (random_order, "/cuda/backend/random-order")
{
  const guint n_steps = 6;
  PrismStepResult expected[MAX_STEPS], results[MAX_STEPS];
  g_autofree float *reference = run_in_chunks (n_steps, 3, expected);

  for (guint seed = 1; seed <= 4; seed++)
    {
      prism_emulation_set_order (seed);
      g_autofree float *state = run_in_chunks (n_steps, 3, results);
      prism_emulation_set_order (0);
      assert_same_results (expected, results, n_steps);
      g_assert_cmpmem (reference, get_state_bytes (), state, get_state_bytes ());
    }
}

/* More shapes than graphs are kept: the oldest go, and come back with the same results. */
TEST (many_shapes, "/cuda/backend/many-shapes")
{
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
  g_auto (Problem) cuda = problem_new (test_cuda_get_ops ());
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
#endif
