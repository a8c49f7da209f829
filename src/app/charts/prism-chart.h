/* prism-chart: a chart with title, legend and menu. */
#pragma once

#include "charts/prism-chart-plot.h"
#include "charts/prism-chart-feed.h"

G_BEGIN_DECLS

#define PRISM_TYPE_CHART (prism_chart_get_type ())

G_DECLARE_FINAL_TYPE (PrismChart, prism_chart, PRISM, CHART, GtkWidget)

struct _PrismChart
{
  GtkWidget parent_instance;

  GtkWidget *header;
  GtkLabel *title_label;
  GtkFlowBox *legend;
  GtkMenuButton *menu_button;
  PrismChartPlot *plot;

  PrismChartData *data;
  PrismChartFeed *feed;
  PrismChartFeed *ghost_feed;
  GtkWidget *ghost_label; /* in the legend */
  guint label_source;     /* 0 when the accessible name is up to date */
};

GtkWidget      *prism_chart_new_for      (PrismChartData *data);
/* An axis appears when it has a series. minimum and maximum fix its range; NAN lets it follow the
 * data. */
void            prism_chart_set_axis     (PrismChart     *self,
                                          PrismChartSide  side,
                                          const char     *title,
                                          gboolean        logarithmic,
                                          double          minimum,
                                          double          maximum);
/* A series of own values, fed by prism_chart_append(); returns its index. */
guint           prism_chart_add_series   (PrismChart     *self,
                                          const char     *label,
                                          PrismChartSide  side);
/* A series that takes factor times the double at offset of each PrismHistoryRow. */
PrismChartSeries *prism_chart_add_field  (PrismChart     *self,
                                          const char     *label,
                                          PrismChartSide  side,
                                          gsize           offset,
                                          double          factor,
                                          PrismChartRows  rows);
void            prism_chart_set_limit    (PrismChart *self,
                                          double      limit,
                                          const char *note);
void            prism_chart_set_empty_text (PrismChart *self,
                                            const char *text);
void            prism_chart_append       (PrismChart *self,
                                          guint       series,
                                          double      x,
                                          double      y);
void            prism_chart_clear        (PrismChart *self);
/* Whether the legend names a series. */
void            prism_chart_set_listed   (PrismChart   *self,
                                          guint         series,
                                          gboolean      listed);
/* Other points at x = 0, 1, … in place of those of a series. */
void            prism_chart_replace      (PrismChart   *self,
                                          guint         series,
                                          const double *values,
                                          guint         n_values);
/* Reads rows from where it stopped to n_rows; another history starts anew. */
void            prism_chart_set_history  (PrismChart   *self,
                                          PrismHistory *history,
                                          guint64       n_rows);
/* Curves of another run, faint behind those of this one. */
void            prism_chart_set_ghost    (PrismChart   *self,
                                          PrismHistory *history,
                                          guint64       n_rows);
void            prism_chart_set_smoothing (PrismChart *self,
                                           double      weight);
void            prism_chart_set_menu     (PrismChart *self,
                                          GMenuModel *model);

G_END_DECLS
