/* prism-chart-plot: the area of a chart with axes, curves and items, zoomed and read by pointer and
 * keys. Signals: hover-changed; item-chosen (guint), item-opened, by the user. */
#pragma once

#include "charts/prism-timeline.h"
#include "prism-chart-draw.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define PRISM_TYPE_CHART_PLOT (prism_chart_plot_get_type ())

G_DECLARE_FINAL_TYPE (PrismChartPlot, prism_chart_plot, PRISM, CHART_PLOT, GtkWidget)

void           prism_chart_plot_set_data       (PrismChartPlot *self,
                                                PrismChartData *data);
PrismChartData *prism_chart_plot_get_data       (PrismChartPlot *self);
/* Frames an item; what it is, is what the plot says of itself. NO_ITEM for none. */
void           prism_chart_plot_set_chosen     (PrismChartPlot *self,
                                                guint           item);
guint          prism_chart_plot_get_chosen     (PrismChartPlot *self);
void           prism_chart_plot_choose         (PrismChartPlot *self,
                                                guint           item);
/* Range of steps and cursor, perhaps shared with others. */
void           prism_chart_plot_set_timeline   (PrismChartPlot *self,
                                                PrismTimeline  *timeline);
PrismTimeline *prism_chart_plot_get_timeline   (PrismChartPlot *self);
/* The values at the cursor, or the item, in words; NULL without one. */
const char    *prism_chart_plot_get_hover_text (PrismChartPlot *self);
/* Paints soon, but not more often than a reader can follow. */
void           prism_chart_plot_data_changed   (PrismChartPlot *self);
/* Paints with the next frame. */
void           prism_chart_plot_redraw         (PrismChartPlot *self);

G_END_DECLS
