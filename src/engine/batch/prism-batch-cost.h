/* prism-batch-cost: what each run of a batch costs because it is a process of its own.
 * Thread: any. */
#pragma once

#include "config/prism-config.h"

#include <gio/gio.h>
#include <glib.h>

G_BEGIN_DECLS

double prism_batch_cost_get_start (const char *program,
                                   const PrismConfig *config,
                                   GCancellable *cancellable);

/* How many runs fit side by side. Thread: any. */

/* What one run needs, and who may take part of what. */
typedef struct
{
  guint n_items;
  guint64 host;                         /* bytes of memory, the program included */
  guint64 device;                       /* bytes of the GPU's memory; 0 on the CPU */
  guint64 disk;                         /* bytes that a run leaves; 0: the disk is not watched */
  int backend;                          /* number in prism-device-list */
  int threads;                          /* as configured; 0: a share of the processors */
} PrismBatchNeed;

guint    prism_batch_space_count    (const PrismBatchNeed  *need,
                                     guint                  wanted,
                                     GError               **error);
guint    prism_batch_space_share    (const PrismBatchNeed *need,
                                     guint                 n_jobs);
gboolean prism_batch_space_has_disk (const PrismBatchNeed *need,
                                     const char           *directory,
                                     guint                 n_jobs,
                                     guint64              *left);

/* Runs as an array of jobs for Slurm. Thread: any. */

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

char *prism_batch_array_save_script (const PrismBatchArray  *self,
                                     GError                **error);

G_END_DECLS
