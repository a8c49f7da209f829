#include "config.h"

#include "device/prism-tune.h"
#include "prism-cli-engine.h"
#include "prism-cli.h"

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
prism_cli_tune (int argc, char **argv, GError **error)
{
  gboolean again = FALSE;
  const PrismCliOption entries[] = {
    { "again", 0, PRISM_CLI_SWITCH, &again, "Forget what is known of this shape of run" },
    { NULL },
  };
  g_autofree char *program = prism_cli_dup_program (), *text = NULL;
  g_autoptr (PrismConfig) config = prism_cli_take_config (argc, argv, entries, error);

  if (config == NULL || !prism_tune_check (config, error)
      || (text = prism_tune_find (config, program, again, error)) == NULL)
    return PRISM_EXIT_FAILED;
  fputs (text, stdout);
  return PRISM_EXIT_OK;
}
