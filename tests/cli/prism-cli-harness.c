#include "prism-cli-harness.h"
#include "../engine/support/test-remove-tree.h"
#include "prism-test.h"

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

static PrismCliResult
run (const char *command,
     va_list *values)
{
  PrismCliResult result = { .directory = MUST (g_dir_make_tmp ("prism-cli-XXXXXX", &error)) };
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (
      G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE);
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
  cli_check_error (&result, exit_code, part);
  cli_clear (&result);
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

/* NULL where there is none. */
static JsonNode *
find (JsonNode *node,
      const char *path)
{
  g_auto (GStrv) names = g_strsplit (path, ".", -1);

  for (char **name = names; node != NULL && *name != NULL; name++)
    {
      const guint64 i = g_ascii_strtoull (*name, NULL, 10);

      if (JSON_NODE_HOLDS_OBJECT (node))
        node = json_object_get_member (json_node_get_object (node), *name);
      else if (JSON_NODE_HOLDS_ARRAY (node)
               && i < json_array_get_length (json_node_get_array (node)))
        node = json_array_get_element (json_node_get_array (node), (guint) i);
      else
        node = NULL;
    }
  return node;
}

/* That a word is, or that its path leads to. */
static double
get_number (JsonNode *root,
            const char *word)
{
  char *end;
  const double number = g_ascii_strtod (word, &end);
  JsonNode *node = *end == '\0' ? NULL : find (root, word);

  if (*end == '\0')
    return number;
  g_assert_nonnull (node);
  if (JSON_NODE_HOLDS_ARRAY (node))
    return json_array_get_length (json_node_get_array (node));
  g_assert_true (JSON_NODE_HOLDS_VALUE (node));
  return json_node_get_double (node);
}

static gboolean
holds (JsonNode *root,
       const char *condition)
{
  g_auto (GStrv) words = g_strsplit (condition, " ", 3);
  const gboolean is_absent = condition[0] == '!';
  JsonNode *node = find (root, words[0] + is_absent);
  const char *sign = words[1], *right = sign != NULL ? words[2] : NULL;
  const char *text = node != NULL && JSON_NODE_HOLDS_VALUE (node) ? json_node_get_string (node)
                                                                  : NULL;

  if (right == NULL || node == NULL)
    return right == NULL && (node == NULL) == is_absent;
  if (strcmp (right, "null") == 0)
    return JSON_NODE_HOLDS_NULL (node);
  if (text != NULL)
    return sign[0] == 'b'              ? g_str_has_prefix (text, right)
           : strcmp (sign, "has") == 0 ? strstr (text, right) != NULL
                                       : strcmp (text, right) == 0;
  double value = get_number (root, words[0]);
  if (strcmp (right, "finite") == 0)
    return isfinite (value);
  g_auto (GStrv) limits = g_strsplit (right, " ± ", 2);
  double other = get_number (root, limits[0]);
  if (sign[0] == '=')
    return fabs (value - other) <= (limits[1] != NULL ? g_ascii_strtod (limits[1], NULL) : 0.0);
  if (sign[1] == '=' && value == other)
    return TRUE;
  return sign[0] == '<' ? value < other : value > other;
}

/* As CLI_JSON() has them. */
void
cli_json (const char *text,
          const char *const *conditions)
{
  g_autoptr (JsonNode) root = cli_parse (text);

  for (; *conditions != NULL; conditions++)
    if (!holds (root, *conditions))
      g_error ("“%s” does not hold in %s", *conditions, text);
}

/* What a path leads to in a JSON text. */
double
cli_number (const char *text,
            const char *path)
{
  g_autoptr (JsonNode) root = cli_parse (text);

  return get_number (root, path);
}

/* Contents of a file in the directory where the program ran; they go when the test is over. */
const char *
cli_file (const PrismCliResult *result,
          const char *name)
{
  char *text = cli_bytes (result, name, NULL);

  g_test_queue_free (text);
  return text;
}

char *
cli_bytes (const PrismCliResult *result,
           const char *name,
           gsize *length)
{
  char *text = NULL;

  MUST (g_file_get_contents (in_folder (result->directory, name), &text, length, &error));
  return text;
}

void
cli_begins (const PrismCliResult *result,
            const char *name,
            const char *beginning)
{
  g_assert_true (g_str_has_prefix (cli_file (result, name), beginning));
}

/* Two files have the same bytes. other_name: (nullable): name */
void
cli_same (const char *folder,
          const char *name,
          const char *other_folder,
          const char *other_name)
{
  const PrismCliResult one = { .directory = (char *) folder };
  const PrismCliResult other = { .directory = (char *) other_folder };
  gsize n_left, n_right;
  g_autofree char *left = cli_bytes (&one, name, &n_left);
  g_autofree char *right = cli_bytes (&other, other_name != NULL ? other_name : name, &n_right);

  g_assert_cmpmem (left, n_left, right, n_right);
}
