#include "config.h"

#include "model/prism-display.h"

#include "model/prism-limits.h"
#include "model/prism-mark.h"

#include <string.h>

#define GROUP "display"
#define FORMER "prism" /* group of configurations, which had both as parameters */

static const char *const keys[] = { "marks", "limits" };

/**
 * prism_display_dup:
 * @self: (nullable): a display, or a configuration with one, in its own group or as parameters
 * @key: "marks" or "limits"
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
 * @key: "marks" or "limits"
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

  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      g_autofree char *before = prism_display_dup (self, keys[i]);
      const char *text = strcmp (keys[i], key) == 0 ? value : before;

      if (*text != '\0')
        g_key_file_set_string (file, GROUP, keys[i], text);
    }
  return g_key_file_has_group (file, GROUP) ? g_key_file_to_data (file, NULL, NULL) : NULL;
}

/**
 * prism_display_read:
 * @text: as prism_display_dup() takes it
 * @display: (out) (transfer full) (nullable): what it says
 * @error: return location
 *
 * Errors: PRISM_ERROR_CONFIG for marks and limits that cannot be read.
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
  g_autofree char *marked = prism_display_set (NULL, "marks", marks);
  g_autoptr (GArray) first = prism_mark_list_parse (marks, error);
  g_autoptr (GArray) second = first != NULL ? prism_limits_list_parse (limits, error) : NULL;

  if (second == NULL)
    return FALSE;
  *display = prism_display_set (marked, "limits", limits);
  return TRUE;
}
