/* prism-pattern-gallery: every kind of pattern with the edited aperture and number of samples; one
 * click chooses it. */
#pragma once

#include "kspace/prism-pattern-editor.h"

#include <adwaita.h>

G_BEGIN_DECLS

#define PRISM_TYPE_PATTERN_GALLERY (prism_pattern_gallery_get_type ())

G_DECLARE_FINAL_TYPE (PrismPatternGallery, prism_pattern_gallery, PRISM, PATTERN_GALLERY, AdwWindow)

GtkWidget *prism_pattern_gallery_new     (PrismDraft *draft);

/* Below k-space: what the edited pattern measures, and how to change it. */

#define PRISM_TYPE_PATTERN_BAR (prism_pattern_bar_get_type ())

G_DECLARE_FINAL_TYPE (PrismPatternBar, prism_pattern_bar, PRISM, PATTERN_BAR, GtkWidget)

GtkWidget *prism_pattern_bar_new (PrismPatternEditor *desk);

G_END_DECLS
