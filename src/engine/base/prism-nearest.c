#include "config.h"

#include "base/prism-nearest.h"

#include <string.h>

#define MOST_LETTERS 63

/* Levenshtein's distance: insertions, deletions and replacements from one word to the other. */
static guint
get_distance (const char *a,
              const char *b)
{
  gsize n_b = MIN (strlen (b), MOST_LETTERS);
  guint row[MOST_LETTERS + 1];

  for (gsize j = 0; j <= n_b; j++)
    row[j] = j;
  for (gsize i = 0; a[i] != '\0'; i++)
    {
      guint diagonal = row[0];

      row[0] = i + 1;
      for (gsize j = 1; j <= n_b; j++)
        {
          guint replaced = diagonal + (g_ascii_tolower (a[i]) != b[j - 1]);

          diagonal = row[j];
          row[j] = MIN (replaced, MIN (row[j], row[j - 1]) + 1);
        }
    }
  return row[n_b];
}

/**
 * prism_nearest_find:
 * @word: what was written
 * @words: (array zero-terminated=1): what can be written, in small letters
 *
 * Finds the word that was probably meant: few letters differ, or it contains what was written.
 *
 * Returns: (transfer none) (nullable): one of @words, or %NULL where none is near
 */
const char *
prism_nearest_find (const char *word,
                    const char *const *words)
{
  gsize length = strlen (word);
  guint nearest = MAX (2, length / 3) + 1;
  const char *found = NULL;

  if (length < 2 || length > MOST_LETTERS)
    return NULL;
  for (gsize i = 0; words[i] != NULL; i++)
    {
      gsize n = strlen (words[i]);
      guint distance = nearest;

      /* Each letter more or less is one that differs. */
      if (MAX (n, length) - MIN (n, length) < nearest)
        distance = get_distance (word, words[i]);
      if (distance < nearest)
        {
          nearest = distance;
          found = words[i];
        }
    }
  for (gsize i = 0; words[i] != NULL && found == NULL; i++)
    if (length >= 4 && strstr (words[i], word) != NULL)
      found = words[i];
  return found;
}
