#include "config.h"

#include "model/prism-limits.h"

#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-number.h"
#include "base/prism-text.h"

#define GAMMA "gamma"

static const char *const pictures[PRISM_LIMITS_N_PICTURES]
    = { "target", "measurement", "reconstruction", "error" };

/* The others have numbers, or no word at all. */
static const char *const kinds[PRISM_LIMITS_N_KINDS] = {
  [PRISM_LIMITS_PERCENTILES] = "percentiles",
  [PRISM_LIMITS_EXTREMES] = "extremes",
};

/**
 * prism_limits_get_picture:
 * @picture: a picture
 *
 * Returns: (transfer none): the word that it has in a setting
 */
const char *
prism_limits_get_picture (PrismLimitsPicture picture)
{
  g_return_val_if_fail ((guint) picture < PRISM_LIMITS_N_PICTURES, NULL);

  return pictures[picture];
}

static gboolean
find_word (const char *const *words,
           guint n,
           const char *word,
           guint *index)
{
  for (guint i = 0; i < n; i++)
    if (g_strcmp0 (words[i], word) == 0)
      {
        *index = i;
        return TRUE;
      }
  return FALSE;
}

static gboolean
read_number (const char *word,
             double *number)
{
  char *end;

  if (word == NULL)
    return FALSE;
  *number = g_ascii_strtod (word, &end);
  return end != word && *end == '\0' && isfinite (*number);
}

/* "reconstruction 0.1 0.9 gamma 1.5" */
static gboolean
parse_one (const char *text,
           PrismLimits *limits)
{
  g_auto (GStrv) words = prism_text_split (text, " \t\n");
  const guint n = g_strv_length (words);
  guint index;
  guint used = 1;

  *limits = (PrismLimits) { .gamma = 1 };
  if (n < 2 || !find_word (pictures, G_N_ELEMENTS (pictures), words[0], &index))
    return FALSE;
  limits->picture = index;
  if (find_word (kinds, G_N_ELEMENTS (kinds), words[1], &index))
    {
      limits->kind = index;
      used = 2;
    }
  else if (!g_str_equal (words[1], GAMMA))
    {
      limits->kind = PRISM_LIMITS_FIXED;
      used = 3;
      if (!read_number (words[1], &limits->black) || !read_number (words[2], &limits->white)
          || limits->white <= limits->black)
        return FALSE;
    }
  /* "gamma 1.5" at the end, or nothing. */
  return n == used
         || (n == used + 2 && g_str_equal (words[used], GAMMA)
             && read_number (words[used + 1], &limits->gamma) && limits->gamma > 0
             && limits->gamma <= PRISM_LIMITS_MAX_GAMMA);
}

/**
 * prism_limits_list_parse:
 * @text: limits, separated by semicolons; "" for none
 * @error: return location
 *
 * Reads the limits of a setting.
 *
 * Errors: PRISM_ERROR_CONFIG.
 *
 * Returns: (transfer full) (element-type PrismLimits) (nullable): at most one entry for a picture
 */
GArray *
prism_limits_list_parse (const char *text,
                         GError **error)
{
  g_auto (GStrv) parts = prism_text_split (text, ";");
  g_autoptr (GArray) list = g_array_new (FALSE, FALSE, sizeof (PrismLimits));

  PRISM_FOR_EACH_STRING (part, parts)
    {
      PrismLimits limits;

      if (!parse_one (*part, &limits)
          || (prism_limits_list_find (list, pictures[limits.picture]) != NULL))
        {
          g_autofree char *shown = g_utf8_make_valid (*part, -1);

          prism_error_config (
              error,
              _ ("limits has “%.60s”: write such as “reconstruction 0.1 0.9”, “target "
                 "percentiles”, “measurement extremes gamma 1.5” or “error gamma 2”, each "
                 "picture once, with “;” between them."),
              shown);
          return NULL;
        }
      g_array_append_val (list, limits);
    }
  return g_steal_pointer (&list);
}

static void
append_number (GString *text,
               double value)
{
  g_string_append_printf (text, " %s", prism_digits ("%.6g", value));
}

/**
 * prism_limits_list_to_text:
 * @list: (element-type PrismLimits): limits
 *
 * Writes limits as prism_limits_list_parse() reads them; usual ones not at all.
 *
 * Returns: (transfer full): the value of the parameter limits
 */
char *
prism_limits_list_to_text (const GArray *list)
{
  GString *text = g_string_new (NULL);

  PRISM_FOR_EACH (const PrismLimits, limits, list)
    {
      if (limits->kind == PRISM_LIMITS_USUAL && limits->gamma == 1)
        continue;
      g_string_append (text, text->len > 0 ? "; " : "");
      g_string_append (text, pictures[limits->picture]);
      if (limits->kind == PRISM_LIMITS_FIXED)
        {
          append_number (text, limits->black);
          append_number (text, limits->white);
        }
      else if (kinds[limits->kind] != NULL)
        g_string_append_printf (text, " %s", kinds[limits->kind]);
      if (limits->gamma != 1)
        {
          g_string_append (text, " " GAMMA);
          append_number (text, limits->gamma);
        }
    }
  return g_string_free (text, FALSE);
}

/**
 * prism_limits_list_find:
 * @list: (element-type PrismLimits): limits
 * @picture: the word for a picture
 *
 * Returns: (transfer none) (nullable): those of the picture
 */
const PrismLimits *
prism_limits_list_find (const GArray *list,
                        const char *picture)
{
  for (guint i = 0; i < list->len; i++)
    if (g_strcmp0 (pictures[g_array_index (list, PrismLimits, i).picture], picture) == 0)
      return &g_array_index (list, PrismLimits, i);
  return NULL;
}
