#include "base/prism-number.h"
#include "prism-test.h"

static const char *const words[] = { "run", "sweep", "quick-look", "object_size", NULL };

TEST (near_words_are_found, "/engine/nearest/near")
{
  g_assert_cmpstr (prism_nearest_find ("swep", words), ==, "sweep");
  g_assert_cmpstr (prism_nearest_find ("Sweep", words), ==, "sweep");
  g_assert_cmpstr (prism_nearest_find ("quik-look", words), ==, "quick-look");
  g_assert_cmpstr (prism_nearest_find ("size", words), ==, "object_size");
}

TEST (far_words_are_not, "/engine/nearest/far")
{
  g_autofree char *long_word = g_strnfill (200, 'a');

  g_assert_null (prism_nearest_find ("", words));
  g_assert_null (prism_nearest_find ("r", words));
  g_assert_null (prism_nearest_find ("telescope", words));
  g_assert_null (prism_nearest_find (long_word, words));
}
