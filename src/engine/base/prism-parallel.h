/* prism-parallel: a loop whose turns do not need each other, on several processors for once. What
 * is called often has a PrismPool instead. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* @turn runs 0…n-1, each once, in any order and in any thread. */
typedef void (*PrismParallelFunc) (gpointer data,
                                   guint    turn);

void prism_parallel_run (guint              n,
                         gsize              n_values,
                         PrismParallelFunc  func,
                         gpointer           data);

G_END_DECLS
