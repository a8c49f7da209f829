/* prism-benchmark-report: a benchmark as files to hand on: HTML, PDF, text, JSON. Thread: any. */
#pragma once

#include "benchmark/prism-benchmark.h"

G_BEGIN_DECLS

gboolean prism_benchmark_report_save     (const PrismBenchmark  *benchmark,
                                          const char            *path,
                                          GError               **error);
gboolean prism_benchmark_report_save_all (const PrismBenchmark  *benchmark,
                                          const char            *directory,
                                          GError               **error);

G_END_DECLS
