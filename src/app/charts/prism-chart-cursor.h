/* prism-chart-cursor: the values of all curves at one step. */
#pragma once

#include "prism-chart-layout.h"

G_BEGIN_DECLS

gboolean prism_chart_cursor_get_step (PrismChartData *data,
                                      double          wanted,
                                      double         *step);
char    *prism_chart_cursor_dup_text (PrismChartData *data,
                                      double          step);
void     prism_chart_cursor_draw     (PrismChartData         *data,
                                      PrismPaint             *paint,
                                      const PrismChartLayout *layout,
                                      double                  step,
                                      gboolean                boxed);

G_END_DECLS
