#include "config.h"

#include "base/prism-parallel.h"

#include "base/prism-pool.h"

#define MAX_THREADS 8     /* more take longer to start than they save */
#define MIN_VALUES 100000 /* fewer are through before a thread has started */

typedef struct
{
  PrismParallelFunc func;
  gpointer data;
} Loop;

/* A turn computes what it would in the caller's thread. */
static void
run_turn (gpointer data,
          guint turn,
          guint worker)
{
  const Loop *loop = data;
  const guint64 state = prism_pool_keep_denormals ();

  loop->func (loop->data, turn);
  prism_pool_restore_denormals (state);
}

/**
 * prism_parallel_run:
 * @n: how many turns
 * @n_values: how many values they go through, all of them together
 * @func: (scope call): one of them
 * @data: for @func
 *
 * Runs all turns and returns when they are through. Threads are started for this call, no more than
 * there are turns and processors; where there is one processor, or are few values, or no thread can
 * be had, this thread runs all. Denormals are kept.
 *
 * Thread: any.
 */
void
prism_parallel_run (guint n,
                    gsize n_values,
                    PrismParallelFunc func,
                    gpointer data)
{
  const guint n_threads
      = n_values < MIN_VALUES ? 1 : MIN (MIN (n, MAX_THREADS), prism_pool_count_threads (0));
  g_autoptr (PrismPool) pool = n_threads > 1 ? prism_pool_new (n_threads, NULL) : NULL;
  Loop loop = { func, data };

  if (pool != NULL)
    prism_pool_run (pool, n, run_turn, &loop);
  else
    for (guint turn = 0; turn < n; turn++)
      run_turn (&loop, turn, 0);
}
