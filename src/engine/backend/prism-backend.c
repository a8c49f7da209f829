#include "config.h"

#include "backend/prism-backend.h"

#include "base/prism-error.h"
#include "device/prism-backend-check.h"

#include <glib/gi18n-lib.h>
#include <gmodule.h>
#include <pthread.h>
#include <string.h>

#define CUDA_MODULE "libprism-cuda.so"
#define CUDA_ENTRY "prism_cuda_backend_get_ops"

typedef const PrismBackendOps *(*PrismCudaEntry) (void);

/* What the process knows about the GPU, guarded by lock. */
static struct
{
  const PrismBackendOps *replacement; /* (nullable): in place of the module's */
  const PrismBackendOps *checked;     /* (nullable): went through the self-test */
  char *failure;                      /* (nullable): of the self-test of checked */
  char *loss;                         /* (nullable): why it stopped answering */
  gboolean absent;                    /* the module was asked, and found no device */
} memory;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

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

  if (memory.replacement != NULL)
    return memory.replacement;
  if (path == NULL)
    {
      *reason = g_strdup (_ ("The CUDA module is not installed."));
      return NULL;
    }

  module = g_module_open (path, G_MODULE_BIND_LAZY | G_MODULE_BIND_LOCAL);
  if (module == NULL)
    {
      *reason = g_strdup_printf (_ ("The CUDA module cannot be loaded: %s."), g_module_error ());
      return NULL;
    }
  if (!g_module_symbol (module, CUDA_ENTRY, &entry))
    {
      *reason = g_strdup_printf (_ ("%s is not a module of this program."), path);
      g_module_close (module);
      return NULL;
    }

  g_module_make_resident (module);
  ops = ((PrismCudaEntry) entry) ();
  if (ops->abi != PRISM_BACKEND_ABI)
    {
      *reason = g_strdup_printf (_ ("The CUDA module is of another version: its interface is number"
                                    " %u, this program needs %d."),
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
  const PrismBackendOps *ops = NULL;

  if (strcmp (name, "cpu") == 0)
    return &prism_cpu_backend_ops;
  pthread_mutex_lock (&lock);
  if (strcmp (name, "cuda") == 0)
    ops = load_cuda_ops (&reason);
  pthread_mutex_unlock (&lock);
  return ops;
}

/* Why the device cannot be trusted: it was lost before, or its self-test fails. The test runs once
 * in the life of the process. */
static char *
dup_distrust (const PrismBackendOps *ops)
{
  g_autoptr (GError) error = NULL;

  if (memory.loss != NULL)
    return g_strdup_printf (_ ("the GPU was lost before (%s). Set backend to cuda to try it "
                               "again."),
                            memory.loss);
  if (memory.checked != ops)
    {
      g_clear_pointer (&memory.failure, g_free);
      if (!prism_backend_check (ops, &error))
        {
          /* Another program may have the memory now and give it back later. */
          if (g_error_matches (error, PRISM_ERROR, PRISM_ERROR_MEMORY))
            return g_strdup (error->message);
          memory.failure = g_strdup (error->message);
        }
      memory.checked = ops;
    }
  return g_strdup (memory.failure);
}

static const PrismBackendOps *
find_cuda (gboolean trusted,
           char **reason)
{
  const PrismBackendOps *ops = load_cuda_ops (reason);

  if (ops == NULL)
    return NULL;
  *reason = ops->dup_unavailable_reason ();
  memory.absent = *reason != NULL;
  if (*reason == NULL && trusted)
    *reason = dup_distrust (ops);
  return *reason == NULL ? ops : NULL;
}

/**
 * prism_backend_get_choice:
 * @choice: what the configuration asks for
 * @reason: (out) (transfer full): why this device and no other, one sentence
 * @error: return location
 *
 * Picks the device: the GPU where there is one that works, passes prism_backend_check() and was not
 * lost before, unless the CPU is asked for. Who asks for CUDA gets it without a test. The first
 * call may take a second, for the driver and the test.
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
      *reason = g_strdup (_ ("Running on the CPU, as asked."));
      return &prism_cpu_backend_ops;
    }

  pthread_mutex_lock (&lock);
  ops = find_cuda (choice == PRISM_BACKEND_AUTO, &why_not);
  if (ops != NULL && choice == PRISM_BACKEND_CUDA)
    g_clear_pointer (&memory.loss, g_free);
  pthread_mutex_unlock (&lock);
  if (ops != NULL)
    {
      *reason = g_strdup (choice == PRISM_BACKEND_CUDA ? _ ("Running on the GPU, as asked.")
                                                       : _ ("Running on the GPU."));
      return ops;
    }
  if (choice == PRISM_BACKEND_CUDA)
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_BACKEND,
                   _ ("CUDA cannot be used: %s Set backend to auto or cpu."), why_not);
      return NULL;
    }
  *reason = g_strdup_printf (_ ("Running on the CPU: %s"), why_not);
  return &prism_cpu_backend_ops;
}

/**
 * prism_backend_guess:
 * @choice: what the configuration asks for
 *
 * The device that prism_backend_get_choice() will most likely pick, from what is known by now:
 * neither driver nor device is asked, so that a window need not wait for them.
 *
 * Thread: any.
 *
 * Returns: (nullable): the operations, NULL where CUDA is asked for and there is no module
 */
const PrismBackendOps *
prism_backend_guess (PrismBackendChoice choice)
{
  g_autofree char *reason = NULL;
  const PrismBackendOps *ops;
  gboolean known_bad;

  if (choice == PRISM_BACKEND_CPU)
    return &prism_cpu_backend_ops;
  pthread_mutex_lock (&lock);
  ops = load_cuda_ops (&reason);
  known_bad = memory.loss != NULL || memory.failure != NULL || memory.absent;
  pthread_mutex_unlock (&lock);
  if (choice == PRISM_BACKEND_CUDA || (ops != NULL && !known_bad))
    return ops;
  return &prism_cpu_backend_ops;
}

/**
 * prism_backend_note_loss:
 * @ops: the device that is gone
 * @reason: as it reads after a colon
 *
 * Remembers that a device stopped answering: “auto” leaves it alone from now on.
 *
 * Thread: any.
 */
void
prism_backend_note_loss (const PrismBackendOps *ops,
                         const char *reason)
{
  g_return_if_fail (prism_backend_can_be_lost (ops));

  pthread_mutex_lock (&lock);
  g_free (memory.loss);
  memory.loss = g_strdup (reason);
  pthread_mutex_unlock (&lock);
}

/**
 * prism_backend_dup_loss:
 * @error: a PRISM_ERROR_DEVICE_LOST
 *
 * Takes the reason out of "The GPU is lost: reason. What to do.", for a sentence of another kind.
 *
 * Thread: any.
 *
 * Returns: (transfer full): the reason, as it reads after a colon
 */
char *
prism_backend_dup_loss (const GError *error)
{
  const char *colon = strstr (error->message, ": ");
  const char *begin = colon != NULL ? colon + 2 : error->message;
  const char *end = strstr (begin, ". ");
  gsize length = end != NULL ? (gsize) (end - begin) : strlen (begin);

  if (length > 0 && begin[length - 1] == '.')
    length--;
  return g_strndup (begin, length);
}

/**
 * prism_backend_can_be_lost:
 * @ops: a device
 *
 * Returns: whether the device may stop answering while the program goes on; the CPU may not
 */
gboolean
prism_backend_can_be_lost (const PrismBackendOps *ops)
{
  return ops != &prism_cpu_backend_ops;
}

/**
 * prism_backend_replace_cuda:
 * @ops: (nullable): a table that stands in for the CUDA module; NULL for the module itself
 *
 * Lets tests put a device of their own where the GPU is; forgets losses and self-tests.
 *
 * Thread: any, while nothing runs.
 */
void
prism_backend_replace_cuda (const PrismBackendOps *ops)
{
  pthread_mutex_lock (&lock);
  memory.replacement = ops;
  memory.checked = NULL;
  memory.absent = FALSE;
  g_clear_pointer (&memory.failure, g_free);
  g_clear_pointer (&memory.loss, g_free);
  pthread_mutex_unlock (&lock);
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
