#include "config.h"

#include "handbook/prism-handbook-score.h"

#include <string.h>

#define OF_TITLE 10000  /* a word that stands in the title */
#define OF_HEADING 1000 /* the words are the title */
#define MOST_COUNTED 20
#define AS_SHORT 400 /* bytes: a section of this length counts each of its words half */

/* How often a word stands in a text, in proportion to its length: 0 to 1000. */
static guint
get_density (const char *text,
             const char *word)
{
  gsize length = strlen (text);
  guint n = 0;

  for (const char *at = strstr (text, word); at != NULL && n < MOST_COUNTED;
       at = strstr (at + strlen (word), word))
    n++;
  return (guint) (1000 * n * AS_SHORT / (MOST_COUNTED * (AS_SHORT + length)));
}

/**
 * prism_handbook_score:
 * @section: a section that has all the words
 * @words: what is searched for
 *
 * A section whose title has the words comes before one that only mentions them, and one that is
 * short and says them often before a long one.
 *
 * Returns: more for the section that is more about the words; 0 for no words
 */
guint
prism_handbook_score (const PrismHandbookSection *section,
                      const char *words)
{
  g_autofree char *folded = g_utf8_casefold (words, -1);
  g_autofree char *title = g_utf8_casefold (section->title, -1);
  g_auto (GStrv) parts = g_strsplit_set (g_strstrip (folded), " \t", -1);
  guint score = 0;

  for (guint i = 0; parts[i] != NULL; i++)
    if (*parts[i] != '\0')
      score += get_density (section->folded, parts[i])
               + (strstr (title, parts[i]) != NULL ? OF_TITLE : 0);
  return score > 0 && strcmp (folded, title) == 0 ? score + OF_HEADING : score;
}
