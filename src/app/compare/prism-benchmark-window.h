/* prism-benchmark-window: how fast this machine is, and which switch brings what. */
#pragma once

#include "benchmark/prism-benchmark.h"

#include "support/prism-job-window.h"

G_BEGIN_DECLS

#define PRISM_TYPE_BENCHMARK_WINDOW (prism_benchmark_window_get_type ())

G_DECLARE_FINAL_TYPE (PrismBenchmarkWindow, prism_benchmark_window, PRISM, BENCHMARK_WINDOW,
                      PrismJobWindow)

GtkWidget            *prism_benchmark_window_new       (const PrismConfig    *config);
const PrismBenchmark *prism_benchmark_window_get_shown (PrismBenchmarkWindow *self);

G_END_DECLS
