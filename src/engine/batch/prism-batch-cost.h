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

G_END_DECLS
