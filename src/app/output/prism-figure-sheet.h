/* prism-figure-sheet: several panels on the page of one figure, and words below them. */
#pragma once

#include "output/prism-figure-page.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

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
