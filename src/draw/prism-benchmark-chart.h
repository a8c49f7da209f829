/* prism-benchmark-chart: what was measured of runs and of their sizes, as charts. Thread: any. */
#pragma once

#include "benchmark/prism-benchmark.h"
#include "benchmark/prism-performance.h"
#include "prism-chart-draw.h"

G_BEGIN_DECLS

PrismChartData *prism_series_chart_new    (const PrismSeries *series);
PrismChartData *prism_benchmark_chart_new (const PrismBenchmark *benchmark);

G_END_DECLS
