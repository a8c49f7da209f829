/* prism-pool: worker threads of the CPU backend and one parallel loop. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _PrismPool PrismPool;

/* @chunk runs 0…n_chunks-1, each once, in any order and on any worker (0…n_threads-1). */
typedef void (*PrismPoolFunc) (gpointer data,
                               guint    chunk,
                               guint    worker);

guint      prism_pool_count_threads     (guint wanted);
PrismPool *prism_pool_new               (guint    n_threads,
                                         GError **error);
void       prism_pool_free              (PrismPool *self);
guint      prism_pool_get_n_threads     (PrismPool *self);
void       prism_pool_set_limit         (PrismPool *self,
                                         guint      n_threads);
void       prism_pool_run               (PrismPool     *self,
                                         guint          n_chunks,
                                         PrismPoolFunc  func,
                                         gpointer       data);
guint64    prism_pool_keep_denormals    (void);
void       prism_pool_restore_denormals (guint64 state);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismPool, prism_pool_free)

/* A loop whose turns do not need each other, on several processors for once. What
 * is called often has a PrismPool instead. */

/* @turn runs 0…n-1, each once, in any order and in any thread. */
typedef void (*PrismParallelFunc) (gpointer data,
                                   guint    turn);

void prism_parallel_run (guint              n,
                         gsize              n_values,
                         PrismParallelFunc  func,
                         gpointer           data);
gboolean prism_parallel_go_on (GError **error);

G_END_DECLS
