/* prism-library-pictures: the small pictures that were shown last, so that a list which is scrolled
 * back does not read their files again. Thread: main. */
#pragma once

#include <gdk/gdk.h>

G_BEGIN_DECLS

#define PRISM_LIBRARY_PICTURES_MOST 512 /* that are kept: 8 MiB of 64 x 64 px */

typedef struct _PrismLibraryPictures PrismLibraryPictures;

PrismLibraryPictures *prism_library_pictures_new       (void);
void                  prism_library_pictures_free      (PrismLibraryPictures *self);
GdkTexture           *prism_library_pictures_get       (PrismLibraryPictures *self,
                                                        const char           *path);
void                  prism_library_pictures_forget    (PrismLibraryPictures *self,
                                                        const char           *path);

G_END_DECLS
