#include "config.h"

#include "prism-cli-completion-private.h"
#include "prism-cli-words.h"
#include "prism-cli.h"

#include <string.h>

static const char tail[]
    = "if (( CURRENT == 2 )); then\n"
      "  _describe command commands\n"
      "  compadd -- help --help --version\n"
      "  return\n"
      "fi\n"
      "local command=$words[2]\n"
      "words=(prism-cli \"${(@)words[3,-1]}\")\n"
      "(( CURRENT-- ))\n";

/* Between single quotes; a character of @special has a backslash besides. */
static void
append_quoted (GString *text,
               const char *word,
               const char *special)
{
  for (; *word != '\0'; word++)
    {
      if (strchr (special, *word) != NULL)
        g_string_append_c (text, '\\');
      if (*word == '\'')
        g_string_append (text, "'\\''");
      else
        g_string_append_c (text, *word);
    }
}

/* 'word:what it means' */
static void
append_item (GString *text,
             const char *word,
             const char *help)
{
  g_string_append (text, "  '");
  append_quoted (text, word, ":\\");
  g_string_append_c (text, ':');
  append_quoted (text, help, ":\\");
  g_string_append (text, "'\n");
}

static void
append_commands (GString *text)
{
  gsize n;
  const PrismCommand *commands = prism_cli_get_commands (&n);

  g_string_append (text, "local -a commands=(\n");
  for (gsize i = 0; i < n; i++)
    append_item (text, commands[i].name, commands[i].summary);
  g_string_append (text, ")\n");
}

/* A setting is not over yet behind its “=”, unless its value is there, too. */
static void
append_words (GString *text,
              PrismCliWordsKind kind)
{
  g_autoptr (GPtrArray) words = prism_cli_words_dup (kind);
  const char *name = prism_cli_words_get_name (kind);

  if (words->len == 0)
    return;
  g_string_append_printf (text, "_prism_cli_%s () {\n  local -a whole begun\n", name);
  for (int begun = 0; begun < 2; begun++)
    {
      g_string_append_printf (text, "  %s=(\n", begun ? "begun" : "whole");
      for (guint i = 0; i < words->len; i++)
        {
          const PrismCliWord *word = words->pdata[i];

          if (g_str_has_suffix (word->word, "=") == begun)
            append_item (text, word->word, word->help);
        }
      g_string_append (text, "  )\n");
    }
  g_string_append_printf (text, "  _describe -V '%s' whole -- begun -S ''\n}\n", name);
}

static void
append_action (GString *text,
               const PrismCliOption *option)
{
  g_auto (GStrv) choices = prism_cli_words_dup_choices (option);
  g_autofree char *few = choices != NULL ? g_strjoinv (" ", choices) : NULL;
  PrismCliWordsKind kind = prism_cli_words_get_kind (option);

  g_string_append_c (text, ':');
  append_quoted (text, option->argument, ":\\");
  g_string_append_c (text, ':');
  if (few != NULL)
    g_string_append_printf (text, "(%s)", few);
  else if (kind == PRISM_CLI_WORDS_FILES)
    g_string_append (text, "_files");
  else if (kind == PRISM_CLI_WORDS_FOLDERS)
    g_string_append (text, "_files -/");
  else if (kind != PRISM_CLI_WORDS_NONE)
    g_string_append_printf (text, "_prism_cli_%s", prism_cli_words_get_name (kind));
  else
    g_string_append_c (text, ' ');
}

/* '(-o --output)--output=[help]:DIR:_files -/', and the same for the short name. */
static void
append_form (GString *text,
             const PrismCliOption *option,
             const char *form)
{
  g_string_append (text, "    '");
  if (option->repeated)
    g_string_append_c (text, '*');
  else
    {
      g_string_append_printf (text, "(--%s", option->name);
      if (option->short_name != 0)
        g_string_append_printf (text, " -%c", option->short_name);
      g_string_append_c (text, ')');
    }
  g_string_append_printf (text, "%s[", form);
  append_quoted (text, option->help, ":[]\\");
  g_string_append_c (text, ']');
  if (option->argument != NULL)
    append_action (text, option);
  g_string_append (text, "' \\\n");
}

static void
append_option (GString *text,
               const PrismCliOption *option)
{
  g_autofree char *name = g_strdup_printf ("--%s%s", option->name,
                                           option->argument != NULL ? "=" : "");
  g_autofree char *short_name = g_strdup_printf ("-%c%s", option->short_name,
                                                 option->argument != NULL ? "+" : "");

  append_form (text, option, name);
  if (option->short_name != 0)
    append_form (text, option, short_name);
}

static void
append_command (GString *text,
                const PrismCommand *command)
{
  g_autoptr (GPtrArray) options = prism_cli_listing_dup (command->name);
  g_auto (GStrv) topics = prism_cli_words_dup_topics (command->arguments);
  g_autofree char *list = g_strjoinv (" ", topics);

  g_string_append_printf (text, "%s)\n  _arguments \\\n", command->name);
  for (guint i = 0; i < options->len; i++)
    append_option (text, options->pdata[i]);
  if (*list != '\0')
    g_string_append_printf (text, "    '1:topic:(%s)' \\\n", list);
  if (*command->arguments != '\0')
    g_string_append (text, "    '*:file:_files' \\\n");
  g_string_append (text, "    '(- *)'{-h,--help}'[Show help options]' ;;\n");
}

/**
 * prism_cli_completion_append_zsh:
 * @text: where the script goes
 *
 * Writes what zsh completes.
 */
void
prism_cli_completion_append_zsh (GString *text)
{
  gsize n;
  const PrismCommand *commands = prism_cli_get_commands (&n);

  for (int kind = 0; kind < PRISM_CLI_N_WORDS; kind++)
    append_words (text, kind);
  append_commands (text);
  g_string_append (text, tail);
  g_string_append (text, "case $command in\nhelp) _describe command commands ;;\n");
  for (gsize i = 0; i < n; i++)
    append_command (text, &commands[i]);
  g_string_append (text, "esac\n");
}
