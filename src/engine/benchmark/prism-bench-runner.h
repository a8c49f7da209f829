/* prism-bench-runner: what “prism-cli bench” measures in processes of its own, for a benchmark or a
 * performance: what runs out of memory there takes nothing with it. Of a benchmark they are whole
 * runs, one after the other: first one of each variant, then the next round. Of a performance each
 * point has its processes.
 *
 * Thread: that of the main context in which it was started. */
#pragma once

#include "benchmark/prism-benchmark.h"
#include "benchmark/prism-performance.h"

G_BEGIN_DECLS

#define PRISM_PERFORMANCE_SECONDS 30

typedef struct _PrismBenchRunner PrismBenchRunner;

/* After each run or point, and when nothing more will come. */
typedef void (*PrismBenchRunnerFunc) (PrismBenchRunner *self,
                                      gpointer          data);

struct _PrismBenchRunner
{
  gboolean over;                        /* nothing more will come */
  gboolean stopped;                     /* somebody asked for that */
  char *problem;                        /* (nullable): a sentence: what ended the run or point */
  /* The rest is its own. */
  PrismBenchmark *benchmark;            /* (nullable): gets the runs */
  PrismPerformance *performance;        /* (nullable): gets the points */
  char *program;
  PrismBenchRunnerFunc func;
  gpointer data;
  GPtrArray *processes;                 /* GSubprocess, those that have not ended */
  GCancellable *cancellable;
  gboolean lacks_memory;                /* that is the problem */
  double begun;                         /* s */
  /* Of a performance. */
  double most_seconds;                  /* 0: as long as it takes */
  gboolean on_gpu;
  double available;                     /* bytes of the machine's memory */
  guint series;                         /* of the point under way */
  int value;
  PrismSeriesPoint point;               /* of what those processes say that have ended */
  guint n_steps;                        /* of a run, of several at a time; 0 while not known */
  double point_begun;                   /* s */
  guint alarm;                          /* source, 0 for none */
  guint n_done;
  gboolean late;
};

PrismBenchRunner *prism_bench_runner_new          (PrismBenchmark       *benchmark,
                                                   PrismPerformance     *performance,
                                                   const char           *program,
                                                   double                most_seconds,
                                                   PrismBenchRunnerFunc  func,
                                                   gpointer              data);
void              prism_bench_runner_free         (PrismBenchRunner *self);
void              prism_bench_runner_start        (PrismBenchRunner *self);
void              prism_bench_runner_stop         (PrismBenchRunner *self);
char             *prism_bench_runner_dup_progress (PrismBenchRunner *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismBenchRunner, prism_bench_runner_free)

G_END_DECLS
