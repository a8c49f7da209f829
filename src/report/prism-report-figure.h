/* prism-report-figure: the pictures of a report in cairo, the same in HTML and PDF. */
#pragma once

#include "history/prism-snapshot.h"
#include "prism-chart-draw.h"
#include "prism-mapping.h"
#include "prism-paint.h"
#include "prism-picture.h"
#include "results/prism-comparison.h"
#include "results/prism-result.h"

G_BEGIN_DECLS

gboolean prism_report_figure_draw_image    (PrismPaint         *paint,
                                            PrismImage         *image,
                                            PrismImage         *reference,
                                            const PrismMapping *mapping,
                                            double              width,
                                            double              height,
                                            GError            **error);
gboolean prism_report_figure_draw_coverage (PrismPaint    *paint,
                                            gconstpointer  subject,
                                            double         width,
                                            double         height,
                                            GError       **error);

/* The curves of several runs in one chart, for reports and for the window. */

typedef enum
{
  PRISM_REPORT_CURVES_LOSS,
  PRISM_REPORT_CURVES_METRICS,          /* and the numbers after it: one of each */
  PRISM_REPORT_CURVES_MISFIT            /* of all measurements, pass by pass */
      = PRISM_REPORT_CURVES_METRICS + PRISM_N_METRICS,
  PRISM_REPORT_CURVES_PREDICTION,       /* correlation of frames that are held out */
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
