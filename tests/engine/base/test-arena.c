#include "base/prism-arena.h"
#include "base/prism-system.h"
#include "prism-test.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdint.h>

TEST (arrays_are_aligned_and_apart, "/engine/arena/arrays-are-aligned-and-apart")
{
  g_autoptr (PrismArena) arena = prism_arena_new ();
  float *a = NULL;
  double *b = NULL;

  prism_arena_add_array (arena, (gpointer *) &a, 3 * sizeof *a);
  prism_arena_add_array (arena, (gpointer *) &b, 5 * sizeof *b);
  g_assert_cmpuint (prism_arena_get_size (arena), ==, 2 * PRISM_ALIGNMENT);
  g_assert_true (MUST (prism_arena_allocate (arena, "a test", &error)));
  g_assert_cmpuint ((uintptr_t) a % PRISM_ALIGNMENT, ==, 0);
  g_assert_cmpuint ((uintptr_t) b % PRISM_ALIGNMENT, ==, 0);
  g_assert_true ((char *) b - (char *) a == PRISM_ALIGNMENT);
  g_assert_cmpfloat (b[4], ==, 0.0);
}

TEST (too_much_is_an_error, "/engine/arena/too-much-is-an-error")
{
  FAILS (prism_arena_new_array (G_MAXSIZE / 2, "a test", &error), MEMORY, "a part (crop) or tiles");
}

TEST (more_than_the_machine_has_is_an_error, "/engine/arena/more-than-the-machine-has-is-an-error")
{
  guint64 available = prism_available_get_memory ();

  if (available > G_MAXSIZE / 4)
    {
      g_test_skip ("the available memory is not known");
      return;
    }
  FAILS (prism_arena_new_array (available + available / 4, "a test", &error), MEMORY, "");
}

/* Each block lies between two that stay, as in a process that works for hours. */
TEST (what_is_given_back_is_used_again, "/engine/arena/what-is-given-back-is-used-again")
{
#ifdef __GLIBC__
  enum
  {
    N_ARRAYS = 256,
    N_BYTES = 48 * 48 * sizeof (float)
  };
  gpointer arrays[N_ARRAYS], guards[N_ARRAYS];

  for (int i = 0; i < N_ARRAYS; i++)
    {
      arrays[i] = prism_arena_new_array (N_BYTES, "a test", NULL);
      guards[i] = g_malloc (16);
    }
  gsize held = mallinfo2 ().arena;
  for (int i = 0; i < 8 * N_ARRAYS; i++)
    {
      prism_arena_free_array (arrays[i % N_ARRAYS]);
      arrays[i % N_ARRAYS] = prism_arena_new_array (N_BYTES, "a test", NULL);
      g_assert_nonnull (arrays[i % N_ARRAYS]);
    }
  g_assert_cmpuint (mallinfo2 ().arena, <=, held + 16 * N_BYTES);

  for (int i = 0; i < N_ARRAYS; i++)
    {
      prism_arena_free_array (arrays[i]);
      g_free (guards[i]);
    }
#else
  g_test_skip ("only the GNU C library tells how large the heap is");
#endif
}

TEST (large_and_small_arrays_end, "/engine/arena/large-and-small-arrays-end")
{
  for (gsize n_bytes = 0; n_bytes <= 5u << 20; n_bytes = n_bytes * 3 + 1)
    {
      char *array = prism_arena_new_array (n_bytes, "a test", NULL);

      g_assert_nonnull (array);
      g_assert_cmpuint ((uintptr_t) array % PRISM_ALIGNMENT, ==, 0);
      for (gsize i = 0; i < n_bytes; i++)
        g_assert_cmpint (array[i], ==, 0);
      memset (array, 1, n_bytes);
      prism_arena_free_array (array);
    }
}

/* Written and read from end to end, it is held a part at a time. */
TEST (what_is_stored_is_not_held, "/engine/arena/what-is-stored-is-not-held")
{
  enum
  {
    N = 1 << 26, /* numbers: 256 MiB */
    N_PART = 1 << 18
  };
  guint32 *array = prism_arena_new_stored (N * sizeof *array, "a test", NULL);
  const guint64 before = prism_available_get_resident ();
  guint64 most = before;

  g_assert_nonnull (array);
  for (guint pass = 0; pass < 2 && prism_arena_is_stored (array); pass++)
    for (guint first = 0; first < N; first += N_PART)
      {
        for (guint i = first; i < first + N_PART; i++)
          if (pass == 0)
            array[i] = i;
          else if (array[i] != i)
            g_error ("number %u is %u", i, array[i]);
        prism_arena_touch (array + first, N_PART * sizeof *array);
        most = MAX (most, prism_available_get_resident ());
      }
  if (!prism_arena_is_stored (array))
    g_test_skip ("no disk has room for it");
  else if (before > 0)
    g_assert_cmpuint (most - before, <, N * sizeof *array / 2);
  prism_arena_free_array (array);
  g_assert_false (prism_arena_is_stored (array));
}
