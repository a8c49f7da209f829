/* prism-run-fork: which settings of a run may change in its middle. Thread: any. */
#pragma once

#include "config/prism-config.h"

G_BEGIN_DECLS

gboolean prism_run_fork_check (const PrismConfig  *before,
                               const PrismConfig  *after,
                               gboolean            recorded,
                               GError            **error);

G_END_DECLS
