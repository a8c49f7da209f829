/* prism-batch-array: runs as an array of jobs for Slurm. Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Slurm's own limit on the numbers of an array is 1000; a task of more items than that takes every
 * thousandth of them in turn. */
#define PRISM_BATCH_MAX_TASKS 1000

typedef struct
{
  const char *directory;                /* of all of them */
  const char *command;                  /* "sweep": what wrote the script */
  const char *stem;                     /* "point-%04d": configuration and folder of an item */
  const char *arguments;                /* of “prism-cli run”, quoted, each with a blank after it */
  gboolean keeps_runs;                  /* each leaves its run file beside its folder */
  guint n_items;
  guint64 bytes;                        /* of memory that a run needs */
  gboolean (*is_finished) (guint    item,
                           gpointer data);
  gpointer data;
  const char *program;                  /* path of prism-cli on the nodes */
  guint n_jobs;                         /* at a time; 0 = as many as Slurm likes */
  const char *const *options;           /* (nullable): more options of sbatch, "--partition=gpu" */
} PrismBatchArray;

char *prism_batch_array_dup_script  (const PrismBatchArray *self);
char *prism_batch_array_save_script (const PrismBatchArray  *self,
                                     GError                **error);

G_END_DECLS
