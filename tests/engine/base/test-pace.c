#include "config.h"

#include "base/prism-clock.h"

static void
test_one_stays_one (void)
{
  PrismPace pace;

  prism_pace_init (&pace, 1);
  prism_pace_update (&pace, 1, 1e-6);
  g_assert_cmpuint (prism_pace_get (&pace, 1000), ==, 1);
}

static void
test_quick_work_grows_to_the_most (void)
{
  PrismPace pace;

  prism_pace_init (&pace, 64);
  g_assert_cmpuint (prism_pace_get (&pace, 1000), ==, 1);
  for (int i = 0; i < 10; i++)
    {
      guint n = prism_pace_get (&pace, 1000);

      g_assert_cmpuint (n, <=, 64);
      prism_pace_update (&pace, n, n * 1e-4);
      g_assert_cmpuint (prism_pace_get (&pace, 1000), <=, 2 * n);
    }
  g_assert_cmpuint (prism_pace_get (&pace, 1000), ==, 64);
  g_assert_cmpuint (prism_pace_get (&pace, 5), ==, 5);
  g_assert_cmpuint (prism_pace_get (&pace, 0), ==, 1);
}

static void
test_slow_work_takes_a_moment (void)
{
  PrismPace pace;

  prism_pace_init (&pace, 64);
  for (int i = 0; i < 10; i++)
    {
      guint n = prism_pace_get (&pace, 1000);
      prism_pace_update (&pace, n, n * 2e-3);
    }
  g_assert_cmpuint (prism_pace_get (&pace, 1000), ==, 7);
  prism_pace_update (&pace, 7, 10.0);
  g_assert_cmpuint (prism_pace_get (&pace, 1000), ==, 1);
}

int
main (int argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/pace/one", test_one_stays_one);
  g_test_add_func ("/engine/pace/quick", test_quick_work_grows_to_the_most);
  g_test_add_func ("/engine/pace/slow", test_slow_work_takes_a_moment);
  return g_test_run ();
}
