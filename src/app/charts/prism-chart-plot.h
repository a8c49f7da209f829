/* prism-chart-plot: the area of a chart with axes and curves, zoomed and read by pointer and
 * keys. */
#pragma once

#include "charts/prism-timeline.h"
#include "prism-chart-data.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define PRISM_TYPE_CHART_PLOT (prism_chart_plot_get_type ())

G_DECLARE_FINAL_TYPE (PrismChartPlot, prism_chart_plot, PRISM, CHART_PLOT, GtkWidget)

void           prism_chart_plot_set_data     (PrismChartPlot *self,
                                              PrismChartData *data);
void           prism_chart_plot_set_timeline (PrismChartPlot *self,
                                              PrismTimeline  *timeline);
PrismTimeline *prism_chart_plot_get_timeline (PrismChartPlot *self);
const char    *prism_chart_plot_get_hover_text (PrismChartPlot *self);
/* Paints soon, but not more often than a reader can follow. */
void           prism_chart_plot_data_changed (PrismChartPlot *self);
/* Paints with the next frame. */
void           prism_chart_plot_redraw       (PrismChartPlot *self);

G_END_DECLS
