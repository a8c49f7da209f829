/* prism-task: what a run asks of its device, told by the configuration. Thread: any. */
#pragma once

#include "backend/prism-backend.h"

G_BEGIN_DECLS

gboolean prism_task_init_spec (const PrismConfig  *config,
                               guint               n_samples,
                               PrismBackendSpec   *spec,
                               GError            **error);

G_END_DECLS
