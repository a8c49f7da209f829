/* prism-chart-draw: a chart in cairo, the same on the screen and in figures: two axes with curves
 * over them, and with these, or alone, items that have an extent: bars, stages in lanes of time,
 * cells of a map, points with their spread.
 *
 * Thread: any, one at a time. */
#pragma once

#include "prism-mapping.h"
#include "prism-paint.h"
#include "prism-scale.h"

G_BEGIN_DECLS

typedef enum
{
  PRISM_CHART_LEFT,
  PRISM_CHART_RIGHT,
  PRISM_CHART_N_SIDES,
} PrismChartSide;

/* Of the values that are not absent. */
typedef struct
{
  float minimum;                        /* INFINITY when all are absent */
  float maximum;                        /* -INFINITY when all are absent */
  float positive;                       /* smallest above 0, INFINITY when there is none */
} PrismChartExtremes;

#define PRISM_CHART_NO_EXTREMES ((PrismChartExtremes) { INFINITY, -INFINITY, INFINITY })

void prism_chart_extremes_add (PrismChartExtremes *self,
                               float               value);

/* The points of one curve. */

typedef struct
{
  char *label;                          /* (nullable): name in the legend */
  PrismChartSide side;                  /* its axis */
  gboolean joined;                      /* absent values are left out, for what is computed at some
                                         * steps only: no gaps; set while there are no points */
  gboolean hidden;                      /* its curve is not painted */
  /* The rest is its own. */
  double weight;                        /* of the past in the moving average; 0 for none */
  GArray *x;                            /* of double, ascending */
  double first;                         /* x of all that was added, absent values too; NAN: none */
  double last;
  gboolean broken;                      /* there are gaps */
  guint stride;                         /* points added for one that is kept, a power of 2 */
  GArray *tail_x;                       /* of double: points that wait until two of them are kept */
  GArray *tail_y;                       /* of float */
  GArray *raw;                          /* of float; NAN is absent */
  GArray *smooth;                       /* of float; as long as raw, or not computed */
} PrismChartSeries;

PrismChartSeries *prism_chart_series_new            (const char     *label,
                                                     PrismChartSide  side);
void              prism_chart_series_free           (PrismChartSeries *self);
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
guint64           prism_chart_series_find           (PrismChartSeries *self,
                                                     double            x);
gboolean          prism_chart_series_get_nearest    (PrismChartSeries *self,
                                                     double            x,
                                                     guint64          *i);
void              prism_chart_series_add_extremes   (PrismChartSeries   *self,
                                                     guint64             first,
                                                     guint64             end,
                                                     gboolean            smooth,
                                                     PrismChartExtremes *extremes);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismChartSeries, prism_chart_series_free)

/* All that a chart shows, apart from where on the screen. */

typedef struct
{
  char *title;                          /* (nullable) with its unit: "PSNR / dB" */
  gboolean logarithmic;
  double minimum;                       /* NAN follows the data */
  double maximum;
} PrismChartAxis;

/* Where a sample or a phase begins. Of an axis: a name in place of numbers. */
typedef struct
{
  double x;
  char *label;                          /* (nullable) */
} PrismChartMark;

/* What all items of a chart are. Values of lanes and cells grow downwards. */
typedef enum
{
  PRISM_CHART_BARS,                     /* with their text above */
  PRISM_CHART_LANES,                    /* a line of text is 1 high; names stand above their lane */
  PRISM_CHART_CELLS,
  PRISM_CHART_POINTS,                   /* round, where x[0] and y[0] are */
} PrismChartShape;

#define PRISM_CHART_NO_ITEM G_MAXUINT

typedef struct
{
  double x[2];                          /* left and right end */
  double y[2];                          /* both ends, of values of the left axis */
  double spread[4];                     /* ends of a line with bars across, and ticks on it; NAN; of
                                         * lanes along x */
  double from[2];                       /* of a point: where a line to it begins; NAN */
  double value;                         /* of the scale of colours; of lanes the number of a hue */
  const PrismColor *color;              /* (nullable): where value is NAN; NULL is the accent */
  PrismImage *image;                    /* (nullable): of a cell with a picture, 0 black, 1 white */
  gboolean bold;                        /* strong among bars, a bold rim of points */
  const char *text;                     /* (nullable): shown where there is room */
  const char *tip;                      /* (nullable): what it is */
  gconstpointer subject;                /* (nullable): for dup_tip of the chart */
} PrismChartItem;

typedef struct
{
  guint n_refs;
  char *title;
  char *x_title;
  char *description;                    /* (nullable): what is to be seen, for a screen reader */
  gboolean passes;                      /* x counts passes, of recorded frames, and has no phases */
  gboolean continuous;                  /* x is time, say, and not a count of steps */
  gboolean equal;                       /* both axes have one scale, y grows downwards */
  gboolean pictures;                    /* cells have a picture, and their text below it */
  gboolean bare;                        /* items alone fill the area, without axes */
  double first;                         /* of all x; NAN follows the data */
  double last;
  PrismChartAxis axes[PRISM_CHART_N_SIDES];
  GPtrArray *series;                    /* of PrismChartSeries */
  GPtrArray *ghosts;                    /* of PrismChartSeries (nullable): of another run, at the
                                         * places of series; may be shorter */
  PrismChartShape shape;
  GArray *items;                        /* of PrismChartItem; of lanes by their beginnings */
  PrismMapping mapping;                 /* from values of items to colours; black is white: none */
  GStringChunk *texts;                  /* of the items */
  char *(*dup_tip) (gconstpointer subject); /* (nullable): in place of their tips */
  GArray *marks;                        /* of PrismChartMark, ascending */
  GArray *names[2];                     /* of PrismChartMark, ascending: along x, along y */
  double polish;                        /* x after which each point is a whole pass; NAN for none */
  double smoothing;                     /* 0…1 */
  double limit;                         /* of the left axis: a line near the values; NAN for none */
  char *note;                           /* (nullable): a few words above the plot */
  char *empty_text;                     /* (nullable): why there are no points, and never will
                                         * be; otherwise they may come */
} PrismChartData;

PrismChartData   *prism_chart_data_new_titled    (const char *title,
                                                  const char *x_title);
PrismChartData   *prism_chart_data_ref           (PrismChartData *self);
void              prism_chart_data_free          (PrismChartData *self);
void              prism_chart_data_clear         (PrismChartData *self);
void              prism_chart_data_set_axis      (PrismChartData *self,
                                                  PrismChartSide  side,
                                                  const char     *title,
                                                  gboolean        logarithmic,
                                                  double          minimum,
                                                  double          maximum);
PrismChartSeries *prism_chart_data_add_series    (PrismChartData *self,
                                                  const char     *label,
                                                  PrismChartSide  side);
PrismChartSeries *prism_chart_data_get_series    (PrismChartData *self,
                                                  guint           i);
PrismChartSeries *prism_chart_data_get_ghost     (PrismChartData *self,
                                                  guint           i);
PrismChartItem   *prism_chart_data_add_item      (PrismChartData *self,
                                                  char           *text,
                                                  char           *tip);
PrismChartItem   *prism_chart_data_get_item      (const PrismChartData *self,
                                                  guint                 i);
char             *prism_chart_data_dup_tip       (const PrismChartData *self,
                                                  guint                 item);
void              prism_chart_data_find_colors   (PrismChartData *self,
                                                  gboolean        logarithmic);
void              prism_chart_data_add_mark      (GArray     *marks,
                                                  double      x,
                                                  const char *label);
void              prism_chart_data_set_smoothing (PrismChartData *self,
                                                  double          weight);
gboolean          prism_chart_data_get_extent    (PrismChartData *self,
                                                  double         *first,
                                                  double         *last);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismChartData, prism_chart_data_free)

/* Where axes and values lie in the area of a chart. */

typedef struct
{
  gboolean shown;
  gboolean logarithmic;
  gboolean down;                        /* values grow downwards */
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
  double dot;                           /* radius of points */
  PrismTicks x_ticks;
  PrismChartScale scales[PRISM_CHART_N_SIDES];
} PrismChartLayout;

void     prism_chart_layout_init       (PrismChartLayout *self,
                                        PrismChartData   *data,
                                        PrismPaint       *paint,
                                        double            area_width,
                                        double            area_height,
                                        double            first,
                                        double            last);
double   prism_chart_layout_get_height (const PrismChartData *data,
                                        double                line_height);
double   prism_chart_layout_get_x      (const PrismChartLayout *self,
                                        double                  x);
double   prism_chart_layout_get_y      (const PrismChartLayout *self,
                                        PrismChartSide          side,
                                        double                  value);
double   prism_chart_layout_get_step   (const PrismChartLayout *self,
                                        double                  area_x);
char    *prism_chart_layout_dup_tick   (const GArray     *names,
                                        const PrismTicks *ticks,
                                        guint             i,
                                        double           *at);

/* Axes, curves and items. */

void     prism_chart_draw              (PrismChartData         *data,
                                        PrismPaint             *paint,
                                        const PrismChartLayout *layout);
#define PRISM_CHART_TITLE_HEIGHT 16.0   /* of a figure */

double   prism_chart_draw_legend       (PrismChartData *data,
                                        PrismPaint     *paint,
                                        double          x,
                                        double          y,
                                        double          width);
void     prism_chart_draw_figure       (PrismChartData *data,
                                        PrismPaint     *paint,
                                        double          width,
                                        double          height);
void     prism_chart_curves_draw       (PrismChartData         *data,
                                        PrismPaint             *paint,
                                        const PrismChartLayout *layout);
void     prism_chart_curve_draw_faint  (PrismChartSeries       *series,
                                        guint                   index,
                                        PrismPaint             *paint,
                                        const PrismChartLayout *layout);
void     prism_chart_curve_draw_sample (PrismPaint *paint,
                                        guint       series,
                                        double      x,
                                        double      y,
                                        double      width);
void     prism_chart_items_draw        (const PrismChartData   *data,
                                        PrismPaint             *paint,
                                        const PrismChartLayout *layout);
void     prism_chart_items_draw_chosen (const PrismChartData   *data,
                                        PrismPaint             *paint,
                                        const PrismChartLayout *layout,
                                        guint                   item);
guint    prism_chart_items_find        (const PrismChartData   *data,
                                        const PrismChartLayout *layout,
                                        double                  x,
                                        double                  y);
guint    prism_chart_items_find_next   (const PrismChartData   *data,
                                        const PrismChartLayout *layout,
                                        guint                   from,
                                        int                     right,
                                        int                     down);

/* The values of all curves at one step. */

gboolean prism_chart_cursor_get_step   (PrismChartData *data,
                                        double          wanted,
                                        double         *step);
char    *prism_chart_cursor_dup_text   (PrismChartData *data,
                                        double          step);
void     prism_chart_cursor_draw       (PrismChartData         *data,
                                        PrismPaint             *paint,
                                        const PrismChartLayout *layout,
                                        double                  step,
                                        gboolean                boxed);

G_END_DECLS
