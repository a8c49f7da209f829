#include "config.h"

#include "device/prism-tune.h"
#include "model/prism-config-check.h"
#include "prism-cli-output.h"
#include "prism-cli.h"

#include <stdio.h>

static gboolean
tune (const PrismConfig *config, gboolean again, GError **error)
{
  g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *text
      = prism_tune_find (config, program != NULL ? program : "prism-cli", again, error);

  if (text != NULL)
    fputs (text, stdout);
  return text != NULL;
}

/**
 * prism_cli_tune:
 * @argc: number of arguments
 * @argv: arguments, the command's name first
 *
 * prism-cli tune: shows with how many threads the steps of a run are quickest here, and finds it
 * out where it is not known.
 *
 * Returns: the exit code
 */
PrismExit
prism_cli_tune (int argc, char **argv)
{
  g_auto (PrismCliOptions) options = { 0 };
  gboolean again = FALSE;
  const GOptionEntry entries[] = {
    { "again", 0, 0, G_OPTION_ARG_NONE, &again, "Forget what is known of this shape of run", NULL },
    { NULL },
  };
  g_autoptr (PrismConfig) config = NULL;
  g_autoptr (GError) error = NULL;

  if (!prism_cli_parse ("tune", entries, &options, &argc, &argv, &error)
      || !prism_cli_refuse_rest (argc, argv, &error))
    return prism_cli_report (error);
  config = prism_cli_options_load (&options, &error);
  if (config == NULL || !prism_config_check (config, &error) || !prism_tune_check (config, &error)
      || !tune (config, again, &error))
    return prism_cli_report (error);
  return prism_cli_finish_output ();
}
