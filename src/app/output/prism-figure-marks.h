/* prism-figure-marks: what the marks over the panels of a figure tell, below them: a line of
 * numbers for each mark and panel, and a chart for each line. */
#pragma once

#include "output/prism-figure-page.h"

G_BEGIN_DECLS

double prism_figure_marks_draw (const GPtrArray *panels,
                                const PrismFigureOptions *options,
                                PrismPaint *paint,
                                double y,
                                gboolean draw);

G_END_DECLS
