/* prism-cli-run-file: run --save and --resume. */
#pragma once

#include "prism-cli.h"
#include "results/prism-result.h"
#include "run/prism-engine.h"

G_BEGIN_DECLS

typedef struct
{
  char *save;                           /* (nullable) --save */
  char *resume;                         /* (nullable) --resume */
  PrismRun *run;                        /* (nullable) what is in resume */
  gboolean forks;                       /* another run, with a file of its own */
  PrismScene *scene;                    /* (nullable) recorded frames of a new run */
  const char *output;                   /* (nullable) folder for a result of recorded frames */
  gboolean brief;                       /* it is to be */
} PrismCliRunFile;

PrismRun      *prism_cli_run_file_read (const char  *path,
                                        GError     **error);
PrismConfig   *prism_cli_run_file_load (PrismCliRunFile        *self,
                                        const PrismCliOptions  *options,
                                        GError                **error);
void           prism_cli_run_file_clear (PrismCliRunFile *self);
PrismSnapshot *prism_cli_run_file_run  (PrismCliRunFile    *self,
                                        const PrismConfig  *config,
                                        gboolean            quiet,
                                        GError            **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PrismCliRunFile, prism_cli_run_file_clear)

/* Results of earlier runs, from files. */

PrismResult *prism_cli_results_load    (const char          *path,
                                        PrismSnapshotParts   parts,
                                        GError             **error);

G_END_DECLS
