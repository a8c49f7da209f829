/* prism-mark-chart: the values along the lines among marks, as charts for reports and figures. */
#pragma once

#include "model/prism-mark.h"
#include "prism-chart-data.h"

G_BEGIN_DECLS

PrismChartData *prism_mark_chart_new (const PrismMark *mark,
                                      guint number);
void prism_mark_chart_add (PrismChartData *data,
                           const PrismMark *mark,
                           const char *label,
                           const PrismImage *image,
                           const PrismImage *reference);

G_END_DECLS
