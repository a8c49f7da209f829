/* prism-chart-series: the points of one curve, with minima and maxima over groups of them, so
 * that a million points are painted as fast as a thousand. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  PRISM_CHART_LEFT,
  PRISM_CHART_RIGHT,
  PRISM_CHART_N_SIDES,
} PrismChartSide;

typedef struct _PrismChartSeries PrismChartSeries;

/* What of a curve falls into one column of pixels. */
typedef struct
{
  guint64 n_points;                     /* 0: the curve passes over this column */
  float first;
  float last;
  float minimum;
  float maximum;                        /* below minimum: all points are absent */
  float positive;                       /* smallest above 0, INFINITY when there is none */
} PrismChartColumn;

PrismChartSeries *prism_chart_series_new            (const char     *label,
                                                     PrismChartSide  side);
void              prism_chart_series_free           (PrismChartSeries *self);
const char       *prism_chart_series_get_label      (PrismChartSeries *self);
PrismChartSide    prism_chart_series_get_side       (PrismChartSeries *self);
void              prism_chart_series_set_joined     (PrismChartSeries *self,
                                                     gboolean          joined);
void              prism_chart_series_set_visible    (PrismChartSeries *self,
                                                     gboolean          visible);
gboolean          prism_chart_series_is_visible     (PrismChartSeries *self);
void              prism_chart_series_set_smoothing  (PrismChartSeries *self,
                                                     double            weight);
void              prism_chart_series_append         (PrismChartSeries *self,
                                                     double            x,
                                                     double            y);
void              prism_chart_series_interrupt      (PrismChartSeries *self,
                                                     double            x);
void              prism_chart_series_clear          (PrismChartSeries *self);
guint64           prism_chart_series_get_n_points   (PrismChartSeries *self);
double            prism_chart_series_get_x          (PrismChartSeries *self,
                                                     guint64           i);
double            prism_chart_series_get_y          (PrismChartSeries *self,
                                                     guint64           i,
                                                     gboolean          smooth);
gboolean          prism_chart_series_get_extent     (PrismChartSeries *self,
                                                     double           *first,
                                                     double           *last);
gboolean          prism_chart_series_is_alone       (PrismChartSeries *self,
                                                     guint64           i);
gboolean          prism_chart_series_may_be_alone   (PrismChartSeries *self);
guint64           prism_chart_series_find           (PrismChartSeries *self,
                                                     double            x);
gboolean          prism_chart_series_get_nearest    (PrismChartSeries *self,
                                                     double            x,
                                                     guint64          *i);
void              prism_chart_series_compute_column (PrismChartSeries *self,
                                                     guint64           first,
                                                     guint64           end,
                                                     gboolean          smooth,
                                                     PrismChartColumn *column);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismChartSeries, prism_chart_series_free)

G_END_DECLS
