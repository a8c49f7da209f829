/* prism-benchmark-draw: the times of a benchmark as bars, with their spread and the verdicts. */
#pragma once

#include "benchmark/prism-benchmark.h"
#include "prism-paint.h"

G_BEGIN_DECLS

double prism_benchmark_draw_get_height (const PrismBenchmark *benchmark,
                                        double                line_height);
void   prism_benchmark_draw            (PrismPaint           *paint,
                                        const PrismBenchmark *benchmark,
                                        double                width);

G_END_DECLS
