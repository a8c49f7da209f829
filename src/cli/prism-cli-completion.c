#include "config.h"

#include "prism-cli-completion.h"

#include "base/prism-error.h"
#include "config/prism-preset.h"
#include "prism-cli.h"

#include <string.h>

static const char bash_tail[]
    = "_prism_cli () {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} key=\n"
      "  # bash takes key, = and value for three words.\n"
      "  if [[ $word == = ]]; then key=$before word=\n"
      "  elif [[ $before == = ]]; then key=${COMP_WORDS[COMP_CWORD-2]}\n"
      "  fi\n"
      "  if [[ -n $key ]]; then\n"
      "    COMPREPLY=($(compgen -W \"$(_prism_cli_values \"$key\")\" -- \"$word\"))\n"
      "  elif [[ $before == --set ]]; then\n"
      "    compopt -o nospace 2>/dev/null\n"
      "    COMPREPLY=($(compgen -S = -W \"$_prism_cli_keys\" -- \"$word\"))\n"
      "  elif [[ $before == --preset ]]; then\n"
      "    COMPREPLY=($(compgen -W \"$_prism_cli_presets\" -- \"$word\"))\n"
      "  elif [[ $COMP_CWORD == 1 ]]; then\n"
      "    COMPREPLY=($(compgen -W \"$_prism_cli_commands\" -- \"$word\"))\n"
      "  elif [[ $word == -* ]]; then\n"
      "    COMPREPLY=($(compgen -W \"--set --preset --config --help\" -- \"$word\"))\n"
      "  fi\n"
      "}\n"
      "complete -o default -F _prism_cli prism-cli\n";

static const char zsh_tail[]
    = "if (( CURRENT == 2 )); then\n"
      "  _describe command commands\n"
      "elif [[ $words[CURRENT-1] == --preset ]]; then\n"
      "  _describe preset presets\n"
      "elif [[ $words[CURRENT-1] == --set ]]; then\n"
      "  _describe -V setting settings -S ''\n"
      "elif [[ $PREFIX == -* ]]; then\n"
      "  compadd -- --set --preset --config --help\n"
      "else\n"
      "  _files\n"
      "fi\n";

/* Between single quotes; @special are characters that need a backslash besides. */
static void
append_quoted (GString *text,
               const char *word,
               const char *apostrophe,
               const char *special)
{
  for (; *word != '\0'; word++)
    {
      if (*word == '\'')
        g_string_append (text, apostrophe);
      else
        {
          if (strchr (special, *word) != NULL)
            g_string_append_c (text, '\\');
          g_string_append_c (text, *word);
        }
    }
}

static const char *
get_values (const PrismParam *param)
{
  return param->type == PRISM_PARAM_SWITCH ? "on off" : "";
}

static void
append_bash (GString *text)
{
  gsize n;
  const PrismCommand *commands = prism_cli_get_commands (&n);
  gsize n_presets;
  const PrismPreset *presets = prism_preset_get_all (&n_presets);
  gsize n_params;
  const PrismParam *params = prism_config_get_params (&n_params);

  g_string_append (text, "_prism_cli_commands='");
  for (gsize i = 0; i < n; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? " " : "", commands[i].name);
  g_string_append (text, "'\n_prism_cli_presets='");
  for (gsize i = 0; i < n_presets; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? " " : "", presets[i].id);
  g_string_append (text, "'\n_prism_cli_keys='");
  for (gsize i = 0; i < n_params; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? " " : "", params[i].key);
  g_string_append (text, "'\n_prism_cli_values () {\n  case $1 in\n");
  for (gsize i = 0; i < n_params; i++)
    {
      if (params[i].choices == NULL && params[i].type != PRISM_PARAM_SWITCH)
        continue;
      g_string_append_printf (text, "    %s) echo '%s", params[i].key, get_values (&params[i]));
      for (const PrismChoice *choice = params[i].choices; choice != NULL && choice->name != NULL;
           choice++)
        g_string_append_printf (text, " %s", choice->name);
      g_string_append (text, "' ;;\n");
    }
  g_string_append (text, "  esac\n}\n");
  g_string_append (text, bash_tail);
}

/* 'word:what it means' */
static void
append_zsh_item (GString *text,
                 const char *word,
                 const char *help)
{
  g_string_append (text, "  '");
  append_quoted (text, word, "'\\''", ":\\");
  g_string_append_c (text, ':');
  append_quoted (text, help, "'\\''", ":\\");
  g_string_append (text, "'\n");
}

static void
append_fish_item (GString *text,
                  const char *option,
                  const char *word,
                  const char *help)
{
  g_string_append_printf (text, "complete -c prism-cli %s -a '", option);
  append_quoted (text, word, "\\'", "\\");
  g_string_append (text, "' -d '");
  append_quoted (text, help, "\\'", "\\");
  g_string_append (text, "'\n");
}

typedef void (*AppendItem) (GString *text,
                            const char *option,
                            const char *word,
                            const char *help);

static void
append_zsh (GString *text,
            const char *option,
            const char *word,
            const char *help)
{
  append_zsh_item (text, word, help);
}

/* "key=" and "key=choice" */
static void
append_settings (GString *text,
                 AppendItem append,
                 const char *option)
{
  for (const PrismParam *param = prism_config_get_params (NULL); param->key != NULL; param++)
    {
      g_autofree char *key = g_strconcat (param->key, "=", NULL);

      if (param->choices == NULL && param->type != PRISM_PARAM_SWITCH)
        append (text, option, key, param->label);
      for (const PrismChoice *choice = param->choices; choice != NULL && choice->name != NULL;
           choice++)
        {
          g_autofree char *setting = g_strconcat (key, choice->name, NULL);

          append (text, option, setting, choice->label);
        }
      if (param->type == PRISM_PARAM_SWITCH)
        {
          g_autofree char *on = g_strconcat (key, "on", NULL);
          g_autofree char *off = g_strconcat (key, "off", NULL);

          append (text, option, on, param->label);
          append (text, option, off, param->label);
        }
    }
}

static void
append_commands (GString *text,
                 AppendItem append,
                 const char *option)
{
  gsize n;
  const PrismCommand *commands = prism_cli_get_commands (&n);

  for (gsize i = 0; i < n; i++)
    append (text, option, commands[i].name, commands[i].summary);
}

static void
append_presets (GString *text,
                AppendItem append,
                const char *option)
{
  gsize n;
  const PrismPreset *presets = prism_preset_get_all (&n);

  for (gsize i = 0; i < n; i++)
    append (text, option, presets[i].id, presets[i].help);
}

/**
 * prism_cli_completion_dup:
 * @shell: “bash”, “zsh” or “fish”
 * @error: return location
 *
 * Writes what the shell needs to complete commands, presets and settings.
 *
 * Errors: PRISM_ERROR_CONFIG for another shell.
 *
 * Returns: (transfer full) (nullable): a script
 */
char *
prism_cli_completion_dup (const char *shell,
                          GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);

  if (strcmp (shell, "bash") == 0)
    {
      g_string_append (text, "# Made by “prism-cli params --completion bash”.\n");
      append_bash (text);
    }
  else if (strcmp (shell, "zsh") == 0)
    {
      g_string_append (text, "#compdef prism-cli\n# Made by “prism-cli params --completion zsh”.\n"
                             "local -a commands presets settings\ncommands=(\n");
      append_commands (text, append_zsh, NULL);
      g_string_append (text, ")\npresets=(\n");
      append_presets (text, append_zsh, NULL);
      g_string_append (text, ")\nsettings=(\n");
      append_settings (text, append_zsh, NULL);
      g_string_append (text, ")\n");
      g_string_append (text, zsh_tail);
    }
  else if (strcmp (shell, "fish") == 0)
    {
      g_string_append (text, "# Made by “prism-cli params --completion fish”.\n");
      append_commands (text, append_fish_item, "-f -n __fish_use_subcommand");
      append_presets (text, append_fish_item, "-x -l preset");
      append_settings (text, append_fish_item, "-x -l set");
      g_string_append (text, "complete -c prism-cli -r -l config\n");
    }
  else
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
                   "There is no completion for “%s”: choose bash, zsh or fish.", shell);
      return NULL;
    }
  return g_strdup (text->str);
}
