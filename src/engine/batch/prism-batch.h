/* prism-batch: many runs as processes of prism-cli, as many at a time as processors and memory
 * allow; fewer when memory was not enough after all, none while the disk is full.
 *
 * Thread: that of the main context in which it was started. */
#pragma once

#include "batch/prism-batch-cost.h"

G_BEGIN_DECLS

typedef struct _PrismBatch PrismBatch;

typedef struct
{
  /* (nullable) Whether an item may begin now; where not, prism_batch_go_on() says later that it
   * may. */
  gboolean (*is_ready) (PrismBatch *self,
                        guint       item,
                        gpointer    data);
  /* The command of an item; NULL when it has its result already. */
  char **(*dup_command) (PrismBatch  *self,
                         guint        item,
                         gpointer     data,
                         GError     **error);
  /* After each item, those that had their result before included; message is NULL where it went
   * well, stopped when somebody ended it. */
  void (*over) (PrismBatch *self,
                guint       item,
                const char *message,
                gboolean    stopped,
                gpointer    data);
  /* (nullable) When a run begins, and when the batch pauses, goes on or does fewer at a time. */
  void (*changed) (PrismBatch *self,
                   gpointer    data);
  GDestroyNotify free_data;             /* (nullable): with the batch, of the data */
} PrismBatchFuncs;

PrismBatch *prism_batch_new           (const PrismBatchNeed   *need,
                                       const char             *directory,
                                       guint                   n_jobs,
                                       const PrismBatchFuncs  *funcs,
                                       gpointer                data,
                                       GError                **error);
void        prism_batch_free          (PrismBatch *self);
gboolean    prism_batch_start         (PrismBatch  *self,
                                       GError     **error);
void        prism_batch_go_on (PrismBatch *self);
void        prism_batch_stop          (PrismBatch *self);
gboolean    prism_batch_is_over       (PrismBatch *self);
gboolean    prism_batch_is_running    (PrismBatch *self,
                                       guint       item);
guint       prism_batch_get_n_jobs    (PrismBatch *self);
guint       prism_batch_get_n_threads (PrismBatch *self);
guint       prism_batch_get_n_over    (PrismBatch *self);
double      prism_batch_get_left      (PrismBatch   *self,
                                       const double *costs);
const char *prism_batch_get_notice    (PrismBatch *self);
char       *prism_batch_dup_text      (PrismBatch *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismBatch, prism_batch_free)

G_END_DECLS
