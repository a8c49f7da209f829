#include "config.h"

#include "prism-test.h"
#include "widget-test.h"
#include "support/prism-job.h"

#define INTERVAL 40 /* ms */

typedef struct
{
  int asked; /* how often so far */
  int seen;  /* what the last call saw of that */
  int n_calls;
} Calls;

static void
look (gpointer data)
{
  Calls *calls = data;

  calls->seen = calls->asked;
  calls->n_calls++;
}

static void
ask (PrismThrottle *throttle,
     Calls *calls,
     gboolean at_once)
{
  calls->asked++;
  prism_throttle_call (throttle, at_once);
}

/* The first call comes at once, those that follow at the pace, and none is forgotten. */
TEST (keeps_the_pace, "/app/throttle/keeps-the-pace")
{
  Calls calls = { 0 };
  PrismThrottle *throttle = prism_throttle_new (INTERVAL, 0, look, &calls);
  gint64 begin = g_get_monotonic_time ();
  gint64 end;

  ask (throttle, &calls, FALSE);
  g_assert_cmpint (calls.n_calls, ==, 1);
  do
    {
      ask (throttle, &calls, FALSE);
      g_main_context_iteration (NULL, FALSE);
      end = g_get_monotonic_time ();
    }
  while (end - begin < 10 * INTERVAL * 1000);
  WAIT_FOR (calls.seen >= calls.asked);
  end = g_get_monotonic_time ();
  g_assert_cmpint (calls.n_calls, >, 1);
  g_assert_cmpint (calls.n_calls, <=, (end - begin) / (INTERVAL * 1000) + 2);

  while (g_main_context_iteration (NULL, FALSE))
    ;
  g_assert_cmpint (calls.seen, ==, calls.asked);
  prism_throttle_free (throttle);
}

/* Two of the same phase see the same, and of another phase something else. An interval that begins
 * between the two questions makes them differ by that one. */
static void
test_together (gconstpointer data)
{
  guint phase = GPOINTER_TO_UINT (data);
  Calls one = { 0 };
  Calls other = { 0 };
  PrismThrottle *first = prism_throttle_new (INTERVAL, 0, look, &one);
  PrismThrottle *second = prism_throttle_new (INTERVAL, phase, look, &other);
  gint64 begin = g_get_monotonic_time ();
  int n_same = 0;
  int n = 0;

  ask (first, &one, FALSE);
  g_usleep (INTERVAL * 700);
  while (g_get_monotonic_time () - begin < 10 * INTERVAL * 1000)
    {
      ask (first, &one, FALSE);
      other.asked = one.asked - 1;
      ask (second, &other, FALSE);
      g_main_context_iteration (NULL, FALSE);
      n_same += ABS (one.seen - other.seen) <= 1;
      n++;
    }
  if (phase == 0)
    g_assert_cmpint (n_same, >, n * 3 / 4);
  else
    g_assert_cmpint (n_same, <, n * 3 / 4);
  prism_throttle_free (first);
  prism_throttle_free (second);
}

/* What cannot wait does not, and takes the place of what waits. */
TEST (at_once, "/app/throttle/at-once")
{
  Calls calls = { 0 };
  PrismThrottle *throttle = prism_throttle_new (INTERVAL, 0, look, &calls);
  gint64 begin;

  ask (throttle, &calls, FALSE);
  ask (throttle, &calls, FALSE);
  g_assert_cmpint (calls.n_calls, ==, 1);
  ask (throttle, &calls, TRUE);
  g_assert_cmpint (calls.n_calls, ==, 2);
  g_assert_cmpint (calls.seen, ==, 3);
  begin = g_get_monotonic_time ();
  while (g_get_monotonic_time () - begin < 2 * INTERVAL * 1000)
    g_main_context_iteration (NULL, FALSE);
  g_assert_cmpint (calls.n_calls, ==, 2);
  prism_throttle_free (throttle);
}

TEST (freed_before_the_call, "/app/throttle/freed-before-the-call")
{
  Calls calls = { 0 };
  PrismThrottle *throttle = prism_throttle_new (INTERVAL, 0, look, &calls);
  gint64 begin = g_get_monotonic_time ();

  ask (throttle, &calls, FALSE);
  ask (throttle, &calls, FALSE);
  prism_throttle_free (throttle);
  while (g_get_monotonic_time () - begin < 2 * INTERVAL * 1000)
    g_main_context_iteration (NULL, FALSE);
  g_assert_cmpint (calls.n_calls, ==, 1);
}

TESTS
{
  g_test_add_data_func ("/app/throttle/together", GUINT_TO_POINTER (0), test_together);
  g_test_add_data_func ("/app/throttle/apart", GUINT_TO_POINTER (INTERVAL / 2), test_together);
}
