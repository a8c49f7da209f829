/* prism-cost-probe: times the pieces of a run, a few of each, with a few measurements of an object
 * that is made up. Thread: that of a device, see prism-device. */
#pragma once

#include "forecast/prism-costs.h"

#include <gio/gio.h>

G_BEGIN_DECLS

gboolean prism_cost_probe_run    (PrismCosts         *costs,
                                  const PrismConfig  *config,
                                  GCancellable       *cancellable,
                                  GError            **error);
gboolean prism_cost_probe_ensure (PrismCosts         *costs,
                                  const PrismConfig  *config,
                                  GCancellable       *cancellable,
                                  GError            **error);

G_END_DECLS
