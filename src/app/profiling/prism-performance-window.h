/* prism-performance-window: which sizes pay on this machine: measured, searched for and applied. */
#pragma once

#include "benchmark/prism-performance.h"

#include "support/prism-job-window.h"

G_BEGIN_DECLS

#define PRISM_TYPE_PERFORMANCE_WINDOW (prism_performance_window_get_type ())

G_DECLARE_FINAL_TYPE (PrismPerformanceWindow, prism_performance_window, PRISM, PERFORMANCE_WINDOW,
                      PrismJobWindow)

GtkWidget              *prism_performance_window_new        (const PrismConfig *config);
const PrismPerformance *prism_performance_window_get_shown  (PrismPerformanceWindow *self);

G_END_DECLS
