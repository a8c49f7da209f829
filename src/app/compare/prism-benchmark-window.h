/* prism-benchmark-window: how fast this machine is, and which switch brings what. */
#pragma once

#include "charts/prism-chart-plot.h"
#include "benchmark/prism-bench-runner.h"
#include "benchmark/prism-benchmark.h"

#include "support/prism-job-window.h"

G_BEGIN_DECLS

#define PRISM_TYPE_BENCHMARK_WINDOW (prism_benchmark_window_get_type ())

G_DECLARE_FINAL_TYPE (PrismBenchmarkWindow, prism_benchmark_window, PRISM, BENCHMARK_WINDOW,
                      PrismJobWindow)

struct _PrismBenchmarkWindow
{
  PrismJobWindow job;

  GtkWidget *plan;
  AdwComboRow *scene_row;
  GtkSpinButton *rounds_spin;
  AdwComboRow *history_row;
  GtkStack *stack;
  PrismChartPlot *bars;
  GtkGrid *grid;
  GtkLabel *title_label;
  GtkLabel *machine_label;
  GtkLabel *left_out_label;

  PrismConfig *config;          /* (nullable): as it was edited when the window was opened */
  PrismBenchmark *shown;        /* (nullable) */
  PrismBenchRunner *runner; /* (nullable): while it runs, for what is shown */
  GPtrArray *history;           /* (nullable): PrismBenchmark, the newest first */
};

GtkWidget            *prism_benchmark_window_new       (const PrismConfig    *config);

G_END_DECLS
