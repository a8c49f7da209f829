#include "config.h"

#include "base/prism-error.h"
#include "prism-cli-output.h"
#include "prism-cli.h"
#include "profile/prism-trace-summary.h"

#include <stdio.h>

static PrismExit
compare (char **paths,
         GError **error)
{
  g_autoptr (PrismTrace) before = prism_trace_load (paths[0], error);
  g_autoptr (PrismTrace) after = before != NULL ? prism_trace_load (paths[1], error) : NULL;
  g_autofree char *text = NULL;

  if (after == NULL)
    return prism_cli_report (*error);
  text = prism_trace_dup_differences (before, after);
  fputs (text, stdout);
  return prism_cli_finish_output ();
}

static PrismExit
show (char **paths,
      int n_paths,
      GError **error)
{
  for (int i = 0; i < n_paths; i++)
    {
      g_autoptr (PrismTrace) trace = prism_trace_load (paths[i], error);
      g_autofree char *name = g_filename_display_name (paths[i]);
      g_autofree char *text = NULL;

      if (trace == NULL)
        return prism_cli_report (*error);
      text = prism_trace_dup_text (trace);
      if (n_paths > 1)
        prism_cli_print_line (stdout, "%s", name);
      fputs (text, stdout);
    }
  return prism_cli_finish_output ();
}

/**
 * prism_cli_profile:
 * @argc: number of arguments
 * @argv: arguments, the command's name first
 *
 * prism-cli profile: shows the stages of profiles, or how two of them differ.
 *
 * Returns: the exit code
 */
PrismExit
prism_cli_profile (int argc,
                   char **argv)
{
  gboolean compares = FALSE;
  const GOptionEntry entries[] = {
    { "compare", 0, 0, G_OPTION_ARG_NONE, &compares, "Show how the second differs from the first",
      NULL },
    { NULL },
  };
  g_autoptr (GError) error = NULL;

  if (!prism_cli_parse ("profile", entries, NULL, &argc, &argv, &error))
    return prism_cli_report (error);
  if (argc < 2 || (compares && argc != 3))
    {
      g_set_error (&error, PRISM_ERROR, PRISM_ERROR_CONFIG,
                   "%s expected here: see “%s --help”.",
                   compares ? "Two profiles are" : "A profile is", g_get_prgname ());
      return prism_cli_report (error);
    }
  return compares ? compare (argv + 1, &error) : show (argv + 1, argc - 1, &error);
}
