#include "config.h"

#include "prism-cuda-arena.h"

#include "prism-cuda-error.h"
#include "prism-cuda-wait.h"

/* Left to the driver: graphs, kernels loaded on first use, the window's own drawing. */
#define MARGIN ((gsize) 64 << 20)

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
  size_t n_free, n_total;
  cudaError_t status = cudaMemGetInfo (&n_free, &n_total);

  if (status != cudaSuccess)
    return status;
  if (n_free < self->size || n_free - self->size < MARGIN)
    return cudaErrorMemoryAllocation;
  status = cudaMalloc ((void **) &self->block, MAX (self->size, PRISM_CUDA_ALIGNMENT));
  if (status == cudaSuccess)
    status = cudaMemsetAsync (self->block, 0, self->size, NULL);
  if (status == cudaSuccess)
    status = prism_cuda_wait_stream (NULL, 0.0);
  return status;
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
    {
      cudaGetLastError (); /* it would be reported again by whoever asks next */
      prism_cuda_error_set_memory (error, self->size, "the decoder and its images");
      return FALSE;
    }
  if (status != cudaSuccess)
    {
      prism_cuda_error_set (error, status, "its memory was being set up");
      return FALSE;
    }
  prism_cuda_arena_place (self, self->block);
  return TRUE;
}
