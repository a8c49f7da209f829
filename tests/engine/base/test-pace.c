#include "base/prism-clock.h"
#include "prism-test.h"

TEST (one_stays_one, "/engine/pace/one")
{
  PrismPace pace;

  prism_pace_init (&pace, 1);
  prism_pace_update (&pace, 1, 1e-6);
  g_assert_cmpuint (prism_pace_get (&pace, 1000), ==, 1);
}

TEST (quick_work_grows_to_the_most, "/engine/pace/quick")
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

TEST (slow_work_takes_a_moment, "/engine/pace/slow")
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
