/* prism-batch-space: how many runs fit side by side. Thread: any. */
#pragma once

#include "batch/prism-batch.h"

G_BEGIN_DECLS

guint    prism_batch_space_count     (const PrismBatchNeed  *need,
                                      guint                  wanted,
                                      GError               **error);
gboolean prism_batch_space_has_disk  (const PrismBatchNeed *need,
                                      const char           *directory,
                                      guint                 n_jobs,
                                      guint64              *left);

G_END_DECLS
