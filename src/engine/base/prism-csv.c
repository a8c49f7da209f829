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

/**
 * prism_csv_new_exact:
 * @header: names of the columns, "frame,gain"
 * @values: what they hold
 *
 * Shape: @values [n_rows][n_columns].
 *
 * Returns: (transfer full): a table for prism_csv_parse_exact()
 */
char *
prism_csv_new_exact (const char *header,
                     const double *values,
                     gsize n_rows,
                     gsize n_columns)
{
  GString *table = g_string_new (header);

  for (gsize i = 0; i < n_rows * n_columns; i++)
    {
      char text[G_ASCII_DTOSTR_BUF_SIZE];

      g_string_append_c (table, i % n_columns == 0 ? '\n' : ',');
      g_string_append (table, g_ascii_dtostr (text, sizeof text, values[i]));
    }
  g_string_append_c (table, '\n');
  return g_string_free (table, FALSE);
}

/**
 * prism_csv_parse_exact:
 * @text: of prism_csv_new_exact(), or what a file has in its place
 * @n_rows: (out): how many there are
 *
 * Shape: [n_rows][n_columns].
 *
 * Returns: (transfer full) (nullable): the values; %NULL where a row has not @n_columns numbers
 */
double *
prism_csv_parse_exact (const char *text,
                       gsize n_columns,
                       gsize *n_rows)
{
  g_autoptr (GArray) values = g_array_sized_new (FALSE, FALSE, sizeof (double), n_columns);
  const char *at = strchr (text, '\n');

  if (at == NULL)
    return NULL;
  for (at++; *at != '\0'; at++)
    {
      char *end;
      const double value = g_ascii_strtod (at, &end);
      const gboolean is_last = (values->len + 1) % n_columns == 0;

      if (end == at || *end != (is_last ? '\n' : ','))
        return NULL;
      g_array_append_val (values, value);
      at = end;
    }
  if (values->len % n_columns != 0)
    return NULL;
  *n_rows = values->len / n_columns;
  return (double *) g_array_free (g_steal_pointer (&values), FALSE);
}
