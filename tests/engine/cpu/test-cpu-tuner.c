#include "../support/test-remove-tree.h"
#include "cpu/prism-cpu-tuner.h"
#include "prism-test.h"

#include <stdatomic.h>

#define N_THREADS 6

static char *directory;

/* A clock of our own: seconds of a step by its kind and threads. */
typedef double (*FakeClock) (guint kind, guint n_threads);

static PrismCpuTuner
make_tuner (guint n_threads)
{
  const PrismCpuTuned nothing = { 0 };
  PrismCpuTuner tuner;

  prism_cpu_tuner_init (&tuner, n_threads, &nothing);
  return tuner;
}

static guint
tune (PrismCpuTuner *tuner, guint kind, FakeClock clock)
{
  guint n = 0;

  while (tuner->kinds[kind].settled == 0)
    {
      prism_cpu_tuner_note (tuner, kind, clock (kind, prism_cpu_tuner_choose (tuner, kind)));
      g_assert_cmpuint (++n, <, 1000);
    }
  return n;
}

/* Four are best for a step of one term, one for the start, and all for the rest. */
static double
tell (guint kind, guint n_threads)
{
  if (kind == 1)
    return 1e-3 * (n_threads == 4 ? 1.0 : 1.5);
  if (kind == 0)
    return 1e-4 * n_threads;
  return 1e-3 / n_threads;
}

TEST (takes_what_is_quickest, "/engine/cpu-tuner/quickest")
{
  PrismCpuTuner tuner = make_tuner (N_THREADS);

  for (guint kind = 0; kind < 3; kind++)
    tune (&tuner, kind, tell);
  g_assert_cmpuint (tuner.tuned.threads[0], ==, 1);
  g_assert_cmpuint (tuner.tuned.threads[1], ==, 4);
  g_assert_cmpuint (tuner.tuned.threads[2], ==, N_THREADS);
  g_assert_cmpuint (tuner.tuned.threads[3], ==, 0);
  g_assert_cmpuint (prism_cpu_tuner_choose (&tuner, 1), ==, 4);
}

static double
tell_the_same (guint kind, guint n_threads)
{
  return n_threads == N_THREADS ? 1.00 : 0.98;
}

/* A gain that may be chance changes nothing, and two seconds of steps are enough. */
TEST (chance_and_budget, "/engine/cpu-tuner/chance-and-budget")
{
  PrismCpuTuner tuner = make_tuner (N_THREADS);

  g_assert_cmpuint (tune (&tuner, 1, tell_the_same), ==, 3);
  g_assert_cmpuint (prism_cpu_tuner_choose (&tuner, 1), ==, N_THREADS);
}

static double
tell_later (guint kind, guint n_threads)
{
  return 1e-3 * n_threads;
}

/* After some hundred steps it is found out again; what was known stays known meanwhile. */
TEST (renewed, "/engine/cpu-tuner/renewed")
{
  PrismCpuTuner tuner = make_tuner (N_THREADS);
  guint n = 0;

  tune (&tuner, 2, tell);
  g_assert_cmpuint (prism_cpu_tuner_choose (&tuner, 2), ==, N_THREADS);
  for (; tuner.kinds[2].settled > 0 && n < 10000; n++)
    prism_cpu_tuner_note (&tuner, 2, 1e-3);
  g_assert_cmpuint (n, ==, 500);
  g_assert_cmpuint (tuner.tuned.threads[2], ==, N_THREADS);
  tune (&tuner, 2, tell_later);
  g_assert_cmpuint (prism_cpu_tuner_choose (&tuner, 2), ==, 1);
}

static double
disturb (guint kind, guint n_threads)
{
  static guint n;

  return 1e-3 * (n_threads == 1 ? 1.0 : 2.0) * (++n % 5 == 0 ? 30.0 : 1.0);
}

/* Now and then another program takes the processor away. */
TEST (disturbed, "/engine/cpu-tuner/disturbed")
{
  PrismCpuTuner tuner = make_tuner (N_THREADS);

  tune (&tuner, 3, disturb);
  g_assert_cmpuint (prism_cpu_tuner_choose (&tuner, 3), ==, 1);
}

TEST (one_thread, "/engine/cpu-tuner/one-thread")
{
  PrismCpuTuner tuner = make_tuner (1);

  g_assert_cmpuint (tuner.kinds[0].settled, ==, 1);
  g_assert_cmpuint (prism_cpu_tuner_choose (&tuner, 0), ==, 1);
  g_assert_cmpuint (prism_cpu_tuner_get_class (TRUE, 9), ==, 0);
  g_assert_cmpuint (prism_cpu_tuner_get_class (FALSE, 1), ==, 1);
  g_assert_cmpuint (prism_cpu_tuner_get_class (FALSE, 4), ==, 3);
  g_assert_cmpuint (prism_cpu_tuner_get_class (FALSE, 32), ==, 6);
}

static char *
find_file (void)
{
  g_autofree char *folder = g_build_filename (directory, "prism-studio", "tuning", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name = dir != NULL ? g_dir_read_name (dir) : NULL;

  return name != NULL ? g_build_filename (folder, name, NULL) : NULL;
}

/* What was found out is known to the next run of this shape, and to no other; a damaged file is as
 * good as none. */
TEST (file, "/engine/cpu-tuner/file")
{
  static const char *const damages[] = { "", "{", "{\"terms_1\": 1e9}", "{\"terms_1\": \"x\"}",
                                         "\xff" };
  const PrismBackendSpec spec = { .image_size = 64, .object_size = 16 };
  const PrismBackendSpec other = { .image_size = 128, .object_size = 16 };
  const PrismCpuTuned written = { .threads = { 1, 4, 0, 2 } };
  g_autoptr (GError) error = NULL;
  PrismCpuTuned read;
  PrismCpuTuner tuner;

  g_assert_false (prism_cpu_tuned_load (&read, &spec, N_THREADS));
  g_assert_true (prism_cpu_tuned_save (&written, &spec, N_THREADS, &error));
  g_assert_true (prism_cpu_tuned_load (&read, &spec, N_THREADS));
  g_assert_cmpmem (&read, sizeof read, &written, sizeof written);
  g_assert_false (prism_cpu_tuned_load (&read, &other, N_THREADS));
  g_assert_false (prism_cpu_tuned_load (&read, &spec, N_THREADS - 1));
  prism_cpu_tuner_init (&tuner, N_THREADS, &written);
  g_assert_cmpuint (tuner.kinds[1].settled, ==, 4);
  g_assert_cmpuint (tuner.kinds[2].settled, ==, 0);

  g_autofree char *path = find_file ();
  for (gsize i = 0; i < G_N_ELEMENTS (damages); i++)
    {
      g_assert_true (g_file_set_contents (path, damages[i], -1, NULL));
      g_assert_false (prism_cpu_tuned_load (&read, &spec, N_THREADS));
      g_assert_cmpuint (read.threads[1], ==, 0);
    }
  g_assert_true (prism_cpu_tuned_save (&written, &spec, N_THREADS, &error));
  g_assert_true (prism_cpu_tuned_load (&read, &spec, N_THREADS));
  g_assert_true (prism_cpu_tuned_forget (&spec, N_THREADS));
  g_assert_false (prism_cpu_tuned_load (&read, &spec, N_THREADS));
}

typedef struct
{
  atomic_uint n_chunks, highest;
} Seen;

static void
see (gpointer data, guint chunk, guint worker)
{
  Seen *seen = data;
  guint highest = atomic_load (&seen->highest);

  atomic_fetch_add (&seen->n_chunks, 1);
  while (worker > highest && !atomic_compare_exchange_weak (&seen->highest, &highest, worker))
    ;
}

/* Every chunk once, whatever the limit, and nobody sleeps through the next job. */
TEST (pool_limit, "/engine/cpu-tuner/pool-limit")
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismPool) pool = prism_pool_new (N_THREADS, &error);

  for (guint round = 0; round < 400; round++)
    {
      const guint limit = 1 + round % N_THREADS;
      Seen seen = { 0 };

      prism_pool_set_limit (pool, limit);
      prism_pool_run (pool, 50, see, &seen);
      g_assert_cmpuint (atomic_load (&seen.n_chunks), ==, 50);
      if (limit == 1)
        g_assert_cmpuint (atomic_load (&seen.highest), ==, 0);
      if (round % 40 == 0)
        g_usleep (200);
    }
}

int
main (int argc, char *argv[])
{
  directory = g_dir_make_tmp ("prism-XXXXXX", NULL);
  g_setenv ("XDG_CACHE_HOME", directory, TRUE);
  g_test_init (&argc, &argv, NULL);
  int result = prism_test_run ();
  test_remove_tree (directory);
  g_free (directory);
  return result;
}
