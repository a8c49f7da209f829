#include "config.h"

#include "prism-cuda-backend.h"

#include "prism-cuda-types.h"

/* Large enough for the bus to run at full speed, small enough to stay in the processor's cache. */
#define PIECE ((gsize) 1 << 20)
/* One is copied by the device while the other is by the host. Those of the two ways are apart. */
#define N_ALTERNATING 2
#define N_PIECES (2 * N_ALTERNATING)
#define FIRST_DOWN N_ALTERNATING

struct _PrismCudaTransfer
{
  PrismCudaContext *context;
  cudaStream_t stream;
  char *staging;                /* [N_PIECES][PIECE], pinned */
  cudaEvent_t copied[N_PIECES]; /* the device is through with this piece */
  guint next;                   /* piece of the next upload: the one that was free for longest */
};

/**
 * prism_cuda_transfer_new:
 * @context: of the run; must outlive the transfer
 * @stream: one of its streams
 * @error: return location
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST.
 * Thread: engine.
 *
 * Returns: (transfer full) (nullable): the staging memory
 */
PrismCudaTransfer *
prism_cuda_transfer_new (PrismCudaContext *context,
                         cudaStream_t stream,
                         GError **error)
{
  PrismCudaTransfer *self = g_new0 (PrismCudaTransfer, 1);
  cudaError_t status = cudaMallocHost ((void **) &self->staging, N_PIECES * PIECE);

  self->context = context;
  self->stream = stream;
  for (int i = 0; i < N_PIECES && status == cudaSuccess; i++)
    status = prism_cuda_context_create_event (&self->copied[i]);
  if (prism_cuda_context_check (context, status, "memory for copies was being set up"))
    return self;
  prism_cuda_context_report (context, error);
  prism_cuda_transfer_free (self);
  return NULL;
}

/**
 * prism_cuda_transfer_free:
 * @self: (nullable): the staging memory
 *
 * Frees it; leaves it behind when the device is lost. The device must be idle.
 *
 * Thread: engine.
 */
void
prism_cuda_transfer_free (PrismCudaTransfer *self)
{
  if (self == NULL)
    return;
  if (!self->context->lost)
    {
      for (int i = 0; i < N_PIECES; i++)
        prism_cuda_context_destroy_event (self->copied[i]);
      if (self->staging != NULL)
        cudaFreeHost (self->staging);
    }
  g_free (self);
}

static void
count_to_device (PrismCudaContext *context,
                 PrismTransferKind kind,
                 gsize n_bytes)
{
  context->counters.n_to_device[kind]++;
  context->counters.bytes_to_device[kind] += n_bytes;
}

static void
count_to_host (PrismCudaContext *context,
               PrismTransferKind kind,
               gsize n_bytes)
{
  context->counters.n_to_host[kind]++;
  context->counters.bytes_to_host[kind] += n_bytes;
}

static cudaError_t
wait_for_piece (PrismCudaTransfer *self,
                guint piece)
{
  if (cudaEventQuery (self->copied[piece]) != cudaSuccess)
    self->context->counters.n_waits++;
  return prism_cuda_wait_event (self->copied[piece], 0.0);
}

/* copied[] of a piece that was never used counts as happened. */
static cudaError_t
upload_piece (PrismCudaTransfer *self,
              guint piece,
              void *to,
              const void *from,
              gsize n_bytes)
{
  char *staging = self->staging + piece * PIECE;

  PRISM_CUDA_TRY (wait_for_piece (self, piece));
  memcpy (staging, from, n_bytes);
  PRISM_CUDA_TRY (cudaMemcpyAsync (to, staging, n_bytes, cudaMemcpyHostToDevice, self->stream));
  return cudaEventRecord (self->copied[piece], self->stream);
}

/**
 * prism_cuda_transfer_upload:
 * @self: the staging memory
 * @kind: what it is counted as
 * @to: (device): destination
 * @from: source
 * @n_bytes: size
 *
 * Copies to the device, in the order of the stream.
 *
 * Thread: engine.
 *
 * Returns: whether it is on its way; an error is noted in the context
 */
gboolean
prism_cuda_transfer_upload (PrismCudaTransfer *self,
                            PrismTransferKind kind,
                            void *to,
                            const void *from,
                            gsize n_bytes)
{
  cudaError_t status = cudaSuccess;

  count_to_device (self->context, kind, n_bytes);
  for (gsize done = 0; done < n_bytes && status == cudaSuccess; done += PIECE)
    status = upload_piece (self, self->next++ % N_ALTERNATING, (char *) to + done,
                           (const char *) from + done, MIN (n_bytes - done, PIECE));
  return prism_cuda_context_check (self->context, status, "data was being copied to it");
}

static cudaError_t
fetch_piece (PrismCudaTransfer *self,
             guint piece,
             const void *from,
             gsize n_bytes)
{
  PRISM_CUDA_TRY (cudaMemcpyAsync (self->staging + piece * PIECE, from, n_bytes,
                                   cudaMemcpyDeviceToHost, self->stream));
  return cudaEventRecord (self->copied[piece], self->stream);
}

/* The device copies one piece while the host copies the one before. */
static cudaError_t
download_pieces (PrismCudaTransfer *self,
                 char *to,
                 const char *from,
                 gsize n_bytes)
{
  PRISM_CUDA_TRY (fetch_piece (self, FIRST_DOWN, from, MIN (n_bytes, PIECE)));
  for (gsize done = 0, i = 0; done < n_bytes; done += PIECE, i++)
    {
      const gsize next = done + PIECE;
      const guint piece = FIRST_DOWN + (guint) i % N_ALTERNATING;

      if (next < n_bytes)
        PRISM_CUDA_TRY (fetch_piece (self, FIRST_DOWN + (i + 1) % N_ALTERNATING, from + next,
                                     MIN (n_bytes - next, PIECE)));
      PRISM_CUDA_TRY (wait_for_piece (self, piece));
      memcpy (to + done, self->staging + piece * PIECE, MIN (n_bytes - done, PIECE));
    }
  return cudaSuccess;
}

/**
 * prism_cuda_transfer_download:
 * @self: the staging memory
 * @kind: what it is counted as
 * @to: destination
 * @from: (device): source
 * @n_bytes: size
 *
 * Copies to the host, in the order of the stream, which is the main one. What went wrong on the
 * device before is found out first, so that a failure does not leave half an array behind.
 *
 * Thread: engine.
 *
 * Returns: whether @to is filled; an error is noted in the context
 */
gboolean
prism_cuda_transfer_download (PrismCudaTransfer *self,
                              PrismTransferKind kind,
                              void *to,
                              const void *from,
                              gsize n_bytes)
{
  static const char *const doing = "data was being copied from it";

  if (n_bytes > PIECE && !prism_cuda_context_wait (self->context, 0.0, doing))
    return FALSE;
  count_to_host (self->context, kind, n_bytes);
  return prism_cuda_context_check (self->context, download_pieces (self, to, from, n_bytes), doing);
}

/**
 * prism_cuda_transfer_send:
 * @context: of the run
 * @kind: what it is counted as
 * @to: (device): destination
 * @from: pinned host memory, to be left alone until the main stream is through
 * @n_bytes: size
 *
 * Queues a copy to the device on the main stream.
 *
 * Thread: engine.
 *
 * Returns: what the runtime reports
 */
cudaError_t
prism_cuda_transfer_send (PrismCudaContext *context,
                          PrismTransferKind kind,
                          void *to,
                          const void *from,
                          gsize n_bytes)
{
  count_to_device (context, kind, n_bytes);
  return cudaMemcpyAsync (to, from, n_bytes, cudaMemcpyHostToDevice, context->streams.main);
}

/**
 * prism_cuda_transfer_fetch:
 * @context: of the run
 * @kind: what it is counted as
 * @to: pinned host memory, not to be read until @stream is through
 * @from: (device): source
 * @n_bytes: size
 * @stream: a stream
 *
 * Queues a copy to the host.
 *
 * Thread: engine.
 *
 * Returns: what the runtime reports
 */
cudaError_t
prism_cuda_transfer_fetch (PrismCudaContext *context,
                           PrismTransferKind kind,
                           void *to,
                           const void *from,
                           gsize n_bytes,
                           cudaStream_t stream)
{
  count_to_host (context, kind, n_bytes);
  return cudaMemcpyAsync (to, from, n_bytes, cudaMemcpyDeviceToHost, stream);
}

/* ---- pictures on their way ---- */

G_STATIC_ASSERT (sizeof (PrismMetricsSums) == PRISM_CUDA_N_SUMS * sizeof (double));

struct _PrismCudaFrame
{
  PrismCudaContext *context;
  gsize n_pixels;
  gsize n_bytes;       /* of one copy: the sums of its metrics, then pixels */
  char *copy;          /* device: taken on the main stream, which goes on at once */
  char *arrived;       /* pinned host */
  cudaEvent_t taken;   /* copy is complete */
  cudaEvent_t fetched; /* arrived is complete */
  gboolean is_due;     /* requested and not collected */
};

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
  self->n_bytes = sizeof (PrismMetricsSums) + n_pixels * sizeof (float);
  prism_cuda_arena_add_array (arena, (void **) &self->copy, self->n_bytes);
  return self;
}

static cudaError_t
allocate_frame (PrismCudaFrame *self)
{
  PRISM_CUDA_TRY (cudaMallocHost ((void **) &self->arrived, self->n_bytes));
  PRISM_CUDA_TRY (prism_cuda_context_create_event (&self->taken));
  return prism_cuda_context_create_event (&self->fetched);
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
  if (prism_cuda_context_check (self->context, allocate_frame (self),
                                "memory for frames was being set up"))
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
      prism_cuda_context_destroy_event (self->taken);
      prism_cuda_context_destroy_event (self->fetched);
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

/* On the device in the order of the main stream, and from there to the host on another. */
static cudaError_t
queue_copies (PrismCudaFrame *self,
              const float *image,
              const double *sums)
{
  cudaStream_t stream = self->context->streams.main, preview = self->context->preview;

  PRISM_CUDA_TRY (cudaMemcpyAsync (self->copy, sums, sizeof (PrismMetricsSums),
                                   cudaMemcpyDeviceToDevice, stream));
  PRISM_CUDA_TRY (cudaMemcpyAsync (self->copy + sizeof (PrismMetricsSums), image,
                                   self->n_pixels * sizeof *image, cudaMemcpyDeviceToDevice,
                                   stream));
  PRISM_CUDA_TRY (prism_cuda_fork (stream, preview, self->taken));
  PRISM_CUDA_TRY (prism_cuda_transfer_fetch (self->context, PRISM_TRANSFER_FRAME, self->arrived,
                                             self->copy, self->n_bytes, preview));
  return cudaEventRecord (self->fetched, preview);
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
  const cudaError_t status = queue_copies (self, image, sums);

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
  cudaError_t status;

  if (!self->is_due)
    return FALSE;
  status = cudaEventQuery (self->fetched);
  if (status == cudaErrorNotReady)
    return FALSE;
  self->is_due = FALSE;
  if (!prism_cuda_context_check (self->context, status, "a frame was being copied"))
    return FALSE;
  memcpy (image, self->arrived + sizeof (PrismMetricsSums), self->n_pixels * sizeof *image);
  if (metrics != NULL)
    prism_metrics_finish (metrics, (const PrismMetricsSums *) self->arrived);
  return TRUE;
}

/* ---- how long copies take ---- */

/* The copies that a run makes go the way above. These have memory and events of their
 * own, so that nothing but the bus is timed. A copy of pageable memory is made by the driver in the
 * middle of the call, which no deadline can end: who measures does so in a process of its own. */

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

/* A device that is lost is left alone, and so is the memory that it knows of. */
static void
prism_cuda_copy_clear (PrismCudaCopy *self)
{
  if (!self->is_pinned)
    g_free (self->host);
  if (!self->context.lost)
    {
      prism_cuda_context_destroy_event (self->begin);
      prism_cuda_context_destroy_event (self->end);
      if (self->is_pinned)
        cudaFreeHost (self->host);
      cudaFree (self->device);
    }
  prism_cuda_context_close (&self->context);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PrismCudaCopy, prism_cuda_copy_clear)

/* All of it is written once: pages that were never touched are not there yet. */
static cudaError_t
allocate (PrismCudaCopy *self)
{
  if (self->is_pinned)
    PRISM_CUDA_TRY (cudaHostAlloc ((void **) &self->host, self->n_bytes, cudaHostAllocDefault));
  else
    self->host = g_try_malloc (self->n_bytes);
  if (self->host == NULL)
    return cudaErrorMemoryAllocation;
  PRISM_CUDA_TRY (cudaMalloc (&self->device, self->n_bytes));
  memset (self->host, 0, self->n_bytes);
  PRISM_CUDA_TRY (cudaMemsetAsync (self->device, 0, self->n_bytes, self->context.streams.main));
  PRISM_CUDA_TRY (cudaEventCreate (&self->begin));
  return cudaEventCreate (&self->end);
}

static cudaError_t
time_copy (PrismCudaCopy *self,
           double *seconds)
{
  cudaStream_t stream = self->context.streams.main;
  float milliseconds = 0.0f;

  PRISM_CUDA_TRY (cudaEventRecord (self->begin, stream));
  PRISM_CUDA_TRY (cudaMemcpyAsync (self->to_host ? self->host : self->device,
                                   self->to_host ? self->device : self->host, self->n_bytes,
                                   self->to_host ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice,
                                   stream));
  PRISM_CUDA_TRY (cudaEventRecord (self->end, stream));
  PRISM_CUDA_TRY (prism_cuda_wait_event (self->end, 0.0));
  PRISM_CUDA_TRY (cudaEventElapsedTime (&milliseconds, self->begin, self->end));
  *seconds = 1e-3 * (double) milliseconds;
  return cudaSuccess;
}

static void
set_too_large (const PrismCudaCopy *self,
               GError **error)
{
  g_autofree char *size = g_format_size_full (self->n_bytes, G_FORMAT_SIZE_IEC_UNITS);

  cudaGetLastError ();
  prism_error_set (error, PRISM_ERROR_MEMORY,
                   "There is not enough %s for copies of %s: choose smaller ones.",
                   self->host != NULL ? "memory on the GPU" : "memory", size);
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
  cudaError_t status;
  double first;

  if (!prism_cuda_context_open (&self.context, error))
    return FALSE;
  status = allocate (&self);
  if (status == cudaErrorMemoryAllocation)
    {
      set_too_large (&self, error);
      return FALSE;
    }
  if (status == cudaSuccess)
    status = time_copy (&self, &first);
  for (guint i = 0; i < n_times && status == cudaSuccess; i++)
    status = time_copy (&self, &seconds[i]);
  if (!prism_cuda_context_check (&self.context, status, "copies were being timed"))
    {
      prism_cuda_context_report (&self.context, error);
      return FALSE;
    }
  if (device != NULL)
    *device = prism_cuda_device_dup_name (self.context.device);
  return TRUE;
}
