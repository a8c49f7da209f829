/* prism-pattern-gallery: every kind of pattern with the edited aperture and number of samples; one
 * click chooses it. */
#pragma once

#include "session/prism-draft.h"

#include <adwaita.h>

G_BEGIN_DECLS

#define PRISM_TYPE_PATTERN_GALLERY (prism_pattern_gallery_get_type ())

G_DECLARE_FINAL_TYPE (PrismPatternGallery, prism_pattern_gallery, PRISM, PATTERN_GALLERY, AdwWindow)

GtkWidget *prism_pattern_gallery_new     (PrismDraft *draft);

G_END_DECLS
