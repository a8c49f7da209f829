/* prism-film-maker: saves the moments of a run as an animation, on another thread. */
#pragma once

#include "prism-film.h"
#include "support/prism-file-saver.h"

G_BEGIN_DECLS

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
