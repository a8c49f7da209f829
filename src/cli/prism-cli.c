#include "config.h"

#include "prism-cli.h"

#include "base/prism-isa.h"
#include "base/prism-number.h"
#include "base/prism-system.h"
#include "prism-cli-output.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct
{
  const char *name;
  PrismExit (*main) (int argc,
                     char **argv);
} mains[] = {
  { "run", prism_cli_run },
  { "inspect", prism_cli_inspect },
  { "doctor", prism_cli_doctor },
  { "export", prism_cli_export },
  { "compare", prism_cli_compare },
  { "complete", prism_cli_complete },
  { "crew", prism_cli_crew },
  { "decoder", prism_cli_decoder },
  { "replay", prism_cli_replay },
  { "report", prism_cli_report_runs },
  { "import", prism_cli_import },
  { "refocus", prism_cli_refocus },
  { "rerun", prism_cli_rerun },
  { "resolution", prism_cli_resolution },
  { "info", prism_cli_info },
  { "lesson", prism_cli_lesson },
  { "profile", prism_cli_profile },
  { "scale", prism_cli_scale },
  { "simulate", prism_cli_simulate },
  { "params", prism_cli_params },
  { "pattern", prism_cli_pattern },
  { "sweep", prism_cli_sweep },
  { "tiles", prism_cli_tiles },
  { "tune", prism_cli_tune },
  { "verify", prism_cli_verify },
  { "watch", prism_cli_watch },
  { "bench", prism_cli_bench },
};

static void
print_help (FILE *stream)
{
  gsize n_commands;
  const PrismCommand *commands = prism_cli_get_commands (&n_commands);
  gsize n_exits;
  const PrismExitHelp *exits = prism_cli_exit_get_all (&n_exits);

  fputs ("Usage: prism-cli COMMAND [OPTION…]\n\n"
         "PRISM: progressive reconstruction from imaging with sparse measurements.\n\n"
         "Commands:\n",
         stream);
  for (gsize i = 0; i < n_commands; i++)
    fprintf (stream, "  %-10s %s\n", commands[i].name, commands[i].summary);
  fputs ("\n“prism-cli COMMAND --help” shows the options of a command.\n\nExit status:\n", stream);
  for (gsize i = 0; i < n_exits; i++)
    fprintf (stream, "  %-4d %s\n", exits[i].code, exits[i].help);
}

static PrismExit
refuse_command (const char *name)
{
  const char *words[G_N_ELEMENTS (mains) + 1] = { NULL };
  const char *nearest;

  for (gsize i = 0; i < G_N_ELEMENTS (mains); i++)
    words[i] = mains[i].name;
  nearest = prism_nearest_find (name, words);
  if (nearest != NULL)
    prism_cli_print_line (stderr, "prism-cli: there is no command “%s”: did you mean “%s”?", name,
                          nearest);
  else
    prism_cli_print_line (stderr, "prism-cli: there is no command “%s”: see “prism-cli --help”.",
                          name);
  return PRISM_EXIT_USAGE;
}

/* “help run” is “run --help”. */
static PrismExit
run_command (int argc,
             char **argv)
{
  char *help[] = { argv[0], (char *) "--help", NULL };

  if (argc > 1 && strcmp (argv[0], "help") == 0)
    {
      help[0] = argv[1];
      argv = help;
      argc = 2;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (mains); i++)
    if (strcmp (argv[0], mains[i].name) == 0)
      return mains[i].main (argc, argv);
  return refuse_command (argv[0]);
}

int
main (int argc,
      char **argv)
{
  static const char *const help_words[] = { "--help", "-h", "help", NULL };
  g_autofree char *notice = NULL;

  prism_process_init ();
  prism_cli_listing_set_runner (run_command);
  atexit (prism_cli_check_output);
  setlocale (LC_ALL, "");
  /* What is printed is read by programs as well as by people. */
  setlocale (LC_NUMERIC, "C");
  notice = prism_isa_dup_notice ();
  if (notice != NULL)
    prism_cli_print_line (stderr, "prism-cli: %s", notice);

  if (argc < 2)
    {
      print_help (stderr);
      return PRISM_EXIT_USAGE;
    }
  if (g_strv_contains (help_words, argv[1]) && (argc == 2 || argv[1][0] == '-'))
    {
      print_help (stdout);
      return PRISM_EXIT_OK;
    }
  if (strcmp (argv[1], "--version") == 0)
    {
      puts ("prism-cli " PRISM_VERSION);
      return PRISM_EXIT_OK;
    }
  return run_command (argc - 1, argv + 1);
}
