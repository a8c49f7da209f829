/* prism-report-figure: the pictures of a report in cairo, the same in HTML and PDF. */
#pragma once

#include "history/prism-snapshot.h"
#include "prism-chart-data.h"
#include "prism-mapping.h"
#include "prism-paint.h"
#include "prism-picture.h"

G_BEGIN_DECLS

void     prism_report_figure_draw_chart    (PrismPaint     *paint,
                                            PrismChartData *data,
                                            double          width,
                                            double          height);
gboolean prism_report_figure_draw_image    (PrismPaint         *paint,
                                            PrismImage         *image,
                                            PrismImage         *reference,
                                            const PrismMapping *mapping,
                                            double              side,
                                            GError            **error);
gboolean prism_report_figure_draw_coverage (PrismPaint          *paint,
                                            const PrismSnapshot *snapshot,
                                            double               side,
                                            GError             **error);
double   prism_report_figure_get_scale     (double size);

G_END_DECLS
