/* prism-benchmark-history: the benchmarks that this user has made, below the user's data directory.
 * Thread: any. */
#pragma once

#include "benchmark/prism-benchmark.h"

G_BEGIN_DECLS

gboolean   prism_benchmark_history_add  (const PrismBenchmark  *benchmark,
                                         GError               **error);
GPtrArray *prism_benchmark_history_load (GPtrArray **problems);

G_END_DECLS
