#include "config.h"

#include "base/prism-printable.h"

/* What a terminal obeys, what ends a line, and what turns the direction of the text around it. */
static gboolean
is_control (gunichar c)
{
  GUnicodeType type = g_unichar_type (c);

  return type == G_UNICODE_CONTROL || type == G_UNICODE_LINE_SEPARATOR
         || type == G_UNICODE_PARAGRAPH_SEPARATOR || (c >= 0x202A && c <= 0x202E)
         || (c >= 0x2066 && c <= 0x2069);
}

/**
 * prism_printable_dup:
 * @text: any bytes
 *
 * Makes one line of valid UTF-8 that a terminal shows and does not obey: '?' stands for each
 * control character.
 *
 * Returns: (transfer full): the line
 */
char *
prism_printable_dup (const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  GString *line = g_string_new (NULL);

  for (const char *p = valid; *p != '\0'; p = g_utf8_next_char (p))
    g_string_append_unichar (line, is_control (g_utf8_get_char (p)) ? '?' : g_utf8_get_char (p));
  return g_string_free (line, FALSE);
}

/**
 * prism_printable_is:
 * @text: any bytes
 *
 * Returns: whether there is no control character; bytes that are no UTF-8 are none
 */
gboolean
prism_printable_is (const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);

  for (const char *p = valid; *p != '\0'; p = g_utf8_next_char (p))
    if (is_control (g_utf8_get_char (p)))
      return FALSE;
  return TRUE;
}
