/* prism-batch-cost: what each run of a batch costs because it is a process of its own.
 * Thread: any. */
#pragma once

#include "config/prism-config.h"

#include <gio/gio.h>

G_BEGIN_DECLS

double prism_batch_cost_get_start (const char *program,
                                   const PrismConfig *config,
                                   GCancellable *cancellable);

G_END_DECLS
