/* prism-chart-draw: a chart in cairo, the same on the screen and in figures. */
#pragma once

#include "prism-chart-layout.h"

G_BEGIN_DECLS

void   prism_chart_draw        (PrismChartData         *data,
                                PrismPaint             *paint,
                                const PrismChartLayout *layout);
double prism_chart_draw_legend (PrismChartData *data,
                                PrismPaint     *paint,
                                double          x,
                                double          y,
                                double          width);

G_END_DECLS
