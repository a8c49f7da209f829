/* prism-report-marks: what somebody has measured on the pictures of a run, for its report. */
#pragma once

#include "prism-chart-data.h"
#include "prism-mapping.h"
#include "prism-paint.h"
#include "results/prism-result.h"

G_BEGIN_DECLS

typedef struct
{
  const PrismResult *result;
  GArray *marks;        /* of PrismMark */
  PrismMapping mapping; /* of the reconstruction, with the run's own limits */
} PrismReportMarks;

PrismReportMarks *prism_report_marks_new (const PrismResult *result,
                                          const PrismMapping *amplitude);
void prism_report_marks_free (PrismReportMarks *self);
char *prism_report_marks_dup_name (const PrismReportMarks *self,
                                   guint i);
char *prism_report_marks_dup_reading (const PrismReportMarks *self,
                                      guint i,
                                      gboolean of_target);
PrismChartData *prism_report_marks_new_chart (const PrismReportMarks *self,
                                              guint i);
gboolean prism_report_marks_draw (const PrismReportMarks *self,
                                  PrismPaint *paint,
                                  double side,
                                  GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismReportMarks, prism_report_marks_free)

G_END_DECLS
