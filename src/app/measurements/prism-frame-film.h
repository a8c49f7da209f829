/* prism-frame-film: recorded frames one after the other, as a film, and beside each the place of
 * its light. Main thread. */
#pragma once

#include "prism-paint.h"
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

/* What reconstructing would make of recorded frames, in words. Thread: any. */

char *prism_import_plan_dup_text (const PrismRecording  *recording,
                                  GError               **error);

char *prism_import_plan_dup_missing (const PrismRecording *recording);

/* Frames of a recording as a contact sheet, and the spectra of bright ones
 * with the circles where the geometry says that they are. */

typedef struct _PrismImportPictures PrismImportPictures;

PrismImportPictures *prism_import_pictures_new          (const PrismRecording *recording);
cairo_surface_t     *prism_import_pictures_make_frame   (const PrismRecording *recording,
                                                         guint                 j,
                                                         guint                 longest);
void                 prism_import_pictures_free         (PrismImportPictures *self);
int                  prism_import_pictures_get_height   (const PrismImportPictures *self,
                                                         int                        width);
void                 prism_import_pictures_draw_sheet   (const PrismImportPictures *self,
                                                         PrismPaint                *paint,
                                                         int                        width,
                                                         int                        height);
void                 prism_import_pictures_draw_spectra (const PrismImportPictures *self,
                                                         PrismPaint                *paint,
                                                         int                        width,
                                                         int                        height);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismImportPictures, prism_import_pictures_free)

G_END_DECLS
