/* prism-backend-check: whether a device computes what the CPU computes: one tiny task on both.
 *
 * Thread: engine. */
#pragma once

#include "prism-backend.h"

G_BEGIN_DECLS

gboolean prism_backend_check (const PrismBackendOps  *ops,
                              GError                **error);

G_END_DECLS
