/* prism-benchmark-text: what a benchmark found out, in words. Thread: any. */
#pragma once

#include "benchmark/prism-benchmark.h"

G_BEGIN_DECLS

char *prism_benchmark_dup_title        (const PrismBenchmark *self);
char *prism_benchmark_dup_machine      (const PrismBenchmark *self,
                                        const char           *made,
                                        const char           *device);
char *prism_benchmark_dup_remarks  (const PrismBenchmark *self);
char *prism_benchmark_dup_left_out     (const PrismBenchmark *self);
char *prism_benchmark_dup_verdict      (const PrismBenchmark *self,
                                        guint                 variant);
char *prism_benchmark_dup_figure       (const PrismBenchmark *self,
                                        guint                 variant,
                                        PrismFigure           figure);
char *prism_benchmark_dup_text         (const PrismBenchmark *self);
gboolean prism_benchmark_has_figure    (const PrismBenchmark *self,
                                        PrismFigure           figure);

/* What a run with everything on ought to reach beside a plain one.
 * Thread: any. */

typedef enum
{
  PRISM_GOAL_SPEED,                     /* times faster */
  PRISM_GOAL_HITS,                      /* % of the frames */
  PRISM_GOAL_LOSS,                      /* dB of PSNR */
  PRISM_GOAL_MEMORY,                    /* GB */
  PRISM_BENCHMARK_N_GOALS,
} PrismBenchmarkGoalKind;

typedef struct
{
  const char *key;                      /* in files */
  double limit;
  gboolean is_least;                    /* value may not be below the limit; else it must be */
  double value;                         /* NAN where it was not measured */
  const char *format;                   /* of limit and value, to be translated */
} PrismBenchmarkGoal;

void     prism_benchmark_get_goals (const PrismBenchmark *self,
                                    PrismBenchmarkGoal    goals[PRISM_BENCHMARK_N_GOALS]);
gboolean prism_benchmark_goal_is_met (const PrismBenchmarkGoal *self);
char    *prism_benchmark_dup_goals (const PrismBenchmark *self);

G_END_DECLS
