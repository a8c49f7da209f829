/* prism-figure-page: what stands on the page of a figure. */
#pragma once

#include "canvas/prism-view.h"
#include "charts/prism-chart.h"
#include "prism-paint.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

typedef struct
{
  double width;                         /* points, 1/72 inch */
  double height;
  double resolution;                    /* dots per inch of a PNG */
  gboolean dark;                        /* light text on a dark page */
  gboolean transparent;                 /* no page below the text */
  double font_size;                     /* points of the numbers; 0: 9, which all sizes follow */
  const char *family;                   /* (nullable): of the font */
  const char *label;                    /* (nullable): before the title, which panel it is */
  const char *subtitle;                 /* (nullable): a line below the title */
  const char *caption;                  /* (nullable): lines below everything */
  gboolean readings;                    /* what marks tell, below the panels of a sheet */
} PrismFigureOptions;

typedef struct
{
  PrismPaint *paint;                    /* in points, 0, 0 is the corner of the page */
  const PrismFigureOptions *options;    /* with a size */
  double device_scale;                  /* pixels per point */
} PrismFigurePage;

double   prism_figure_page_get_view_height (PrismView                *view,
                                            const PrismFigureOptions *options);
gboolean prism_figure_page_draw_view       (const PrismFigurePage  *page,
                                            PrismView              *view,
                                            GError                **error);
void     prism_figure_page_draw_chart      (const PrismFigurePage *page,
                                            PrismChart            *chart);

/* What the marks over the panels of a figure tell, below them: a line of
 * numbers for each mark and panel, and a chart for each line. */

double prism_figure_marks_draw (const GPtrArray *panels,
                                const PrismFigureOptions *options,
                                PrismPaint *paint,
                                double y,
                                gboolean draw);

/* Several panels on the page of one figure, and words below them. */

typedef struct
{
  GPtrArray *panels;                    /* of GtkWidget: PrismView or PrismChart */
  guint columns;                        /* side by side, from 1 */
} PrismFigureSheet;

double   prism_figure_sheet_get_height (const PrismFigureSheet   *self,
                                        const PrismFigureOptions *options);
gboolean prism_figure_sheet_draw       (const PrismFigurePage  *page,
                                        const PrismFigureSheet *self,
                                        GError                **error);

G_END_DECLS
