#include "config.h"

#include "base/prism-number.h"

#include <locale.h>

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
  guint nearest = MAX (MIN (2, length / 2), length / 3) + 1;
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

/**
 * prism_number_dup_power:
 * @power: an exponent
 *
 * Returns: (transfer full): that power of ten: "10⁻⁷"
 */
char *
prism_number_dup_power (int power)
{
  static const char *const digits[] = { "⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹" };
  g_autofree char *plain = g_strdup_printf ("%d", power);
  GString *text = g_string_new ("10");

  for (const char *c = plain; *c != '\0'; c++)
    g_string_append (text, *c == '-' ? "⁻" : digits[*c - '0']);
  return g_string_free (text, FALSE);
}

/**
 * prism_number_dup:
 * @value: a number
 * @digits: that count
 *
 * Writes a number as the user's locale does. Below 10⁻³ and from 10⁶ on it has a power of ten,
 * where printf() begins with them elsewhere and writes an “e”.
 *
 * Returns: (transfer full): such as "0.0531", "100", "8.18×10⁻⁴"; "–" where it is not finite
 */
char *
prism_number_dup (double value,
                  int digits)
{
  const double size = fabs (value);
  const char *sign = value < 0 ? "−" : "";
  g_autofree char *text = NULL, *power = NULL;
  char *end;

  if (!isfinite (value))
    return g_strdup ("–");
  if (size == 0 || (size >= 1e-3 && size < 1e6))
    return size >= pow (10, digits - 1) ? g_strdup_printf ("%s%.0f", sign, size)
                                        : g_strdup_printf ("%s%.*g", sign, digits, size);
  text = g_strdup_printf ("%.*e", digits - 1, size);
  end = strchr (text, 'e');
  *end = '\0';
  power = prism_number_dup_power (atoi (end + 1));
  return g_strdup_printf ("%s%s×%s", sign, text, power);
}

/* Thousands as they are written where the user lives, and with a blank, as the program writes them
 * itself: "10.000" is not ten where the decimal mark is a comma. Before a unit a point is the
 * decimal mark of files, wherever the user lives. */
static gboolean
take_groups (GString *text)
{
  const gboolean comma = *localeconv ()->decimal_point == ',';
  g_autofree char *pattern
      = g_strdup_printf ("^[+-]?[1-9][0-9]{0,2}(?:([%s'’ \\x{a0}\\x{2009}\\x{202f}])[0-9]{3})"
                         "(?:\\1[0-9]{3})*(?=$|[%s])",
                         comma ? "." : ",", comma ? "," : ".\\s\\p{L}°");
  g_autoptr (GRegex) regex = g_regex_new (pattern, 0, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;
  g_autofree char *mark = NULL;
  int end;

  if (!g_regex_match (regex, text->str, 0, &match))
    return FALSE;
  mark = g_match_info_fetch (match, 1);
  g_match_info_fetch_pos (match, 0, NULL, &end);
  for (char *at = text->str; (at = strstr (at, mark)) != NULL && at < text->str + end;)
    {
      g_string_erase (text, at - text->str, (gssize) strlen (mark));
      end -= (int) strlen (mark);
    }
  return TRUE;
}

/**
 * prism_number_dup_typed:
 * @typed: what somebody typed; a unit may be behind it
 * @grouped: (out) (nullable): whether marks of thousands were taken out
 *
 * A decimal comma is what many keyboards have; files and the parameters read points. What begins
 * no number stays as it is.
 *
 * Thread: main.
 *
 * Returns: (transfer full): the number as files have it, without blanks around it
 */
char *
prism_number_dup_typed (const char *typed,
                        gboolean *grouped)
{
  g_autofree char *stripped = g_strstrip (g_strdup (typed));
  g_autoptr (GString) text = g_string_new (stripped);
  const gboolean is_number = strspn (stripped, "0123456789+-.,") > 0;
  const gboolean groups = is_number && take_groups (text);

  if (grouped != NULL)
    *grouped = groups;
  if (is_number)
    g_strdelimit (text->str, ",", '.');
  return g_strdup (text->str);
}

/* A double has no more digits: what is known better than that has no error that can be told. */
#define LEAST_SHARE 1e-13

/**
 * prism_number_dup_within:
 * @value: what was measured
 * @error: of it, in the same unit; none is told where it is not above 0
 * @unit: of both, "" for none
 *
 * Writes a number no finer than it is known: the error with two digits, the value down to the same
 * decimal place, the unit once (JCGM 100:2008, 7.2.2 and 7.2.6). From 10⁻⁴ down, where printf()
 * leaves plain digits for %g, too, both have a power of ten.
 *
 * Returns: (transfer full): such as "0.438 ± 0.012 µm", "1230 ± 150 px", "(1.04 ± 0.21)×10⁻⁷"
 */
char *
prism_number_dup_within (double value,
                         double error,
                         const char *unit)
{
  const char *gap = unit[0] != '\0' ? " " : "";
  g_autofree char *text = NULL, *power = NULL;
  double scale, step, rounded;
  int size, last;

  if (!(error > LEAST_SHARE * fabs (value) && isfinite (error)))
    {
      text = prism_number_dup (value, 4);
      return g_strconcat (text, gap, unit, NULL);
    }
  size = (int) floor (log10 (MAX (fabs (value), error)));
  scale = size < -4 ? pow (10, size) : 1;
  /* What rounds up has one digit more before it, as 0.0996. */
  last = (int) floor (log10 (error / scale / 0.995)) - 1;
  step = pow (10, last);
  rounded = round (value / scale / step) * step;
  text = g_strdup_printf ("%s%.*f ± %.*f", rounded < 0 ? "−" : "", MAX (0, -last), fabs (rounded),
                          MAX (0, -last), round (error / scale / step) * step);
  if (scale == 1)
    return g_strconcat (text, gap, unit, NULL);
  power = prism_number_dup_power (size);
  return g_strdup_printf ("(%s)×%s%s%s", text, power, gap, unit);
}

/* Fewer are sorted sooner by comparing. */
#define MIN_COUNTED 512
#define BITS 11
#define N_BINS (1u << BITS)
#define N_ROUNDS 3

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
  /* As float a < b, as unsigned key a < key b. */
  for (gsize i = 0; i < n; i++)
    keys[i] ^= keys[i] >> 31 != 0 ? G_MAXUINT32 : 1u << 31;
  sort_keys (keys, keys + n, n);
  for (gsize i = 0; i < n; i++)
    keys[i] ^= keys[i] >> 31 != 0 ? 1u << 31 : G_MAXUINT32;
  memcpy (values, keys, n * sizeof *values);
  g_free (keys);
}

/**
 * prism_sort_median:
 * @values: numbers; in ascending order afterwards
 * @n: how many
 *
 * Thread: any.
 *
 * Returns: the one in the middle, or the mean of the two; NAN of none
 */
double
prism_sort_median (double *values,
                   gsize n)
{
  prism_sort_doubles (values, n);
  return n > 0 ? (values[n / 2] + values[(n - 1) / 2]) / 2 : (double) NAN;
}
