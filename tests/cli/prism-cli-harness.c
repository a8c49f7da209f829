#include "prism-cli-harness.h"

#include "../engine/support/test-remove-tree.h"
#include "prism-test.h"

#include <signal.h>

/* What a word of the command stands for, NULL where its value is. */
static char *
fill_in (const char *word,
         va_list *values)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (const char *c = word; *c != '\0'; c++)
    if (*c != '%' || *++c == '%')
      g_string_append_c (text, *c);
    else if (*c == 'd')
      g_string_append_printf (text, "%d", va_arg (*values, int));
    else
      {
        const char *value = va_arg (*values, const char *);

        g_assert_cmpint (*c, ==, 's');
        if (value == NULL)
          return NULL;
        g_string_append (text, value);
      }
  return g_strdup (text->str);
}

static GSubprocess *
start (const char *directory,
       GSubprocessFlags flags,
       GSpawnChildSetupFunc set_up,
       const char *command,
       va_list *values)
{
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (flags);
  g_autoptr (GPtrArray) argv = g_ptr_array_new_with_free_func (g_free);
  g_auto (GStrv) words = NULL;
  char *word;

  MUST (g_shell_parse_argv (command, NULL, &words, &error));
  g_ptr_array_add (argv, g_strdup (g_getenv ("PRISM_CLI")));
  for (char **w = words; *w != NULL && (word = fill_in (*w, values)) != NULL; w++)
    if (argv->len > 1 || !g_ascii_isupper (word[0]))
      g_ptr_array_add (argv, word);
    else
      {
        char *value = strchr (word, '=');

        *value = '\0';
        g_subprocess_launcher_setenv (launcher, word, value + 1, TRUE);
        g_free (word);
      }
  g_ptr_array_add (argv, NULL);
  g_subprocess_launcher_set_cwd (launcher, directory);
  g_subprocess_launcher_set_child_setup (launcher, set_up, NULL, NULL);
  return MUST (
      g_subprocess_launcher_spawnv (launcher, (const char *const *) argv->pdata, &error));
}

static PrismCliResult
run (const char *command,
     va_list *values)
{
  PrismCliResult result = { .directory = MUST (g_dir_make_tmp ("prism-cli-XXXXXX", &error)) };
  g_autoptr (GSubprocess) process
      = start (result.directory, G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE,
               NULL, command, values);

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

/* Runs the program in a new directory and waits for its end. */
PrismCliResult
cli_run (const char *command,
         ...)
{
  RUN;
  return result;
}

/* The same, and it ends well. */
PrismCliResult
cli_works (const char *command,
           ...)
{
  RUN;
  g_assert_cmpint (result.exit_code, ==, 0);
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
  cli_check_error (&result, exit_code, part);
  cli_clear (&result);
}

static void
hear_signals (gpointer data)
{
  setpgid (0, 0);
  signal (SIGHUP, SIG_DFL);
  signal (SIGINT, SIG_DFL);
  signal (SIGQUIT, SIG_DFL);
}

static void
ignore_signals (gpointer data)
{
  signal (SIGHUP, SIG_IGN);
  signal (SIGINT, SIG_IGN);
  signal (SIGQUIT, SIG_IGN);
}

/* Starts the program in a directory (NULL: where the test is). Returns (transfer full). */
GSubprocess *
cli_start (const char *directory,
           GSubprocessFlags flags,
           CliSignals signals,
           const char *command,
           ...)
{
  va_list values;

  va_start (values, command);
  GSubprocess *process
      = start (directory, flags, signals == CLI_IGNORES_SIGNALS ? ignore_signals : hear_signals,
               command, &values);
  va_end (values);
  return process;
}

/* The status with which the program ends, which no signal may end. */
int
cli_wait (GSubprocess *process)
{
  MUST (g_subprocess_wait (process, NULL, &error));
  g_assert_true (g_subprocess_get_if_exited (process));
  return g_subprocess_get_exit_status (process);
}

/* The next line with this beginning, NULL at the end. */
char *
cli_read_line (GDataInputStream *stream,
               const char *beginning)
{
  char *line;

  while ((line = g_data_input_stream_read_line (stream, NULL, NULL, NULL)) != NULL
         && !g_str_has_prefix (line, beginning))
    g_free (line);
  return line;
}

/* A result takes the place of another. */
void
cli_set (PrismCliResult *result,
         PrismCliResult next)
{
  cli_clear (result);
  *result = next;
}

void
cli_clear (PrismCliResult *result)
{
  if (result->directory != NULL)
    test_remove_tree (result->directory);
  g_clear_pointer (&result->directory, g_free);
  g_clear_pointer (&result->output, g_free);
  g_clear_pointer (&result->error, g_free);
}

/* The program ended with this code and said why in one line. */
void
cli_check_error (const PrismCliResult *result,
                 int exit_code,
                 const char *part)
{
  const char *end = strchr (result->error, '\n');

  g_assert_cmpint (result->exit_code, ==, exit_code);
  g_assert_true (g_str_has_prefix (result->error, "prism-cli: "));
  g_assert_nonnull (end);
  g_assert_cmpstr (end, ==, "\n");
  HAS (result->error, part);
}

JsonNode *
cli_parse (const char *text)
{
  g_autoptr (JsonParser) parser = json_parser_new ();

  MUST (json_parser_load_from_data (parser, text, -1, &error));
  return json_parser_steal_root (parser);
}

/* Contents of a file in the directory where the program ran. */
char *
cli_file (const PrismCliResult *result,
          const char *name)
{
  return cli_bytes (result, name, NULL);
}

char *
cli_bytes (const PrismCliResult *result,
           const char *name,
           gsize *length)
{
  g_autofree char *path = g_build_filename (result->directory, name, NULL);
  char *text = NULL;

  MUST (g_file_get_contents (path, &text, length, &error));
  return text;
}
