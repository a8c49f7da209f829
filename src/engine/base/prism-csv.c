#include "config.h"

#include "base/prism-csv.h"

#include "base/prism-error.h"
#include "base/prism-number.h"

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
  if (isfinite (number))
    g_string_append (table, prism_digits ("%.9g", number));
}

/* What "%.17g" takes at most, with the comma in front. */
#define EXACT_CHARS 25

/**
 * prism_csv_append_numbers:
 * @table: a table whose row has cells already
 * @numbers: (array length=n): those of the next ones
 * @n: how many
 *
 * Appends cells, as prism_csv_append_number().
 */
void
prism_csv_append_numbers (GString *table,
                          const double *numbers,
                          gsize n)
{
  for (gsize i = 0; i < n; i++)
    {
      g_string_append_c (table, ',');
      prism_csv_append_number (table, numbers[i]);
    }
}

/**
 * prism_csv_new_exact:
 * @header: names of the columns, "frame,gain"
 * @values: what they hold
 *
 * Shape: @values [n_rows][n_columns].
 *
 * Returns: (transfer full) (nullable): a table for prism_csv_parse_exact(); %NULL where there is no
 *     memory for it
 */
char *
prism_csv_new_exact (const char *header,
                     const double *values,
                     gsize n_rows,
                     gsize n_columns)
{
  const gsize n = n_rows * n_columns;
  char *table = g_try_malloc (strlen (header) + n * EXACT_CHARS + 2);
  char *end = table != NULL ? g_stpcpy (table, header) : NULL;

  if (table == NULL)
    return NULL;
  for (gsize i = 0; i < n; i++)
    {
      *end++ = i % n_columns == 0 ? '\n' : ',';
      end = g_stpcpy (end, prism_digits ("%.17g", values[i]));
    }
  g_stpcpy (end, "\n");
  return table;
}

/**
 * prism_csv_parse_exact:
 * @text: of prism_csv_new_exact(), or what a file has in its place
 * @n_rows: (out): how many there are
 *
 * Shape: [n_rows][n_columns].
 *
 * Errors: PRISM_ERROR_FORMAT where a row has not @n_columns numbers, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the values
 */
double *
prism_csv_parse_exact (const char *text,
                       gsize n_columns,
                       gsize *n_rows,
                       GError **error)
{
  const char *at = strchr (text, '\n');
  gboolean good = at != NULL;
  g_autofree double *values = NULL;
  gsize n = 0, n_cells = 0;

  for (const char *end = at; good && *end != '\0'; end++)
    n_cells += *end == ',' || *end == '\n';
  values = g_try_new (double, n_cells + 1);
  if (values == NULL)
    {
      prism_error_memory (error, _ ("There is no memory for a table of %zu numbers."),
                          n_cells);
      return NULL;
    }
  while (good && *++at != '\0')
    {
      char *end;

      values[n++] = g_ascii_strtod (at, &end);
      good = end != at && *end == (n % n_columns == 0 ? '\n' : ',');
      at = end;
    }
  if (!good || n % n_columns != 0)
    {
      prism_error_format (error, _ ("A row of the table has not %zu numbers."),
                          n_columns);
      return NULL;
    }
  *n_rows = n / n_columns;
  return g_steal_pointer (&values);
}
