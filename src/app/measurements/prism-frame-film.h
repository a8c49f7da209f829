/* prism-frame-film: recorded frames one after the other, as a film, and beside each the place of
 * its light. Main thread. */
#pragma once

#include "recording/prism-recording.h"

#include <adwaita.h>

G_BEGIN_DECLS

#define PRISM_TYPE_FRAME_FILM (prism_frame_film_get_type ())

G_DECLARE_FINAL_TYPE (PrismFrameFilm, prism_frame_film, PRISM, FRAME_FILM, AdwBin)

void  prism_frame_film_set_recording (PrismFrameFilm *self,
                                      PrismRecording *recording);
void  prism_frame_film_set_frame     (PrismFrameFilm *self,
                                      guint           frame);
guint prism_frame_film_get_frame     (PrismFrameFilm *self);
void  prism_frame_film_set_playing   (PrismFrameFilm *self,
                                      gboolean        playing);

G_END_DECLS
