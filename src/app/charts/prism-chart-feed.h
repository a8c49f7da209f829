/* prism-chart-feed: takes the rows of a run's history into the curves of a chart, in pieces, so
 * that two million of them do not keep the window waiting. Thread: main. */
#pragma once

#include "history/prism-history.h"
#include "prism-chart-draw.h"

G_BEGIN_DECLS

/* Of a run's history: the polish counts passes, and its loss is the misfit of all measurements. */
typedef enum
{
  PRISM_CHART_ALL_ROWS,
  PRISM_CHART_STEP_ROWS,
  PRISM_CHART_POLISH_ROWS,
} PrismChartRows;

typedef struct _PrismChartFeed PrismChartFeed;

/* After each piece; was_empty: it was the first one. */
typedef void (*PrismChartFeedFunc) (gpointer data,
                                    gboolean was_empty);

PrismChartFeed *prism_chart_feed_new         (PrismChartData     *data,
                                              PrismChartFeedFunc  func,
                                              gpointer            user_data);
PrismChartFeed *prism_chart_feed_new_ghost   (PrismChartFeed *self);
void            prism_chart_feed_free        (PrismChartFeed *self);
void            prism_chart_feed_add_field   (PrismChartFeed *self,
                                              guint           series,
                                              gsize           offset,
                                              double          factor,
                                              PrismChartRows  rows);
gboolean        prism_chart_feed_continues   (PrismChartFeed *self,
                                              PrismHistory   *history,
                                              guint64         n_rows);
void            prism_chart_feed_set_history (PrismChartFeed *self,
                                              PrismHistory   *history,
                                              guint64         n_rows);
void            prism_chart_feed_clear       (PrismChartFeed *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismChartFeed, prism_chart_feed_free)

G_END_DECLS
