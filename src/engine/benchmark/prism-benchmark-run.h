/* prism-benchmark-run: what one whole run took, as its own process tells it. Thread: any. */
#pragma once

#include "base/prism-load.h"
#include "benchmark/prism-benchmark-figure.h"
#include "history/prism-snapshot.h"
#include "profile/prism-trace-summary.h"

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

typedef struct
{
  double figures[PRISM_N_FIGURES];      /* NAN where there is none */
  double stages[PRISM_N_STAGES];        /* s, without inner stages */
} PrismBenchmarkRun;

void     prism_benchmark_run_init     (PrismBenchmarkRun       *self,
                                       const PrismSnapshot     *snapshot,
                                       const PrismTraceSummary *totals,
                                       const PrismLoad         *load);
void     prism_benchmark_run_add_json (const PrismBenchmarkRun *self,
                                       JsonBuilder             *builder);
gboolean prism_benchmark_run_read     (PrismBenchmarkRun *self,
                                       JsonObject        *object);

G_END_DECLS
