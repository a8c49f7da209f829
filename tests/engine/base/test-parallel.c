#include "base/prism-pool.h"
#include "prism-test.h"

#include <stdatomic.h>
#include <sys/resource.h>

#define MAX_TURNS 300

typedef struct
{
  atomic_uint calls[MAX_TURNS];
  float products[MAX_TURNS]; /* denormals, written without a lock: for ThreadSanitizer */
} Count;

static void
count_turn (gpointer data, guint turn)
{
  Count *count = data;
  volatile float small = FLT_MIN;

  atomic_fetch_add (&count->calls[turn], 1);
  count->products[turn] = small * 0.5f;
}

static void
check_runs (gsize n_values)
{
  static const guint numbers[] = { 0, 1, 2, 3, MAX_TURNS };

  for (gsize k = 0; k < G_N_ELEMENTS (numbers); k++)
    {
      g_autofree Count *count = g_new0 (Count, 1);

      prism_parallel_run (numbers[k], n_values, count_turn, count);
      for (guint i = 0; i < MAX_TURNS; i++)
        {
          g_assert_cmpuint (atomic_load (&count->calls[i]), ==, i < numbers[k] ? 1 : 0);
          g_assert_true ((count->products[i] > 0) == (i < numbers[k]));
        }
    }
}

TEST (every_turn_runs_once, "/parallel/every-turn-runs-once")
{
  check_runs (0);
  check_runs (G_MAXSIZE);
}

/* No stack for another thread fits into what the process may have. */
TEST (without_threads, "/parallel/without-threads")
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  g_test_skip ("A sanitizer needs the memory itself.");
#else
  struct rlimit limit;

  if (g_test_subprocess ())
    {
      /* A stack has 8 MiB; what a pool itself takes is there. */
      g_autofree char *pages = file_text ("/proc/self/statm");
      g_assert_cmpint (getrlimit (RLIMIT_AS, &limit), ==, 0);
      limit.rlim_cur = g_ascii_strtoull (pages, NULL, 10) * sysconf (_SC_PAGESIZE) + (1 << 20);
      g_assert_cmpint (setrlimit (RLIMIT_AS, &limit), ==, 0);
      check_runs (G_MAXSIZE);
      return;
    }
  g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
  g_test_trap_assert_passed ();
#endif
}
