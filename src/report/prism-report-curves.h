/* prism-report-curves: the curves of several runs in one chart, for reports and for the window. */
#pragma once

#include "prism-chart-data.h"
#include "results/prism-comparison.h"

G_BEGIN_DECLS

typedef enum
{
  PRISM_REPORT_CURVES_LOSS,
  PRISM_REPORT_CURVES_METRICS,          /* and the numbers after it: one of each */
  PRISM_REPORT_CURVES_MISFIT            /* of all measurements, pass by pass */
      = PRISM_REPORT_CURVES_METRICS + PRISM_N_METRICS,
  PRISM_REPORT_CURVES_CORRELATION,      /* over the radius in k-space */
  PRISM_REPORT_N_CURVES,
} PrismReportCurves;

#define PRISM_REPORT_CURVES_OF(key) (PRISM_REPORT_CURVES_METRICS + PRISM_METRICS_INDEX (key))

const char     *prism_report_curves_get_title (PrismReportCurves self);
PrismChartData *prism_report_curves_new       (PrismReportCurves      self,
                                               const PrismComparison *comparison,
                                               gboolean               over_time);
gboolean        prism_report_curves_is_empty  (PrismChartData *data);

G_END_DECLS
