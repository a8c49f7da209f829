/* prism-arena: large aligned memory that fails politely, and one block carved into arrays.
 * Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define PRISM_ALIGNMENT 64
#define PRISM_ARENA_LARGE   (1u << 30)  /* bytes: measurements that take more lie in a file */
#define PRISM_ARENA_TOUCHED (64u << 20) /* bytes of an array in a file that are held at once */

gpointer prism_arena_new_array (gsize        n_bytes,
                                const char  *what,
                                GError     **error);
gpointer prism_arena_new_stored (gsize        n_bytes,
                                 const char  *what,
                                 GError     **error);
gboolean prism_arena_is_stored  (gconstpointer array);
void     prism_arena_touch      (gconstpointer at,
                                 gsize         n_bytes);
void     prism_arena_free_array (gpointer array);
guint64  prism_arena_get_total (void);

static inline void
prism_arena_clear_array (gpointer slot)
{
  prism_arena_free_array (*(gpointer *) slot);
}

/* Before the declaration of an array: frees it at the end of its scope. */
#define prism_autofree_array _GLIB_CLEANUP (prism_arena_clear_array)

/* A single allocation, sized first and then carved: call prism_arena_add_array() for each array
 * (they only add up), prism_arena_allocate() once, then read the pointers. */
typedef struct _PrismArena PrismArena;

PrismArena *prism_arena_new       (void);
void        prism_arena_free      (PrismArena *self);
void        prism_arena_add_array (PrismArena *self,
                                   gpointer   *slot,
                                   gsize       n_bytes);
gboolean    prism_arena_allocate  (PrismArena  *self,
                                   const char  *what,
                                   GError     **error);
gsize       prism_arena_get_size  (PrismArena *self);


G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismArena, prism_arena_free)

G_END_DECLS
