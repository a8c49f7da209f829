/* prism-cuda-recorded: recorded frames on the device, the module's second entry. Thread: any. */
#pragma once

#include "backend/prism-recorded.h"

#include <gmodule.h>

G_BEGIN_DECLS

/* (transfer none) */
G_MODULE_EXPORT const PrismRecordedOps *prism_cuda_recorded_get_ops (void);

G_END_DECLS
