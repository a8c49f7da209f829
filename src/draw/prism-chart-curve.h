/* prism-chart-curve: one series of a chart in cairo. */
#pragma once

#include "prism-chart-layout.h"

G_BEGIN_DECLS

void prism_chart_curve_draw        (PrismChartSeries       *series,
                                    guint                   index,
                                    PrismPaint             *paint,
                                    const PrismChartLayout *layout,
                                    gboolean                smooth);
void prism_chart_curve_draw_dots   (PrismChartSeries       *series,
                                    guint                   index,
                                    PrismPaint             *paint,
                                    const PrismChartLayout *layout,
                                    gboolean                smooth,
                                    gboolean                ghost);
void prism_chart_curve_draw_faint  (PrismChartSeries       *series,
                                    guint                   index,
                                    PrismPaint             *paint,
                                    const PrismChartLayout *layout);
void prism_chart_curve_draw_ghost  (PrismChartSeries       *series,
                                    guint                   index,
                                    PrismPaint             *paint,
                                    const PrismChartLayout *layout,
                                    gboolean                smooth);
void prism_chart_curve_draw_sample (PrismPaint *paint,
                                    guint       series,
                                    double      x,
                                    double      y,
                                    double      width);

G_END_DECLS
