/* prism-figure: a panel as a figure for a paper or a slide: PNG, SVG or PDF with axes, colour bar,
 * scale bar and legend. The extension of the path decides. */
#pragma once

#include "output/prism-figure-page.h"

G_BEGIN_DECLS

void     prism_figure_options_init (PrismFigureOptions *self);
gboolean prism_figure_save_view    (PrismView                *view,
                                    const char               *path,
                                    const PrismFigureOptions *options,
                                    GError                  **error);
GBytes  *prism_figure_render_view  (PrismView                *view,
                                    const PrismFigureOptions *options,
                                    GError                  **error);
gboolean prism_figure_save_chart   (PrismChart               *chart,
                                    const char               *path,
                                    const PrismFigureOptions *options,
                                    GError                  **error);
gboolean prism_figure_save_sheet   (const PrismFigureSheet   *sheet,
                                    const char               *path,
                                    const PrismFigureOptions *options,
                                    GError                  **error);
GBytes  *prism_figure_render_sheet (const PrismFigureSheet   *sheet,
                                    const PrismFigureOptions *options,
                                    GError                  **error);

G_END_DECLS
