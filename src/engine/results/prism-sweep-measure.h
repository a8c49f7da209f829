/* prism-sweep-measure: the numbers by which the runs of a sweep are held against each other:
 * metrics, misfit, time, verdict. Thread: any. */
#pragma once

#include "config/prism-config.h"
#include "formats/prism-image.h"
#include "model/prism-verdict.h"
#include "num/prism-metrics.h"

G_BEGIN_DECLS

/* What one run among many has come to, read from the folder that it left.
 *
 * m = object_size. Thread: any. */


/* Numbers that are not known are NAN. */
typedef struct
{
  gboolean finished;
  gboolean stopped;                     /* before it was; what it had by then is there */
  char *failure;                        /* (nullable): one sentence */
  gboolean recorded;                    /* of frames that a camera recorded, without metrics */
  PrismMetrics metrics;
  double misfit;                        /* of recorded frames of those that were held out, if any */
  double correlation;                   /* of frames that were held out */
  double coverage;                      /* 0…1 */
  double seconds;
  double steps;                         /* of recorded frames passes */
  PrismVerdict verdict;                 /* open where it is not known */
  PrismImage *image;                    /* (nullable) [m][m] amplitude */
} PrismSweepRow;

gboolean    prism_sweep_row_is_finished (const char *folder);
gboolean    prism_sweep_row_check       (const char         *folder,
                                         const PrismConfig  *config,
                                         GError            **error);
void        prism_sweep_row_load        (PrismSweepRow     *row,
                                         const char        *folder,
                                         const PrismConfig *config,
                                         gboolean           image);
PrismImage *prism_sweep_row_load_image  (const char *folder,
                                         const char *name);
void        prism_sweep_row_copy        (PrismSweepRow       *row,
                                         const PrismSweepRow *other);
void        prism_sweep_row_clear       (PrismSweepRow *row);

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

const PrismMetric *prism_sweep_measure_get_info (guint self);
gboolean    prism_sweep_measure_is_of          (guint    self,
                                                gboolean recorded);
guint       prism_sweep_measure_get_first      (gboolean recorded);
gboolean    prism_sweep_measure_find           (guint       *self,
                                                gboolean     recorded,
                                                const char  *key,
                                                GError     **error);
char       *prism_sweep_measure_dup_number     (guint  self,
                                                double value);
char       *prism_sweep_measure_dup_text       (guint  self,
                                                double value);
double      prism_sweep_measure_get            (guint                self,
                                                const PrismSweepRow *row);

G_END_DECLS
