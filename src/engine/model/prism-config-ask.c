#include "config.h"

#include "model/prism-config-ask.h"

#include "base/prism-error.h"
#include "base/prism-text.h"
#include "config/prism-preset.h"
#include "model/prism-config-check.h"

/**
 * prism_config_ask_set:
 * @config: what is changed
 * @setting: "key=value"
 *
 * Changes one parameter, as --set does. What has no effect on recorded frames is refused.
 *
 * Errors: PRISM_ERROR_CONFIG.
 *
 * Returns: whether it is changed
 */
gboolean
prism_config_ask_set (PrismConfig *config,
                      const char *setting,
                      GError **error)
{
  const char *equals = strchr (setting, '=');
  g_autofree char *key = NULL;
  g_autofree char *value = NULL;
  const PrismParam *param;

  if (equals == NULL)
    {
      g_autofree char *shown = prism_printable_dup_short (setting);

      return prism_error_config (error, "“--set %s” has no “=”: write “--set key=value”.", shown);
    }
  key = g_strndup (setting, equals - setting);
  if (strcmp (key, "marks") == 0 || strcmp (key, "limits") == 0)
    return prism_error_config (
        error,
        "%s is how a run is looked at, not what it computes: leave it out, open the run in the"
        " window and draw there; its file keeps that.",
        key);
  param = prism_config_get_param (key);
  if (param != NULL && !prism_config_check_has (config, param, error))
    return FALSE;
  if (param != NULL)
    value = prism_config_dup_anchored (param, equals + 1);
  return prism_config_set_text (config, key, param != NULL ? value : equals + 1, error);
}

/**
 * prism_config_ask_load:
 * @preset: (nullable): its name
 * @path: (nullable): a .prism file
 * @kind: whose frames it is for: they have defaults of their own
 *
 * Makes a configuration: over the defaults what the preset states, over it what the file states.
 *
 * Errors: PRISM_ERROR_CONFIG, PRISM_ERROR_IO, PRISM_ERROR_FORMAT.
 *
 * Returns: (transfer full) (nullable): the configuration
 */
PrismConfig *
prism_config_ask_load (const char *preset,
                       const char *path,
                       PrismFramesKind kind,
                       GError **error)
{
  g_autoptr (PrismConfig) config = prism_config_new_defaults (kind);

  if (preset != NULL)
    {
      g_autoptr (PrismConfig) below = g_steal_pointer (&config);

      config = prism_preset_load_over (below, preset, error);
    }
  if (config != NULL && path != NULL)
    {
      g_autoptr (PrismConfig) below = g_steal_pointer (&config);

      config = prism_config_load_over (below, path, error);
    }
  return g_steal_pointer (&config);
}

/**
 * prism_config_ask:
 * @preset: (nullable): its name
 * @path: (nullable): a .prism file
 * @settings: (nullable) (array zero-terminated=1): "key=value"
 * @kind: whose frames it is for
 *
 * As prism_config_ask_load(), and over it each setting in turn; then a check that all parameters
 * fit together.
 *
 * Errors: PRISM_ERROR_CONFIG, PRISM_ERROR_IO, PRISM_ERROR_FORMAT.
 *
 * Returns: (transfer full) (nullable): the configuration
 */
PrismConfig *
prism_config_ask (const char *preset,
                  const char *path,
                  char *const *settings,
                  PrismFramesKind kind,
                  GError **error)
{
  g_autoptr (PrismConfig) config = prism_config_ask_load (preset, path, kind, error);

  if (config == NULL)
    return NULL;
  for (; settings != NULL && *settings != NULL; settings++)
    if (!prism_config_ask_set (config, *settings, error))
      return NULL;
  return prism_config_check_find (config, error) == NULL ? g_steal_pointer (&config) : NULL;
}
