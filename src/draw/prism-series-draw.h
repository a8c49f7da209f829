/* prism-series-draw: what sizes take, a bar for each value; the best one stands out. */
#pragma once

#include "benchmark/prism-benchmark.h"
#include "benchmark/prism-performance.h"
#include "prism-paint.h"

G_BEGIN_DECLS

void prism_series_draw (PrismPaint        *paint,
                        const PrismSeries *series,
                        double             width,
                        double             height);

/* The times of a benchmark as bars, with their spread and the verdicts. */

double prism_benchmark_draw_get_height (const PrismBenchmark *benchmark,
                                        double                line_height);
void   prism_benchmark_draw            (PrismPaint           *paint,
                                        const PrismBenchmark *benchmark,
                                        double                width);

G_END_DECLS
