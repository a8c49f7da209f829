/* prism-cuda-memory: memory of the device. An arena is the one block of a run: sized first,
 * checked, allocated, carved; it mirrors prism-arena. A pool is what comes and goes during a
 * run, detector images and masks: what is given back is kept for the next, so that a long run
 * stands still. Thread: engine. */
#pragma once

#include "prism-cuda-context.h"

G_BEGIN_DECLS

#define PRISM_CUDA_ALIGNMENT 256

typedef struct _PrismCudaArena PrismCudaArena;

PrismCudaArena *prism_cuda_arena_new       (void);
void            prism_cuda_arena_free      (PrismCudaArena *self);
/* Leaves the block behind: for a device that is lost. */
void            prism_cuda_arena_abandon   (PrismCudaArena *self);
/* slot is set when the arena is allocated; n_bytes may be 0 (slot becomes NULL). */
void            prism_cuda_arena_add_array (PrismCudaArena *self,
                                            void          **slot,
                                            gsize           n_bytes);
/* Plans an array of n values for a pointer to them. */
#define PRISM_CUDA_PLAN(arena, slot, n) \
  prism_cuda_arena_add_array (arena, (void **) &(slot), (n) * sizeof *(slot))
gsize           prism_cuda_arena_get_size  (PrismCudaArena *self);
/* Into memory that somebody else owns, in place of an own block. */
void            prism_cuda_arena_place     (PrismCudaArena *self,
                                            char           *block);
/* Zeroes the whole block. PRISM_ERROR_MEMORY with the numbers and the ways out. */
gboolean        prism_cuda_arena_allocate  (PrismCudaArena *self,
                                            GError        **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismCudaArena, prism_cuda_arena_free)

typedef struct _PrismCudaPool PrismCudaPool;

PrismCudaPool *prism_cuda_pool_new      (PrismCudaContext  *context);
void           prism_cuda_pool_free     (PrismCudaPool     *self);
/* Uninitialised. what: as for prism_cuda_error_set_memory(). */
void          *prism_cuda_pool_take     (PrismCudaPool     *self,
                                         gsize              n_bytes,
                                         const char        *what,
                                         GError           **error);
/* May still be read by work on the main stream; NULL is allowed. */
void           prism_cuda_pool_give     (PrismCudaPool     *self,
                                         void              *memory);
void           prism_cuda_pool_add_use  (PrismCudaPool     *self,
                                         PrismMemoryUse    *use);

G_END_DECLS
