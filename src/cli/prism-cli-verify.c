#include "config.h"

#include "device/prism-tune.h"
#include "model/prism-config-check.h"
#include "prism-cli-engine.h"
#include "prism-cli-output.h"
#include "prism-cli.h"
#include "prism-golden.h"

/**
 * prism_cli_verify:
 * @argc: number of arguments
 * @argv: arguments, the command's name first
 *
 * prism-cli verify: compares the device's numerics with golden files.
 *
 * Returns: the exit code, PRISM_EXIT_FAILED when a check failed
 */
PrismExit
prism_cli_verify (int argc,
                  char **argv,
                  GError **error)
{
  char *backend = NULL;
  gboolean json = FALSE;
  int n_threads = 0;
  guint counts[2] = { 0 };
  const PrismCliOption entries[] = {
    { "backend", 0, PRISM_CLI_TEXT, &backend, "Device, as in --set backend=NAME", "NAME" },
    { "threads", 0, PRISM_CLI_INTEGER, &n_threads, "Worker threads on the processor", "N", 0,
      prism_config_get_param ("threads")->maximum },
    PRISM_CLI_JSON_ENTRY (&json),
    { NULL },
  };
  g_autoptr (PrismConfig) config = prism_config_new ();
  g_autoptr (JsonBuilder) builder = NULL;

  if (!prism_cli_parse (entries, NULL, &argc, &argv, error)
      || (backend != NULL && !prism_config_set_text (config, "backend", backend, error)))
    return PRISM_EXIT_FAILED;
  builder = json ? json_builder_new () : NULL;
  if (json)
    prism_json_add (builder, "{files: [");
  for (int i = 1; i < argc; i++)
    if (!prism_golden_check (argv[i], config->backend, n_threads, builder, counts, error))
      return PRISM_EXIT_FAILED;
  if (json)
    {
      prism_json_add (builder, "], ok: %u, failed: %u}", counts[0], counts[1]);
      prism_cli_print_json (builder);
    }
  else
    printf ("%u ok, %u failed\n", counts[0], counts[1]);
  return counts[1] > 0 ? PRISM_EXIT_FAILED : PRISM_EXIT_OK;
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
