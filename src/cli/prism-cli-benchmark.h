/* prism-cli-benchmark: bench --report, --once and --history: whole runs, not single steps. */
#pragma once

#include "config/prism-config.h"
#include "prism-cli-exit.h"

G_BEGIN_DECLS

#define PRISM_CLI_BENCHMARK_NO_ROUNDS G_MININT /* --rounds was not given */

typedef struct
{
  char *report;                         /* (nullable): directory */
  char *baseline;                       /* (nullable): file */
  char **switches;                      /* (nullable): ids */
  int n_rounds;                         /* PRISM_CLI_BENCHMARK_NO_ROUNDS where not given */
  gboolean once;
  gboolean history;
  gboolean quiet;
} PrismCliBenchmark;

void      prism_cli_benchmark_clear    (PrismCliBenchmark *self);
gboolean  prism_cli_benchmark_is_asked (const PrismCliBenchmark *self);
gboolean  prism_cli_benchmark_check    (const PrismCliBenchmark  *self,
                                        GError                  **error);
PrismExit prism_cli_benchmark_run      (const PrismCliBenchmark *self,
                                        const PrismConfig       *config,
                                        GError                  **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PrismCliBenchmark, prism_cli_benchmark_clear)

G_END_DECLS
