/* prism-cuda-copy: how long copies between the host's memory and the device's take, for bench.
 * Thread: engine. */
#pragma once

#include "backend/prism-backend.h"

G_BEGIN_DECLS

gboolean prism_cuda_copy_time (PrismCopyKind   kind,
                               gsize           n_bytes,
                               guint           n_times,
                               double         *seconds,
                               char          **device,
                               GError        **error);

G_END_DECLS
