/* prism-benchmark-text: what a benchmark found out, in words. Thread: any. */
#pragma once

#include "benchmark/prism-benchmark.h"

G_BEGIN_DECLS

char *prism_benchmark_dup_title        (const PrismBenchmark *self);
char *prism_benchmark_dup_machine      (const PrismBenchmark *self,
                                        const char           *made,
                                        const char           *device);
char *prism_benchmark_dup_remarks  (const PrismBenchmark *self);
char *prism_benchmark_dup_left_out     (const PrismBenchmark *self);
char *prism_benchmark_dup_verdict      (const PrismBenchmark *self,
                                        guint                 variant);
char *prism_benchmark_dup_figure       (const PrismBenchmark *self,
                                        guint                 variant,
                                        PrismFigure           figure);
char *prism_benchmark_dup_text         (const PrismBenchmark *self);
gboolean prism_benchmark_has_figure    (const PrismBenchmark *self,
                                        PrismFigure           figure);

G_END_DECLS
