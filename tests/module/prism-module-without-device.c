#include "backend/prism-backend.h"

/* What is installed on machines without an NVIDIA driver: a module that loads and finds no device.
 * Whoever takes it for one calls an operation that is not there. */

static const char *
get_loss (void)
{
  return NULL;
}

static char *
dup_unavailable_reason (void)
{
  return g_strdup ("No driver is installed.");
}

static const PrismBackendOps ops = {
  .abi = PRISM_BACKEND_ABI,
  .name = "cuda",
  .get_loss = get_loss,
  .dup_unavailable_reason = dup_unavailable_reason,
};

const PrismBackendOps *prism_cuda_backend_get_ops (void);

const PrismBackendOps *
prism_cuda_backend_get_ops (void)
{
  return &ops;
}
