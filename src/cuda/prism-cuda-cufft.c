#include "config.h"

#include "prism-cuda-cufft.h"

#include "prism-cuda-error.h"

#include <cufft.h>
#include <gmodule.h>

/* Tables and alignment beside the library's copy of a field. */
#define MARGIN ((gsize) 1 << 20)

/* The functions that are used. */
typedef struct
{
  GModule *module;
  cufftResult (*create) (cufftHandle *plan);
  cufftResult (*set_auto_allocation) (cufftHandle plan, int allocate);
  cufftResult (*make_plan) (cufftHandle plan,
                            int rank,
                            int *n,
                            int *inembed,
                            int istride,
                            int idist,
                            int *onembed,
                            int ostride,
                            int odist,
                            cufftType type,
                            int batch,
                            size_t *work_size);
  cufftResult (*set_work_area) (cufftHandle plan, void *work);
  cufftResult (*set_stream) (cufftHandle plan, cudaStream_t stream);
  cufftResult (*execute) (cufftHandle plan, cufftComplex *from, cufftComplex *to, int direction);
  cufftResult (*destroy) (cufftHandle plan);
} Library;

struct _PrismCudaCufft
{
  int size;
  cufftHandle plan;
  gboolean planned;
  cudaStream_t stream;
};

static Library library;

/* Newest first; both have the same interface. */
static GModule *
open_module_in (const char *folder)
{
  const char *names[] = { "libcufft.so.12", "libcufft.so.11" };
  GModule *module = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (names) && module == NULL; i++)
    {
      g_autofree char *path = folder != NULL ? g_build_filename (folder, names[i], NULL)
                                             : g_strdup (names[i]);

      module = g_module_open (path, G_MODULE_BIND_LAZY | G_MODULE_BIND_LOCAL);
    }
  return module;
}

/* Where the system looks, then in the toolkit, which the system need not know. */
static GModule *
open_module (void)
{
  static const char *const folders[] = { "lib64", "lib", "targets/x86_64-linux/lib" };
  const char *home = g_getenv ("CUDA_HOME");
  GModule *module = open_module_in (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (folders) && module == NULL; i++)
    {
      g_autofree char *folder = g_build_filename (home != NULL ? home : "/usr/local/cuda",
                                                  folders[i], NULL);

      module = open_module_in (folder);
    }
  return module;
}

static gboolean
find_symbols (Library *self)
{
  const struct
  {
    const char *name;
    gpointer *function;
  } symbols[] = {
    { "cufftCreate", (gpointer *) &self->create },
    { "cufftSetAutoAllocation", (gpointer *) &self->set_auto_allocation },
    { "cufftMakePlanMany", (gpointer *) &self->make_plan },
    { "cufftSetWorkArea", (gpointer *) &self->set_work_area },
    { "cufftSetStream", (gpointer *) &self->set_stream },
    { "cufftExecC2C", (gpointer *) &self->execute },
    { "cufftDestroy", (gpointer *) &self->destroy },
  };

  for (guint i = 0; i < G_N_ELEMENTS (symbols); i++)
    if (!g_module_symbol (self->module, symbols[i].name, symbols[i].function))
      return FALSE;
  return TRUE;
}

static gboolean
load (GError **error)
{
  Library found = { NULL };

  if (library.module != NULL)
    return TRUE;
  found.module = open_module ();
  if (found.module == NULL)
    {
      g_set_error_literal (error, PRISM_ERROR, PRISM_ERROR_BACKEND,
                           "cuFFT 11 or 12 is not installed. Install it from the CUDA toolkit or "
                           "leave the reference transform off.");
      return FALSE;
    }
  if (!find_symbols (&found))
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_BACKEND,
                   "%s is not a cuFFT that can be used. Install that of CUDA 12 or 13 or leave the "
                   "reference transform off.",
                   g_module_name (found.module));
      g_module_close (found.module);
      return FALSE;
    }
  g_module_make_resident (found.module);
  library = found;
  return TRUE;
}

/**
 * prism_cuda_cufft_load:
 * @error: return location
 *
 * Looks for the library, once; it stays loaded.
 *
 * Errors: PRISM_ERROR_BACKEND when it is not installed or lacks a function.
 * Thread: engine, also of several runs.
 *
 * Returns: whether the library can be used
 */
gboolean
prism_cuda_cufft_load (GError **error)
{
  static GMutex lock;
  gboolean ok;

  g_mutex_lock (&lock);
  ok = load (error);
  g_mutex_unlock (&lock);
  return ok;
}

/**
 * prism_cuda_cufft_get_work_bytes:
 * @size: n, a power of two
 *
 * Known before there is a device: a copy of the field, which is the most that the library wants for
 * powers of two.
 *
 * Thread: any.
 *
 * Returns: size of the working memory to give to prism_cuda_cufft_prepare()
 */
gsize
prism_cuda_cufft_get_work_bytes (int size)
{
  return (gsize) size * size * sizeof (PrismCudaComplex) + MARGIN;
}

/**
 * prism_cuda_cufft_new:
 * @size: n
 *
 * Thread: engine.
 *
 * Returns: (transfer full): a transform, to be prepared before it is used
 */
PrismCudaCufft *
prism_cuda_cufft_new (int size)
{
  PrismCudaCufft *self = g_new0 (PrismCudaCufft, 1);

  self->size = size;
  return self;
}

/**
 * prism_cuda_cufft_free:
 * @self: (transfer full): a transform that is not running
 *
 * Destroying a plan may wait for the device: on a lost one it is left behind.
 *
 * Thread: engine.
 */
void
prism_cuda_cufft_free (PrismCudaCufft *self)
{
  if (self->planned && prism_cuda_error_get_loss () == NULL)
    library.destroy (self->plan);
  g_free (self);
}

/* The library's own failures leave the device as it is; what happened to the device, CUDA says. */
static cudaError_t
get_error (cufftResult result)
{
  cudaError_t status;

  if (result == CUFFT_SUCCESS)
    return cudaSuccess;
  if (result == CUFFT_ALLOC_FAILED)
    return cudaErrorMemoryAllocation;
  status = cudaPeekAtLastError ();
  return prism_cuda_error_is_sticky (status) ? status : cudaErrorNotSupported;
}

static cufftResult
make_plan (PrismCudaCufft *self,
           size_t *work_bytes)
{
  int n[] = { self->size, self->size };
  cufftResult result = library.create (&self->plan);

  if (result != CUFFT_SUCCESS)
    return result;
  self->planned = TRUE;
  result = library.set_auto_allocation (self->plan, 0);
  if (result != CUFFT_SUCCESS)
    return result;
  return library.make_plan (self->plan, 2, n, NULL, 1, 0, NULL, 1, 0, CUFFT_C2C, 1, work_bytes);
}

/**
 * prism_cuda_cufft_prepare:
 * @self: a transform
 * @work: device memory of prism_cuda_cufft_get_work_bytes()
 * @stream: where it will run; not under capture
 *
 * Makes the plan, so that nothing is allocated later. The library must have been loaded.
 *
 * Thread: engine.
 */
cudaError_t
prism_cuda_cufft_prepare (PrismCudaCufft *self,
                          void *work,
                          cudaStream_t stream)
{
  size_t work_bytes = 0;
  cufftResult result;

  g_return_val_if_fail (library.module != NULL, cudaErrorNotSupported);

  result = make_plan (self, &work_bytes);
  if (result == CUFFT_SUCCESS && work_bytes > prism_cuda_cufft_get_work_bytes (self->size))
    result = CUFFT_ALLOC_FAILED;
  if (result == CUFFT_SUCCESS)
    result = library.set_work_area (self->plan, work);
  if (result == CUFFT_SUCCESS)
    result = library.set_stream (self->plan, stream);
  self->stream = stream;
  return get_error (result);
}

/**
 * prism_cuda_cufft_transform:
 * @self: a transform that has been prepared
 * @field: device array
 * @inverse: whether the exponent is positive
 * @stream: a stream; the one that it was prepared for, if under capture
 *
 * Transforms a field in place.
 *
 * Shape: @field [n][n].
 * Thread: engine.
 */
cudaError_t
prism_cuda_cufft_transform (PrismCudaCufft *self,
                            PrismCudaComplex *field,
                            gboolean inverse,
                            cudaStream_t stream)
{
  cufftResult result = CUFFT_SUCCESS;

  if (stream != self->stream)
    result = library.set_stream (self->plan, stream);
  self->stream = stream;
  if (result == CUFFT_SUCCESS)
    result = library.execute (self->plan, (cufftComplex *) field, (cufftComplex *) field,
                              inverse ? CUFFT_INVERSE : CUFFT_FORWARD);
  return get_error (result);
}
