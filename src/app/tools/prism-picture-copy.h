/* prism-picture-copy: what a view shows as a picture for other programs, pixel by pixel. */
#pragma once

#include "canvas/prism-view.h"

G_BEGIN_DECLS

GdkTexture         *prism_picture_copy_new_texture  (PrismView  *view,
                                                     GError    **error);
GdkContentProvider *prism_picture_copy_new_provider (PrismView  *view,
                                                     const char *name,
                                                     GError    **error);

G_END_DECLS
