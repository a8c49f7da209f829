/* prism-benchmark-runner: the runs of a benchmark, each in a process of prism-cli of its own, one
 * after the other: first one of each variant, then the next round.
 *
 * Thread: that of the main context in which it was started. */
#pragma once

#include "benchmark/prism-benchmark.h"

G_BEGIN_DECLS

typedef struct _PrismBenchmarkRunner PrismBenchmarkRunner;

/* After each run, and when nothing more will come. */
typedef void (*PrismBenchmarkRunnerFunc) (PrismBenchmarkRunner *self,
                                          gpointer              data);

PrismBenchmarkRunner *prism_benchmark_runner_new         (PrismBenchmark           *benchmark,
                                                          const char               *program,
                                                          PrismBenchmarkRunnerFunc  func,
                                                          gpointer                  data);
void                  prism_benchmark_runner_free        (PrismBenchmarkRunner *self);
void                  prism_benchmark_runner_start       (PrismBenchmarkRunner *self);
void                  prism_benchmark_runner_stop        (PrismBenchmarkRunner *self);
gboolean              prism_benchmark_runner_is_over     (PrismBenchmarkRunner *self);
gboolean              prism_benchmark_runner_was_stopped (PrismBenchmarkRunner *self);
const char           *prism_benchmark_runner_get_problem (PrismBenchmarkRunner *self);
char                 *prism_benchmark_runner_dup_progress (PrismBenchmarkRunner *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismBenchmarkRunner, prism_benchmark_runner_free)

G_END_DECLS
