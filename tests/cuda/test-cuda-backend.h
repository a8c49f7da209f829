/* test-cuda-backend: the program whose parts these are, one file each. */
#pragma once

#include "backend/prism-backend.h"

G_BEGIN_DECLS

/* The operations of the device: the emulated one, or the one of the module in PRISM_MODULE_DIR;
 * NULL without a module. */
const PrismBackendOps *test_cuda_get_ops (void);

G_END_DECLS
