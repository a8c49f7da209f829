#include "config.h"

#include "base/prism-csv.h"

#include <math.h>
#include <string.h>

/* A spreadsheet runs cells that begin with one of these. */
static gboolean
is_formula (const char *text)
{
  return *text != '\0' && strchr ("=+-@\t\r", *text) != NULL;
}

/**
 * prism_csv_append_text:
 * @table: what is written so far
 * @text: of a cell
 *
 * Writes a cell; one with a comma, a quote or an end of line stands between quotes. What a
 * spreadsheet would take for a formula begins with an apostrophe, which makes a text of it.
 */
void
prism_csv_append_text (GString *table,
                       const char *text)
{
  if (!is_formula (text) && text[strcspn (text, ",\"\r\n")] == '\0')
    {
      g_string_append (table, text);
      return;
    }
  g_string_append (table, is_formula (text) ? "\"'" : "\"");
  for (; *text != '\0'; text++)
    {
      if (*text == '"')
        g_string_append_c (table, '"');
      g_string_append_c (table, *text);
    }
  g_string_append_c (table, '"');
}

/**
 * prism_csv_append_number:
 * @table: what is written so far
 * @number: of a cell
 *
 * Writes a cell with nine digits; what is not finite is an empty one.
 */
void
prism_csv_append_number (GString *table,
                         double number)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  if (isfinite (number))
    g_string_append (table, g_ascii_formatd (text, sizeof text, "%.9g", number));
}
