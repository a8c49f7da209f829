/* prism-batch: many runs as processes of prism-cli, as many at a time as processors and memory
 * allow; fewer when memory was not enough after all, none while the disk is full.
 *
 * Thread: that of the main context in which it was started. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _PrismBatch PrismBatch;

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

typedef struct
{
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
} PrismBatchFuncs;

PrismBatch *prism_batch_new           (const PrismBatchNeed   *need,
                                       const char             *directory,
                                       guint                   n_jobs,
                                       const PrismBatchFuncs  *funcs,
                                       gpointer                data,
                                       GError                **error);
void        prism_batch_free          (PrismBatch *self);
void        prism_batch_start         (PrismBatch *self);
void        prism_batch_stop          (PrismBatch *self);
gboolean    prism_batch_is_over       (PrismBatch *self);
gboolean    prism_batch_is_running    (PrismBatch *self,
                                       guint       item);
guint       prism_batch_get_n_jobs    (PrismBatch *self);
guint       prism_batch_get_n_threads (PrismBatch *self);
guint       prism_batch_get_n_over    (PrismBatch *self);
const char *prism_batch_get_notice    (PrismBatch *self);
char       *prism_batch_dup_text      (PrismBatch *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismBatch, prism_batch_free)

G_END_DECLS
