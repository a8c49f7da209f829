/* prism-cli: the commands of the headless program and its exit status. */
#pragma once

#include "prism-cli-options.h"

G_BEGIN_DECLS

typedef enum
{
  PRISM_EXIT_OK = 0,
  PRISM_EXIT_FAILED = 1,                /* a check failed, a run diverged, anything else */
  PRISM_EXIT_USAGE = 2,                 /* command line or configuration */
  PRISM_EXIT_FILE = 3,                  /* cannot be read, written or understood */
  PRISM_EXIT_MEMORY = 4,
  PRISM_EXIT_BACKEND = 5,               /* a device or its library */
  PRISM_EXIT_HANGUP = 129,              /* SIGHUP; the result is kept */
  PRISM_EXIT_INTERRUPTED = 130,         /* SIGINT; the result is kept */
  PRISM_EXIT_QUIT = 131,                /* SIGQUIT; the result is kept */
  PRISM_EXIT_TERMINATED = 143,          /* SIGTERM; the result is kept */
} PrismExit;

typedef struct
{
  const char *name;                     /* "run" */
  const char *arguments;                /* "FILE.npz…" or "" */
  const char *summary;                  /* one sentence */
  const char *description;              /* what follows the options in the help */
  PrismExit (*main) (int    argc,
                     char **argv);
} PrismCommand;

typedef struct
{
  PrismExit code;
  const char *help;
} PrismExitHelp;

const PrismCommand  *prism_cli_get_commands (gsize *n_commands);
const PrismExitHelp *prism_cli_get_exits    (gsize *n_exits);
PrismExit            prism_cli_get_exit     (const GError *error);
PrismExit            prism_cli_report       (const GError *error);
gboolean             prism_cli_parse        (const char          *command,
                                             const GOptionEntry  *entries,
                                             PrismCliOptions     *options,
                                             int                 *argc,
                                             char              ***argv,
                                             GError             **error);
gboolean             prism_cli_refuse_rest  (int      argc,
                                             char   **argv,
                                             GError **error);

PrismExit prism_cli_compare (int   argc,
                             char **argv);
PrismExit prism_cli_report_runs (int   argc,
                                 char **argv);
PrismExit prism_cli_run    (int    argc,
                            char **argv);
PrismExit prism_cli_sweep  (int    argc,
                            char **argv);
PrismExit prism_cli_verify (int    argc,
                            char **argv);
PrismExit prism_cli_bench  (int    argc,
                            char **argv);
PrismExit prism_cli_params (int    argc,
                            char **argv);
PrismExit prism_cli_pattern (int    argc,
                             char **argv);
PrismExit prism_cli_decoder (int   argc,
                             char **argv);
PrismExit prism_cli_inspect (int   argc,
                             char **argv);
PrismExit prism_cli_export (int    argc,
                            char **argv);
PrismExit prism_cli_info   (int    argc,
                            char **argv);
PrismExit prism_cli_scale  (int    argc,
                            char **argv);

G_END_DECLS
