/* prism-benchmark: whole runs of one configuration, plain and with what makes them faster, several
 * times in turns.
 *
 * Thread: one at a time; any, once it is over and nobody adds runs. */
#pragma once

#include "benchmark/prism-benchmark-run.h"

G_BEGIN_DECLS

#define PRISM_BENCHMARK_LEAST_ROUNDS 2
#define PRISM_BENCHMARK_MOST_ROUNDS 50
#define PRISM_BENCHMARK_ROUNDS 3
#define PRISM_BENCHMARK_PLAIN "plain"
#define PRISM_BENCHMARK_ALL "all"

/* The plain runs are variant 0, those with everything on variant 1. */
typedef struct
{
  const PrismBenchmarkSwitch *alone;    /* (nullable): the one that is on */
  char *id;                             /* "plain", "all", or of the switch */
  GArray *runs;                         /* PrismBenchmarkRun, by round */
} PrismBenchmarkVariant;

typedef struct
{
  gatomicrefcount n_refs;
  PrismConfig *config;                  /* as asked for */
  guint n_rounds;
  char *made;                           /* UTC, ISO 8601 */
  char *program;                        /* with its version */
  char *processor;
  char *device;                         /* (nullable): until a run has told */
  GPtrArray *variants;                  /* PrismBenchmarkVariant */
  GPtrArray *left_out;                  /* const PrismBenchmarkSwitch: they do nothing here */
} PrismBenchmark;

PrismBenchmark *prism_benchmark_new          (const PrismConfig  *config,
                                              char              **switches,
                                              guint               n_rounds,
                                              GError            **error);
PrismBenchmark *prism_benchmark_new_empty    (const PrismConfig *config,
                                              guint              n_rounds);
PrismBenchmark *prism_benchmark_ref          (PrismBenchmark *self);
void            prism_benchmark_unref        (PrismBenchmark *self);
PrismConfig    *prism_benchmark_new_scene    (void);
PrismBenchmarkVariant *
                prism_benchmark_add_variant  (PrismBenchmark *self,
                                              const char     *id);
PrismBenchmarkVariant *
                prism_benchmark_get_variant  (const PrismBenchmark *self,
                                              guint                 variant);
const PrismBenchmarkVariant *
                prism_benchmark_find_variant (const PrismBenchmark *self,
                                              const char           *id);
guint           prism_benchmark_count_runs   (const PrismBenchmark *self);
guint           prism_benchmark_count_done   (const PrismBenchmark *self);
PrismConfig    *prism_benchmark_dup_config   (const PrismBenchmark  *self,
                                              guint                  variant,
                                              GError               **error);
gboolean        prism_benchmark_wants_variable (const PrismBenchmark       *self,
                                                guint                       variant,
                                                const PrismBenchmarkSwitch *of);
const char     *prism_benchmark_variant_get_label (const PrismBenchmarkVariant *self);
void            prism_benchmark_variant_get_spread (const PrismBenchmarkVariant *self,
                                                    PrismFigure                  figure,
                                                    PrismSpread                 *spread);
void            prism_benchmark_variant_get_stage (const PrismBenchmarkVariant *self,
                                                   PrismStage                   stage,
                                                   PrismSpread                 *spread);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismBenchmark, prism_benchmark_unref)

G_END_DECLS
