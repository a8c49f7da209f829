/* prism-cli-benchmark: what bench measures beside single steps: whole runs by --report, --once and
 * --history, and the sizes and parts of runs. */
#pragma once

#include "benchmark/prism-bench-runner.h"
#include "prism-cli-exit.h"

G_BEGIN_DECLS

typedef struct
{
  char *report;                         /* (nullable): directory */
  char *baseline;                       /* (nullable): file */
  char **switches;                      /* (nullable): ids */
  int n_rounds;                         /* 0 where not given */
  gboolean once;
  gboolean history;
  gboolean quiet;
  /* Which sizes pay on this machine, and what parts of a run take. */
  gboolean measure;
  gboolean find_size;
  gboolean pieces;
  gboolean passes;
  gboolean transfers;
  int n_mib;                            /* of transfers; 0: sizes, one after the other */
} PrismCliBenchmark;

PrismExit prism_cli_benchmark_run      (const PrismCliBenchmark *self,
                                        const PrismConfig       *config,
                                        GError                  **error);

void      prism_cli_benchmark_measure  (PrismBenchmark    *benchmark,
                                        PrismPerformance  *performance,
                                        double             most_seconds,
                                        gboolean           quiet,
                                        GError           **error);

PrismExit prism_cli_performance_run    (const PrismCliBenchmark *self,
                                        const PrismConfig       *config,
                                        gboolean                 json,
                                        GError                 **error);

G_END_DECLS
