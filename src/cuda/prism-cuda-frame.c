#include "config.h"

#include "prism-cuda-frame.h"

#include "prism-cuda-error.h"
#include "prism-cuda-transfer.h"

#include <string.h>

G_STATIC_ASSERT (sizeof (PrismMetricsSums) == PRISM_CUDA_N_SUMS * sizeof (double));

struct _PrismCudaFrame
{
  PrismCudaContext *context;
  gsize n_pixels;
  gsize n_bytes;       /* of one copy: pixels, then metrics */
  char *copy;          /* device: taken on the main stream, which goes on at once */
  char *arrived;       /* pinned host */
  cudaEvent_t taken;   /* copy is complete */
  cudaEvent_t fetched; /* arrived is complete */
  gboolean is_due;     /* requested and not collected */
};

/* Metrics are doubles: they begin at the next multiple of their size. */
static gsize
get_metrics_offset (PrismCudaFrame *self)
{
  gsize unit = sizeof (double);

  return (self->n_pixels * sizeof (float) + unit - 1) / unit * unit;
}

/**
 * prism_cuda_frame_new:
 * @context: of the run; must outlive the frame
 * @arena: not allocated yet
 * @n_pixels: of an image
 *
 * Thread: engine.
 *
 * Returns: (transfer full): a frame that is not due
 */
PrismCudaFrame *
prism_cuda_frame_new (PrismCudaContext *context,
                      PrismCudaArena *arena,
                      gsize n_pixels)
{
  PrismCudaFrame *self = g_new0 (PrismCudaFrame, 1);

  self->context = context;
  self->n_pixels = n_pixels;
  self->n_bytes = get_metrics_offset (self) + sizeof (PrismMetricsSums);
  prism_cuda_arena_add_array (arena, (void **) &self->copy, self->n_bytes);
  return self;
}

/**
 * prism_cuda_frame_prepare:
 * @self: a frame whose arena is allocated
 * @error: return location
 *
 * Allocates the host's side.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_BACKEND, PRISM_ERROR_DEVICE_LOST.
 * Thread: engine.
 *
 * Returns: whether frames can be taken
 */
gboolean
prism_cuda_frame_prepare (PrismCudaFrame *self,
                          GError **error)
{
  cudaError_t status = cudaMallocHost ((void **) &self->arrived, self->n_bytes);

  if (status == cudaSuccess)
    status = cudaEventCreateWithFlags (&self->taken, cudaEventDisableTiming);
  if (status == cudaSuccess)
    status = cudaEventCreateWithFlags (&self->fetched, cudaEventDisableTiming);
  if (prism_cuda_context_check (self->context, status, "memory for frames was being set up"))
    return TRUE;
  prism_cuda_context_report (self->context, error);
  return FALSE;
}

/**
 * prism_cuda_frame_free:
 * @self: (nullable): a frame
 *
 * Frees it; leaves the device's side behind when the device is lost. The device must be idle.
 *
 * Thread: engine.
 */
void
prism_cuda_frame_free (PrismCudaFrame *self)
{
  if (self == NULL)
    return;
  if (!self->context->lost)
    {
      if (self->taken != NULL)
        cudaEventDestroy (self->taken);
      if (self->fetched != NULL)
        cudaEventDestroy (self->fetched);
      if (self->arrived != NULL)
        cudaFreeHost (self->arrived);
    }
  g_free (self);
}

/**
 * prism_cuda_frame_is_due:
 * @self: a frame
 *
 * Thread: engine.
 *
 * Returns: whether one was requested that is not collected
 */
gboolean
prism_cuda_frame_is_due (PrismCudaFrame *self)
{
  return self->is_due;
}

static cudaError_t
take_copy (PrismCudaFrame *self,
           const float *image,
           const double *sums)
{
  cudaStream_t stream = self->context->streams.main;
  cudaError_t status = cudaMemcpyAsync (self->copy, image, self->n_pixels * sizeof *image,
                                        cudaMemcpyDeviceToDevice, stream);

  if (status == cudaSuccess)
    status = cudaMemcpyAsync (self->copy + get_metrics_offset (self), sums,
                              sizeof (PrismMetricsSums), cudaMemcpyDeviceToDevice, stream);
  if (status == cudaSuccess)
    status = cudaEventRecord (self->taken, stream);
  return status;
}

/**
 * prism_cuda_frame_request:
 * @self: a frame that is not due
 * @image: (device): pixels
 * @sums: (device): those of its metrics, PrismMetricsSums
 *
 * Copies on the device in the order of the main stream, and from there to the host on a stream of
 * its own, beside whatever the main stream does next.
 *
 * Shape: @image [m][m], @sums [9].
 * Thread: engine.
 *
 * Returns: what the runtime reports
 */
cudaError_t
prism_cuda_frame_request (PrismCudaFrame *self,
                          const float *image,
                          const double *sums)
{
  cudaStream_t preview = self->context->preview;
  cudaError_t status = take_copy (self, image, sums);

  if (status == cudaSuccess)
    status = cudaStreamWaitEvent (preview, self->taken, 0);
  if (status == cudaSuccess)
    status = prism_cuda_transfer_fetch (self->context, PRISM_TRANSFER_FRAME, self->arrived,
                                        self->copy, self->n_bytes, preview);
  if (status == cudaSuccess)
    status = cudaEventRecord (self->fetched, preview);
  self->is_due = status == cudaSuccess;
  return status;
}

/**
 * prism_cuda_frame_collect:
 * @self: a frame
 * @image: (out caller-allocates): pixels
 * @metrics: (out caller-allocates) (nullable): its metrics
 *
 * Shape: @image [m][m].
 * Thread: engine.
 *
 * Returns: whether a frame that was due has arrived
 */
gboolean
prism_cuda_frame_collect (PrismCudaFrame *self,
                          float *image,
                          PrismMetrics *metrics)
{
  PrismMetricsSums sums;
  cudaError_t status;

  if (!self->is_due)
    return FALSE;
  status = cudaEventQuery (self->fetched);
  if (status == cudaErrorNotReady)
    return FALSE;
  self->is_due = FALSE;
  if (!prism_cuda_context_check (self->context, status, "a frame was being copied"))
    return FALSE;
  memcpy (image, self->arrived, self->n_pixels * sizeof *image);
  memcpy (&sums, self->arrived + get_metrics_offset (self), sizeof sums);
  if (metrics != NULL)
    prism_metrics_finish (metrics, &sums);
  return TRUE;
}
