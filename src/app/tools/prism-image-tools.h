/* prism-image-tools: the strip of tools above a picture that is shown alone: marks, levels,
 * overlay, zoom, copies; and what a view shows as a picture for other programs, pixel by pixel. */
#pragma once

#include "canvas/prism-view.h"

G_BEGIN_DECLS

#define PRISM_TYPE_IMAGE_TOOLS (prism_image_tools_get_type ())

G_DECLARE_FINAL_TYPE (PrismImageTools, prism_image_tools, PRISM, IMAGE_TOOLS, GtkWidget)

GtkWidget *prism_image_tools_new           (PrismView  *view,
                                            const char *id);
void       prism_image_tools_add_overlay   (PrismImageTools *self,
                                            PrismView       *source);

GdkTexture         *prism_picture_copy_new_texture  (PrismView  *view,
                                                     GError    **error);

G_END_DECLS
