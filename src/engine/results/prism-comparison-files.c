#include "config.h"

#include "results/prism-comparison.h"

#include "base/prism-csv.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "base/prism-json.h"
#include "history/prism-history-csv.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <glib/gstdio.h>

/**
 * prism_comparison_dup_csv:
 *
 * Writes one line per result: its name and every column, numbers with nine digits. The header has
 * the columns' ids.
 *
 * Units: those of the columns.
 * Thread: the comparison's.
 *
 * Returns: (transfer full): the table, UTF-8
 */
char *
prism_comparison_dup_csv (const PrismComparison *self)
{
  GString *text = g_string_new ("name");

  for (guint c = 0; c < self->columns->len; c++)
    g_string_append_printf (text, ",%s", prism_comparison_get_column (self, c)->id);
  g_string_append_c (text, '\n');
  for (guint i = 0; i < self->results->len; i++)
    {
      const PrismResult *result = prism_comparison_get_result (self, i);

      prism_csv_append_text (text, result->name);
      for (guint c = 0; c < self->columns->len; c++)
        {
          const PrismComparisonColumn *column = prism_comparison_get_column (self, c);
          g_autofree char *value = prism_comparison_dup_text (column, result);

          g_string_append_c (text, ',');
          if (column->numeric)
            prism_csv_append_number (text, prism_comparison_get_number (column, result));
          else
            prism_csv_append_text (text, value);
        }
      g_string_append_c (text, '\n');
    }
  return g_string_free (text, FALSE);
}

static void
add_cell (JsonBuilder *builder,
          const PrismComparisonColumn *column,
          const PrismResult *result)
{
  double number = prism_comparison_get_number (column, result);

  json_builder_set_member_name (builder, column->id);
  if (!column->numeric)
    {
      g_autofree char *value = prism_comparison_dup_text (column, result);
      json_builder_add_string_value (builder, value);
    }
  else if (isfinite (number))
    json_builder_add_double_value (builder, number);
  else
    json_builder_add_null_value (builder);
}

/**
 * prism_comparison_dup_json:
 *
 * Writes an object with the array "runs", for each result an object with "name" and every column.
 * What is not known is null.
 *
 * Thread: the comparison's.
 *
 * Returns: (transfer full): the text, with an end of line
 */
char *
prism_comparison_dup_json (const PrismComparison *self)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "runs");
  json_builder_begin_array (builder);
  for (guint i = 0; i < self->results->len; i++)
    {
      const PrismResult *result = prism_comparison_get_result (self, i);

      json_builder_begin_object (builder);
      json_builder_set_member_name (builder, "name");
      json_builder_add_string_value (builder, result->name);
      for (guint c = 0; c < self->columns->len; c++)
        add_cell (builder, prism_comparison_get_column (self, c), result);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
  json_builder_end_object (builder);
  return prism_json_dup_text (builder);
}

/**
 * prism_comparison_save_csv:
 * @path: file name
 *
 * Writes the text of prism_comparison_dup_csv() into a file.
 *
 * Errors: PRISM_ERROR_IO.
 * Thread: the comparison's.
 *
 * Returns: whether the file is on the disk
 */
gboolean
prism_comparison_save_csv (const PrismComparison *self,
                           const char *path,
                           GError **error)
{
  g_autofree char *text = prism_comparison_dup_csv (self);

  return prism_file_save (path, text, strlen (text), error);
}

static gboolean
print_curves (const PrismComparison *self,
              FILE *stream,
              GError **error)
{
  fprintf (stream, "run,%s", prism_history_get_csv_header ());
  for (guint i = 0; i < self->results->len; i++)
    {
      const PrismResult *result = prism_comparison_get_result (self, i);
      g_autoptr (GString) name = g_string_new (NULL);

      prism_csv_append_text (name, result->name);
      g_string_append_c (name, ',');
      if (result->snapshot->history != NULL
          && !prism_history_print_csv (result->snapshot->history, result->snapshot->n_rows,
                                       name->str, stream, error))
        return FALSE;
    }
  return !ferror (stream);
}

/**
 * prism_comparison_save_curves:
 * @path: file name
 *
 * Writes the metrics of every step of every result into one table, the result's name in the first
 * column. It goes to the disk as it is made: a million rows need no memory.
 *
 * Errors: PRISM_ERROR_IO.
 * Thread: the comparison's.
 *
 * Returns: whether the file is on the disk
 */
gboolean
prism_comparison_save_curves (const PrismComparison *self,
                              const char *path,
                              GError **error)
{
  g_autofree char *temporary = prism_file_dup_temporary (path, error);
  g_autofree char *shown = prism_file_dup_display_name (path);
  FILE *stream = temporary != NULL ? g_fopen (temporary, "w") : NULL;
  GError *failure = NULL;
  gboolean printed;

  if (temporary == NULL)
    return FALSE;
  printed = stream != NULL && print_curves (self, stream, &failure);
  if (stream != NULL)
    printed = fclose (stream) == 0 && printed;
  if (printed)
    return prism_file_commit (temporary, path, error);
  if (failure != NULL)
    g_propagate_error (error, failure);
  else
    g_set_error (error, PRISM_ERROR, PRISM_ERROR_IO,
                 "“%s” could not be written: %s. Free some space or choose another folder.", shown,
                 g_strerror (errno));
  g_unlink (temporary);
  return FALSE;
}
