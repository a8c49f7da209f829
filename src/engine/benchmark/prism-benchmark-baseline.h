/* prism-benchmark-baseline: what became slower since an earlier benchmark. Thread: any. */
#pragma once

#include "benchmark/prism-benchmark.h"

G_BEGIN_DECLS

gboolean prism_benchmark_check_baseline (const PrismBenchmark  *self,
                                         const PrismBenchmark  *baseline,
                                         GError               **error);
char    *prism_benchmark_dup_slower     (const PrismBenchmark *self,
                                         const PrismBenchmark *baseline,
                                         guint                *n_slower);

G_END_DECLS
