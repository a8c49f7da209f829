#include "prism-test.h"
#include "widget-test.h"

static GMutex gate;
static int n_jobs;
static int n_live; /* inputs and results that are not freed */

static gpointer
create_number (int number)
{
  int *memory = g_new (int, 1);

  *memory = number;
  g_atomic_int_inc (&n_live);
  return memory;
}

static void
free_number (gpointer number)
{
  g_atomic_int_add (&n_live, -1);
  g_free (number);
}

/* Ten times the input, as soon as the gate is open. */
static gpointer
compute (gpointer input)
{
  g_mutex_lock (&gate);
  g_mutex_unlock (&gate);
  g_atomic_int_inc (&n_jobs);
  return create_number (10 * *(int *) input);
}

static gboolean
is_done (gpointer data)
{
  return !prism_worker_is_busy (data);
}

static PrismWorker *
create_worker (guint interval)
{
  n_jobs = 0;
  n_live = 0;
  return prism_worker_new (compute, free_number, free_number, interval);
}

/* While the first is computed nine others come: only the last of them is computed. */
static void
test_newest_wins (gconstpointer interval)
{
  PrismWorker *worker = create_worker (GPOINTER_TO_UINT (interval));

  g_mutex_lock (&gate);
  for (int i = 1; i <= 10; i++)
    prism_worker_submit (worker, create_number (i));
  g_assert_null (worker->result);
  g_mutex_unlock (&gate);
  WAIT_FOR (is_done (worker));
  g_assert_cmpint (*(int *) worker->result, ==, 100);
  g_assert_cmpint (n_jobs, ==, 2);
  g_object_unref (worker);
  g_assert_cmpint (n_live, ==, 0);
}

/* What is forgotten while it is computed does not come back. */
TEST (forgotten, "/app/worker/forgotten")
{
  PrismWorker *worker = create_worker (0);

  g_mutex_lock (&gate);
  prism_worker_submit (worker, create_number (1));
  prism_worker_submit (worker, NULL);
  g_mutex_unlock (&gate);
  WAIT_FOR (is_done (worker));
  g_assert_null (worker->result);
  prism_worker_submit (worker, create_number (2));
  WAIT_FOR (is_done (worker));
  g_assert_cmpint (*(int *) worker->result, ==, 20);
  g_object_unref (worker);
  g_assert_cmpint (n_live, ==, 0);
}

/* An hour's rest ends where nobody needs the processor any more, for the input that waits. */
TEST (hurry, "/app/worker/hurry")
{
  PrismWorker *worker = create_worker (60 * 60 * 1000);

  prism_worker_submit (worker, create_number (1));
  WAIT_FOR (is_done (worker));
  prism_worker_submit (worker, create_number (2));
  g_assert_true (prism_worker_is_busy (worker));
  prism_worker_hurry (worker);
  WAIT_FOR (is_done (worker));
  g_assert_cmpint (*(int *) worker->result, ==, 20);

  /* Also for one that comes while another is computed. */
  g_mutex_lock (&gate);
  prism_worker_submit (worker, create_number (3));
  prism_worker_hurry (worker);
  prism_worker_submit (worker, create_number (4));
  prism_worker_hurry (worker);
  g_mutex_unlock (&gate);
  WAIT_FOR (is_done (worker));
  g_assert_cmpint (*(int *) worker->result, ==, 40);
  g_object_unref (worker);
  g_assert_cmpint (n_live, ==, 0);
}

/* An hour's rest is the matter's that was forgotten: another one does not wait for it. */
TEST (forget, "/app/worker/forget")
{
  PrismWorker *worker = create_worker (60 * 60 * 1000);

  for (int i = 1; i <= 3; i++)
    {
      prism_worker_submit (worker, create_number (i));
      if (i < 3)
        WAIT_FOR (is_done (worker));
      else
        g_mutex_lock (&gate); /* forgotten while it is computed */
      prism_worker_submit (worker, NULL);
    }
  prism_worker_submit (worker, create_number (4));
  g_mutex_unlock (&gate);
  WAIT_FOR (is_done (worker) && worker->result != NULL);
  g_assert_cmpint (*(int *) worker->result, ==, 40);
  g_object_unref (worker);
  g_assert_cmpint (n_live, ==, 0);
}

TESTS
{
  g_test_add_data_func ("/app/worker/newest-wins", GUINT_TO_POINTER (0), test_newest_wins);
  g_test_add_data_func ("/app/worker/newest-wins/interval", GUINT_TO_POINTER (50),
                        test_newest_wins);
}
