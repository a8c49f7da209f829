#include "config.h"

#include "base/prism-sort.h"

#include <string.h>

/* Fewer are sorted sooner by comparing. */
#define MIN_COUNTED 512
#define BITS 11
#define N_BINS (1u << BITS)
#define N_ROUNDS 3

/* As float a < b, as unsigned key a < key b. */
static guint32
get_key (guint32 bits)
{
  return bits ^ (bits >> 31 != 0 ? G_MAXUINT32 : 1u << 31);
}

static guint32
get_bits (guint32 key)
{
  return key ^ (key >> 31 != 0 ? 1u << 31 : G_MAXUINT32);
}

static guint
get_bin (guint32 key,
         guint round)
{
  return (key >> (round * BITS)) & (N_BINS - 1);
}

/* By counting, from the lowest bits to the highest; spare [n]. */
static void
sort_keys (guint32 *keys,
           guint32 *spare,
           gsize n)
{
  gsize places[N_ROUNDS][N_BINS] = { 0 };
  guint32 *from = keys, *to = spare;

  for (gsize i = 0; i < n; i++)
    for (guint round = 0; round < N_ROUNDS; round++)
      places[round][get_bin (keys[i], round)]++;
  for (guint round = 0; round < N_ROUNDS; round++)
    {
      guint32 *sorted = to;
      gsize place = 0;

      for (guint bin = 0; bin < N_BINS; bin++)
        {
          const gsize count = places[round][bin];

          places[round][bin] = place;
          place += count;
        }
      for (gsize i = 0; i < n; i++)
        to[places[round][get_bin (from[i], round)]++] = from[i];
      to = from;
      from = sorted;
    }
  memcpy (keys, from, n * sizeof *keys);
}

static int
compare_floats (gconstpointer a,
                gconstpointer b)
{
  const float x = *(const float *) a, y = *(const float *) b;

  return (x > y) - (x < y);
}

/**
 * prism_sort_floats:
 * @values: (array length=n): none of them not a number
 * @n: how many
 *
 * Sorts them in place, ascending. Many are sorted by counting, which takes as much room again for a
 * while: a frame of 128×128 in a fifth of the time.
 *
 * Thread: any.
 */
void
prism_sort_floats (float *values,
                   gsize n)
{
  guint32 *keys = n < MIN_COUNTED ? NULL : g_try_new (guint32, 2 * n);

  if (keys == NULL)
    {
      qsort (values, n, sizeof *values, compare_floats);
      return;
    }
  memcpy (keys, values, n * sizeof *keys);
  for (gsize i = 0; i < n; i++)
    keys[i] = get_key (keys[i]);
  sort_keys (keys, keys + n, n);
  for (gsize i = 0; i < n; i++)
    keys[i] = get_bits (keys[i]);
  memcpy (values, keys, n * sizeof *values);
  g_free (keys);
}
