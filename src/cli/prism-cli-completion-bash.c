#include "config.h"

#include "prism-cli-completion-private.h"
#include "prism-cli-words.h"
#include "prism-cli.h"

#include <string.h>

/* The words of a setting are “key=” and “key=choice”: without “=” the keys are offered, behind it
 * what follows it, as bash takes key, = and value for three words. */
static const char tail[]
    = "_prism_cli_offer () {\n"
      "  local words=$1 value=$2 match\n"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"$value\"))\n"
      "  if [[ $value == *=* ]]; then\n"
      "    for match in \"${!COMPREPLY[@]}\"; do COMPREPLY[match]=${COMPREPLY[match]#*=}; done\n"
      "    # Any value can follow.\n"
      "    [[ -n ${COMPREPLY[0]-} ]] || COMPREPLY=()\n"
      "  elif [[ $words == *=* ]]; then\n"
      "    for match in \"${!COMPREPLY[@]}\"; do COMPREPLY[match]=${COMPREPLY[match]%%=*}=; done\n"
      "    compopt -o nospace 2>/dev/null\n"
      "  fi\n"
      "}\n"
      "_prism_cli () {\n"
      "  local command=${COMP_WORDS[1]} start=$COMP_CWORD i word option value kind\n"
      "  COMPREPLY=()\n"
      "  # bash takes a=b for three words.\n"
      "  while ((start > 1)); do\n"
      "    [[ ${COMP_WORDS[start]} == = || ${COMP_WORDS[start-1]} == = ]] || break\n"
      "    ((start--))\n"
      "  done\n"
      "  for ((i = start; i <= COMP_CWORD; i++)); do word+=${COMP_WORDS[i]}; done\n"
      "  if ((COMP_CWORD == 1)); then\n"
      "    _prism_cli_offer \"$_prism_cli_commands help --help --version\" \"$word\"\n"
      "    return\n"
      "  elif [[ $command == help ]]; then\n"
      "    _prism_cli_offer \"$_prism_cli_commands\" \"$word\"\n"
      "    return\n"
      "  elif [[ $word == --*=* ]]; then\n"
      "    option=${word%%=*} value=${word#*=}\n"
      "  else\n"
      "    option=${COMP_WORDS[start-1]} value=$word\n"
      "  fi\n"
      "  kind=$(_prism_cli_kind \"$command\" \"$option\")\n"
      "  case $kind in\n"
      "    files) return ;;\n"
      "    folders) compopt +o default -o dirnames 2>/dev/null ;;\n"
      "    none) compopt +o default 2>/dev/null ;;\n"
      "    '')\n"
      "      if [[ $word == -* ]]; then\n"
      "        _prism_cli_offer \"$(_prism_cli_options \"$command\") --help\" \"$word\"\n"
      "      else\n"
      "        _prism_cli_offer \"$(_prism_cli_topics \"$command\")\" \"$word\"\n"
      "      fi ;;\n"
      "    *) _prism_cli_offer \"$(_prism_cli_words \"$kind\")\" \"$value\" ;;\n"
      "  esac\n"
      "}\n"
      "complete -o default -F _prism_cli prism-cli\n";

static void
append_commands (GString *text)
{
  gsize n;
  const PrismCommand *commands = prism_cli_get_commands (&n);

  g_string_append (text, "_prism_cli_commands='");
  for (gsize i = 0; i < n; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? " " : "", commands[i].name);
  g_string_append (text, "'\n");
}

static void
append_options (GString *text,
                const char *command)
{
  g_autoptr (GPtrArray) options = prism_cli_listing_dup (command);

  g_string_append_printf (text, "    %s) echo '", command);
  for (guint i = 0; i < options->len; i++)
    {
      const PrismCliOption *option = options->pdata[i];

      g_string_append_printf (text, "%s--%s", i > 0 ? " " : "", option->name);
    }
  g_string_append (text, "' ;;\n");
}

/* "--over" and "-o" of a command, with what stands behind them. */
static void
append_kinds (GString *text,
              const char *command)
{
  g_autoptr (GPtrArray) options = prism_cli_listing_dup (command);

  for (guint i = 0; i < options->len; i++)
    {
      const PrismCliOption *option = options->pdata[i];
      g_auto (GStrv) choices = prism_cli_words_dup_choices (option);
      g_autofree char *few = choices != NULL ? g_strjoinv (" ", choices) : NULL;

      if (option->argument == NULL)
        continue;
      g_string_append_printf (text, "    '%s --%s'", command, option->name);
      if (option->short_name != 0)
        g_string_append_printf (text, "|'%s -%c'", command, option->short_name);
      g_string_append_printf (text, ") echo '%s%s' ;;\n", few != NULL ? "choices " : "",
                              few != NULL ? few
                                          : prism_cli_words_get_name (
                                              prism_cli_words_get_kind (option)));
    }
}

static void
append_words (GString *text,
              PrismCliWordsKind kind)
{
  g_autoptr (GPtrArray) words = prism_cli_words_dup (kind);

  if (words->len == 0)
    return;
  g_string_append_printf (text, "    %s) echo '", prism_cli_words_get_name (kind));
  for (guint i = 0; i < words->len; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? " " : "",
                            ((const PrismCliWord *) words->pdata[i])->word);
  g_string_append (text, "' ;;\n");
}

static void
append_topics (GString *text)
{
  gsize n;
  const PrismCommand *commands = prism_cli_get_commands (&n);

  g_string_append (text, "_prism_cli_topics () {\n  case $1 in\n");
  for (gsize i = 0; i < n; i++)
    {
      g_auto (GStrv) topics = prism_cli_words_dup_topics (commands[i].arguments);
      g_autofree char *list = g_strjoinv (" ", topics);

      if (*list != '\0')
        g_string_append_printf (text, "    %s) echo '%s' ;;\n", commands[i].name, list);
    }
  g_string_append (text, "  esac\n}\n");
}

/**
 * prism_cli_completion_append_bash:
 * @text: where the script goes
 *
 * Writes what bash completes.
 */
void
prism_cli_completion_append_bash (GString *text)
{
  gsize n;
  const PrismCommand *commands = prism_cli_get_commands (&n);

  append_commands (text);
  g_string_append (text, "_prism_cli_options () {\n  case $1 in\n");
  for (gsize i = 0; i < n; i++)
    append_options (text, commands[i].name);
  g_string_append (text, "  esac\n}\n_prism_cli_kind () {\n  case \"$1 $2\" in\n");
  for (gsize i = 0; i < n; i++)
    append_kinds (text, commands[i].name);
  g_string_append (text, "  esac\n}\n_prism_cli_words () {\n  case $1 in\n"
                         "    choices*) echo \"${1#choices }\" ;;\n");
  for (int kind = 0; kind < PRISM_CLI_N_WORDS; kind++)
    append_words (text, kind);
  g_string_append (text, "  esac\n}\n");
  append_topics (text);
  g_string_append (text, tail);
}
