/* prism-figure: panels as a figure for a paper or a slide: PNG, SVG or PDF with axes, colour bar,
 * scale bar and legend, and words below them. The extension of the path decides. */
#pragma once

#include "canvas/prism-view.h"
#include "charts/prism-chart.h"

G_BEGIN_DECLS

typedef struct
{
  double width;                         /* points, 1/72 inch */
  double height;                        /* of a page with one panel */
  double resolution;                    /* dots per inch of a PNG */
  gboolean dark;                        /* light text on a dark page */
  gboolean transparent;                 /* no page below the text */
  double font_size;                     /* points of the numbers; 0: 9, which all sizes follow */
  const char *family;                   /* (nullable): of the font */
  const char *subtitle;                 /* (nullable): a line below the title */
  const char *caption;                  /* (nullable): lines below everything */
  gboolean readings;                    /* what marks tell, below the panels */
} PrismFigureOptions;

typedef struct
{
  GPtrArray *panels;                    /* of GtkWidget: PrismView or PrismChart */
  guint columns;                        /* side by side, from 1 */
} PrismFigureSheet;

void     prism_figure_options_init (PrismFigureOptions *self);
gboolean prism_figure_save_sheet   (const PrismFigureSheet   *sheet,
                                    const char               *path,
                                    const PrismFigureOptions *options,
                                    GError                  **error);
GBytes  *prism_figure_render_sheet (const PrismFigureSheet   *sheet,
                                    const PrismFigureOptions *options,
                                    GError                  **error);

G_END_DECLS
