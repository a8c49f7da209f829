/* prism-tensorboard: the metrics of every step as an event file, which TensorBoard reads.
 * Thread: any. */
#pragma once

#include "history/prism-snapshot.h"

G_BEGIN_DECLS

gboolean prism_tensorboard_save_at (PrismSnapshot  *snapshot,
                                    const char     *path,
                                    double          began,
                                    GError        **error);
gboolean prism_tensorboard_save    (PrismSnapshot  *snapshot,
                                    const char     *directory,
                                    GError        **error);

G_END_DECLS
