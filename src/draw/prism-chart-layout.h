/* prism-chart-layout: where axes and values of a chart lie in its area. */
#pragma once

#include "prism-chart-data.h"
#include "prism-paint.h"
#include "prism-scale.h"

G_BEGIN_DECLS

typedef struct
{
  gboolean shown;
  gboolean logarithmic;
  double floor;                         /* logarithmic: least value where that is not positive,
                                         * which stands at the bottom; NAN where all are */
  double low;                           /* value at the bottom */
  double high;                          /* value at the top */
  PrismTicks ticks;
} PrismChartScale;

typedef struct
{
  double left;                          /* edges of the plot in the area */
  double top;
  double width;
  double height;
  gboolean empty;                       /* there is no point to show */
  gboolean untitled;                    /* the line above the plot is left to values */
  gboolean titled_below;                /* the horizontal axis has a line for its title */
  double first;                         /* x at the left edge */
  double last;                          /* x at the right edge */
  double bend;                          /* x where the scale changes; last where it does not */
  double bend_width;                    /* of the part before it */
  PrismTicks x_ticks;
  PrismChartScale scales[PRISM_CHART_N_SIDES];
} PrismChartLayout;

void   prism_chart_layout_init  (PrismChartLayout *self,
                                 PrismChartData   *data,
                                 PrismPaint       *paint,
                                 double            area_width,
                                 double            area_height,
                                 double            first,
                                 double            last);
const char *prism_chart_scale_get_floor_label (const PrismChartScale *self);
double prism_chart_layout_get_x (const PrismChartLayout *self,
                                 double                  x);
double prism_chart_layout_get_y (const PrismChartLayout *self,
                                 PrismChartSide          side,
                                 double                  value);
double prism_chart_layout_get_step (const PrismChartLayout *self,
                                    double                  area_x);

G_END_DECLS
