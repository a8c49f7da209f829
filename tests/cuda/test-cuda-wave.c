#include "prism-test.h"
#include "test-cuda-common.h"
#include "prism-cuda-align.h"

/* What a block of prism-cuda-wave may be given, and launches that go on; what comes out is compared
 * with the host's in test-cuda-search. q = side of a frame, H × W = a box. */

#define SIDE 44
#define HEIGHT 13
#define WIDTH 18
#define SIZE (HEIGHT * WIDTH)
#define N_PASSES 6
#define N_JOBS 2

typedef struct
{
  PrismCudaWavePlan plan;
  void *bits, *amplitude, *boxes, *last, *states, *work, *roots, *jobs;
} Fixture;

static void
fixture_set_up (Fixture *self,
                gsize shared_limit)
{
  float *amplitude = new_random_floats (SIDE * SIDE, 1);
  float *boxes = new_random_floats (2 * N_JOBS * SIZE, 2);
  PrismCudaComplex roots[SIDE];
  PrismCudaWaveJob jobs[N_JOBS];
  uint8_t bits[SIZE];

  g_assert_true (prism_cuda_wave_plan (&self->plan, SIDE, HEIGHT, WIDTH, shared_limit));
  for (int k = 0; k < SIDE; k++)
    roots[k] = (PrismCudaComplex) { (float) cos (2 * G_PI * k / SIDE),
                                    (float) sin (2 * G_PI * k / SIDE) };
  for (int i = 0; i < SIZE; i++)
    bits[i] = i % 7 != 0;
  self->bits = new_device_array (bits, sizeof bits);
  self->amplitude = new_device_array (amplitude, SIDE * SIDE * sizeof (float));
  self->boxes = new_device_array (boxes, 2 * N_JOBS * SIZE * sizeof (float));
  self->last = new_device_array (NULL, 2 * N_JOBS * SIZE * sizeof (float));
  self->states = new_device_array (NULL, N_JOBS * SIDE * SIDE * sizeof (PrismCudaComplex));
  if (self->plan.work_bytes > 0)
    self->work = new_device_array (NULL, N_JOBS * self->plan.work_bytes);
  self->roots = new_device_array (roots, sizeof roots);
  for (int i = 0; i < N_JOBS; i++)
    jobs[i] = (PrismCudaWaveJob) {
      .bits = self->bits,
      .amplitude = self->amplitude,
      .box = (PrismCudaComplex *) self->boxes + i * SIZE,
      .last = (PrismCudaComplex *) self->last + i * SIZE,
      .state = (PrismCudaComplex *) self->states + i * SIDE * SIDE,
      .work = self->work != NULL
                  ? (PrismCudaComplex *) ((char *) self->work + i * self->plan.work_bytes)
                  : NULL,
      .height = HEIGHT - i,
      .width = WIDTH - 3 * i,
    };
  self->jobs = new_device_array (jobs, sizeof jobs);
  self->plan.roots = self->roots;
}

/* Passes of a search or of a descent, at_once of them in a launch. [N_JOBS][2·SIZE] */
static float *
dup_moved (gsize shared_limit,
           gboolean search,
           int at_once)
{
  Fixture self = { 0 };

  fixture_set_up (&self, shared_limit);
  for (int done = 0; done < N_PASSES; done += at_once)
    assert_cuda (prism_cuda_wave_move (&self.plan, self.jobs, N_JOBS, search ? 0.8f : 0.0f, at_once,
                                       done == 0, NULL));
  return dup_device_array (search ? self.boxes : self.last, 2 * N_JOBS * SIZE * sizeof (float));
}

/* The second box is smaller, and ends where it ends. */
static void
compare (const float *a,
         const float *b,
         double tolerance)
{
  assert_close (a, b, 2 * SIZE, tolerance);
  assert_close (a + 2 * SIZE, b + 2 * SIZE, 2 * (HEIGHT - 1) * (WIDTH - 3), tolerance);
}

TEST (launches_go_on, "/cuda/wave/launches-go-on")
{
  for (int search = 0; search < 2; search++)
    {
      float *whole = dup_moved (1 << 20, search, N_PASSES);
      float *parts = dup_moved (1 << 20, search, 2);

      compare (whole, parts, 0.0);
    }
}

/* With less shared memory fewer rows go together, then fewer columns, then all are elsewhere. */
TEST (less_memory, "/cuda/wave/less-memory")
{
  static const gsize limits[] = { 30 << 10, 22000, 12 << 10, 7 << 10 };

  for (int search = 0; search < 2; search++)
    for (gsize i = 0; i < G_N_ELEMENTS (limits); i++)
      {
        float *expected = dup_moved (1 << 20, search, N_PASSES);
        float *found = dup_moved (limits[i], search, N_PASSES);

        compare (expected, found, 1e-5);
      }
}

TEST (plan, "/cuda/wave/plan")
{
  PrismCudaWavePlan plan;

  g_assert_true (prism_cuda_wave_plan (&plan, 128, 41, 41, 227 << 10));
  g_assert_cmpuint (plan.work_bytes, ==, 0);
  g_assert_cmpint (plan.n_rows, ==, 64);
  g_assert_true (prism_cuda_wave_plan (&plan, 128, 41, 41, 99 << 10));
  g_assert_cmpuint (plan.work_bytes, ==, 0);
  g_assert_true (prism_cuda_wave_plan (&plan, 128, 41, 41, 64 << 10));
  g_assert_true (prism_cuda_wave_plan (&plan, 512, 41, 41, 227 << 10));
  g_assert_cmpuint (plan.work_bytes, >, 0);
  g_assert_false (prism_cuda_wave_plan (&plan, 4096, 41, 41, 227 << 10));
  g_assert_false (prism_cuda_wave_plan (&plan, 128, 41, 41, 0));
}
