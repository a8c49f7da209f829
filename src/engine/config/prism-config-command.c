#include "config.h"

#include "config/prism-config-command.h"

#include "config/prism-preset.h"

#include <string.h>

#define PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-"

/* As it is where the shell reads it as it is, else between quotes. */
static char *
dup_quoted (const char *word)
{
  if (word[0] != '\0' && word[strspn (word, PLAIN)] == '\0')
    return g_strdup (word);
  return g_shell_quote (word);
}

/**
 * prism_config_append_setting:
 * @command: a command line
 * @key: of a parameter
 * @value: as prism_config_dup_text() has it
 *
 * Appends " --set key=value", quoted for the shell where it must be.
 */
void
prism_config_append_setting (GString *command,
                             const char *key,
                             const char *value)
{
  g_autofree char *setting = g_strdup_printf ("%s=%s", key, value);
  g_autofree char *quoted = dup_quoted (setting);

  g_string_append_printf (command, " --set %s", quoted);
}

/* What differs from a base. */
static guint
append_settings (const PrismConfig *self,
                 const PrismConfig *base,
                 GString *command)
{
  guint n = 0;

  for (const PrismParam *param = prism_config_get_params (NULL); param->key != NULL; param++)
    {
      g_autofree char *value = prism_config_dup_text (self, param);
      g_autofree char *usual = prism_config_dup_text (base, param);

      if (strcmp (value, usual) == 0)
        continue;
      prism_config_append_setting (command, param->key, value);
      n++;
    }
  return n;
}

/**
 * prism_config_dup_command:
 * @verb: what the program is to do: "run"
 *
 * Writes the command that has this configuration: with the preset of the program that leaves fewest
 * settings, or without one, and every parameter that differs.
 *
 * Returns: (transfer full): "prism-cli run --preset quick-look --set snr=20"
 */
char *
prism_config_dup_command (const PrismConfig *self,
                          const char *verb)
{
  g_autoptr (PrismConfig) defaults = prism_config_new ();
  GString *best = g_string_new (NULL);
  guint n_best;
  gsize n_presets;
  const PrismPreset *presets = prism_preset_get_all (&n_presets);

  g_string_printf (best, "prism-cli %s", verb);
  n_best = append_settings (self, defaults, best);
  for (gsize i = 0; i < n_presets; i++)
    {
      g_autoptr (PrismConfig) base = prism_preset_load (presets[i].id, NULL);
      g_autoptr (GString) command = g_string_new (NULL);
      guint n;

      if (base == NULL)
        continue;
      g_string_printf (command, "prism-cli %s --preset %s", verb, presets[i].id);
      n = append_settings (self, base, command);
      if (n >= n_best)
        continue;
      g_string_assign (best, command->str);
      n_best = n;
    }
  return g_string_free (best, FALSE);
}
