#include "config.h"

#include "prism-cuda-memory.h"

#include "prism-cuda-types.h"

/* Left to the driver: graphs, kernels loaded on first use, the window's own drawing. */
#define MARGIN ((gsize) 64 << 20)

/* What does not fit is refused before it is tried. Nothing is left to be reported by whoever asks
 * next. */
static cudaError_t
allocate (void **memory,
          gsize size)
{
  size_t n_free, n_total;
  cudaError_t status;

  *memory = NULL;
  PRISM_CUDA_TRY (cudaMemGetInfo (&n_free, &n_total));
  if (n_free < size || n_free - size < MARGIN)
    return cudaErrorMemoryAllocation;
  status = cudaMalloc (memory, size);
  if (status == cudaErrorMemoryAllocation)
    cudaGetLastError ();
  return status;
}

/* ---- arenas ---- */

typedef struct
{
  void **slot;
  gsize offset; /* G_MAXSIZE: an empty array */
} PrismCudaArenaEntry;

struct _PrismCudaArena
{
  GArray *entries; /* of PrismCudaArenaEntry */
  gsize size;      /* bytes */
  char *block;     /* device */
};

/**
 * prism_cuda_arena_new:
 *
 * Starts an empty arena. Does not touch the device.
 *
 * Thread: any.
 *
 * Returns: (transfer full): the arena
 */
PrismCudaArena *
prism_cuda_arena_new (void)
{
  PrismCudaArena *self = g_new0 (PrismCudaArena, 1);

  self->entries = g_array_new (FALSE, FALSE, sizeof (PrismCudaArenaEntry));
  return self;
}

/**
 * prism_cuda_arena_free:
 * @self: (nullable): an arena
 *
 * Frees the block and with it every array carved from it. The device must be idle:
 * cudaFree() waits for it, without a deadline.
 *
 * Thread: engine.
 */
void
prism_cuda_arena_free (PrismCudaArena *self)
{
  if (self == NULL)
    return;
  if (self->block != NULL)
    cudaFree (self->block);
  prism_cuda_arena_abandon (self);
}

/**
 * prism_cuda_arena_abandon:
 * @self: (nullable): an arena
 *
 * Forgets the block instead of freeing it: for a device that may never answer again.
 *
 * Thread: engine.
 */
void
prism_cuda_arena_abandon (PrismCudaArena *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->entries);
  g_free (self);
}

/**
 * prism_cuda_arena_add_array:
 * @self: an arena that is not allocated yet
 * @slot: where prism_cuda_arena_allocate() writes the array's device address
 * @n_bytes: size, may be 0: then the address is NULL
 *
 * Plans one array, aligned to PRISM_CUDA_ALIGNMENT.
 *
 * Thread: any.
 */
void
prism_cuda_arena_add_array (PrismCudaArena *self,
                            void **slot,
                            gsize n_bytes)
{
  PrismCudaArenaEntry entry = { slot, n_bytes > 0 ? self->size : G_MAXSIZE };

  g_return_if_fail (self->block == NULL);

  g_array_append_val (self->entries, entry);
  self->size += (n_bytes + PRISM_CUDA_ALIGNMENT - 1) / PRISM_CUDA_ALIGNMENT * PRISM_CUDA_ALIGNMENT;
}

/**
 * prism_cuda_arena_get_size:
 * @self: an arena
 *
 * Units: bytes.
 * Thread: any.
 *
 * Returns: the size of all planned arrays
 */
gsize
prism_cuda_arena_get_size (PrismCudaArena *self)
{
  return self->size;
}

static cudaError_t
allocate_block (PrismCudaArena *self)
{
  PRISM_CUDA_TRY (allocate ((void **) &self->block, MAX (self->size, PRISM_CUDA_ALIGNMENT)));
  PRISM_CUDA_TRY (cudaMemsetAsync (self->block, 0, self->size, NULL));
  return prism_cuda_wait_stream (NULL, 0.0);
}

/**
 * prism_cuda_arena_place:
 * @self: an arena
 * @block: (device): memory of its size, aligned to PRISM_CUDA_ALIGNMENT
 *
 * Sets the pointers of all planned arrays into memory of somebody else's.
 *
 * Thread: any.
 */
void
prism_cuda_arena_place (PrismCudaArena *self,
                        char *block)
{
  for (guint i = 0; i < self->entries->len; i++)
    {
      PrismCudaArenaEntry *entry = &g_array_index (self->entries, PrismCudaArenaEntry, i);

      *entry->slot = entry->offset != G_MAXSIZE ? block + entry->offset : NULL;
    }
}

/**
 * prism_cuda_arena_allocate:
 * @self: an arena
 * @error: return location
 *
 * Allocates all planned arrays as one zeroed block and sets their pointers. What does not fit is
 * refused before it is tried, with a margin for the driver.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_BACKEND, PRISM_ERROR_DEVICE_LOST.
 * Thread: engine.
 *
 * Returns: whether the memory is there
 */
gboolean
prism_cuda_arena_allocate (PrismCudaArena *self,
                           GError **error)
{
  cudaError_t status = allocate_block (self);

  if (status == cudaErrorMemoryAllocation)
    prism_cuda_error_set_memory (error, self->size, "the decoder and its images");
  else if (status != cudaSuccess)
    prism_cuda_error_set (error, status, "its memory was being set up");
  else
    prism_cuda_arena_place (self, self->block);
  return status == cudaSuccess;
}

/* ---- pools ---- */

#define MIN_BYTES ((gsize) 256)

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
  /* Few sizes, so that what one left fits the next. */
  gsize size = n_bytes > MIN_BYTES ? (gsize) 1 << g_bit_storage (n_bytes - 1) : MIN_BYTES;
  void *memory = take_idle (self, size);
  cudaError_t status = memory != NULL ? cudaSuccess : allocate (&memory, size);

  /* Another size may have left memory that nobody wants. */
  if (status == cudaErrorMemoryAllocation && self->idle->len > 0 && free_idle (self))
    status = allocate (&memory, size);
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
 * prism_cuda_pool_add_use:
 * @self: a pool
 * @use: (inout): what is taken, and the most that ever was, are added
 *
 * Units: bytes.
 * Thread: engine.
 */
void
prism_cuda_pool_add_use (PrismCudaPool *self,
                         PrismMemoryUse *use)
{
  use->used += self->used;
  use->peak += self->peak;
}
