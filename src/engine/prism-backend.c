#include "config.h"

#include "prism-backend.h"

#include "prism-error.h"

#include <gmodule.h>
#include <string.h>

#define CUDA_MODULE "libprism-cuda.so"
#define CUDA_ENTRY "prism_cuda_backend_get_ops"

typedef const PrismBackendOps *(*PrismCudaEntry) (void);

static char *
find_cuda_module (void)
{
  const char *directory = g_getenv ("PRISM_MODULE_DIR");
  g_autofree char *path = g_build_filename (directory != NULL ? directory : PRISM_MODULE_DIR,
                                            CUDA_MODULE, NULL);

  return g_file_test (path, G_FILE_TEST_EXISTS) ? g_steal_pointer (&path) : NULL;
}

/* The module stays loaded for the life of the process: its operations are static data. */
static const PrismBackendOps *
load_cuda_ops (char **reason)
{
  g_autofree char *path = find_cuda_module ();
  GModule *module;
  gpointer entry = NULL;
  const PrismBackendOps *ops;

  if (path == NULL)
    {
      *reason = g_strdup ("The CUDA module is not installed.");
      return NULL;
    }

  module = g_module_open (path, G_MODULE_BIND_LAZY | G_MODULE_BIND_LOCAL);
  if (module == NULL)
    {
      *reason = g_strdup_printf ("The CUDA module cannot be loaded: %s.", g_module_error ());
      return NULL;
    }
  if (!g_module_symbol (module, CUDA_ENTRY, &entry))
    {
      *reason = g_strdup_printf ("%s is not a module of this program.", path);
      g_module_close (module);
      return NULL;
    }

  g_module_make_resident (module);
  ops = ((PrismCudaEntry) entry) ();
  if (ops->abi != PRISM_BACKEND_ABI)
    {
      *reason = g_strdup_printf ("The CUDA module is of another version: its interface is number"
                                 " %u, this program needs %d.",
                                 ops->abi, PRISM_BACKEND_ABI);
      return NULL;
    }
  return ops;
}

/**
 * prism_backend_get_ops:
 * @name: "cpu" or "cuda"
 *
 * Looks a device's operations up; whether the device works here is for its
 * dup_unavailable_reason to say.
 *
 * Thread: any.
 *
 * Returns: (nullable): the operations, NULL where the module is missing or does not fit
 */
const PrismBackendOps *
prism_backend_get_ops (const char *name)
{
  g_autofree char *reason = NULL;

  if (strcmp (name, "cpu") == 0)
    return &prism_cpu_backend_ops;
  if (strcmp (name, "cuda") == 0)
    return load_cuda_ops (&reason);
  return NULL;
}

static const PrismBackendOps *
find_cuda (char **reason)
{
  const PrismBackendOps *ops = load_cuda_ops (reason);

  if (ops == NULL)
    return NULL;
  *reason = ops->dup_unavailable_reason ();
  return *reason == NULL ? ops : NULL;
}

/**
 * prism_backend_get_choice:
 * @choice: what the configuration asks for
 * @reason: (out) (transfer full): why this device and no other, one sentence
 * @error: return location
 *
 * Picks the device: the GPU where there is a working one, unless the CPU is asked for.
 *
 * Errors: PRISM_ERROR_BACKEND when CUDA is asked for and cannot be used.
 * Thread: engine.
 *
 * Returns: (nullable): the operations
 */
const PrismBackendOps *
prism_backend_get_choice (PrismBackendChoice choice,
                          char **reason,
                          GError **error)
{
  g_autofree char *why_not = NULL;
  const PrismBackendOps *ops;

  if (choice == PRISM_BACKEND_CPU)
    {
      *reason = g_strdup ("Running on the CPU, as asked.");
      return &prism_cpu_backend_ops;
    }

  ops = find_cuda (&why_not);
  if (ops != NULL)
    {
      *reason = g_strdup ("Running on the GPU.");
      return ops;
    }
  if (choice == PRISM_BACKEND_CUDA)
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_BACKEND,
                   "CUDA cannot be used: %s Set backend to auto or cpu.", why_not);
      return NULL;
    }
  *reason = g_strdup_printf ("Running on the CPU: %s", why_not);
  return &prism_cpu_backend_ops;
}

/**
 * prism_backend_free:
 * @self: (nullable) (transfer full): a backend
 *
 * Closes the device. Buffers must be gone by then.
 *
 * Thread: engine.
 */
void
prism_backend_free (PrismBackend *self)
{
  if (self != NULL)
    self->ops->close (self);
}
