#include "config.h"

#include "prism-cli-completion-private.h"
#include "prism-cli-words.h"
#include "prism-cli.h"

static const char head[]
    = "function __prism_cli_is\n"
      "  set -l words (commandline -opc)\n"
      "  test (count $words) -ge 2; and test $words[2] = $argv[1]\n"
      "end\n"
      "function __prism_cli_is_none\n"
      "  test (count (commandline -opc)) -eq 1\n"
      "end\n"
      "function __prism_cli_is_first\n"
      "  set -l words (commandline -opc)\n"
      "  test (count $words) -eq 2; and test $words[2] = $argv[1]\n"
      "end\n"
      "complete -c prism-cli -f -n __prism_cli_is_none -l help -d 'Show the commands'\n"
      "complete -c prism-cli -f -n __prism_cli_is_none -l version -d 'Show the version'\n"
      "complete -c prism-cli -f -n __prism_cli_is_none -a help -d 'Show the help of a command'\n";

/* 'word' */
static void
append_quoted (GString *text,
               const char *word)
{
  g_string_append_c (text, '\'');
  for (; *word != '\0'; word++)
    {
      if (*word == '\'' || *word == '\\')
        g_string_append_c (text, '\\');
      g_string_append_c (text, *word);
    }
  g_string_append_c (text, '\'');
}

static void
append_line (GString *text,
             const char *condition,
             const char *command,
             const char *rest)
{
  g_string_append_printf (text, "complete -c prism-cli -n '%s %s' %s", condition, command, rest);
}

static void
append_described (GString *text,
                  const char *help)
{
  g_string_append (text, " -d ");
  append_quoted (text, help);
  g_string_append_c (text, '\n');
}

/* A function that prints a line for each word, with what it means behind a tabulator. */
static void
append_words (GString *text,
              PrismCliWordsKind kind)
{
  g_autoptr (GPtrArray) words = prism_cli_words_dup (kind);

  if (words->len == 0)
    return;
  g_string_append_printf (text, "function __prism_cli_%s\n  printf '%%s\\t%%s\\n' \\\n",
                          prism_cli_words_get_name (kind));
  for (guint i = 0; i < words->len; i++)
    {
      const PrismCliWord *word = words->pdata[i];

      g_string_append (text, "    ");
      append_quoted (text, word->word);
      g_string_append_c (text, ' ');
      append_quoted (text, word->help);
      g_string_append (text, i + 1 < words->len ? " \\\n" : "\nend\n");
    }
}

static void
append_values (GString *text,
               const PrismCliOption *option)
{
  g_auto (GStrv) choices = prism_cli_words_dup_choices (option);
  g_autofree char *few = choices != NULL ? g_strjoinv (" ", choices) : NULL;
  PrismCliWordsKind kind = prism_cli_words_get_kind (option);

  if (few != NULL)
    g_string_append_printf (text, " -x -a '%s'", few);
  else if (kind == PRISM_CLI_WORDS_FILES)
    g_string_append (text, " -r -F");
  else if (kind == PRISM_CLI_WORDS_FOLDERS)
    g_string_append (text, " -x -a '(__fish_complete_directories (commandline -ct))'");
  else if (kind != PRISM_CLI_WORDS_NONE)
    g_string_append_printf (text, " -x -a '(__prism_cli_%s)'", prism_cli_words_get_name (kind));
  else
    g_string_append (text, " -x");
}

static void
append_option (GString *text,
               const char *command,
               const PrismCliOption *option)
{
  append_line (text, "__prism_cli_is", command, "");
  if (option->short_name != 0)
    g_string_append_printf (text, "-s %c ", option->short_name);
  g_string_append_printf (text, "-l %s", option->name);
  if (option->argument != NULL)
    append_values (text, option);
  append_described (text, option->help);
}

static void
append_command (GString *text,
                const PrismCommand *command)
{
  g_autoptr (GPtrArray) options = prism_cli_listing_dup (command->name);
  g_auto (GStrv) topics = prism_cli_words_dup_topics (command->arguments);

  g_string_append_printf (text, "complete -c prism-cli -f -n __prism_cli_is_none -a %s",
                          command->name);
  append_described (text, command->summary);
  append_line (text, "__prism_cli_is", "help", "-f -a ");
  g_string_append_printf (text, "%s\n", command->name);
  if (*command->arguments == '\0')
    append_line (text, "__prism_cli_is", command->name, "-f\n");
  for (char **topic = topics; *topic != NULL; topic++)
    {
      append_line (text, "__prism_cli_is_first", command->name, "-f -a ");
      g_string_append_printf (text, "%s\n", *topic);
    }
  append_line (text, "__prism_cli_is", command->name, "-s h -l help -d 'Show help options'\n");
  for (guint i = 0; i < options->len; i++)
    append_option (text, command->name, options->pdata[i]);
}

/**
 * prism_cli_completion_append_fish:
 * @text: where the script goes
 *
 * Writes what fish completes.
 */
void
prism_cli_completion_append_fish (GString *text)
{
  gsize n;
  const PrismCommand *commands = prism_cli_get_commands (&n);

  g_string_append (text, head);
  for (int kind = 0; kind < PRISM_CLI_N_WORDS; kind++)
    append_words (text, kind);
  for (gsize i = 0; i < n; i++)
    append_command (text, &commands[i]);
}
