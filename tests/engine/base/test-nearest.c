#include "config.h"

#include "base/prism-number.h"

static const char *const words[] = { "run", "sweep", "quick-look", "object_size", NULL };

static void
test_near_words_are_found (void)
{
  g_assert_cmpstr (prism_nearest_find ("swep", words), ==, "sweep");
  g_assert_cmpstr (prism_nearest_find ("Sweep", words), ==, "sweep");
  g_assert_cmpstr (prism_nearest_find ("quik-look", words), ==, "quick-look");
  g_assert_cmpstr (prism_nearest_find ("size", words), ==, "object_size");
}

static void
test_far_words_are_not (void)
{
  g_autofree char *long_word = g_strnfill (200, 'a');

  g_assert_null (prism_nearest_find ("", words));
  g_assert_null (prism_nearest_find ("r", words));
  g_assert_null (prism_nearest_find ("telescope", words));
  g_assert_null (prism_nearest_find (long_word, words));
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/nearest/near", test_near_words_are_found);
  g_test_add_func ("/engine/nearest/far", test_far_words_are_not);
  return g_test_run ();
}
