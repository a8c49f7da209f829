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

G_END_DECLS
