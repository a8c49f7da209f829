#include "config.h"

#include "model/prism-display.h"

#include "base/prism-each.h"
#include "base/prism-error.h"
#include "model/prism-limits.h"
#include "model/prism-mark.h"

#define GROUP "display"
#define FORMER "prism" /* group of configurations, which had both as parameters */

static const char *const keys[] = { "marks", "limits", "moments" };

/**
 * prism_display_dup:
 * @self: (nullable): a display, or a configuration with one, in its own group or as parameters
 * @key: "marks", "limits" or "moments"
 *
 * Returns: (transfer full): its text, "" for none
 */
char *
prism_display_dup (const char *self,
                   const char *key)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  char *value;

  g_key_file_load_from_data (file, self != NULL ? self : "", -1, G_KEY_FILE_NONE, NULL);
  value = g_key_file_get_string (file, g_key_file_has_group (file, GROUP) ? GROUP : FORMER, key,
                                 NULL);
  return value != NULL ? value : g_strdup ("");
}

/**
 * prism_display_set:
 * @self: (nullable): a display
 * @key: "marks", "limits" or "moments"
 * @value: its text, "" for none
 *
 * Returns: (transfer full) (nullable): the display with that
 */
char *
prism_display_set (const char *self,
                   const char *key,
                   const char *value)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();

  PRISM_FOR_EACH_OF (one, keys)
    {
      g_autofree char *before = prism_display_dup (self, *one);
      const char *text = strcmp (*one, key) == 0 ? value : before;

      if (*text != '\0')
        g_key_file_set_string (file, GROUP, *one, text);
    }
  return g_key_file_has_group (file, GROUP) ? g_key_file_to_data (file, NULL, NULL) : NULL;
}

/* "12 The ring closes". */
static gboolean
is_moment (const char *line)
{
  char *name;

  g_ascii_strtoull (line, &name, 10);
  return g_ascii_isdigit (*line) && name[0] == ' ' && name[1] != '\0';
}

/**
 * prism_display_name_moment:
 * @self: (nullable): a display
 * @line: step of a moment and what it is called: "12 The ring closes", or "12 " for nothing
 *
 * Returns: (transfer full): its text of "moments" with that, in the order of their steps
 */
char *
prism_display_name_moment (const char *self,
                           const char *line)
{
  g_autofree char *before = prism_display_dup (self, "moments");
  g_auto (GStrv) lines = g_strsplit (before, "\n", -1);
  const guint64 step = g_ascii_strtoull (line, NULL, 10);
  g_autoptr (GPtrArray) named = g_ptr_array_new ();
  guint n_before = 0;

  for (char **other = lines; *other != NULL && **other != '\0'; other++)
    {
      const guint64 of_other = g_ascii_strtoull (*other, NULL, 10);

      n_before += of_other < step;
      if (of_other != step)
        g_ptr_array_add (named, *other);
    }
  if (is_moment (line))
    g_ptr_array_insert (named, (int) n_before, (gpointer) line);
  g_ptr_array_add (named, NULL);
  return g_strjoinv ("\n", (char **) named->pdata);
}

/**
 * prism_display_end_at:
 * @self: (nullable): a display
 * @step: the last one that a run has
 *
 * Returns: (transfer full) (nullable): the display without names of later moments
 */
char *
prism_display_end_at (const char *self,
                      guint64 step)
{
  g_autofree char *moments = prism_display_dup (self, "moments");
  g_auto (GStrv) lines = g_strsplit (moments, "\n", -1);
  g_autofree char *kept = NULL;
  guint n = 0;

  /* They are in the order of their steps. */
  while (lines[n] != NULL && g_ascii_strtoull (lines[n], NULL, 10) <= step)
    n++;
  g_clear_pointer (&lines[n], g_free);
  kept = g_strjoinv ("\n", lines);
  return prism_display_set (self, "moments", kept);
}

/**
 * prism_display_read:
 * @text: as prism_display_dup() takes it
 * @display: (out) (transfer full) (nullable): what it says
 * @error: return location
 *
 * Errors: PRISM_ERROR_CONFIG for marks, limits and moments that cannot be read.
 *
 * Returns: whether they can
 */
gboolean
prism_display_read (const char *text,
                    char **display,
                    GError **error)
{
  g_autofree char *marks = prism_display_dup (text, "marks");
  g_autofree char *limits = prism_display_dup (text, "limits");
  g_autofree char *moments = prism_display_dup (text, "moments");
  g_auto (GStrv) lines = g_strsplit (moments, "\n", -1);
  g_autoptr (GArray) first = prism_mark_list_parse (marks, error);
  g_autoptr (GArray) second = first != NULL ? prism_limits_list_parse (limits, error) : NULL;

  if (second == NULL)
    return FALSE;
  PRISM_FOR_EACH_STRING (line, lines)
    if (!is_moment (*line))
      {
        prism_error_config (error,
                            _ ("moments has “%.40s”: write the step of a moment and its name, such "
                               "as “12 The ring closes”, each on a line of its own."),
                            *line);
        return FALSE;
      }
  *display = prism_display_set (text, "marks", marks);
  return TRUE;
}
