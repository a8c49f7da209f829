/* prism-chart-plot: the area of a chart with axes, curves and items, zoomed and read by pointer and
 * keys. Signals: hover-changed; item-chosen (guint), item-opened, by the user. */
#pragma once

#include "support/prism-job.h"
#include "charts/prism-timeline.h"
#include "prism-chart-draw.h"

G_BEGIN_DECLS

#define PRISM_TYPE_CHART_PLOT (prism_chart_plot_get_type ())

G_DECLARE_FINAL_TYPE (PrismChartPlot, prism_chart_plot, PRISM, CHART_PLOT, GtkWidget)

struct _PrismChartPlot
{
  GtkWidget parent_instance;

  PrismChartData *data; /* (nullable) */
  PrismTimeline *timeline;
  PrismChartLayout layout; /* of the last time it was painted */
  GskRenderNode *node;     /* (nullable) axes and curves, until something changes */
  PrismThrottle *throttle; /* of growing curves */
  double drag_start;       /* in the area, NAN without a drag */
  double drag_end;
  gboolean untitled; /* the line of the titles has values */
  gboolean pointed;  /* the pointer is here, not in a linked chart */
  gboolean panning;
  gboolean walking;     /* the drag is along the axis of time */
  double picked_before; /* the moment before the last click, NAN for the present */
  gboolean doubled;     /* the last press was the second of two */
  double pan_first;     /* range when the drag began */
  double pan_last;
  char *hover_text; /* (nullable) */
  guint chosen;     /* item that is framed, PRISM_CHART_NO_ITEM for none */
};

void           prism_chart_plot_set_data       (PrismChartPlot *self,
                                                PrismChartData *data);
/* Frames an item; what it is, is what the plot says of itself. NO_ITEM for none. */
void           prism_chart_plot_set_chosen     (PrismChartPlot *self,
                                                guint           item);
void           prism_chart_plot_choose         (PrismChartPlot *self,
                                                guint           item);
/* Range of steps and cursor, perhaps shared with others. */
void           prism_chart_plot_set_timeline   (PrismChartPlot *self,
                                                PrismTimeline  *timeline);
/* The values at the cursor, or the item, in words; NULL without one. */
/* Paints soon, but not more often than a reader can follow. */
void           prism_chart_plot_data_changed   (PrismChartPlot *self);
/* Paints with the next frame. */
void           prism_chart_plot_redraw         (PrismChartPlot *self);

G_END_DECLS
