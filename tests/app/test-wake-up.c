#include "prism-test.h"
#include "widget-test.h"

#define N_TRIGGERS 100000

static void
count (gpointer data)
{
  (*(int *) data)++;
}

static void *
trigger_often (void *data)
{
  for (int i = 0; i < N_TRIGGERS; i++)
    prism_wake_up_trigger (data);
  return NULL;
}

/* However often another thread triggers it while the loop is busy, one call comes of it. */
TEST (does_not_queue, "/app/wake-up/does-not-queue")
{
  int n_calls = 0;
  PrismWakeUp *wake_up = prism_wake_up_new (count, &n_calls);
  pthread_t thread;

  g_assert_cmpint (pthread_create (&thread, NULL, trigger_often, wake_up), ==, 0);
  pthread_join (thread, NULL);
  while (g_main_context_iteration (NULL, FALSE))
    ;
  g_assert_cmpint (n_calls, ==, 1);

  prism_wake_up_trigger (wake_up);
  WAIT_FOR (n_calls != 1);
  g_assert_cmpint (n_calls, ==, 2);
  prism_wake_up_free (wake_up);
}

TEST (freed_before_the_call, "/app/wake-up/freed-before-the-call")
{
  int n_calls = 0;
  PrismWakeUp *wake_up = prism_wake_up_new (count, &n_calls);

  prism_wake_up_trigger (wake_up);
  prism_wake_up_free (wake_up);
  while (g_main_context_iteration (NULL, FALSE))
    ;
  g_assert_cmpint (n_calls, ==, 0);
}
