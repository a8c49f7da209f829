/* prism-benchmark-run: what one whole run took, as its own process tells it. Thread: any. */
#pragma once

#include "base/prism-system.h"
#include "config/prism-config.h"
#include "history/prism-snapshot.h"
#include "profile/prism-trace-summary.h"

#include <glib.h>
#include <json-glib/json-glib.h>

G_BEGIN_DECLS

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

const PrismFigureInfo *prism_figure_get_info (PrismFigure self);
char                  *prism_figure_dup_text (PrismFigure self,
                                              double      value);
void                   prism_spread_init     (PrismSpread *self,
                                              double      *values,
                                              guint        n);
PrismJudgement         prism_spread_judge    (const PrismSpread *from,
                                              const PrismSpread *to);
double                 prism_spread_get_width (const PrismSpread *self);

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

const PrismBenchmarkSwitch *prism_benchmark_get_switches    (gsize *n);
const PrismBenchmarkSwitch *prism_benchmark_find_switch     (const char *id);
const char                 *prism_benchmark_switch_get_gap  (const PrismBenchmarkSwitch *self,
                                                             const PrismConfig          *config);
gboolean                    prism_benchmark_switch_apply    (const PrismBenchmarkSwitch *self,
                                                             PrismConfig                *config,
                                                             gboolean                    on,
                                                             GError                    **error);

G_END_DECLS
