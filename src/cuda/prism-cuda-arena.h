/* prism-cuda-arena: the one block of device memory of a run: sized first, checked, allocated,
 * carved. Mirrors prism-arena. Thread: engine. */
#pragma once

#include <cuda_runtime_api.h>
#include <glib.h>

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
gsize           prism_cuda_arena_get_size  (PrismCudaArena *self);
/* Into memory that somebody else owns, in place of an own block. */
void            prism_cuda_arena_place     (PrismCudaArena *self,
                                            char           *block);
/* Zeroes the whole block. PRISM_ERROR_MEMORY with the numbers and the ways out. */
gboolean        prism_cuda_arena_allocate  (PrismCudaArena *self,
                                            GError        **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismCudaArena, prism_cuda_arena_free)

G_END_DECLS
