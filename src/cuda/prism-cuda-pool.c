#include "config.h"

#include "prism-cuda-pool.h"

#include "prism-cuda-error.h"

#define MIN_BYTES ((gsize) 256)
/* Left to the driver when memory grows short. */
#define MARGIN ((gsize) 64 << 20)

typedef struct
{
  void *memory; /* device */
  gsize n_bytes;
} PrismCudaBlock;

struct _PrismCudaPool
{
  PrismCudaContext *context;
  GHashTable *taken; /* address → size as GSIZE */
  GArray *idle;      /* of PrismCudaBlock */
  guint64 used;      /* bytes of taken */
  guint64 peak;
};

/**
 * prism_cuda_pool_new:
 * @context: of the run; must outlive the pool
 *
 * Thread: engine.
 *
 * Returns: (transfer full): an empty pool
 */
PrismCudaPool *
prism_cuda_pool_new (PrismCudaContext *context)
{
  PrismCudaPool *self = g_new0 (PrismCudaPool, 1);

  self->context = context;
  self->taken = g_hash_table_new (NULL, NULL);
  self->idle = g_array_new (FALSE, FALSE, sizeof (PrismCudaBlock));
  return self;
}

/* cudaFree() waits for the device without a deadline, so the wait is done first. */
static gboolean
free_idle (PrismCudaPool *self)
{
  if (self->context->lost
      || !prism_cuda_context_wait (self->context, 0.0, "memory was being freed"))
    return FALSE;
  for (guint i = 0; i < self->idle->len; i++)
    cudaFree (g_array_index (self->idle, PrismCudaBlock, i).memory);
  g_array_set_size (self->idle, 0);
  return TRUE;
}

/**
 * prism_cuda_pool_free:
 * @self: (nullable): a pool
 *
 * Frees all memory, taken or not; leaves it behind when the device is lost.
 *
 * Thread: engine.
 */
void
prism_cuda_pool_free (PrismCudaPool *self)
{
  GHashTableIter iter;
  gpointer memory;

  if (self == NULL)
    return;
  if (free_idle (self))
    {
      g_hash_table_iter_init (&iter, self->taken);
      while (g_hash_table_iter_next (&iter, &memory, NULL))
        cudaFree (memory);
    }
  g_hash_table_unref (self->taken);
  g_array_unref (self->idle);
  g_free (self);
}

/* Few sizes, so that what one left fits the next. */
static gsize
round_size (gsize n_bytes)
{
  gsize size = MIN_BYTES;

  while (size < n_bytes)
    size *= 2;
  return size;
}

static void *
take_idle (PrismCudaPool *self,
           gsize size)
{
  for (guint i = self->idle->len; i > 0; i--)
    {
      PrismCudaBlock block = g_array_index (self->idle, PrismCudaBlock, i - 1);

      if (block.n_bytes != size)
        continue;
      g_array_remove_index_fast (self->idle, i - 1);
      return block.memory;
    }
  return NULL;
}

static cudaError_t
allocate (void **memory,
          gsize size)
{
  size_t n_free, n_total;
  cudaError_t status = cudaMemGetInfo (&n_free, &n_total);

  *memory = NULL;
  if (status != cudaSuccess)
    return status;
  if (n_free < size || n_free - size < MARGIN)
    return cudaErrorMemoryAllocation;
  status = cudaMalloc (memory, size);
  if (status == cudaErrorMemoryAllocation)
    cudaGetLastError ();
  return status;
}

/* Another size may have left memory that nobody wants. */
static cudaError_t
allocate_hard (PrismCudaPool *self,
               void **memory,
               gsize size)
{
  cudaError_t status = allocate (memory, size);

  if (status == cudaErrorMemoryAllocation && self->idle->len > 0 && free_idle (self))
    status = allocate (memory, size);
  return status;
}

/**
 * prism_cuda_pool_take:
 * @self: a pool
 * @n_bytes: size
 * @what: what it is for, as it reads in an error message
 * @error: return location
 *
 * Takes memory that was given back, or allocates.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_BACKEND, PRISM_ERROR_DEVICE_LOST.
 * Thread: engine.
 *
 * Returns: (nullable): device memory, not initialised
 */
void *
prism_cuda_pool_take (PrismCudaPool *self,
                      gsize n_bytes,
                      const char *what,
                      GError **error)
{
  gsize size = round_size (n_bytes);
  void *memory = take_idle (self, size);
  cudaError_t status = memory != NULL ? cudaSuccess : allocate_hard (self, &memory, size);

  if (status == cudaErrorMemoryAllocation)
    {
      prism_cuda_error_set_memory (error, size, what);
      return NULL;
    }
  if (!prism_cuda_context_check (self->context, status, "memory was being allocated"))
    {
      prism_cuda_context_report (self->context, error);
      return NULL;
    }
  g_hash_table_insert (self->taken, memory, GSIZE_TO_POINTER (size));
  self->used += size;
  self->peak = MAX (self->peak, self->used);
  return memory;
}

/**
 * prism_cuda_pool_give:
 * @self: a pool
 * @memory: (nullable): memory of prism_cuda_pool_take()
 *
 * Takes it back for later. Work that is queued on the main stream may still read it: whoever gets
 * it next writes on the same stream.
 *
 * Thread: engine.
 */
void
prism_cuda_pool_give (PrismCudaPool *self,
                      void *memory)
{
  PrismCudaBlock block = { memory, 0 };

  if (memory == NULL)
    return;
  block.n_bytes = GPOINTER_TO_SIZE (g_hash_table_lookup (self->taken, memory));
  g_hash_table_remove (self->taken, memory);
  self->used -= block.n_bytes;
  g_array_append_val (self->idle, block);
}

/**
 * prism_cuda_pool_get_used:
 * @self: a pool
 *
 * Units: bytes.
 * Thread: engine.
 *
 * Returns: what is taken
 */
guint64
prism_cuda_pool_get_used (PrismCudaPool *self)
{
  return self->used;
}

/**
 * prism_cuda_pool_get_peak:
 * @self: a pool
 *
 * Units: bytes.
 * Thread: engine.
 *
 * Returns: the most that was ever taken
 */
guint64
prism_cuda_pool_get_peak (PrismCudaPool *self)
{
  return self->peak;
}
