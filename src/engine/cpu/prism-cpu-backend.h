/* prism-cpu-backend: the processor's table of operations, the reference for all others. */
#pragma once

#include "backend/prism-backend.h"

G_BEGIN_DECLS

extern const PrismBackendOps prism_cpu_backend_ops;

G_END_DECLS
