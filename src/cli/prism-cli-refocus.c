#include "config.h"

#include "base/prism-error.h"
#include "base/prism-file.h"
#include "prism-cli-output.h"
#include "prism-cli.h"
#include "results/prism-refocus.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST_DEPTHS 1000
#define MOST_MICROMETRES 10000.0

static gboolean
check (int argc,
       double from,
       double to,
       int n_depths,
       const char *output,
       GError **error)
{
  if (argc != 2)
    return prism_error_config (error, "Name the folder of a result of recorded frames.");
  if (!(fabs (from) <= MOST_MICROMETRES && fabs (to) <= MOST_MICROMETRES))
    return prism_error_config (error, "--from and --to are µm, allowed are -%.0f…%.0f.",
                               MOST_MICROMETRES, MOST_MICROMETRES);
  if (n_depths < 1 || n_depths > MOST_DEPTHS)
    return prism_error_config (error, "--steps is %d, allowed is 1…%d.", n_depths, MOST_DEPTHS);
  if (output != NULL && !g_str_has_suffix (output, ".tif"))
    return prism_error_config (error, "The name of a stack ends in .tif, such as stack.ome.tif.");
  return output == NULL || prism_file_check_place (output, error);
}

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
  g_autofree char *output = NULL;
  g_autofree char *shown = NULL;
  g_autoptr (PrismFinding) finding = NULL;
  g_autoptr (PrismRefocus) refocus = NULL;
  double from = -50, to = 50;
  int n_depths = 21;
  gboolean quiet = FALSE;
  const GOptionEntry entries[] = {
    { "from", 0, 0, G_OPTION_ARG_DOUBLE, &from, "First distance from the object, µm (default: -50)",
      "Z" },
    { "to", 0, 0, G_OPTION_ARG_DOUBLE, &to, "Last one, µm (default: 50)", "Z" },
    { "steps", 0, 0, G_OPTION_ARG_INT, &n_depths, "How many there are, 1…1000 (default: 21)", "N" },
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &output,
      "Write this file (default: refocus.ome.tif in the folder)", "FILE" },
    PRISM_CLI_QUIET_ENTRY (&quiet),
    { NULL },
  };

  if (!prism_cli_parse ("refocus", entries, NULL, &argc, &argv, error)
      || !check (argc, from, to, n_depths, output, error))
    return PRISM_EXIT_FAILED;
  finding = prism_finding_load (argv[1], error);
  refocus = finding != NULL ? prism_refocus_new (finding, error) : NULL;
  if (output == NULL)
    output = g_build_filename (argv[1], "refocus.ome.tif", NULL);
  if (refocus == NULL
      || !prism_refocus_save (refocus, 1e-6 * from, 1e-6 * to, n_depths, output, error))
    return PRISM_EXIT_FAILED;
  shown = prism_file_dup_display_name (output);
  if (!quiet)
    prism_cli_say ("Amplitude and phase at %d distances from %g to %g µm: %s.",
                   n_depths, from, to, shown);
  return PRISM_EXIT_OK;
}
