/* prism-cli: the commands of the headless program and its exit status. */
#pragma once

#include "prism-cli-exit.h"
#include "prism-cli-options.h"

G_BEGIN_DECLS

/* A command. Where it sets @error the program reports it and ends as that says, unless a signal has
 * stopped the command; else as it returns once all that was printed is written. */
typedef PrismExit PrismCliMain (int      argc,
                                char   **argv,
                                GError **error);

typedef struct
{
  const char *name;                     /* "run" */
  PrismCliMain *main;
  const char *arguments;                /* "FILE.npz…", "SET >FOLDER" or "" */
  const char *summary;                  /* one sentence */
  const char *description;              /* what follows the options in the help */
} PrismCommand;

/* Those without a summary are not for people, and come last; then one without a name. */
extern const PrismCommand prism_cli_commands[];

const PrismCommand  *prism_cli_find_command (const char  *name,
                                             const char **nearest);
GArray              *prism_cli_list_options (const PrismCommand *command);
PrismExit            prism_cli_report       (const GError *error);
gboolean             prism_cli_parse        (const PrismCliOption *entries,
                                             PrismCliOptions     *parameters,
                                             int                 *argc,
                                             char              ***argv,
                                             GError             **error);
PrismConfig         *prism_cli_take_config  (int                  argc,
                                             char               **argv,
                                             const PrismCliOption *entries,
                                             GError             **error);

PrismCliMain prism_cli_compare, prism_cli_complete, prism_cli_worker, prism_cli_replay,
        prism_cli_watch, prism_cli_report_runs, prism_cli_refocus, prism_cli_rerun,
        prism_cli_resolution, prism_cli_run, prism_cli_sweep, prism_cli_tiles,
        prism_cli_tune, prism_cli_bench, prism_cli_params,
        prism_cli_pattern, prism_cli_decoder, prism_cli_inspect, prism_cli_export,
        prism_cli_simulate, prism_cli_doctor, prism_cli_import, prism_cli_info,
        prism_cli_lesson, prism_cli_profile, prism_cli_scale;

/* In tiles, each of them a run; “run” does the same where tile is set. */
PrismExit prism_cli_tiles_run (const PrismConfig  *config,
                               const char         *directory,
                               gboolean            dry_run,
                               gboolean            json,
                               gboolean            quiet,
                               GError            **error);
const char *prism_cli_completion_get (const char *shell,
                                      GError    **error);

G_END_DECLS
