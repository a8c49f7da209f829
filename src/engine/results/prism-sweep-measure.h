/* prism-sweep-measure: the numbers by which the runs of a sweep are held against each other:
 * metrics, misfit, time, verdict. Thread: any. */
#pragma once

#include "results/prism-sweep-row.h"

G_BEGIN_DECLS

/* Those after the metrics, which come first. */
typedef enum
{
  PRISM_SWEEP_MEASURE_MISFIT = PRISM_N_METRICS,
  PRISM_SWEEP_MEASURE_VERDICT,          /* % of the runs whose measurements are explained */
  PRISM_SWEEP_MEASURE_REST,             /* misfit over what noise leaves of it */
  PRISM_SWEEP_MEASURE_SECONDS,
  PRISM_SWEEP_MEASURE_STEPS,
  PRISM_SWEEP_MEASURE_COVERAGE,         /* % */
  PRISM_SWEEP_MEASURE_CORRELATION,      /* of frames that were held out */
  PRISM_SWEEP_N_MEASURES,
} PrismSweepMeasure;

const char *prism_sweep_measure_get_key        (guint self);
gboolean    prism_sweep_measure_is_of          (guint    self,
                                                gboolean recorded);
guint       prism_sweep_measure_get_first      (gboolean recorded);
gboolean    prism_sweep_measure_find           (guint       *self,
                                                gboolean     recorded,
                                                const char  *key,
                                                GError     **error);
char       *prism_sweep_measure_dup_title      (guint self);
char       *prism_sweep_measure_dup_number     (guint  self,
                                                double value);
char       *prism_sweep_measure_dup_text       (guint  self,
                                                double value);
gboolean    prism_sweep_measure_is_logarithmic (guint self);
double      prism_sweep_measure_get            (guint                self,
                                                const PrismSweepRow *row);

G_END_DECLS
