/* prism-performance-runner: measures a performance, each point in processes of prism-cli of its
 * own: what runs out of memory there takes nothing with it.
 *
 * Thread: that of the main context in which it was started. */
#pragma once

#include "benchmark/prism-performance.h"

G_BEGIN_DECLS

#define PRISM_PERFORMANCE_SECONDS 30

typedef struct _PrismPerformanceRunner PrismPerformanceRunner;

/* After each point, and when nothing more will come. */
typedef void (*PrismPerformanceRunnerFunc) (PrismPerformanceRunner *self,
                                            gpointer                data);

PrismPerformanceRunner *
            prism_performance_runner_new          (PrismPerformance           *performance,
                                                   const char                 *program,
                                                   double                      most_seconds,
                                                   PrismPerformanceRunnerFunc  func,
                                                   gpointer                    data);
void        prism_performance_runner_free         (PrismPerformanceRunner *self);
void        prism_performance_runner_start        (PrismPerformanceRunner *self);
void        prism_performance_runner_stop         (PrismPerformanceRunner *self);
gboolean    prism_performance_runner_is_over      (PrismPerformanceRunner *self);
char       *prism_performance_runner_dup_progress (PrismPerformanceRunner *self);
double      prism_performance_runner_get_fraction (PrismPerformanceRunner *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismPerformanceRunner, prism_performance_runner_free)

G_END_DECLS
