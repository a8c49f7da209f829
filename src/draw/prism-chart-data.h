/* prism-chart-data: all that a chart shows, apart from where on the screen. */
#pragma once

#include "prism-chart-series.h"

G_BEGIN_DECLS

typedef struct
{
  char *title;                          /* (nullable) with its unit: "PSNR / dB" */
  gboolean logarithmic;
  double minimum;                       /* NAN follows the data */
  double maximum;
} PrismChartAxis;

/* A vertical line: where a sample or a phase begins. */
typedef struct
{
  double x;
  char *label;                          /* (nullable) */
} PrismChartMark;

typedef struct
{
  char *title;
  char *x_title;
  gboolean continuous;                  /* x is time, say, and not a count of steps */
  PrismChartAxis axes[PRISM_CHART_N_SIDES];
  GPtrArray *series;                    /* of PrismChartSeries */
  GPtrArray *ghosts;                    /* of PrismChartSeries (nullable): of another run, at the
                                         * places of series; may be shorter */
  GArray *marks;                        /* of PrismChartMark, ascending */
  gboolean show_marks;
  double polish;                        /* x after which each point is a whole pass; NAN for none */
  double smoothing;                     /* 0…1 */
  double limit;                         /* of the left axis: a line near the values; NAN for none */
  char *note;                           /* (nullable): a few words above the plot */
  char *empty_text;                     /* (nullable): why there are no points, and never will
                                         * be; otherwise they may come */
} PrismChartData;

PrismChartData   *prism_chart_data_new           (void);
void              prism_chart_data_free          (PrismChartData *self);
void              prism_chart_data_clear         (PrismChartData *self);
PrismChartSeries *prism_chart_data_get_series    (PrismChartData *self,
                                                  guint           i);
PrismChartSeries *prism_chart_data_get_ghost     (PrismChartData *self,
                                                  guint           i);
void              prism_chart_data_clear_ghosts  (PrismChartData *self);
void              prism_chart_data_add_mark      (PrismChartData *self,
                                                  double          x,
                                                  const char     *label);
void              prism_chart_data_set_smoothing (PrismChartData *self,
                                                  double          weight);
gboolean          prism_chart_data_get_extent    (PrismChartData *self,
                                                  double         *first,
                                                  double         *last);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismChartData, prism_chart_data_free)

G_END_DECLS
