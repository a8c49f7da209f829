/* prism-import-pictures: frames of a recording as a contact sheet, and the spectra of bright ones
 * with the circles where the geometry says that they are. */
#pragma once

#include "prism-paint.h"
#include "recording/prism-recording.h"

G_BEGIN_DECLS

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
