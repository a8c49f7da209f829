#include "config.h"

#include "base/prism-each.h"
#include "prism-cli.h"

#include "base/prism-error.h"
#include "config/prism-builtin.h"
#include "config/prism-config.h"
#include "config/prism-preset.h"
#include "config/prism-scenario.h"
#include "instrument/prism-instrument.h"
#include "recording/prism-recipe.h"

/* What shells complete. A shell asks “prism-cli complete WORD…” at each Tab, with the words of the
 * line up to the one that is typed, and gets a line for each word that may stand there, its help
 * behind a tabulator; or :files or :folders. What may stand behind an option follows from what the
 * help calls its value. */

#define FILES ":files"
#define FOLDERS ":folders"

/* The last word of the line, as far as it is typed. */
typedef struct
{
  const char *before; /* what stands in the word already: "--set=", else "" */
  const char *typed;
} Place;

static void
offer (const Place *place,
       const char *word,
       const char *help)
{
  if (g_str_has_prefix (word, place->typed) && strcmp (word, place->typed) != 0)
    g_print ("%s%s\t%s\n", place->before, word, help);
}

/* A setting is offered in two parts: without “=” the key, behind it the value. */
static void
offer_choice (const Place *place,
              const char *key,
              const char *choice,
              const char *help)
{
  g_autofree char *word = g_strdup_printf ("%s=%s", key, choice);

  if (strchr (place->typed, '=') != NULL)
    offer (place, word, help);
}

static void
offer_key (const Place *place,
           const char *key,
           const char *help)
{
  g_autofree char *word = g_strdup_printf ("%s=", key);

  if (strchr (place->typed, '=') == NULL)
    offer (place, word, help);
}

static void
offer_presets (const Place *place)
{
  gsize n;
  const PrismPreset *presets = prism_preset_get_all (&n);
  gsize n_scenarios;
  const PrismScenario *scenarios = prism_scenario_get_all (&n_scenarios);

  for (gsize i = 0; i < n; i++)
    offer (place, presets[i].id, presets[i].help);
  for (gsize i = 0; i < n_scenarios; i++)
    offer (place, scenarios[i].id, scenarios[i].label);
}

static void
offer_axes (const Place *place)
{
  PRISM_FOR_EACH_PARAM (param)
    offer_key (place, param->key, param->label);
}

static void
offer_settings (const Place *place)
{
  gsize n_objects;
  const PrismBuiltin *objects = prism_builtin_get_all (&n_objects);

  offer_axes (place);
  PRISM_FOR_EACH_PARAM (param)
    {
      for (const PrismChoice *i = param->choices; i != NULL && i->name != NULL; i++)
        offer_choice (place, param->key, i->name, i->label);
      if (param->type == PRISM_PARAM_SWITCH)
        {
          offer_choice (place, param->key, "on", param->label);
          offer_choice (place, param->key, "off", param->label);
        }
    }
  for (gsize i = 0; i < n_objects; i++)
    offer_choice (place, "object", objects[i].id, objects[i].label);
}

static void
offer_quantities (const Place *place)
{
  gsize n;
  const PrismInstrumentKey *keys = prism_instrument_get_keys (&n);

  for (gsize i = 0; i < n; i++)
    offer_key (place, keys[i].key, keys[i].help);
}

static void
offer_recipe (const Place *place)
{
  gsize n;
  const PrismRecipeKey *keys = prism_recipe_get_keys (&n);

  for (gsize i = 0; i < n; i++)
    {
      g_auto (GStrv) choices = g_strsplit (keys[i].choices != NULL ? keys[i].choices : "", "|", -1);

      offer_key (place, keys[i].key, keys[i].help);
      PRISM_FOR_EACH_STRING (choice, choices)
        offer_choice (place, keys[i].key, *choice, keys[i].help);
    }
}

/* What the help calls the value, with the option where that alone does not say it. */
static const struct
{
  const char *argument;
  const char *name; /* (nullable): any */
  void (*offer) (const Place *place);
} values[] = {
  { "AXIS", NULL, offer_axes },
  { "QUANTITY=VALUE", NULL, offer_quantities },
  { "NAME", "preset", offer_presets },
  { "NAME[,QUANTITY=VALUE…]", "scenario", offer_presets },
  { "NAME", "run", offer_presets },
  { "KEY=VALUE", "assign", offer_recipe },
  { "KEY=VALUE", NULL, offer_settings },
};

/* An option's values are told by its help, “a|b”, or by the parameter of the same name. */
static void
offer_values (const Place *place,
              const PrismCliOption *option)
{
  const PrismParam *param = prism_config_get_param (option->name);
  g_auto (GStrv) few = g_strsplit (option->value, "|", -1);

  if (few[1] != NULL)
    PRISM_FOR_EACH_STRING (i, few)
      offer (place, *i, "");
  else if (strcmp (option->value, "NAME") == 0 && param != NULL && param->choices != NULL)
    for (const PrismChoice *i = param->choices; i->name != NULL; i++)
      offer (place, i->name, i->label);
  else if (option->kind >= PRISM_CLI_INPUT && strcmp (option->value, "NAME") != 0)
    g_print ("%s\n", option->kind == PRISM_CLI_FOLDER ? FOLDERS : FILES);
  else
    PRISM_FOR_EACH_OF (one, values)
      if (strcmp (one->argument, option->value) == 0
          && (one->name == NULL || strcmp (one->name, option->name) == 0))
        {
          one->offer (place);
          return;
        }
}

/* The option with a value that a word ends with: "--set", "-s", or "--set=" of "--set=key". */
static const PrismCliOption *
find_option (GArray *options,
             const char *word)
{
  const gsize length = strcspn (word, "=");

  PRISM_FOR_EACH (const PrismCliOption, option, options)
    {
      const char short_name[] = { '-', option->letter, '\0' };
      g_autofree char *long_name = g_strconcat ("--", option->name, NULL);

      if (option->value != NULL
          && ((length == strlen (long_name) && strncmp (word, long_name, length) == 0)
              || (option->letter != 0 && strcmp (word, short_name) == 0)))
        return option;
    }
  return NULL;
}

/* What is no option: "check|show|list [FILE…]" of a command. */
static void
offer_arguments (const Place *place,
                 const PrismCommand *command,
                 gboolean first)
{
  const gboolean takes = command != NULL && command->arguments != NULL;
  g_auto (GStrv) arguments = g_strsplit (takes ? command->arguments : "", " ", 2);
  const gboolean has_topics = arguments[0] != NULL && g_ascii_islower (arguments[0][0]);
  g_auto (GStrv) topics = g_strsplit (has_topics ? arguments[0] : "", "|", -1);

  for (char **topic = topics; first && *topic != NULL; topic++)
    offer (place, *topic, "");
  if (arguments[0] != NULL && (!has_topics || !first))
    g_print (FILES "\n");
}

/**
 * prism_cli_complete:
 * @argc: of @argv
 * @argv: "complete" and the words of a line of prism-cli, the last one as far as it is typed
 *
 * Prints what may stand in the place of the last word.
 *
 * Returns: PRISM_EXIT_OK
 */
PrismExit
prism_cli_complete (int argc,
                    char **argv,
                    GError **error)
{
  const char *last = argc > 1 ? argv[argc - 1] : "";
  const char *equal = g_str_has_prefix (last, "--") ? strchr (last, '=') : NULL;
  g_autofree char *before = equal != NULL ? g_strndup (last, equal + 1 - last) : g_strdup ("");
  const Place place = { before, equal != NULL ? equal + 1 : last };
  g_autoptr (GArray) options = NULL;
  const PrismCliOption *option;
  const PrismCommand *command;

  if (argc < 3 || strcmp (argv[1], "help") == 0)
    {
      for (const PrismCommand *i = prism_cli_commands; i->summary != NULL; i++)
        offer (&place, i->name, i->summary);
      if (argc < 3)
        for (const char *const *i = (const char *const[]) { "help", "--help", "--version", NULL };
             *i != NULL; i++)
          offer (&place, *i, "");
      return PRISM_EXIT_OK;
    }
  command = prism_cli_find_command (argv[1], NULL);
  options = prism_cli_list_options (command);
  option = find_option (options, equal != NULL ? last : argv[argc - 2]);
  if (option != NULL)
    offer_values (&place, option);
  else if (last[0] != '-')
    offer_arguments (&place, command, argc == 3);
  else
    {
      PRISM_FOR_EACH (const PrismCliOption, one, options)
        {
          g_autofree char *word = g_strconcat ("--", one->name, NULL);

          offer (&place, word, one->help);
        }
      offer (&place, "--help", "Show help options");
    }
  return PRISM_EXIT_OK;
}

static const struct
{
  const char *shell;
  const char *script;
} scripts[] = {
  { "bash",
    /* bash takes a=b for three words: they are put together for prism-cli, and of what it offers
     * only what follows the last = is handed to bash. */
    "_prism_cli () {\n"
    "  local i line typed words=()\n"
    "  COMPREPLY=()\n"
    "  for ((i = 1; i <= COMP_CWORD; i++)); do\n"
    "    if ((i > 1)) && [[ ${COMP_WORDS[i]} == = || ${COMP_WORDS[i-1]} == = ]]; then\n"
    "      words[${#words[@]}-1]+=${COMP_WORDS[i]}\n"
    "    else\n"
    "      words+=(\"${COMP_WORDS[i]}\")\n"
    "    fi\n"
    "  done\n"
    "  typed=${words[${#words[@]}-1]}\n"
    "  typed=${typed%\"${typed##*=}\"}\n"
    "  while IFS= read -r line; do\n"
    "    case $line in\n"
    "      " FILES ") compopt -o default 2>/dev/null ;;\n"
    "      " FOLDERS ") compopt -o dirnames 2>/dev/null ;;\n"
    "      *) line=${line%%$'\\t'*}; COMPREPLY+=(\"${line#\"$typed\"}\") ;;\n"
    "    esac\n"
    "  done < <(\"${COMP_WORDS[0]}\" complete \"${words[@]}\" 2>/dev/null)\n"
    "  [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace 2>/dev/null\n"
    "  return 0\n"
    "}\n"
    "complete -F _prism_cli prism-cli\n" },
  { "zsh",
    "#compdef prism-cli\n"
    "local line word\n"
    "local -a whole begun\n"
    "for line in \"${(@f)$($words[1] complete \"${(@Q)words[2,CURRENT]}\" 2>/dev/null)}\"\n"
    "do\n"
    "  case $line in\n"
    "    '') ;;\n"
    "    " FILES ") _files ;;\n"
    "    " FOLDERS ") _files -/ ;;\n"
    "    *)\n"
    "      word=${line%%$'\\t'*} line=${line#*$'\\t'}\n"
    "      if [[ $word == *= ]]; then\n"
    "        begun+=(\"${word//:/\\\\:}:$line\")\n"
    "      else\n"
    "        whole+=(\"${word//:/\\\\:}:$line\")\n"
    "      fi ;;\n"
    "  esac\n"
    "done\n"
    "_describe word whole\n"
    "_describe word begun -S ''\n" },
  { "fish",
    "function __prism_cli\n"
    "  set -l words (commandline -opc)\n"
    "  for line in ($words[1] complete $words[2..-1] (commandline -ct) 2>/dev/null)\n"
    "    switch $line\n"
    "      case " FILES "\n"
    "        __fish_complete_path (commandline -ct)\n"
    "      case " FOLDERS "\n"
    "        __fish_complete_directories (commandline -ct)\n"
    "      case '*'\n"
    "        printf '%s\\n' $line\n"
    "    end\n"
    "  end\n"
    "end\n"
    "complete -c prism-cli -f -a '(__prism_cli)'\n" },
};

/**
 * prism_cli_completion_get:
 * @shell: bash, zsh or fish
 *
 * Errors: PRISM_ERROR_CONFIG for another shell.
 *
 * Returns: (transfer none) (nullable): the script with which it asks “prism-cli complete”
 */
const char *
prism_cli_completion_get (const char *shell,
                          GError **error)
{
  PRISM_FOR_EACH_OF (one, scripts)
    if (strcmp (one->shell, shell) == 0)
      return one->script;
  prism_error_config (error, "There is no completion for “%s”: choose bash, zsh or fish.", shell);
  return NULL;
}
