/* prism-cli-batch: many runs in processes of this program, with a line for each. */
#pragma once

#include "batch/prism-batch.h"
#include "prism-cli-engine.h"
#include "results/prism-sweep-runner.h"

G_BEGIN_DECLS

/* What the lines say. */
typedef struct
{
  char *(*dup_name) (guint         item,
                     gconstpointer data);
  gconstpointer data;
  guint n_items;
  gboolean quiet;
  const char *notice;                   /* (nullable): the last one that was said */
} PrismCliBatch;

void     prism_cli_batch_show        (PrismBatch *batch,
                                      guint       item,
                                      const char *message,
                                      gpointer    lines);
void     prism_cli_batch_init_terms  (PrismSweepTerms *terms,
                                      PrismBatch      *batch,
                                      PrismCliWatch   *watch);
gboolean prism_cli_batch_run         (PrismBatch  *batch,
                                      GError     **error);
PrismExit prism_cli_batch_tell_script (const char  *command,
                                       const char  *directory,
                                       char        *path,
                                       GError     **error);

/* --jobs, and what lets Slurm run the same. */
#define PRISM_CLI_JOBS_ENTRY(n_jobs)                                                               \
  { "jobs", 'j', PRISM_CLI_INTEGER, n_jobs,                                                        \
    "Runs at a time (default: one per processor); never more than fit into memory,"                \
    " the GPU's included", "N", 0, 1024 }
#define PRISM_CLI_SLURM_ENTRIES(slurm, script, options, keeps, kept)                               \
  { "slurm", 0, PRISM_CLI_SWITCH, slurm, script },                                                 \
  { "slurm-option", 0, PRISM_CLI_TEXTS, options,                                                   \
    "One more option of sbatch in that script, such as --partition=gpu; may be given again",       \
    "OPTION" },                                                                                    \
  { "keep-runs", 0, PRISM_CLI_SWITCH, keeps, kept }

G_END_DECLS
