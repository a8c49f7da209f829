#include "config.h"

#include "prism-cli-options.h"

#include "config/prism-scenario.h"
#include "model/prism-config-ask.h"
#include "model/prism-config-check.h"
#include "prism-cli-output.h"
#include "prism-cli-positions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static gboolean
print_scenarios (G_GNUC_UNUSED const char *option,
                 G_GNUC_UNUSED const char *value,
                 G_GNUC_UNUSED gpointer data,
                 G_GNUC_UNUSED GError **error)
{
  g_autofree char *list = prism_scenario_dup_list ();

  fputs (list, stdout);
  exit (prism_cli_finish_output ());
}

/**
 * prism_cli_options_fill:
 * @self: where the options are written to
 * @entries: (out caller-allocates): of them, with the NULL at their end
 */
void
prism_cli_options_fill (PrismCliOptions *self,
                        GOptionEntry *entries)
{
  const GOptionEntry filled[PRISM_CLI_OPTIONS_ENTRIES] = {
    { "config", 'c', 0, G_OPTION_ARG_FILENAME, &self->config,
      "Read the parameters from a .prism file; with --preset, over those of the preset",
      "FILE" },
    { "preset", 'p', 0, G_OPTION_ARG_STRING, &self->preset,
      "Start from a preset; 'prism-cli params' lists them", "NAME" },
    { "scenario", 0, 0, G_OPTION_ARG_STRING, &self->preset,
      "Start from a microscope or a camera that flies", "NAME[,QUANTITY=VALUE…]" },
    { "list-scenarios", 0, G_OPTION_FLAG_NO_ARG, G_OPTION_ARG_CALLBACK, (gpointer) print_scenarios,
      "List the scenarios with their numbers", NULL },
    { "set", 's', 0, G_OPTION_ARG_FILENAME_ARRAY, &self->settings,
      "Set one parameter; may be given again", "KEY=VALUE" },
    { NULL },
  };

  memcpy (entries, filled, sizeof filled);
}

/**
 * prism_cli_options_clear:
 * @self: options
 *
 * Frees what the options hold.
 */
void
prism_cli_options_clear (PrismCliOptions *self)
{
  g_clear_pointer (&self->config, g_free);
  g_clear_pointer (&self->preset, g_free);
  g_clear_pointer (&self->settings, g_strfreev);
}

/**
 * prism_cli_options_apply:
 * @self: parsed options
 * @config: what each --set changes in turn
 * @recorded: whether it is for recorded frames
 * @error: return location
 *
 * Changes a configuration and checks that all parameters fit together. What has no effect on
 * recorded frames is refused. “pattern_command” is no parameter but a program whose positions are
 * taken: only who types a command line may have one run.
 *
 * Errors: PRISM_ERROR_CONFIG.
 *
 * Returns: whether they do
 */
gboolean
prism_cli_options_apply (const PrismCliOptions *self,
                         PrismConfig *config,
                         gboolean recorded,
                         GError **error)
{
  const char *command = NULL;

  for (char **setting = self->settings; setting != NULL && *setting != NULL; setting++)
    {
      if (g_str_has_prefix (*setting, PRISM_CLI_PATTERN_COMMAND "="))
        command = *setting + strlen (PRISM_CLI_PATTERN_COMMAND "=");
      else if (!prism_config_ask_set (config, *setting, recorded, error))
        return FALSE;
    }
  /* It is told how large the field is, whatever the order of the settings. */
  if (command != NULL && !prism_cli_positions_apply (config, command, error))
    return FALSE;
  return prism_config_check_find (config, recorded, error) == NULL;
}

/**
 * prism_cli_options_load_for:
 * @self: parsed options
 * @recorded: whether it is for recorded frames
 * @error: return location
 *
 * Makes the configuration that the options ask for: each --set in turn over what preset and file
 * state; then a check that all parameters fit together.
 *
 * Errors: those of prism_config_ask_load(), prism_cli_options_apply().
 *
 * Returns: (transfer full) (nullable): the configuration
 */
PrismConfig *
prism_cli_options_load_for (const PrismCliOptions *self,
                            gboolean recorded,
                            GError **error)
{
  g_autoptr (PrismConfig) config
      = prism_config_ask_load (self->preset, self->config, recorded, error);

  if (config == NULL || !prism_cli_options_apply (self, config, recorded, error))
    return NULL;
  return g_steal_pointer (&config);
}
/**
 * prism_cli_options_load:
 * @self: parsed options
 * @error: return location
 *
 * Errors: those of prism_cli_options_load_for().
 *
 * Returns: (transfer full) (nullable): the configuration that the options ask for, for a telescope
 */
PrismConfig *
prism_cli_options_load (const PrismCliOptions *self,
                        GError **error)
{
  return prism_cli_options_load_for (self, FALSE, error);
}
