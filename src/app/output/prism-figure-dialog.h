/* prism-figure-dialog: which panels make a figure and how it looks, with a preview. Signal:
 * accepted, when it is to be saved. */
#pragma once

#include "output/prism-figure.h"

#include <adwaita.h>

G_BEGIN_DECLS

#define PRISM_TYPE_FIGURE_DIALOG (prism_figure_dialog_get_type ())

G_DECLARE_FINAL_TYPE (PrismFigureDialog, prism_figure_dialog, PRISM, FIGURE_DIALOG, AdwWindow)

PrismFigureDialog *prism_figure_dialog_new        (GtkWindow  *parent,
                                                   const char *origin);
void               prism_figure_dialog_add        (PrismFigureDialog *self,
                                                   GtkWidget         *panel,
                                                   const char        *title,
                                                   gboolean           chosen);
const char        *prism_figure_dialog_get_ending (PrismFigureDialog *self);
gboolean           prism_figure_dialog_save       (PrismFigureDialog  *self,
                                                   const char         *path,
                                                   GError            **error);

G_END_DECLS
