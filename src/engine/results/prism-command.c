#include "config.h"

#include "results/prism-command.h"

#include "base/prism-file.h"
#include "config/prism-builtin.h"
#include "config/prism-config-command.h"

#include <string.h>

static gboolean
is_path (const PrismConfig *config,
         const PrismParam *param)
{
  if (strcmp (param->key, "object") == 0)
    return prism_builtin_find (config->object) == NULL;
  return strcmp (param->key, "pattern_file") == 0 && config->pattern_file[0] != '\0';
}

/* The value that makes the same run from any directory, and on a machine with another device. */
static char *
dup_value (const PrismSnapshot *snapshot,
           const PrismParam *param)
{
  g_autofree char *text = prism_config_dup_text (snapshot->config, param);

  if (is_path (snapshot->config, param))
    {
      g_autofree char *named = prism_file_from_text (text);
      g_autofree char *path = g_canonicalize_filename (named, NULL);

      return prism_file_to_text (path);
    }
  if (strcmp (param->key, "backend") == 0 && snapshot->config->backend == PRISM_BACKEND_AUTO
      && snapshot->backend != NULL)
    return g_strdup (snapshot->backend);
  return g_steal_pointer (&text);
}

/**
 * prism_command_dup_run:
 * @snapshot: a snapshot with a configuration
 *
 * Writes the command that repeats the run from its beginning to its end: every parameter that has
 * not its default, each quoted for the shell where it must be, with files by their full path and
 * the device that was chosen. How many threads took part changes nothing and is left out.
 *
 * Returns: (transfer full) (nullable): "prism-cli run --set samples=60 …" in the file system's
 *   encoding; %NULL for frames that were recorded, which no setting makes again
 */
char *
prism_command_dup_run (const PrismSnapshot *snapshot)
{
  g_autoptr (PrismConfig) defaults = prism_config_new ();
  GString *command;

  if (snapshot->recorded)
    return NULL;
  command = g_string_new ("prism-cli run");
  for (const PrismParam *param = prism_config_get_params (NULL); param->key != NULL; param++)
    {
      g_autofree char *value = dup_value (snapshot, param);
      g_autofree char *usual = prism_config_dup_text (defaults, param);

      if (g_strcmp0 (value, usual) != 0 && strcmp (param->key, "threads") != 0)
        prism_config_append_setting (command, param->key, value);
    }
  return g_string_free (command, FALSE);
}
