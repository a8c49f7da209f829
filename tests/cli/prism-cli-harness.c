#include "config.h"

#include "prism-cli-harness.h"

#include "../engine/support/test-remove-tree.h"
#include "prism-test.h"

static GPtrArray *
collect_arguments (const char *first,
                   va_list arguments)
{
  GPtrArray *argv = g_ptr_array_new ();

  g_ptr_array_add (argv, (gpointer) g_getenv ("PRISM_CLI"));
  for (const char *argument = first; argument != NULL; argument = va_arg (arguments, const char *))
    g_ptr_array_add (argv, (gpointer) argument);
  g_ptr_array_add (argv, NULL);
  return argv;
}

static void
run (PrismCliResult *result,
     const char *const *environment,
     const char *first,
     va_list arguments)
{
  g_autoptr (GSubprocessLauncher) launcher
      = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE);
  g_autoptr (GSubprocess) process = NULL;
  g_autoptr (GPtrArray) argv = collect_arguments (first, arguments);

  prism_cli_harness_clear (result);
  result->directory = MUST (g_dir_make_tmp ("prism-cli-XXXXXX", &error));
  g_subprocess_launcher_set_cwd (launcher, result->directory);
  for (const char *const *name = environment; name != NULL && *name != NULL; name += 2)
    g_subprocess_launcher_setenv (launcher, name[0], name[1], TRUE);
  process
      = MUST (g_subprocess_launcher_spawnv (launcher, (const char *const *) argv->pdata, &error));
  MUST (
      g_subprocess_communicate_utf8 (process, NULL, NULL, &result->output, &result->error, &error));
  g_assert_true (g_subprocess_get_if_exited (process));
  result->exit_code = g_subprocess_get_exit_status (process);
}

/* Runs the program in a new directory and waits for its end. @environment: name and value in turn,
 * NULL at the end, or NULL. */
void
prism_cli_harness_run (PrismCliResult *result,
                       const char *const *environment,
                       const char *first_argument,
                       ...)
{
  va_list arguments;

  va_start (arguments, first_argument);
  run (result, environment, first_argument, arguments);
  va_end (arguments);
}

/* Runs the program, which ends well. */
void
prism_cli_harness_works (PrismCliResult *result,
                         const char *first_argument,
                         ...)
{
  va_list arguments;

  va_start (arguments, first_argument);
  run (result, NULL, first_argument, arguments);
  va_end (arguments);
  g_test_message ("%s", result->error);
  g_assert_cmpint (result->exit_code, ==, 0);
}

/* Runs the program, which ends with this code and says why in one line. */
void
prism_cli_harness_refuses (PrismCliResult *result,
                           int exit_code,
                           const char *part,
                           const char *first_argument,
                           ...)
{
  va_list arguments;

  va_start (arguments, first_argument);
  run (result, NULL, first_argument, arguments);
  va_end (arguments);
  prism_cli_harness_check_error (result, exit_code, part);
}

void
prism_cli_harness_clear (PrismCliResult *result)
{
  if (result->directory != NULL)
    test_remove_tree (result->directory);
  g_clear_pointer (&result->directory, g_free);
  g_clear_pointer (&result->output, g_free);
  g_clear_pointer (&result->error, g_free);
}

/* The program ended with this code and said why in one line. */
void
prism_cli_harness_check_error (const PrismCliResult *result,
                               int exit_code,
                               const char *part)
{
  const char *end = strchr (result->error, '\n');

  g_test_message ("%s", result->error);
  g_assert_cmpint (result->exit_code, ==, exit_code);
  g_assert_true (g_str_has_prefix (result->error, "prism-cli: "));
  g_assert_nonnull (end);
  g_assert_cmpstr (end, ==, "\n");
  if (strstr (result->error, part) == NULL)
    g_error ("“%s” does not contain “%s”", result->error, part);
}

JsonNode *
prism_cli_harness_parse (const char *text)
{
  g_autoptr (JsonParser) parser = json_parser_new ();

  MUST (json_parser_load_from_data (parser, text, -1, &error));
  return json_parser_steal_root (parser);
}

/* Contents of a file in the directory where the program ran. */
char *
prism_cli_harness_dup_file (const PrismCliResult *result,
                            const char *name,
                            gsize *length)
{
  g_autofree char *path = g_build_filename (result->directory, name, NULL);
  char *text = NULL;

  MUST (g_file_get_contents (path, &text, length, &error));
  return text;
}
