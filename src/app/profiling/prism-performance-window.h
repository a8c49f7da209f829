/* prism-performance-window: which sizes pay on this machine: measured, searched for and applied. */
#pragma once

#include "benchmark/prism-bench-runner.h"
#include "benchmark/prism-performance.h"

#include "support/prism-job-window.h"

G_BEGIN_DECLS

#define PRISM_TYPE_PERFORMANCE_WINDOW (prism_performance_window_get_type ())

G_DECLARE_FINAL_TYPE (PrismPerformanceWindow, prism_performance_window, PRISM, PERFORMANCE_WINDOW,
                      PrismJobWindow)

struct _PrismPerformanceWindow
{
  PrismJobWindow job;

  GtkLabel *tuned_label;
  GtkStack *stack;
  GtkLabel *title_label;
  GtkFlowBox *cards;

  PrismConfig *config;
  PrismPerformance *shown;        /* (nullable) */
  PrismBenchRunner *runner; /* (nullable): while it measures what is shown */
  gboolean tuning;
  guint clock; /* source, 0 for none */
};

GtkWidget              *prism_performance_window_new        (const PrismConfig *config);

G_END_DECLS
