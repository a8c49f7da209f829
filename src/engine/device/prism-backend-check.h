/* prism-backend-check: whether a device computes what the CPU computes, by one tiny task on both,
 * and how much memory it has, by opening it for that task.
 *
 * Thread: engine. */
#pragma once

#include "backend/prism-backend.h"

G_BEGIN_DECLS

gboolean prism_backend_check (const PrismBackendOps  *ops,
                              GError                **error);
guint64  prism_backend_check_memory (const PrismBackendOps *ops);

G_END_DECLS
