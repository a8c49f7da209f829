/* prism-benchmark: whole runs of one configuration, plain and with what makes them faster, several
 * times in turns.
 *
 * Thread: one at a time; any, once it is over and nobody adds runs. */
#pragma once

#include "base/prism-reference.h"
#include "base/prism-system.h"
#include "config/prism-config.h"
#include "history/prism-snapshot.h"
#include "profile/prism-trace-summary.h"

#include <glib.h>
#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* What one whole run took, as its own process tells it. Thread: any. */

/* The one table of what a benchmark measures of a run, and when two of them
 * differ. Thread: any. */

typedef enum
{
  PRISM_FIGURE_SECONDS,                 /* from Run to the picture */
  PRISM_FIGURE_PROCESSOR,               /* s of processor time, of all threads */
  PRISM_FIGURE_LEFT,                    /* 0…1 of the processors that other programs left */
  PRISM_FIGURE_STEP,                    /* s, of the optimiser */
  PRISM_FIGURE_SAMPLES,                 /* 1/s, of the pattern, from Run to the picture */
  PRISM_FIGURE_STEPS,                   /* 1/s */
  PRISM_FIGURE_PASSES,                  /* 1/s, through all frames */
  PRISM_FIGURE_PEAK,                    /* bytes, VmHWM of the run's own process */
  PRISM_FIGURE_HITS,                    /* 0…1, of the measurement cache */
  PRISM_FIGURE_APERTURES,               /* 0…1, hits of the apertures in k-space */
  PRISM_FIGURE_TRANSFORMS,              /* 0…1, hits of the plans of transforms */
  PRISM_FIGURE_TRANSFERS,               /* between host and device */
  PRISM_FIGURE_TRANSFERRED,             /* bytes */
  PRISM_FIGURE_PSNR,                    /* dB */
  PRISM_FIGURE_SSIM,
  PRISM_FIGURE_MSE,
  PRISM_FIGURE_CORRELATION,             /* Pearson r */
  PRISM_N_FIGURES,
} PrismFigure;

typedef struct
{
  const char *key;                      /* in files */
  const char *label;                    /* to be translated */
  const char *format;                   /* of its value, with the unit; to be translated */
  double factor;                        /* from the value to that unit */
  int better;                           /* 1: more is, -1: less is, 0: neither */
  gboolean is_speed;                    /* what a baseline is held against */
  gboolean is_processor;                /* of these, what other programs hardly change */
} PrismFigureInfo;

/* What the rounds have measured; n is 0 where nothing was. */
typedef struct
{
  guint n;
  double median;
  double least;
  double most;
} PrismSpread;

typedef enum
{
  PRISM_JUDGEMENT_UNKNOWN,              /* one of them was not measured twice */
  PRISM_JUDGEMENT_SAME,                 /* the difference is within the spread */
  PRISM_JUDGEMENT_LESS,
  PRISM_JUDGEMENT_MORE,
} PrismJudgement;

extern const PrismFigureInfo prism_figures[PRISM_N_FIGURES];

char          *prism_figure_dup_text (PrismFigure self,
                                      double      value);
PrismSpread    prism_spread_new      (double *values,
                                      guint   n);
PrismJudgement prism_spread_judge    (const PrismSpread *from,
                                      const PrismSpread *to);

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

/* The one table of what makes runs faster and can be switched off.
 * Thread: any. */

typedef struct
{
  const char *id;
  const char *label;                    /* to be translated */
  const char *key;                      /* (nullable): the parameter */
  const char *plain;                    /* its value in a plain run */
  const char *on;                       /* its value with the switch on */
  const char *variable;                 /* (nullable): of the environment, set in a plain run */
  gboolean usual;                       /* whether it is gone over unasked */
} PrismBenchmarkSwitch;

#define PRISM_BENCHMARK_N_SWITCHES 6

extern const PrismBenchmarkSwitch prism_benchmark_switches[PRISM_BENCHMARK_N_SWITCHES];

const PrismBenchmarkSwitch *prism_benchmark_find_switch     (const char *id);
const char                 *prism_benchmark_switch_get_gap  (const PrismBenchmarkSwitch *self,
                                                             const PrismConfig          *config);

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
  gatomicrefcount ref_count;
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
gboolean        prism_benchmark_variant_has  (const PrismBenchmarkVariant *variant,
                                              const PrismBenchmarkSwitch  *of);
const char     *prism_benchmark_variant_get_label (const PrismBenchmarkVariant *self);
PrismSpread     prism_benchmark_variant_get_spread (const PrismBenchmarkVariant *self,
                                                    PrismFigure                  figure);
PrismSpread     prism_benchmark_variant_get_stage  (const PrismBenchmarkVariant *self,
                                                    PrismStage                   stage);

PRISM_DECLARE_REFERENCES (PrismBenchmark, prism_benchmark)

G_END_DECLS
