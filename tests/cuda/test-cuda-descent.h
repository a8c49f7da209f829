/* test-cuda-descent: passes of descent, as a part of test-cuda-backend. */
#pragma once

#include "backend/prism-backend.h"

G_BEGIN_DECLS

void test_cuda_descent_add (const PrismBackendOps *cuda);

G_END_DECLS
