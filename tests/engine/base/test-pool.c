#include "base/prism-pool.h"
#include "prism-test.h"

#include <stdatomic.h>

#define N_CHUNKS 1000

typedef struct
{
  atomic_uint calls[N_CHUNKS], n_bad_workers;
  guint n_threads;
  guint plain[N_CHUNKS]; /* [chunk], written without a lock: for ThreadSanitizer */
} Count;

static PrismPool *
new_pool (guint n_threads)
{
  PrismPool *pool = MUST (prism_pool_new (n_threads, &error));

  g_assert_cmpuint (prism_pool_get_n_threads (pool), ==, n_threads);
  return pool;
}

static void
count_chunk (gpointer data, guint chunk, guint worker)
{
  Count *count = data;

  atomic_fetch_add (&count->calls[chunk], 1);
  if (worker >= count->n_threads)
    atomic_fetch_add (&count->n_bad_workers, 1);
  count->plain[chunk] = chunk + 1;
}

TEST (every_chunk_runs_once, "/engine/pool/every-chunk-runs-once")
{
  for (guint n_threads = 1; n_threads <= 5; n_threads++)
    {
      g_autoptr (PrismPool) pool = new_pool (n_threads);

      for (guint n_chunks = 0; n_chunks <= N_CHUNKS; n_chunks = 3 * n_chunks + 1)
        {
          g_autofree Count *count = g_new0 (Count, 1);

          count->n_threads = n_threads;
          prism_pool_run (pool, n_chunks, count_chunk, count);
          g_assert_cmpuint (atomic_load (&count->n_bad_workers), ==, 0);
          for (guint i = 0; i < N_CHUNKS; i++)
            {
              g_assert_cmpuint (atomic_load (&count->calls[i]), ==, i < n_chunks ? 1 : 0);
              g_assert_cmpuint (count->plain[i], ==, i < n_chunks ? i + 1 : 0);
            }
        }
    }
}

static void
add_one (gpointer data, guint chunk, guint worker)
{
  guint *values = data;

  values[chunk]++;
}

/* Many short jobs in a row, with pauses long enough for workers to fall asleep in between. */
TEST (jobs_follow_each_other, "/engine/pool/jobs-follow-each-other")
{
  g_autoptr (PrismPool) pool = new_pool (3);
  guint values[4] = { 0 };

  for (guint i = 0; i < 20000; i++)
    {
      if (i % 2000 == 0)
        g_usleep (200);
      prism_pool_run (pool, G_N_ELEMENTS (values), add_one, values);
    }
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    g_assert_cmpuint (values[i], ==, 20000);
}

TEST (unused_pool_ends, "/engine/pool/unused-pool-ends")
{
  for (guint i = 0; i < 50; i++)
    {
      g_autoptr (PrismPool) pool = new_pool (1 + i % 4);
      prism_pool_run (pool, 0, add_one, NULL);
    }
}

static void
multiply_denormal (gpointer data, guint chunk, guint worker)
{
  float *products = data;
  volatile float small = FLT_MIN;

  products[chunk] = small * 0.5f;
}

TEST (denormals_are_flushed_inside_only, "/engine/pool/denormals-are-flushed-inside-only")
{
#if defined(__x86_64__) || defined(__aarch64__)
  volatile float small = FLT_MIN;

  for (guint n_threads = 1; n_threads <= 3; n_threads += 2)
    {
      g_autoptr (PrismPool) pool = new_pool (n_threads);
      float products[64] = { 0 };

      prism_pool_run (pool, G_N_ELEMENTS (products), multiply_denormal, products);
      for (guint i = 0; i < G_N_ELEMENTS (products); i++)
        g_assert_cmpfloat (products[i], ==, 0.0f);
      g_assert_cmpfloat (small * 0.5f, >, 0.0f);
    }
#else
  g_test_skip ("This processor's way to flush denormals is not known to the pool.");
#endif
}

/* taskset, and batch systems that give a job some of the processors. */
TEST (assigned_processors, "/engine/pool/assigned-processors")
{
  cpu_set_t before, one;
  int first = 0;

  g_assert_cmpint (sched_getaffinity (0, sizeof before, &before), ==, 0);
  while (!CPU_ISSET (first, &before))
    first++;
  CPU_ZERO (&one);
  CPU_SET (first, &one);
  g_assert_cmpint (sched_setaffinity (0, sizeof one, &one), ==, 0);
  g_assert_cmpuint (prism_pool_count_threads (0), ==, 1);
  g_assert_cmpuint (prism_pool_count_threads (3), ==, 3);
  g_assert_cmpint (sched_setaffinity (0, sizeof before, &before), ==, 0);
}

TEST (bad_numbers_are_errors, "/engine/pool/bad-numbers-are-errors")
{
  static const guint numbers[] = { 0, 257, G_MAXUINT };

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    FAILS (prism_pool_new (numbers[i], &error), CONFIG, "");
}

#ifdef __SANITIZE_THREAD__

typedef struct
{
  atomic_uint n_here;
  guint plain; /* written by both chunks, without a lock */
} Race;

/* Both chunks are under way before either writes, and nothing that they do orders the two. */
static void
write_plain (gpointer data, guint chunk, guint worker)
{
  Race *race = data;

  atomic_fetch_add_explicit (&race->n_here, 1, memory_order_relaxed);
  while (atomic_load_explicit (&race->n_here, memory_order_relaxed) < 2)
    ;
  race->plain++;
}

/* A control: were the sanitizer blind to the pool's threads, all other tests would pass, too. */
TEST (seeded_race_is_seen, "/engine/pool/seeded-race-is-seen")
{
  if (g_test_subprocess ())
    {
      g_autoptr (PrismPool) pool = new_pool (2);
      Race race = { .plain = 0 };
      prism_pool_run (pool, 2, write_plain, &race);
      return;
    }
  g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
  g_test_trap_assert_failed ();
  g_test_trap_assert_stderr ("*ThreadSanitizer: data race*write_plain*");
}

#endif
