#include "config.h"

#include "prism-cli-output.h"

#include "base/prism-directory.h"
#include "base/prism-each.h"
#include "base/prism-error.h"
#include "prism-report.h"

#include <gio/gio.h>

/**
 * prism_cli_add_config:
 * @builder: what writes JSON
 * @config: values to add
 *
 * Adds every parameter, as it is written in a configuration.
 */
void
prism_cli_add_config (JsonBuilder *builder,
                      const PrismConfig *config)
{
  prism_json_add (builder, "config: {");
  PRISM_FOR_EACH_PARAM (param)
    {
      g_autofree char *value = prism_config_dup_text (config, param);

      prism_json_add (builder, "%s: %s", param->key, value);
    }
  prism_json_add (builder, "}");
}

/**
 * prism_cli_print_json:
 * @builder: what has been built
 *
 * Prints it, indented, with an end of line.
 */
void
prism_cli_print_json (JsonBuilder *builder)
{
  prism_cli_print_text (prism_json_dup_text (builder));
}

/**
 * prism_cli_print_text:
 * @text: (transfer full): whole lines
 *
 * Prints it as it is.
 */
void
prism_cli_print_text (char *text)
{
  fputs (text, stdout);
  g_free (text);
}

/**
 * prism_cli_print_line:
 * @stream: where to
 * @format: as for printf()
 * @...: what it wants
 *
 * Prints one line, whatever control characters names and texts from files have.
 */
void
prism_cli_print_line (FILE *stream,
                      const char *format,
                      ...)
{
  g_autofree char *text = NULL, *line = NULL;
  va_list arguments;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  line = prism_printable_dup (text);
  fprintf (stream, "%s\n", line);
}

/**
 * prism_cli_note_older:
 * @directory: where a result is going to be written
 *
 * Says that an earlier one is there and will be replaced.
 */
void
prism_cli_note_older (const char *directory)
{
  if (prism_exchange_has_result (directory))
    prism_cli_warn ("“%s” holds the result of an earlier run, which is replaced.", directory);
}

/**
 * prism_cli_dup_written:
 * @directory: that a result has just been written into
 *
 * Returns: (transfer full): the names of its files, which replaced those of an older result
 */
char *
prism_cli_dup_written (const char *directory)
{
  g_auto (GStrv) names = g_strsplit (PRISM_RESULT_NAMES, "|", -1);
  g_autoptr (GStrvBuilder) written = g_strv_builder_new ();
  g_auto (GStrv) list = NULL;

  PRISM_FOR_EACH_STRING (name, names)
    {
      g_autofree char *path = g_build_filename (directory, *name, NULL);

      if (g_file_test (path, G_FILE_TEST_EXISTS))
        g_strv_builder_add (written, *name);
    }
  list = g_strv_builder_end (written);
  return g_strjoinv (", ", list);
}

/**
 * prism_cli_write_result:
 * @directory: where it belongs
 * @write: writes it
 * @data: for @write
 *
 * Writes a result. What a run of hours came to is not lost where that place is full or gone: then
 * it is written into a new folder among the temporary ones, which the error names.
 *
 * Errors: those of @write.
 *
 * Returns: whether it is where it belongs
 */
gboolean
prism_cli_write_result (const char *directory,
                        PrismCliWriter write,
                        gpointer data,
                        GError **error)
{
  g_autoptr (GError) failure = NULL;
  g_autofree char *refuge = NULL;

  if (write (data, directory, &failure))
    return TRUE;
  if (g_error_matches (failure, PRISM_ERROR, PRISM_ERROR_IO))
    refuge = g_dir_make_tmp ("prism-result-XXXXXX", NULL);
  if (refuge != NULL && write (data, refuge, NULL))
    return prism_error_io (error, "%s The result is in “%s” for now: copy it from there.",
                           failure->message, refuge);
  if (refuge != NULL)
    prism_directory_remove (refuge);
  g_propagate_error (error, g_steal_pointer (&failure));
  return FALSE;
}

/**
 * prism_cli_check_reports:
 * @paths: (nullable): of reports that are to be written
 *
 * Errors: those of prism_report_check_path().
 *
 * Returns: whether their endings say what they are
 */
gboolean
prism_cli_check_reports (char *const *paths,
                         GError **error)
{
  for (; paths != NULL && *paths != NULL; paths++)
    if (!prism_report_check_path (*paths, error))
      return FALSE;
  return TRUE;
}

/**
 * prism_cli_finish_output:
 *
 * Makes sure that everything printed has arrived: a full disk behind a pipe is an error, too.
 *
 * Returns: PRISM_EXIT_OK, or PRISM_EXIT_FILE after a message
 */
PrismExit
prism_cli_finish_output (void)
{
  static gboolean told;
  const char *reason;

  /* Nobody kept the reason of what failed earlier: one more byte meets it again. */
  if (ferror (stdout))
    putchar ('\n');
  reason = fflush (stdout) == 0 ? "a part of it is lost" : g_strerror (errno);
  if (!ferror (stdout))
    return PRISM_EXIT_OK;
  if (!told)
    fprintf (stderr, "prism-cli: the output could not be written: %s.\n", reason);
  told = TRUE;
  return PRISM_EXIT_FILE;
}

/**
 * prism_cli_check_output:
 *
 * The same for what ends by exit(), as the help of a command does, which GLib prints.
 */
void
prism_cli_check_output (void)
{
  if (prism_cli_finish_output () != PRISM_EXIT_OK)
    _exit (PRISM_EXIT_FILE);
}

/**
 * prism_cli_note:
 * @failure: (transfer full) (nullable): what went wrong, too
 * @error: what the program ends with
 *
 * Takes the failure where there is no error yet; of another one there is the sentence.
 */
void
prism_cli_note (GError *failure,
                GError **error)
{
  if (failure != NULL && *error != NULL)
    {
      prism_cli_warn ("%s", failure->message);
      g_error_free (failure);
    }
  else if (failure != NULL)
    g_propagate_error (error, failure);
}
