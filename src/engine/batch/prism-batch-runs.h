/* prism-batch-runs: runs of prism-cli as a batch of processes, or as an array of jobs for Slurm. */
#pragma once

#include "batch/prism-batch.h"

G_BEGIN_DECLS

/* Slurm's own limit on the numbers of an array is 1000; a task of more items than that takes every
 * thousandth of them in turn. */
#define PRISM_BATCH_MAX_TASKS 1000

/* Runs of prism-cli in one directory, each with its configuration and its folder. */
typedef struct
{
  PrismBatchNeed need;
  const char *directory;                /* of all of them */
  const char *program;                  /* path of prism-cli, here or on the nodes */
  const char *command;                  /* "sweep": what they are of */
  const char *stem;                     /* "point-%04u": configuration and folder of an item */
  const char *const *arguments;         /* (nullable): of “prism-cli run”, the same for all */
  gboolean keeps_runs;                  /* each leaves its run file beside its folder */
  gboolean (*is_finished) (guint    item,
                           gpointer data);
  /* (nullable) Whether an item may begin now; where not, prism_batch_go_on() says later that it
   * may. */
  gboolean (*is_ready)    (guint    item,
                           gpointer data);
  /* (nullable) Before an item begins. */
  gboolean (*prepare)     (guint    item,
                           gpointer data,
                           GError **error);
  gpointer data;
} PrismBatchRuns;

/* After each item, those that had their result before included; message is NULL where it went well.
 * Without an item (G_MAXUINT) something else has changed, and message is the notice, or NULL. */
typedef void (*PrismBatchFunc) (PrismBatch *self,
                                guint       item,
                                const char *message,
                                gpointer    data);

/* In the folder of a run, why it has no result. */
#define PRISM_BATCH_FAILURE_NAME "failure.txt"

PrismBatch *prism_batch_new_runs      (const PrismBatchRuns   *runs,
                                       guint                   n_jobs,
                                       PrismBatchFunc          func,
                                       gpointer                data,
                                       GDestroyNotify          free_runs,
                                       GError                **error);
char       *prism_batch_save_script   (const PrismBatchRuns  *runs,
                                       guint                  n_jobs,
                                       const char *const     *options,
                                       GError               **error);

G_END_DECLS
