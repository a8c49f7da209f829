/* The emulated GPU's streams, events, graphs, copies and faults: promised order is kept, any other
 * order happens, and what goes wrong on a device can be made to go wrong here. */
#include "prism-cuda-kernel.cuh"

#include "prism-emulation.h"


#include <glib.h>

#define N 64
#define N_SEEDS 40

#define check(call) g_assert_cmpint ((call), ==, cudaSuccess)

static __global__ void
fill_kernel (float *values,
             float value)
{
  values[threadIdx.x] = value;
}

static __global__ void
add_kernel (float *values,
            const float *other,
            float value)
{
  values[threadIdx.x] = other[threadIdx.x] + value;
}

static cudaError_t
fill (float *values,
      float value,
      cudaStream_t stream)
{
  return prism_cuda_launch (fill_kernel, 1, N, 0, stream, values, value);
}

static cudaError_t
add (float *values,
     const float *other,
     float value,
     cudaStream_t stream)
{
  return prism_cuda_launch (add_kernel, 1, N, 0, stream, values, other, value);
}

typedef struct
{
  cudaStream_t main, side;
  cudaEvent_t fork, join;
  float *a, *b;                         /* device [N] */
  float *pinned;                        /* [N] */
} Fixture;

static void
set_up (Fixture *f,
        gconstpointer data)
{
  prism_emulation_reset ();
  check (cudaStreamCreateWithFlags (&f->main, cudaStreamNonBlocking));
  check (cudaStreamCreateWithFlags (&f->side, cudaStreamNonBlocking));
  check (cudaEventCreateWithFlags (&f->fork, cudaEventDisableTiming));
  check (cudaEventCreate (&f->join));
  check (cudaMalloc (&f->a, N * sizeof (float)));
  check (cudaMalloc (&f->b, N * sizeof (float)));
  check (cudaMallocHost (&f->pinned, N * sizeof (float)));
}

static void
tear_down (Fixture *f,
           gconstpointer data)
{
  prism_emulation_reset ();
  check (cudaStreamDestroy (f->main));
  check (cudaStreamDestroy (f->side));
  check (cudaEventDestroy (f->fork));
  check (cudaEventDestroy (f->join));
  check (cudaFree (f->a));
  check (cudaFree (f->b));
  check (cudaFreeHost (f->pinned));
}

/* What lies in a device array once everything is done; all elements must be the same. */
static float
read_value (const float *values)
{
  float host[N];

  check (cudaDeviceSynchronize ());
  check (cudaMemcpy (host, values, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 1; i < N; i++)
    g_assert_cmpmem (&host[i], sizeof *host, &host[0], sizeof *host);
  return host[0];
}

/* main fills a, side reads it: with the event it sees 2, without it now and then what was before. */
static float
run_across (Fixture *f,
            gboolean with_event)
{
  check (fill (f->a, 1.0f, f->main));
  check (cudaStreamSynchronize (f->main));
  check (fill (f->a, 2.0f, f->main));
  if (with_event)
    {
      check (cudaEventRecord (f->fork, f->main));
      check (cudaStreamWaitEvent (f->side, f->fork, 0));
    }
  check (add (f->b, f->a, 10.0f, f->side));
  return read_value (f->b);
}

static void
test_order (Fixture *f,
            gconstpointer data)
{
  int n_late = 0;

  for (guint seed = 1; seed <= N_SEEDS; seed++)
    {
      prism_emulation_set_order (seed);
      g_assert_cmpfloat (run_across (f, TRUE), ==, 12.0f);
      n_late += run_across (f, FALSE) != 12.0f;
    }
  g_assert_cmpint (n_late, >, 0);
  g_assert_cmpint (n_late, <, N_SEEDS);

  prism_emulation_set_order (0);
  g_assert_cmpfloat (run_across (f, FALSE), ==, 12.0f);
}

/* A pinned buffer read before its event holds NaN, after it the result. */
static void
test_pinned (Fixture *f,
             gconstpointer data)
{
  int n_early = 0;

  for (guint seed = 1; seed <= N_SEEDS; seed++)
    {
      prism_emulation_set_order (seed);
      f->pinned[N - 1] = 0.0f;
      check (fill (f->a, 3.0f, f->main));
      check (cudaMemcpyAsync (f->pinned, f->a, N * sizeof (float), cudaMemcpyDeviceToHost, f->main));
      check (cudaEventRecord (f->join, f->main));
      n_early += isnan (f->pinned[N - 1]);
      while (cudaEventQuery (f->join) == cudaErrorNotReady)
        ;
      g_assert_cmpfloat (f->pinned[N - 1], ==, 3.0f);
    }
  g_assert_cmpint (n_early, >, 0);
}

/* A copy from pinned memory reads it when its turn comes; from other memory at once. */
static void
test_staging (Fixture *f,
              gconstpointer data)
{
  float pageable[N];
  int n_changed = 0;

  for (guint seed = 1; seed <= N_SEEDS; seed++)
    {
      prism_emulation_set_order (seed);
      for (int i = 0; i < N; i++)
        pageable[i] = f->pinned[i] = 1.0f;
      check (cudaMemcpyAsync (f->a, pageable, sizeof pageable, cudaMemcpyHostToDevice, f->main));
      check (cudaMemcpyAsync (f->b, f->pinned, sizeof pageable, cudaMemcpyHostToDevice, f->main));
      for (int i = 0; i < N; i++)
        pageable[i] = f->pinned[i] = 2.0f;
      g_assert_cmpfloat (read_value (f->a), ==, 1.0f);
      n_changed += read_value (f->b) == 2.0f;
    }
  g_assert_cmpint (n_changed, >, 0);
}

static void
test_copies (Fixture *f,
             gconstpointer data)
{
  float host[N] = { 0 };
  PrismEmulationCounters before, after;

  prism_emulation_get_counters (&before);
  g_assert_cmpint (cudaMemcpy (host, host, 4, cudaMemcpyHostToDevice), ==, cudaErrorInvalidValue);
  g_assert_cmpint (cudaMemcpy (f->a, f->a, 4, cudaMemcpyHostToDevice), ==, cudaErrorInvalidValue);
  g_assert_cmpint (cudaMemcpy (f->a, host, 4, cudaMemcpyDeviceToHost), ==, cudaErrorInvalidValue);
  g_assert_cmpint (cudaMemcpy (host, host, 4, cudaMemcpyDeviceToHost), ==, cudaErrorInvalidValue);
  g_assert_cmpint (cudaMemcpy (f->a + 1, host, sizeof host, cudaMemcpyHostToDevice), ==, cudaErrorInvalidValue);
  g_assert_cmpint (cudaMemset (host, 0, 4), ==, cudaErrorInvalidValue);
  prism_emulation_get_counters (&after);
  g_assert_cmpuint (before.n_to_device + before.n_to_host, ==, after.n_to_device + after.n_to_host);

  check (cudaMemcpy2D (f->a, 8, host, 12, 4, 3, cudaMemcpyHostToDevice));
  check (cudaMemcpy (f->a, f->b, 4, cudaMemcpyDefault));
  prism_emulation_get_counters (&after);
  g_assert_cmpuint (after.bytes_to_device - before.bytes_to_device, ==, 12);
  g_assert_cmpuint (after.n_within_device - before.n_within_device, ==, 1);
}

/* main: a = 1; fork: side b = a + 1; main a = a + 10; join: a = b + a. Without the join's wait main
 * reads b too early, or the capture is refused. */
static cudaGraphExec_t
capture (Fixture *f)
{
  cudaGraphExec_t executable;
  cudaGraph_t graph;
  size_t n_nodes;

  check (cudaStreamBeginCapture (f->main, cudaStreamCaptureModeThreadLocal));
  check (add (f->a, f->a, 1.0f, f->main));
  check (cudaEventRecord (f->fork, f->main));
  check (cudaStreamWaitEvent (f->side, f->fork, 0));
  check (add (f->b, f->a, 1.0f, f->side));
  check (cudaEventRecord (f->join, f->side));
  check (cudaStreamWaitEvent (f->main, f->join, 0));
  check (add (f->a, f->b, 100.0f, f->main));
  check (cudaStreamEndCapture (f->main, &graph));
  check (cudaGraphGetNodes (graph, NULL, &n_nodes));
  g_assert_cmpuint (n_nodes, ==, 3);
  check (cudaGraphInstantiate (&executable, graph, 0));
  check (cudaGraphDestroy (graph));
  return executable;
}

static void
test_graph (Fixture *f,
            gconstpointer data)
{
  cudaGraphExec_t executable = capture (f);
  PrismEmulationCounters before, after;

  for (guint seed = 0; seed <= N_SEEDS; seed++)
    {
      prism_emulation_set_order (seed);
      prism_emulation_get_counters (&before);
      check (fill (f->a, 0.0f, f->main));
      for (int i = 0; i < 5; i++)
        check (cudaGraphLaunch (executable, f->main));
      g_assert_cmpfloat (read_value (f->a), ==, 510.0f);
      prism_emulation_get_counters (&after);
      g_assert_cmpuint (after.n_graph_launches - before.n_graph_launches, ==, 5);
      g_assert_cmpuint (after.n_launches - before.n_launches, ==, 16);
    }
  check (cudaGraphExecDestroy (executable));
}

/* Two branches of a graph run in any order. */
static void
test_graph_order (Fixture *f,
                  gconstpointer data)
{
  cudaGraphExec_t executable;
  cudaGraph_t graph;
  int n_first = 0;

  check (cudaStreamBeginCapture (f->main, cudaStreamCaptureModeThreadLocal));
  check (cudaEventRecord (f->fork, f->main));
  check (cudaStreamWaitEvent (f->side, f->fork, 0));
  check (fill (f->a, 1.0f, f->main));
  check (fill (f->a, 2.0f, f->side));
  check (cudaEventRecord (f->join, f->side));
  check (cudaStreamWaitEvent (f->main, f->join, 0));
  check (cudaStreamEndCapture (f->main, &graph));
  check (cudaGraphInstantiate (&executable, graph, 0));
  for (guint seed = 1; seed <= N_SEEDS; seed++)
    {
      prism_emulation_set_order (seed);
      check (cudaGraphLaunch (executable, f->main));
      n_first += read_value (f->a) == 1.0f;
    }
  g_assert_cmpint (n_first, >, 0);
  g_assert_cmpint (n_first, <, N_SEEDS);
  check (cudaGraphExecDestroy (executable));
  check (cudaGraphDestroy (graph));
}

static void
test_capture_rules (Fixture *f,
                    gconstpointer data)
{
  cudaGraph_t graph;
  float *more, value = 0.0f;

  /* Work that nobody waits for. */
  check (cudaStreamBeginCapture (f->main, cudaStreamCaptureModeThreadLocal));
  check (cudaEventRecord (f->fork, f->main));
  check (cudaStreamWaitEvent (f->side, f->fork, 0));
  check (fill (f->a, 1.0f, f->side));
  g_assert_cmpint (cudaStreamEndCapture (f->main, &graph), ==, cudaErrorStreamCaptureUnjoined);
  g_assert_null (graph);

  /* Waiting spoils a capture, and what was captured does not run. */
  check (fill (f->a, 1.0f, f->main));
  check (cudaStreamBeginCapture (f->main, cudaStreamCaptureModeThreadLocal));
  check (fill (f->a, 2.0f, f->main));
  g_assert_cmpint (cudaStreamSynchronize (f->main), ==, cudaErrorStreamCaptureUnsupported);
  g_assert_cmpint (cudaStreamEndCapture (f->main, &graph), ==, cudaErrorStreamCaptureInvalidated);
  g_assert_cmpfloat (read_value (f->a), ==, 1.0f);

  check (cudaStreamBeginCapture (f->main, cudaStreamCaptureModeGlobal));
  g_assert_cmpint (cudaMalloc (&more, 4), ==, cudaErrorStreamCaptureUnsupported);
  g_assert_cmpint (cudaStreamEndCapture (f->main, &graph), ==, cudaErrorStreamCaptureInvalidated);

  check (cudaStreamBeginCapture (f->main, cudaStreamCaptureModeGlobal));
  g_assert_cmpint (cudaMemcpy (f->a, &value, 4, cudaMemcpyHostToDevice), ==, cudaErrorStreamCaptureUnsupported);
  g_assert_cmpint (cudaStreamEndCapture (f->main, &graph), ==, cudaErrorStreamCaptureInvalidated);

  check (cudaStreamBeginCapture (f->main, cudaStreamCaptureModeThreadLocal));
  check (cudaEventRecord (f->fork, f->main));
  g_assert_cmpint (cudaEventQuery (f->fork), ==, cudaErrorCapturedEvent);
  g_assert_cmpint (cudaStreamEndCapture (f->main, &graph), ==, cudaErrorStreamCaptureInvalidated);
}

static __global__ void
shared_kernel (float *values)
{
  PRISM_CUDA_DYNAMIC_SHARED (float, shared);

  shared[threadIdx.x] = 1.0f;
  values[threadIdx.x] = shared[threadIdx.x];
}

/* One kernel with two amounts of shared memory, the smaller one last. */
static cudaGraph_t
capture_shared (Fixture *f)
{
  cudaGraph_t graph;

  check (cudaStreamBeginCapture (f->main, cudaStreamCaptureModeThreadLocal));
  check (prism_cuda_launch (shared_kernel, 1, N, 60 << 10, f->main, f->a));
  check (prism_cuda_launch (shared_kernel, 1, N, 50 << 10, f->main, f->a));
  check (cudaStreamEndCapture (f->main, &graph));
  return graph;
}

/* What a kernel may have is asked again when a graph is made of its launch and when it is launched. */
static void
test_shared_limit (Fixture *f,
                   gconstpointer data)
{
  const void *kernel = (const void *) shared_kernel;
  const cudaFuncAttribute limit = cudaFuncAttributeMaxDynamicSharedMemorySize;
  cudaGraphExec_t executable, refused;
  cudaGraph_t graph = capture_shared (f);

  check (cudaGraphInstantiate (&executable, graph, 0));
  check (cudaGraphLaunch (executable, f->main));
  g_assert_cmpfloat (read_value (f->a), ==, 1.0f);

  check (cudaFuncSetAttribute (kernel, limit, 50 << 10));
  g_assert_cmpint (cudaGraphLaunch (executable, f->main), ==, cudaErrorInvalidValue);
  g_assert_cmpint (cudaGraphInstantiate (&refused, graph, 0), ==, cudaErrorInvalidValue);
  check (cudaGraphExecDestroy (executable));
  check (cudaGraphDestroy (graph));
}

static void
test_events (Fixture *f,
             gconstpointer data)
{
  cudaEvent_t begin;
  float milliseconds = -1.0f;

  check (cudaEventCreate (&begin));
  check (cudaEventQuery (begin));
  g_assert_cmpint (cudaEventElapsedTime (&milliseconds, begin, f->join), ==, cudaErrorInvalidResourceHandle);
  prism_emulation_set_order (1);
  check (cudaEventRecord (begin, f->main));
  for (int i = 0; i < 20; i++)
    check (fill (f->a, 1.0f, f->main));
  check (cudaEventRecord (f->join, f->main));
  g_assert_cmpint (cudaEventElapsedTime (&milliseconds, begin, f->join), ==, cudaErrorNotReady);
  check (cudaEventSynchronize (f->join));
  check (cudaEventElapsedTime (&milliseconds, begin, f->join));
  g_assert_cmpfloat (milliseconds, >=, 0.0f);
  check (cudaEventDestroy (begin));
}

static void
test_memory (Fixture *f,
             gconstpointer data)
{
  size_t free_bytes, total_bytes;
  float *first, *second, *third;

  prism_emulation_set_fault ("allocation:2");
  check (cudaMalloc (&first, 4));
  g_assert_cmpint (cudaMalloc (&second, 4), ==, cudaErrorMemoryAllocation);
  g_assert_cmpint (cudaGetLastError (), ==, cudaErrorMemoryAllocation);
  check (cudaMalloc (&third, 4));
  check (cudaFree (first));
  check (cudaFree (third));

  prism_emulation_set_fault ("allocation:2+");
  check (cudaMalloc (&first, 4));
  g_assert_cmpint (cudaMalloc (&second, 4), ==, cudaErrorMemoryAllocation);
  g_assert_cmpint (cudaMallocHost (&third, 4), ==, cudaErrorMemoryAllocation);
  check (cudaFree (first));

  prism_emulation_set_fault ("memory:10000");
  check (cudaMemGetInfo (&free_bytes, &total_bytes));
  g_assert_cmpuint (total_bytes, ==, 10000);
  g_assert_cmpuint (free_bytes, ==, 10000 - 2 * N * sizeof (float));
  g_assert_cmpint (cudaMalloc (&first, free_bytes + 1), ==, cudaErrorMemoryAllocation);
  check (cudaMalloc (&first, free_bytes));
  check (cudaMemGetInfo (&free_bytes, &total_bytes));
  g_assert_cmpuint (free_bytes, ==, 0);
  check (cudaFree (first));
}

/* From the launch on, whatever is called says the same, and nothing runs. */
static void
check_lost (Fixture *f,
            const char *fault,
            cudaError_t error)
{
  cudaGraphExec_t executable;
  size_t free_bytes, total_bytes;
  float value;
  void *more;

  prism_emulation_reset ();
  executable = capture (f);
  check (fill (f->a, 1.0f, f->main));
  prism_emulation_set_fault (fault);
  check (fill (f->a, 2.0f, f->main));
  /* The second node of the graph is the third launch. */
  check (cudaEventRecord (f->join, f->main));
  cudaGraphLaunch (executable, f->main);
  g_assert_cmpint (cudaStreamSynchronize (f->main), ==, error);
  g_assert_cmpint (cudaEventQuery (f->join), ==, error);
  g_assert_cmpint (cudaStreamQuery (f->side), ==, error);
  g_assert_cmpint (cudaMalloc (&more, 4), ==, error);
  g_assert_cmpint (cudaFree (f->a), ==, error);
  g_assert_cmpint (cudaMemcpy (&value, f->a, 4, cudaMemcpyDeviceToHost), ==, error);
  g_assert_cmpint (cudaMemGetInfo (&free_bytes, &total_bytes), ==, error);
  g_assert_cmpint (fill (f->a, 3.0f, f->main), ==, error);
  g_assert_cmpint (cudaGetLastError (), ==, error);
  g_assert_cmpint (cudaGetLastError (), ==, error);
  prism_emulation_reset ();
  g_assert_cmpfloat (read_value (f->a), ==, 3.0f);
  check (cudaGraphExecDestroy (executable));
}

static void
test_lost (Fixture *f,
           gconstpointer data)
{
  check_lost (f, "illegal-address:3", cudaErrorIllegalAddress);
  check_lost (f, "launch-failure:3", cudaErrorLaunchFailure);
  check_lost (f, "lost:3", cudaErrorUnknown);
}

static void
test_hang (Fixture *f,
           gconstpointer data)
{
  prism_emulation_set_fault ("hang:2");
  check (fill (f->a, 1.0f, f->main));
  check (cudaEventRecord (f->fork, f->main));
  check (fill (f->a, 2.0f, f->main));
  check (cudaEventRecord (f->join, f->main));
  check (cudaEventQuery (f->fork));
  for (int i = 0; i < 1000; i++)
    {
      g_assert_cmpint (cudaEventQuery (f->join), ==, cudaErrorNotReady);
      g_assert_cmpint (cudaStreamQuery (f->main), ==, cudaErrorNotReady);
    }
  g_test_trap_subprocess ("/cuda-emulation-streams/subprocess/hang", 0, G_TEST_SUBPROCESS_DEFAULT);
  g_test_trap_assert_failed ();
  g_test_trap_assert_stderr ("*cudaStreamSynchronize waits for work that hangs*");
}

static void
run_hang (Fixture *f,
          gconstpointer data)
{
  prism_emulation_set_fault ("hang:1");
  fill (f->a, 1.0f, f->main);
  cudaStreamSynchronize (f->main);
}

static void
test_nan (Fixture *f,
          gconstpointer data)
{
  float host[N];

  prism_emulation_set_fault ("nan:2");
  for (int i = 1; i <= 3; i++)
    {
      check (fill (f->a, i, f->main));
      check (cudaMemcpyAsync (host, f->a, sizeof host, cudaMemcpyDeviceToHost, f->main));
      g_assert_true (isnan (host[0]) == (i == 2));
      g_assert_cmpfloat (host[1], ==, i);
    }
}

static void
check_no_device (const char *fault,
                 cudaError_t error,
                 int expected_version)
{
  int n_devices = -1, version = -1;
  void *more;

  g_setenv ("PRISM_EMULATION_FAULT", fault, TRUE);
  prism_emulation_reset ();
  g_assert_cmpint (cudaGetDeviceCount (&n_devices), ==, error);
  g_assert_cmpint (n_devices, ==, 0);
  g_assert_cmpint (cudaMalloc (&more, 4), ==, error);
  check (cudaDriverGetVersion (&version));
  g_assert_cmpint (version, ==, expected_version);
  g_unsetenv ("PRISM_EMULATION_FAULT");
  prism_emulation_reset ();
  check (cudaGetDeviceCount (&n_devices));
  g_assert_cmpint (n_devices, ==, 1);
}

static void
test_no_device (void)
{
  check_no_device ("no-device", cudaErrorNoDevice, CUDART_VERSION);
  check_no_device ("no-driver", cudaErrorInsufficientDriver, 0);
  check_no_device ("old-driver", cudaErrorInsufficientDriver, 11040);
}

static void
test_leaks (void)
{
  PrismEmulationCounters counters;

  prism_emulation_get_counters (&counters);
  g_assert_cmpuint (counters.n_live_allocations, ==, 0);
  g_assert_cmpuint (counters.bytes_device + counters.bytes_pinned, ==, 0);
  g_assert_cmpuint (counters.n_streams + counters.n_events, ==, 0);
  g_assert_cmpuint (counters.n_graphs + counters.n_executables, ==, 0);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

#define add_test(name, function) \
  g_test_add ("/cuda-emulation-streams/" name, Fixture, NULL, set_up, function, tear_down)

  add_test ("order", test_order);
  add_test ("pinned", test_pinned);
  add_test ("staging", test_staging);
  add_test ("copies", test_copies);
  add_test ("graph", test_graph);
  add_test ("graph-order", test_graph_order);
  add_test ("capture-rules", test_capture_rules);
  add_test ("shared-limit", test_shared_limit);
  add_test ("events", test_events);
  add_test ("memory", test_memory);
  add_test ("lost", test_lost);
  add_test ("hang", test_hang);
  add_test ("nan", test_nan);
  g_test_add_func ("/cuda-emulation-streams/no-device", test_no_device);
  g_test_add_func ("/cuda-emulation-streams/leaks", test_leaks);
  add_test ("subprocess/hang", run_hang);
  return g_test_run ();
}
