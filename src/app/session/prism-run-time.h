/* prism-run-time: about how long a run takes, told before it. */
#pragma once

#include "history/prism-snapshot.h"

G_BEGIN_DECLS

double   prism_run_time_guess   (const PrismConfig   *config,
                                 const PrismSnapshot *known);
gboolean prism_run_time_is_long (const PrismConfig   *config,
                                 const PrismSnapshot *known);

G_END_DECLS
