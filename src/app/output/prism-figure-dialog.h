/* prism-figure-dialog: which panels make a figure and how it looks, with a preview. Signal:
 * accepted, when it is to be saved. */
#pragma once

#include "formats/prism-animation.h"
#include "output/prism-figure.h"
#include "prism-film.h"
#include "support/prism-file-dialog.h"

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

/* Asks what an animation shall show. */

#define PRISM_TYPE_FILM_DIALOG (prism_film_dialog_get_type ())

G_DECLARE_FINAL_TYPE (PrismFilmDialog, prism_film_dialog, PRISM, FILM_DIALOG, AdwWindow)

/* Signal "accepted": the user wants to save with these options. */
void               prism_film_dialog_get_options (PrismFilmDialog  *self,
                                                  PrismFilmOptions *options);
PrismAnimationKind prism_film_dialog_get_kind    (PrismFilmDialog *self);

/* Saves the moments of a run as an animation, on another thread. */

/* Main thread, some times a second while the animation is made. */
/* @progress: void (double fraction, data); @done: void (const char *path, const
 * GError *, data). */

void prism_film_maker_save (PrismSnapshot           *snapshot,
                            const char              *path,
                            const PrismFilmOptions  *options,
                            GCancellable            *cancellable,
                            gpointer                 progress,
                            gpointer                 done,
                            gpointer                 data);

G_END_DECLS
