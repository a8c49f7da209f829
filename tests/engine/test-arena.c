#include "config.h"

#include "prism-arena.h"
#include "prism-error.h"

#include <stdint.h>

static void
test_arrays_are_aligned_and_apart (void)
{
  g_autoptr (PrismArena) arena = prism_arena_new ();
  g_autoptr (GError) error = NULL;
  float *a = NULL;
  double *b = NULL;

  prism_arena_add_array (arena, (gpointer *) &a, 3 * sizeof *a);
  prism_arena_add_array (arena, (gpointer *) &b, 5 * sizeof *b);
  g_assert_cmpuint (prism_arena_get_size (arena), ==, 2 * PRISM_ALIGNMENT);
  g_assert_true (prism_arena_allocate (arena, "a test", &error));
  g_assert_no_error (error);
  g_assert_cmpuint ((uintptr_t) a % PRISM_ALIGNMENT, ==, 0);
  g_assert_cmpuint ((uintptr_t) b % PRISM_ALIGNMENT, ==, 0);
  g_assert_true ((char *) b - (char *) a == PRISM_ALIGNMENT);
  g_assert_cmpfloat (b[4], ==, 0.0);
}

static void
test_too_much_is_an_error (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (prism_arena_new_array (G_MAXSIZE / 2, "a test", &error));
  g_assert_error (error, PRISM_ERROR, PRISM_ERROR_MEMORY);
  g_assert_nonnull (strstr (error->message, "a test"));
}

static void
test_more_than_the_machine_has_is_an_error (void)
{
  guint64 available = prism_arena_get_available_memory ();
  g_autoptr (GError) error = NULL;

  if (available > G_MAXSIZE / 4)
    {
      g_test_skip ("the available memory is not known");
      return;
    }
  g_assert_null (prism_arena_new_array (available + available / 4, "a test", &error));
  g_assert_error (error, PRISM_ERROR, PRISM_ERROR_MEMORY);
}

int
main (int argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/arena/arrays-are-aligned-and-apart", test_arrays_are_aligned_and_apart);
  g_test_add_func ("/engine/arena/too-much-is-an-error", test_too_much_is_an_error);
  g_test_add_func ("/engine/arena/more-than-the-machine-has-is-an-error",
                   test_more_than_the_machine_has_is_an_error);
  return g_test_run ();
}
