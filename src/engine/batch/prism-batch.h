/* prism-batch: many runs as processes of prism-cli, as many at a time as processors and memory
 * allow; fewer when memory was not enough after all, none while the disk is full.
 *
 * Thread: that of the main context in which it was started. */
#pragma once

#include "batch/prism-batch-cost.h"

G_BEGIN_DECLS

typedef struct _PrismBatch PrismBatch;

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

/* What several runs in one process are told, “(item, [program, run, …])”, and what they answer for
 * each, “(item, status, message)”: a line of GVariant's text. It has no end of line, and keeps
 * names that are no UTF-8. */
#define PRISM_BATCH_ORDER "(uaay)"
#define PRISM_BATCH_ANSWER "(uiay)"

struct _PrismBatch
{
  guint n_jobs;                         /* at a time */
  guint n_threads;                      /* of each run; 0 = as its configuration says */
  guint n_over;                         /* items that have a result or have failed */
  char *notice;                         /* (nullable): what keeps it from going on as planned */
  /* The rest is its own. */
  PrismBatchRuns runs;
  PrismBatchFunc func;
  gpointer data;
  GDestroyNotify free_runs;             /* (nullable) */
  GQueue waiting;                       /* of items */
  guint8 *n_tries;                      /* [n_items] */
  gint64 *begun;                        /* [n_items] µs, when */
  double *took;                         /* [n_items] s, of runs that went well */
  gboolean stopping;
  GPtrArray *jobs;                      /* of Job, under way */
  gboolean together;                    /* several at a time are one process: they share a device */
  struct _PrismBatchCrew *crew;         /* (nullable): that process */
  gboolean crew_answers;                /* it has done a run */
  GCancellable *cancellable;
  guint disk_source;                    /* while the disk is full */
  int lock;                             /* of the directory, -1 for none */
};

PrismBatch *prism_batch_new           (const PrismBatchRuns   *runs,
                                       guint                   n_jobs,
                                       PrismBatchFunc          func,
                                       gpointer                data,
                                       GDestroyNotify          free_runs,
                                       GError                **error);
void        prism_batch_free          (PrismBatch *self);
gboolean    prism_batch_start         (PrismBatch  *self,
                                       GError     **error);
void        prism_batch_go_on (PrismBatch *self);
void        prism_batch_stop          (PrismBatch *self);
gboolean    prism_batch_is_over       (PrismBatch *self);
gboolean    prism_batch_is_running    (PrismBatch *self,
                                       guint       item);
double      prism_batch_get_left      (PrismBatch   *self,
                                       const double *costs);
char       *prism_batch_dup_text      (PrismBatch *self);
char       *prism_batch_save_script   (const PrismBatchRuns  *runs,
                                       guint                  n_jobs,
                                       const char *const     *options,
                                       GError               **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismBatch, prism_batch_free)

G_END_DECLS
