/* prism-schedule: the learning rate over a run. */
#pragma once

#include "prism-config.h"

G_BEGIN_DECLS

double prism_schedule_get_rate (const PrismConfig *config,
                                double             progress);

G_END_DECLS
