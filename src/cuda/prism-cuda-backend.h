/* prism-cuda-backend: the device's table of operations, which the engine loads as a module. */
#pragma once

#include "backend/prism-backend.h"

#include <gmodule.h>

G_BEGIN_DECLS

G_MODULE_EXPORT const PrismBackendOps *prism_cuda_backend_get_ops (void);

G_END_DECLS
