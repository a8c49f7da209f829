/* prism-benchmark-file: a benchmark as comparison.json. Thread: any. */
#pragma once

#include "benchmark/prism-benchmark.h"

G_BEGIN_DECLS

char           *prism_benchmark_dup_json (const PrismBenchmark *self);
gboolean        prism_benchmark_save     (const PrismBenchmark  *self,
                                          const char            *path,
                                          GError               **error);
PrismBenchmark *prism_benchmark_load     (const char  *path,
                                          GError     **error);

/* What became slower since an earlier benchmark. Thread: any. */

gboolean prism_benchmark_check_baseline (const PrismBenchmark  *self,
                                         const PrismBenchmark  *baseline,
                                         GError               **error);
char    *prism_benchmark_dup_slower     (const PrismBenchmark *self,
                                         const PrismBenchmark *baseline,
                                         guint                *n_slower);

/* The benchmarks that this user has made, below the user's data directory.
 * Thread: any. */

gboolean   prism_benchmark_history_add  (const PrismBenchmark  *benchmark,
                                         GError               **error);
GPtrArray *prism_benchmark_history_load (GPtrArray **problems);

G_END_DECLS
