/* prism-cli: the commands of the headless program and its exit status. */
#pragma once

#include "prism-cli-exit.h"
#include "prism-cli-options.h"

G_BEGIN_DECLS

typedef struct
{
  const char *name;                     /* "run" */
  const char *arguments;                /* "FILE.npz…" or "" */
  const char *summary;                  /* one sentence */
  const char *description;              /* what follows the options in the help */
} PrismCommand;

const PrismCommand  *prism_cli_get_commands (gsize *n);
PrismExit            prism_cli_report       (const GError *error);
gboolean             prism_cli_parse        (const char          *command,
                                             const GOptionEntry  *entries,
                                             PrismCliOptions     *options,
                                             int                 *argc,
                                             char              ***argv,
                                             GError             **error);
PrismConfig         *prism_cli_take_config  (int                  argc,
                                             char               **argv,
                                             const GOptionEntry  *entries,
                                             GError             **error);
gboolean             prism_cli_refuse_rest  (int      argc,
                                             char   **argv,
                                             GError **error);

PrismExit prism_cli_compare (int   argc,
                             char **argv);
PrismExit prism_cli_complete (int   argc,
                              char **argv);
const char *prism_cli_completion_get (const char *shell,
                                      GError    **error);
PrismExit prism_cli_crew   (int    argc,
                            char **argv);
PrismExit prism_cli_replay (int   argc,
                            char **argv);
PrismExit prism_cli_watch  (int    argc,
                            char **argv);
PrismExit prism_cli_report_runs (int   argc,
                                 char **argv);
PrismExit prism_cli_refocus (int    argc,
                             char **argv);
PrismExit prism_cli_rerun  (int    argc,
                            char **argv);
PrismExit prism_cli_resolution (int    argc,
                                char **argv);
PrismExit prism_cli_run    (int    argc,
                            char **argv);
PrismExit prism_cli_sweep  (int    argc,
                            char **argv);
PrismExit prism_cli_tiles  (int    argc,
                            char **argv);
PrismExit prism_cli_tiles_run (const PrismConfig *config,
                               const char        *directory,
                               gboolean           dry_run,
                               gboolean           json,
                               gboolean           quiet);
PrismExit prism_cli_verify (int    argc,
                            char **argv);
PrismExit prism_cli_tune   (int    argc,
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
PrismExit prism_cli_simulate (int   argc,
                              char **argv);
PrismExit prism_cli_doctor (int   argc,
                            char **argv);
PrismExit prism_cli_import (int   argc,
                            char **argv);
PrismExit prism_cli_info   (int    argc,
                            char **argv);
PrismExit prism_cli_lesson (int   argc,
                            char **argv);
PrismExit prism_cli_profile (int   argc,
                             char **argv);
PrismExit prism_cli_scale  (int    argc,
                            char **argv);

G_END_DECLS
