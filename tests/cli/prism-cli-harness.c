#include "prism-cli-harness.h"
#include "../engine/support/test-remove-tree.h"
#include "prism-test.h"

/* What a word of the command stands for. */
static char *
fill_in (const char *word,
         va_list *values)
{
  g_auto (GStrv) parts = g_strsplit (word, "%s", 2);

  return parts[0] != NULL && parts[1] != NULL
             ? g_strconcat (parts[0], va_arg (*values, const char *), parts[1], NULL)
             : g_strdup (word);
}

static PrismCliResult
run (const char *command,
     va_list *values)
{
  PrismCliResult result = { .directory = MUST (g_dir_make_tmp ("prism-cli-XXXXXX", &error)) };
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (
      G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE);
  g_autoptr (GPtrArray) argv = g_ptr_array_new_with_free_func (g_free);
  g_auto (GStrv) words = NULL;

  MUST (g_shell_parse_argv (command, NULL, &words, &error));
  g_ptr_array_add (argv, g_strdup (g_getenv ("PRISM_CLI")));
  for (char **word = words; *word != NULL; word++)
    g_ptr_array_add (argv, fill_in (*word, values));
  g_ptr_array_add (argv, NULL);
  g_subprocess_launcher_set_cwd (launcher, result.directory);
  g_autoptr (GSubprocess) process = MUST (
      g_subprocess_launcher_spawnv (launcher, (const char *const *) argv->pdata, &error));
  MUST (g_subprocess_communicate_utf8 (process, NULL, NULL, &result.output, &result.error, &error));
  g_assert_true (g_subprocess_get_if_exited (process));
  result.exit_code = g_subprocess_get_exit_status (process);
  g_test_message ("%d: %s", result.exit_code, result.error);
  return result;
}

#define RUN                                       \
  va_list values;                                 \
  va_start (values, command);                     \
  PrismCliResult result = run (command, &values); \
  va_end (values)

/* Runs the program in a new directory, and it ends well. */
PrismCliResult
cli_works (const char *command,
           ...)
{
  RUN;
  if (result.exit_code != 0)
    g_error ("“%s” ends with %d: %s", command, result.exit_code, result.error);
  return result;
}

/* The same, without a word on standard error. */
PrismCliResult
cli_clean (const char *command,
           ...)
{
  RUN;
  g_assert_cmpstr (result.error, ==, "");
  g_assert_cmpint (result.exit_code, ==, 0);
  return result;
}

/* The program ends with this code and says why in one line. */
void
cli_refuses (int exit_code,
             const char *part,
             const char *command,
             ...)
{
  RUN;
  g_assert_cmpint (result.exit_code, ==, exit_code);
  g_assert_true (g_str_has_prefix (result.error, "prism-cli: "));
  g_assert_cmpstr (strchr (result.error, '\n'), ==, "\n");
  HAS (result.error, part);
  cli_clear (&result);
}

void
cli_clear (PrismCliResult *result)
{
  test_remove_tree (result->directory);
  g_free (result->directory);
  g_free (result->output);
  g_free (result->error);
}

/* Contents of a file in the directory where the program ran; they go when the test is over. */
const char *
cli_file (const PrismCliResult *result,
          const char *name)
{
  char *text = file_text (in_folder (result->directory, name));

  g_test_queue_free (text);
  return text;
}
