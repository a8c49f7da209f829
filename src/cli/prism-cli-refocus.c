#include "config.h"

#include "base/prism-error.h"
#include "base/prism-file.h"
#include "prism-cli-output.h"
#include "prism-cli.h"
#include "results/prism-refocus.h"

#define MOST_DEPTHS 1000
#define MOST_MICROMETRES 10000.0

/**
 * prism_cli_refocus:
 * @argc: number of arguments
 * @argv: arguments, the command's name first
 *
 * prism-cli refocus: a result of recorded frames in planes above and below it.
 *
 * Returns: the exit code
 */
PrismExit
prism_cli_refocus (int argc,
                   char **argv,
                   GError **error)
{
  char *output = NULL;
  g_autofree char *stack = NULL;
  g_autoptr (PrismFinding) finding = NULL;
  g_autoptr (PrismRefocus) refocus = NULL;
  double from = -50, to = 50;
  int n_depths = 21;
  gboolean quiet = FALSE;
  const PrismCliOption entries[] = {
    { "from", 0, PRISM_CLI_NUMBER, &from, "First distance from the object, µm (default: -50)",
      "Z", -MOST_MICROMETRES, MOST_MICROMETRES },
    { "to", 0, PRISM_CLI_NUMBER, &to, "Last one, µm (default: 50)", "Z",
      -MOST_MICROMETRES, MOST_MICROMETRES },
    { "steps", 0, PRISM_CLI_INTEGER, &n_depths, "How many there are (default: 21)", "N", 1,
      MOST_DEPTHS },
    { "output", 'o', PRISM_CLI_OUTPUT, &output,
      "Write this file (default: refocus.ome.tif in the folder)", "FILE" },
    PRISM_CLI_QUIET_ENTRY (&quiet),
    { NULL },
  };

  if (!prism_cli_parse (entries, NULL, &argc, &argv, error))
    return PRISM_EXIT_FAILED;
  if (output != NULL && !g_str_has_suffix (output, ".tif"))
    prism_error_config (error, "The name of a stack ends in .tif, such as stack.ome.tif.");
  stack = output != NULL ? g_strdup (output) : prism_file_dup_place (argv[1], "refocus.ome.tif");
  if (*error != NULL)
    return PRISM_EXIT_FAILED;
  finding = prism_finding_load (argv[1], error);
  refocus = finding != NULL ? prism_refocus_new (finding, error) : NULL;
  if (refocus == NULL
      || !prism_refocus_save (refocus, 1e-6 * from, 1e-6 * to, n_depths, stack, error))
    return PRISM_EXIT_FAILED;
  if (!quiet)
    prism_cli_say ("Amplitude and phase at %d distances from %g to %g µm: %s.",
                   n_depths, from, to, stack);
  return PRISM_EXIT_OK;
}
