/* prism-film-dialog: asks what an animation shall show. */
#pragma once

#include "formats/prism-animation.h"
#include "prism-film.h"
#include "support/prism-file-dialog.h"

#include <adwaita.h>

G_BEGIN_DECLS

#define PRISM_TYPE_FILM_DIALOG (prism_film_dialog_get_type ())

G_DECLARE_FINAL_TYPE (PrismFilmDialog, prism_film_dialog, PRISM, FILM_DIALOG, AdwWindow)

/* Signal "accepted": the user wants to save with these options. */
PrismFilmDialog   *prism_film_dialog_new         (GtkWindow *parent);
void               prism_film_dialog_get_options (PrismFilmDialog  *self,
                                                  PrismFilmOptions *options);
PrismAnimationKind prism_film_dialog_get_kind    (PrismFilmDialog *self);

/* Saves the moments of a run as an animation, on another thread. */

/* Main thread, some times a second while the animation is made. */
typedef void (*PrismFilmMakerProgress) (double   fraction,
                                        gpointer data);

void prism_film_maker_save (PrismSnapshot           *snapshot,
                            const char              *path,
                            const PrismFilmOptions  *options,
                            GCancellable            *cancellable,
                            PrismFilmMakerProgress   progress,
                            PrismFileSaverDone       done,
                            gpointer                 data);

G_END_DECLS
