#include "cuda-close.h"
#include "cuda-problem.h"
#include "prism-test.h"
#include "test-cuda-backend.h"
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

const PrismBackendOps *
test_cuda_get_ops (void)
{
#ifdef PRISM_CUDA_EMULATION
  return prism_cuda_backend_get_ops ();
#else
  return prism_registry_get_ops ("cuda");
#endif
}

/* A telescope that moves is refused in words, one that stands still is not. */
TEST (unsupported, "/cuda/backend/unsupported")
{
  PrismBackendSpec spec = problem_make_spec ();

  spec.n_line_points = 1;
  g_assert_null (test_cuda_get_ops ()->dup_unsupported_reason (&spec));
  spec.n_line_points = 7;
  g_autofree char *reason = test_cuda_get_ops ()->dup_unsupported_reason (&spec);
  g_assert_true (g_str_has_suffix (reason, "moves during the exposure."));
}

TEST (supported, "/cuda/backend/supported")
{
  PrismBackendSpec spec = problem_make_spec ();

  spec.amsgrad = TRUE;
  spec.clips = TRUE;
  spec.read_noise = TRUE;
  g_assert_null (test_cuda_get_ops ()->dup_unsupported_reason (&spec));
}

/* After the number of the interface, nothing but pointers, the size of a chunk, and that passes
 * take whole frames, which leaves nothing to measure points for. Weights are looked at where they
 * arrive on the host: what may be lost has a place for them anyway. */
TEST (complete, "/cuda/backend/complete")
{
  const gpointer *words = (const gpointer *) test_cuda_get_ops ();
  const gsize without = G_STRUCT_OFFSET (PrismBackendOps, is_finite) / sizeof (gpointer);
  const gsize whole = G_STRUCT_OFFSET (PrismBackendOps, samples_frames) / sizeof (gpointer);
  const gsize points = G_STRUCT_OFFSET (PrismBackendOps, measure_points) / sizeof (gpointer);

  g_assert_cmpuint (test_cuda_get_ops ()->abi, ==, PRISM_BACKEND_ABI);
  g_assert_cmpstr (test_cuda_get_ops ()->name, ==, "cuda");
  for (gsize i = 1; i < sizeof (PrismBackendOps) / sizeof (gpointer); i++)
    if (i != without && i != whole && i != points)
      g_assert_nonnull (words[i]);
}

TEST (load_and_read, "/cuda/backend/load-and-read")
{
  g_auto (Problem) cuda = { 0 };
  g_autofree float *a = problem_dup_random (PROBLEM_PLANE, 3), *b = g_new (float, PROBLEM_PLANE);
  g_autoptr (PrismBuffer) buffer = NULL;

  cuda = problem_new (test_cuda_get_ops ());
  buffer = MUST (cuda.ops->load_buffer (cuda.backend, cuda.masks[0], a, &error));
  problem_read_buffer (&cuda, buffer, 0, b);
  g_assert_cmpmem (a, PROBLEM_PLANE * sizeof *a, b, PROBLEM_PLANE * sizeof *b);
}

TEST (frame, "/cuda/backend/frame")
{
  g_autofree float *a = g_new (float, PROBLEM_PIXELS), *b = g_new (float, PROBLEM_PIXELS);
  PrismStep steps[2] = { problem_make_step (0, 1), problem_make_step (1, 1) };
  PrismStepResult results[2];
  PrismMetrics metrics, expected;
  guint n_polls = 0;

  g_auto (Problem) cuda = problem_new (test_cuda_get_ops ());
  g_assert_false (cuda.ops->collect_frame (cuda.backend, b, &metrics));
  cuda.ops->train (cuda.backend, &steps[0], 1, results);
  cuda.ops->read_image (cuda.backend, PRISM_SOURCE_DECODER, a);
  cuda.ops->compute_metrics (cuda.backend, PRISM_SOURCE_DECODER, &expected, NULL);
  cuda.ops->request_frame (cuda.backend);
  /* It is of the moment of the request, whatever comes after. */
  cuda.ops->train (cuda.backend, &steps[1], 1, results);
  cuda.ops->request_frame (cuda.backend);
  /* A sanitizer takes its time. */
  while (!cuda.ops->collect_frame (cuda.backend, b, &metrics))
    {
      g_assert_cmpuint (++n_polls, <, 1000000);
      g_usleep (20);
    }
  g_assert_cmpmem (a, PROBLEM_PIXELS * sizeof *a, b, PROBLEM_PIXELS * sizeof *b);
  g_assert_cmpfloat (metrics.psnr, ==, expected.psnr);
  g_assert_cmpfloat (metrics.ssim, ==, expected.ssim);
  g_assert_cmpfloat (metrics.rmse, ==, expected.rmse);
  g_assert_false (cuda.ops->collect_frame (cuda.backend, b, &metrics));
  problem_finish (&cuda);
}

TEST (state_round_trip, "/cuda/backend/state")
{
  gsize n = problem_make_spec ().decoder.n_parameters;
  g_autofree float *first = problem_dup_random (n, 11), *second = problem_dup_random (n, 12);
  g_autofree float *a = g_new (float, n), *b = g_new (float, n);
  guint64 n_steps = 0;

  g_auto (Problem) cuda = problem_new (test_cuda_get_ops ());
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

TEST (object_with_nan, "/cuda/backend/object-with-nan")
{
  g_autofree float *object = problem_dup_object ();

  g_auto (Problem) cuda = problem_new (test_cuda_get_ops ());
  object[3 * PROBLEM_OBJECT + 4] = INFINITY;
  FAILS (cuda.ops->set_object (cuda.backend, object, &error), CONFIG, "row 3, column 4");
}

TEST (part_times, "/cuda/backend/part-times")
{
  PrismStep steps[4];
  PrismStepResult results[4];
  const char *name = NULL;

  problem_make_steps (steps, 4);
  g_auto (Problem) captured = problem_new (test_cuda_get_ops ());
  captured.ops->train (captured.backend, steps, 4, results);
  g_assert_cmpfloat (captured.ops->get_part_time (captured.backend, 0, &name), >, 0.0);
  g_assert_nonnull (name);
  g_assert_cmpfloat (captured.ops->get_part_time (captured.backend, 0, &name), ==, 0.0);
  g_assert_cmpfloat (captured.ops->get_part_time (captured.backend, 1, &name), ==, -1.0);

  g_setenv ("PRISM_CUDA_NO_GRAPH", "1", TRUE);
  g_auto (Problem) queued = problem_new (test_cuda_get_ops ());
  g_unsetenv ("PRISM_CUDA_NO_GRAPH");
  queued.ops->train (queued.backend, steps, 4, results);
  for (guint part = 0; part < 3; part++)
    g_assert_cmpfloat (queued.ops->get_part_time (queued.backend, part, &name), >, 0.0);
  g_assert_cmpfloat (queued.ops->get_part_time (queued.backend, 3, &name), ==, -1.0);
}

/* None without mixed precision. */
TEST (precision_advice, "/cuda/backend/precision-advice")
{
  PrismBackendSpec spec = problem_make_spec ();
  g_autofree char *none = test_cuda_get_ops ()->dup_precision_advice (&spec);

  spec.precision = PRISM_PRECISION_BF16;
  g_autofree char *mixed = test_cuda_get_ops ()->dup_precision_advice (&spec);
  g_assert_null (none);
  g_assert_nonnull (mixed);
}

/* As many steps as one likes: what the device could still give does not change. */
TEST (long_run, "/cuda/backend/long-run")
{
  const char *text = g_getenv ("PRISM_TEST_STEPS");
  guint64 n_steps = text != NULL ? g_ascii_strtoull (text, NULL, 10) : LONG_RUN;
  PrismStep steps[MAX_STEPS];
  PrismStepResult results[MAX_STEPS];
  PrismMemoryUse begin, end;

  g_auto (Problem) cuda = problem_new (test_cuda_get_ops ());
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
/* The second of two small uploads goes through another piece of the staging memory. */
TEST (uploads_do_not_wait, "/cuda/backend/uploads-do-not-wait")
{
  g_autofree float *image = problem_dup_random (PROBLEM_PIXELS, 2);
  PrismDeviceCounters before, after;

  g_auto (Problem) cuda = problem_new (test_cuda_get_ops ());
  prism_emulation_set_order (1);
  cuda.ops->get_counters (cuda.backend, &before);
  cuda.ops->set_start_image (cuda.backend, image);
  cuda.ops->set_start_image (cuda.backend, image);
  cuda.ops->get_counters (cuda.backend, &after);
  g_assert_cmpuint (after.n_waits, ==, before.n_waits);
  problem_finish (&cuda);
  prism_emulation_set_order (0);
}

TEST (memory_is_constant, "/cuda/backend/memory")
{
  PrismEmulationCounters before, after;
  PrismMemoryUse opened, use;
  PrismBackendSpec spec = problem_make_spec ();
  guint64 plane = PROBLEM_PLANE * sizeof (float);

  g_auto (Problem) cuda = problem_new (test_cuda_get_ops ());
  cuda.ops->get_memory (cuda.backend, &opened);
  g_assert_cmpuint (opened.used, >=,
                    cuda.ops->get_required_bytes (&spec) + PROBLEM_SAMPLES * plane);
  g_assert_cmpuint (opened.peak, >=, opened.used);
  g_assert_cmpuint (opened.available, >, 0);
  for (guint i = 0; i < 20; i++)
    {
      g_autoptr (PrismBuffer) buffer
          = MUST (cuda.ops->measure (cuda.backend, cuda.masks[i % 5], &error));

      if (i == 5)
        prism_emulation_get_counters (&before);
    }
  prism_emulation_get_counters (&after);
  cuda.ops->get_memory (cuda.backend, &use);
  g_assert_cmpuint (use.used, ==, opened.used);
  g_assert_cmpuint (after.bytes_device, ==, before.bytes_device);
  g_assert_cmpuint (after.n_allocations, ==, before.n_allocations);
}

TEST (nothing_is_left, "/cuda/backend/nothing-left")
{
  PrismEmulationCounters before, after;
  PrismStep steps[4];
  PrismStepResult results[4];

  problem_make_steps (steps, 4);
  prism_emulation_get_counters (&before);
  for (guint i = 0; i < 2; i++)
    {
      g_auto (Problem) cuda = problem_new (test_cuda_get_ops ());
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
  g_test_set_nonfatal_assertions (); /* who has lent a card wants to know all that fails */
  reason = test_cuda_get_ops () != NULL ? test_cuda_get_ops ()->dup_unavailable_reason ()
                                        : g_strdup ("There is no CUDA module in PRISM_MODULE_DIR.");
  if (reason != NULL)
    {
      g_print ("1..0 # SKIP %s\n", reason);
      return 0;
    }
  return prism_test_run ();
}
