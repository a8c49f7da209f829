#include "config.h"

#include "prism-cuda-copy.h"

#include "base/prism-error.h"
#include "prism-cuda-context.h"
#include "prism-cuda-device.h"
#include "prism-cuda-wait.h"

#include <string.h>

/* The copies that a run makes go through prism-cuda-transfer. These have memory and events of their
 * own, so that nothing but the bus is timed. A copy of pageable memory is made by the driver in the
 * middle of the call, which no deadline can end: who measures does so in a process of its own. */

#define DOING "copies were being timed"

typedef struct
{
  PrismCudaContext context;
  cudaEvent_t begin, end;
  gsize n_bytes;
  gboolean is_pinned;
  gboolean to_host;
  char *host;
  void *device;
} PrismCudaCopy;

static void
destroy (cudaEvent_t event)
{
  if (event != NULL)
    cudaEventDestroy (event);
}

/* A device that is lost is left alone, and so is the memory that it knows of. */
static void
prism_cuda_copy_clear (PrismCudaCopy *self)
{
  if (!self->is_pinned)
    g_free (self->host);
  if (!self->context.lost)
    {
      destroy (self->begin);
      destroy (self->end);
      if (self->is_pinned)
        cudaFreeHost (self->host);
      cudaFree (self->device);
    }
  prism_cuda_context_close (&self->context);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PrismCudaCopy, prism_cuda_copy_clear)

static cudaError_t
allocate_host (PrismCudaCopy *self)
{
  if (self->is_pinned)
    return cudaHostAlloc ((void **) &self->host, self->n_bytes, cudaHostAllocDefault);
  self->host = g_try_malloc (self->n_bytes);
  return self->host != NULL ? cudaSuccess : cudaErrorMemoryAllocation;
}

/* All of it is written once: pages that were never touched are not there yet. */
static gboolean
allocate (PrismCudaCopy *self,
          GError **error)
{
  cudaStream_t stream = self->context.streams.main;
  cudaError_t status = allocate_host (self);

  if (status == cudaSuccess)
    status = cudaMalloc (&self->device, self->n_bytes);
  if (status == cudaErrorMemoryAllocation)
    {
      g_autofree char *size = g_format_size_full (self->n_bytes, G_FORMAT_SIZE_IEC_UNITS);

      cudaGetLastError ();
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_MEMORY,
                   "There is not enough %s for copies of %s: choose smaller ones.",
                   self->host != NULL ? "memory on the GPU" : "memory", size);
      return FALSE;
    }
  if (status == cudaSuccess)
    {
      memset (self->host, 0, self->n_bytes);
      status = cudaMemsetAsync (self->device, 0, self->n_bytes, stream);
    }
  if (status == cudaSuccess)
    status = cudaEventCreate (&self->begin);
  if (status == cudaSuccess)
    status = cudaEventCreate (&self->end);
  if (prism_cuda_context_check (&self->context, status, DOING)
      && prism_cuda_context_wait (&self->context, 0.0, DOING))
    return TRUE;
  prism_cuda_context_report (&self->context, error);
  return FALSE;
}

static cudaError_t
copy (PrismCudaCopy *self)
{
  cudaStream_t stream = self->context.streams.main;

  return self->to_host ? cudaMemcpyAsync (self->host, self->device, self->n_bytes,
                                          cudaMemcpyDeviceToHost, stream)
                       : cudaMemcpyAsync (self->device, self->host, self->n_bytes,
                                          cudaMemcpyHostToDevice, stream);
}

static gboolean
time_one (PrismCudaCopy *self,
          double *seconds,
          GError **error)
{
  cudaStream_t stream = self->context.streams.main;
  float milliseconds = 0.0f;
  cudaError_t status = cudaEventRecord (self->begin, stream);

  if (status == cudaSuccess)
    status = copy (self);
  if (status == cudaSuccess)
    status = cudaEventRecord (self->end, stream);
  if (status == cudaSuccess)
    status = prism_cuda_wait_event (self->end, 0.0);
  if (status == cudaSuccess)
    status = cudaEventElapsedTime (&milliseconds, self->begin, self->end);
  *seconds = 1e-3 * (double) milliseconds;
  if (prism_cuda_context_check (&self->context, status, DOING))
    return TRUE;
  prism_cuda_context_report (&self->context, error);
  return FALSE;
}

/**
 * prism_cuda_copy_time:
 * @kind: which way, and what kind of host memory
 * @n_bytes: of each copy, at least 1
 * @n_times: copies that are timed
 * @seconds: (out) (array length=n_times): what each took
 * @device: (out) (optional) (transfer full): the device's name
 * @error: return location
 *
 * Times copies one after the other, by the device's own clock. The first is not counted.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_BACKEND, PRISM_ERROR_DEVICE_LOST.
 * Thread: engine.
 *
 * Returns: whether all were timed
 */
gboolean
prism_cuda_copy_time (PrismCopyKind kind,
                      gsize n_bytes,
                      guint n_times,
                      double *seconds,
                      char **device,
                      GError **error)
{
  g_auto (PrismCudaCopy) self = {
    .n_bytes = n_bytes,
    .is_pinned = kind == PRISM_COPY_UPLOAD_PINNED || kind == PRISM_COPY_DOWNLOAD_PINNED,
    .to_host = kind == PRISM_COPY_DOWNLOAD_PINNED || kind == PRISM_COPY_DOWNLOAD_PAGEABLE,
  };
  double first;

  if (!prism_cuda_context_open (&self.context, error) || !allocate (&self, error)
      || !time_one (&self, &first, error))
    return FALSE;
  for (guint i = 0; i < n_times; i++)
    if (!time_one (&self, &seconds[i], error))
      return FALSE;
  if (device != NULL)
    *device = prism_cuda_device_dup_name (self.context.device);
  return TRUE;
}
